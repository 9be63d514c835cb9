#include "cluster/json_quote.h"

#include <nlohmann/json.hpp>

namespace pgfiredrill {

std::string json_quote(const std::string& text) {
  using nlohmann::json;
  return json(text).dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace pgfiredrill
