#include "cluster/json_value.h"

#include <cmath>

#include <nlohmann/json.hpp>

#include "base/text.h"

namespace pgfiredrill {
namespace {

using nlohmann::json;

/// Real answers are nested about six levels deep.
constexpr int kDeepest = 64;
/// Below this a double holds every whole number exactly.
constexpr double kExactDouble = 9007199254740992.0;

const json& node_of(const std::shared_ptr<const void>& node) {
  return *static_cast<const json*>(node.get());
}

/// Counted before parsing: millions of open brackets would cost a node each.
bool nested_too_deep(std::string_view text) {
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      if (++depth > kDeepest) return true;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return false;
}

std::optional<std::int64_t> whole_number(const json& node) {
  if (node.is_number_unsigned()) {
    const auto value = node.get<std::uint64_t>();
    if (value > static_cast<std::uint64_t>(INT64_MAX)) return std::nullopt;
    return static_cast<std::int64_t>(value);
  }
  if (node.is_number_integer()) return node.get<std::int64_t>();
  const auto value = node.get<double>();
  if (std::trunc(value) != value || std::abs(value) > kExactDouble) return std::nullopt;
  return static_cast<std::int64_t>(value);
}

}  // namespace

std::optional<JsonValue> JsonValue::parse(std::string_view text) {
  if (nested_too_deep(text)) return std::nullopt;
  auto document = std::make_shared<json>(json::parse(text, nullptr, false));
  if (document->is_discarded()) return std::nullopt;
  return JsonValue{std::move(document)};
}

bool JsonValue::is_null() const {
  return node_of(node_).is_null();
}

bool JsonValue::is_object() const {
  return node_of(node_).is_object();
}

bool JsonValue::is_array() const {
  return node_of(node_).is_array();
}

JsonValue JsonValue::at(const std::string& key) const {
  static const json kNull;
  const json& node = node_of(node_);
  const auto found = node.is_object() ? node.find(key) : node.end();
  const json& value = found == node.end() ? kNull : *found;
  return JsonValue{{node_, &value}};
}

std::vector<std::pair<std::string, JsonValue>> JsonValue::fields() const {
  std::vector<std::pair<std::string, JsonValue>> result;
  if (!is_object()) return result;
  for (const auto& [key, value] : node_of(node_).items()) {
    result.emplace_back(key, JsonValue{{node_, &value}});
  }
  return result;
}

std::vector<JsonValue> JsonValue::elements() const {
  std::vector<JsonValue> result;
  if (!is_array()) return result;
  for (const json& value : node_of(node_)) result.push_back(JsonValue{{node_, &value}});
  return result;
}

std::optional<std::string> JsonValue::text() const {
  const json& node = node_of(node_);
  if (!node.is_string()) return std::nullopt;
  return node.get<std::string>();
}

std::optional<std::string> JsonValue::scalar() const {
  const json& node = node_of(node_);
  if (node.is_number() || node.is_boolean()) return node.dump();
  return text();
}

std::optional<std::int64_t> JsonValue::integer() const {
  const json& node = node_of(node_);
  if (node.is_number()) return whole_number(node);
  if (node.is_string()) return parse_integer(trim(node.get_ref<const std::string&>()));
  return std::nullopt;
}

std::optional<bool> JsonValue::boolean() const {
  const auto word = scalar();
  if (!word) return std::nullopt;
  return parse_bool(*word);
}

}  // namespace pgfiredrill
