#include "record/event.h"

#include <cmath>
#include <cstdint>

#include <nlohmann/json.hpp>

#include "record/flat_json.h"

namespace pgfiredrill {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

template <typename T>
std::optional<T> field_as(const Event& event, const std::string& name) {
  const auto field = event.fields.find(name);
  if (field == event.fields.end()) return std::nullopt;
  const T* const value = std::get_if<T>(&field->second);
  return value != nullptr ? std::optional<T>{*value} : std::nullopt;
}

/// JSON has no number that is none: such a field is left out.
bool can_be_written(const EventValue& value) {
  const double* const number = std::get_if<double>(&value);
  return number == nullptr || std::isfinite(*number);
}

std::string dump(const auto& document) {
  return document.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::optional<std::int64_t> whole_number(const json& value) {
  if (value.is_number_unsigned()) {
    const auto number = value.get<std::uint64_t>();
    if (number > static_cast<std::uint64_t>(INT64_MAX)) return std::nullopt;
    return static_cast<std::int64_t>(number);
  }
  if (value.is_number_integer()) return value.get<std::int64_t>();
  return std::nullopt;
}

EventValue value_of(const json& value) {
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float()) return value.get<double>();
  if (const auto number = whole_number(value)) return *number;
  return dump(value);
}

std::optional<std::int64_t> instant(const json& document, const char* name) {
  const auto value = document.find(name);
  return value == document.end() ? std::nullopt : whole_number(*value);
}

}  // namespace

std::optional<std::string> Event::text(const std::string& name) const {
  return field_as<std::string>(*this, name);
}

std::optional<std::int64_t> Event::integer(const std::string& name) const {
  return field_as<std::int64_t>(*this, name);
}

std::optional<double> Event::number(const std::string& name) const {
  if (const auto whole = integer(name)) return static_cast<double>(*whole);
  return field_as<double>(*this, name);
}

std::optional<bool> Event::flag(const std::string& name) const {
  return field_as<bool>(*this, name);
}

std::string to_json_line(const Event& event) {
  ordered_json fields = ordered_json::object();
  for (const auto& [name, value] : event.fields) {
    if (can_be_written(value)) {
      std::visit([&, &key = name](const auto& plain) { fields[key] = plain; }, value);
    }
  }
  return dump(ordered_json{{"kind", event.kind},
                           {"at", event.at.count()},
                           {"wall", event.wall.count()},
                           {"fields", std::move(fields)}});
}

std::optional<Event> parse_event(const std::string& line) {
  const json document = parse_flat_json(line);
  if (!document.is_object()) return std::nullopt;
  const auto kind = document.find("kind");
  const auto at = instant(document, "at");
  if (kind == document.end() || !kind->is_string() || !at) return std::nullopt;
  Event event{.kind = kind->get<std::string>(), .at = nanoseconds{*at}};
  event.wall = nanoseconds{instant(document, "wall").value_or(0)};
  const auto fields = document.find("fields");
  if (fields == document.end() || !fields->is_object()) return event;
  for (const auto& [name, value] : fields->items()) {
    if (!value.is_null()) event.fields[name] = value_of(value);
  }
  return event;
}

}  // namespace pgfiredrill
