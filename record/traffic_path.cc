#include "record/traffic_path.h"

namespace pgfiredrill {

const char* to_string(Depth depth) noexcept {
  switch (depth) {
    case Depth::balancer:
      return "balancer";
    case Depth::pooler:
      return "pooler";
    case Depth::server:
      return "server";
  }
  return "server";
}

const char* to_string(Access access) noexcept {
  return access == Access::read_only ? "read_only" : "read_write";
}

const char* to_string(SessionKind session) noexcept {
  return session == SessionKind::fresh ? "fresh" : "pooled";
}

const char* to_string(Purpose purpose) noexcept {
  switch (purpose) {
    case Purpose::canary:
      break;
    case Purpose::ledger:
      return "ledger";
    case Purpose::heartbeat:
      return "heartbeat";
  }
  return "canary";
}

}  // namespace pgfiredrill
