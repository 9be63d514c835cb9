#pragma once

/// Values of a report as JSON: what was not measured is null. For .cc files of this room.

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace pgfiredrill {

inline nlohmann::ordered_json or_null(const std::optional<double>& number) {
  using nlohmann::ordered_json;
  return number && std::isfinite(*number) ? ordered_json(*number) : ordered_json(nullptr);
}

inline nlohmann::ordered_json or_null(double number) {
  return or_null(std::optional{number});
}

template <typename T>
nlohmann::ordered_json or_null(const std::optional<T>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

inline nlohmann::ordered_json or_null(const std::string& text) {
  return text.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(text);
}

template <typename T, typename Convert>
nlohmann::ordered_json array_of(const std::vector<T>& items, const Convert& convert) {
  nlohmann::ordered_json array = nlohmann::ordered_json::array();
  for (const T& item : items) array.push_back(convert(item));
  return array;
}

}  // namespace pgfiredrill
