#include "record/flat_json.h"

#include <nlohmann/json.hpp>

namespace pgfiredrill {

using nlohmann::json;

namespace {
constexpr int kDeepest = 32;
}

json parse_flat_json(const std::string& text) {
  bool too_deep = false;
  const auto watch_depth = [&too_deep](int depth, json::parse_event_t, const json&) {
    too_deep = too_deep || depth > kDeepest;
    return !too_deep;
  };
  json document = json::parse(text, watch_depth, false);
  if (too_deep) return json(json::value_t::discarded);
  return document;
}

}  // namespace pgfiredrill
