#pragma once

/// Which postmasters answered: each start time gets a number in the order of first sight. Shared by all
/// threads of a run.

#include <cstdint>
#include <map>
#include <mutex>

#include "record/recorder.h"

namespace pgfiredrill {

class ServerTable {
 public:
  explicit ServerTable(Recorder& recorder) : recorder_{recorder} {}

  /// The number of the postmaster that started at `postmaster_start` (microseconds since 1970), from 1 on;
  /// the first sight is a `server_seen` event. 0 for 0, and for more postmasters than can be counted.
  [[nodiscard]] std::uint16_t number_of(std::int64_t postmaster_start);

 private:
  Recorder& recorder_;
  std::mutex mutex_;
  std::map<std::int64_t, std::uint16_t> numbers_;
};

}  // namespace pgfiredrill
