#pragma once

/// Reads the fields of a JSON object whose shape is known, and keeps the first one that is not what it should
/// be: a parser reads all it wants and asks once whether there was a complaint.

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "cluster/json_value.h"

namespace pgfiredrill {

/// An absent field and a null are the same and no complaint, unless the field is required.
class JsonFields {
 public:
  /// `name` is the object's in complaints ("members[2]"; empty: the whole document). `complaint` must outlive
  /// this; what it holds already stays.
  JsonFields(const JsonValue& object, std::string name, std::string& complaint);

  [[nodiscard]] std::string text(const std::string& key) const;
  [[nodiscard]] std::string required_text(const std::string& key) const;
  [[nodiscard]] std::optional<std::int64_t> integer(
      const std::string& key, std::int64_t least = std::numeric_limits<std::int64_t>::min(),
      std::int64_t most = std::numeric_limits<std::int64_t>::max()) const;
  [[nodiscard]] std::optional<bool> boolean(const std::string& key) const;
  [[nodiscard]] std::vector<JsonValue> array(const std::string& key) const;
  [[nodiscard]] std::vector<JsonValue> required_array(const std::string& key) const;
  [[nodiscard]] std::vector<std::string> texts(const std::string& key) const;
  [[nodiscard]] JsonFields object(const std::string& key) const;

  /// For a field with a rule of its own.
  void complain(const std::string& key, const std::string& what) const;
  [[nodiscard]] const JsonValue& value() const noexcept { return value_; }

 private:
  [[nodiscard]] std::string name_of(const std::string& key) const;

  JsonValue value_;
  std::string name_;
  std::string& complaint_;
};

}  // namespace pgfiredrill
