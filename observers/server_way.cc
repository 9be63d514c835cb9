#include "observers/server_way.h"

namespace pgfiredrill {
namespace {

/// Nobody spoke PostgreSQL there, or no line of pg_hba.conf lets us in. Other refusals pass: a replica that
/// has not replayed the role yet, a server that is starting.
bool is_walled_off(const LoginEvidence& evidence) {
  constexpr const char* kNoHbaEntry = "28000";
  const bool answered = evidence.stage == LoginStage::authenticating || !evidence.sqlstate.empty();
  return !answered || evidence.sqlstate == kNoHbaEntry;
}

}  // namespace

void WayChoice::login_failed(const LoginEvidence& evidence) {
  if (settled_ || !ssh_possible_) return;
  if (way_ == Way::ssh) {
    way_ = Way::direct;
  } else if (is_walled_off(evidence)) {
    way_ = Way::ssh;
  }
}

void WayChoice::route_failed() {
  if (!settled_) way_ = Way::direct;
}

}  // namespace pgfiredrill
