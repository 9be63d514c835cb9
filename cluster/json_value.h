#pragma once

/// JSON from elsewhere, read without trust: no exception, no unbounded nesting, no number that wraps. Also
/// keeps the JSON library, which is slow to compile, out of every other file.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pgfiredrill {

/// One value of a document; keeps the whole document alive. Every look-up on a value of the wrong kind gives
/// null, nothing or an empty list.
class JsonValue {
 public:
  /// Absent on anything but one whole JSON text in UTF-8, and on one nested deeper than any answer is.
  [[nodiscard]] static std::optional<JsonValue> parse(std::string_view text);

  [[nodiscard]] bool is_null() const;
  [[nodiscard]] bool is_object() const;
  [[nodiscard]] bool is_array() const;

  /// The field of an object; null where there is none.
  [[nodiscard]] JsonValue at(const std::string& key) const;
  /// Of an object, in the order of their names.
  [[nodiscard]] std::vector<std::pair<std::string, JsonValue>> fields() const;
  /// Of an array.
  [[nodiscard]] std::vector<JsonValue> elements() const;

  /// A string.
  [[nodiscard]] std::optional<std::string> text() const;
  /// A string as it is, a number or boolean as it is written.
  [[nodiscard]] std::optional<std::string> scalar() const;
  /// A whole number that fits, also in a string or with an empty fraction.
  [[nodiscard]] std::optional<std::int64_t> integer() const;
  /// true or false, also as PostgreSQL's words for them and as 1 or 0.
  [[nodiscard]] std::optional<bool> boolean() const;

 private:
  explicit JsonValue(std::shared_ptr<const void> node) : node_{std::move(node)} {}

  std::shared_ptr<const void> node_;
};

}  // namespace pgfiredrill
