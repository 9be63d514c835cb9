#include "measure/steadiness.h"

#include <fmt/format.h>

#include "measure/operation_rules.h"

namespace pgfiredrill {

Steadiness::Steadiness(const TrafficPath& path, const RepeatTimes& times)
    : path_{&path}, times_{times}, windows_{path.servers_behind} {}

void Steadiness::on(const Operation& operation) {
  if (!times_.injected || operation.due >= *times_.injected) return;
  const bool success = is_success(operation, *path_);
  if (!success && known_at(operation, *path_) >= *times_.injected) return;
  windows_.on(operation.due, success);
  if (success || operation.due < times_.baseline_from) return;
  if (troubles_++ == 0) first_error_ = error_of(operation, *path_);
}

std::string Steadiness::trouble() const {
  if (troubles_ > 0) {
    const std::string first = first_error_.none() ? "late" : first_error_.to_string();
    return fmt::format("{} operations did not succeed before the fault (the first: {})", troubles_, first);
  }
  return windows_.open() ? "it was not up when the fault was injected" : "";
}

}  // namespace pgfiredrill
