#include "drivers/server_table.h"

#include <limits>

namespace pgfiredrill {

std::uint16_t ServerTable::number_of(std::int64_t postmaster_start) {
  if (postmaster_start <= 0) return 0;
  const std::lock_guard lock{mutex_};
  if (const auto known = numbers_.find(postmaster_start); known != numbers_.end()) return known->second;
  if (numbers_.size() >= std::numeric_limits<std::uint16_t>::max()) return 0;
  const auto number = static_cast<std::uint16_t>(numbers_.size() + 1);
  numbers_.emplace(postmaster_start, number);
  recorder_.add(
      {.kind = event::kServerSeen,
       .fields = {{"node", std::int64_t{number}}, {"postmaster_start", std::to_string(postmaster_start)}}});
  return number;
}

}  // namespace pgfiredrill
