#include "cluster/json_fields.h"

#include <utility>

#include "base/failure.h"

namespace pgfiredrill {

JsonFields::JsonFields(const JsonValue& object, std::string name, std::string& complaint)
    : value_{object}, name_{std::move(name)}, complaint_{complaint} {
  if (!value_.is_object() && !value_.is_null() && complaint_.empty()) {
    complaint_ = (name_.empty() ? "the document" : name_) + " is no object";
  }
}

std::string JsonFields::name_of(const std::string& key) const {
  return name_.empty() ? key : name_ + "." + key;
}

void JsonFields::complain(const std::string& key, const std::string& what) const {
  if (!complaint_.empty()) return;
  const auto scalar = value_.at(key).scalar();
  complaint_ = name_of(key) + " is " + what + (scalar ? " but '" + one_line(*scalar, 60) + "'" : "");
}

std::string JsonFields::text(const std::string& key) const {
  const JsonValue field = value_.at(key);
  const auto text = field.scalar();
  if (!text && !field.is_null()) complain(key, "no text");
  return text.value_or("");
}

std::string JsonFields::required_text(const std::string& key) const {
  std::string result = text(key);
  if (result.empty()) complain(key, "not there");
  return result;
}

std::optional<std::int64_t> JsonFields::integer(const std::string& key, std::int64_t least,
                                                std::int64_t most) const {
  const JsonValue field = value_.at(key);
  if (field.is_null()) return std::nullopt;
  const auto number = field.integer();
  if (!number) {
    complain(key, "no whole number");
    return std::nullopt;
  }
  if (*number < least || *number > most) {
    complain(key, "no number from " + std::to_string(least) + " to " + std::to_string(most));
    return std::nullopt;
  }
  return number;
}

std::optional<bool> JsonFields::boolean(const std::string& key) const {
  const JsonValue field = value_.at(key);
  const auto value = field.boolean();
  if (!value && !field.is_null()) complain(key, "neither true nor false");
  return value;
}

std::vector<JsonValue> JsonFields::array(const std::string& key) const {
  const JsonValue field = value_.at(key);
  if (!field.is_array() && !field.is_null()) complain(key, "no list");
  return field.elements();
}

std::vector<JsonValue> JsonFields::required_array(const std::string& key) const {
  if (value_.at(key).is_null()) complain(key, "not there");
  return array(key);
}

std::vector<std::string> JsonFields::texts(const std::string& key) const {
  std::vector<std::string> result;
  for (const JsonValue& element : array(key)) {
    const auto text = element.text();
    if (!text) complain(key, "no list of texts");
    result.push_back(text.value_or(""));
  }
  return result;
}

JsonFields JsonFields::object(const std::string& key) const {
  return {value_.at(key), name_of(key), complaint_};
}

}  // namespace pgfiredrill
