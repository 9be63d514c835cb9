#pragma once

/// Which server took writes, told by the writes that were acknowledged. Pure streaming fold, operations in
/// the order of due time.

#include <cstdint>
#include <optional>

#include "base/clock.h"
#include "record/operation.h"

namespace pgfiredrill {

class WriteServers {
 public:
  explicit WriteServers(std::optional<nanoseconds> injected = std::nullopt) : injected_{injected} {}

  void on(const Operation& operation);

  /// When the first write was acknowledged by another postmaster than the one before the injection: a new
  /// leader, or the old one started anew. Absent where none was.
  [[nodiscard]] std::optional<nanoseconds> new_one_up_at() const noexcept { return new_one_up_at_; }
  /// Number of the `server_seen` event of whoever acknowledged the last one; 0: nobody.
  [[nodiscard]] std::uint16_t last() const noexcept { return last_; }

 private:
  std::optional<nanoseconds> injected_;
  std::uint16_t before_ = 0;
  std::uint16_t last_ = 0;
  nanoseconds last_done_{0};
  std::optional<nanoseconds> new_one_up_at_;
};

}  // namespace pgfiredrill
