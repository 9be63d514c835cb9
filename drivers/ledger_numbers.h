#pragma once

/// Numbers of ledger writes: each is given out once in a run, whatever became of the write.

#include <cstdint>
#include <map>

namespace pgfiredrill {

class LedgerNumbers {
 public:
  /// Streams are counted from `first` on. Going back to an earlier one goes on where it stood.
  void set_first_stream(std::uint16_t first) { first_ = first; }
  [[nodiscard]] std::uint16_t stream_of(std::size_t session) const {
    return static_cast<std::uint16_t>(first_ + session);
  }
  [[nodiscard]] std::uint64_t take(std::uint16_t stream) { return next_[stream]++; }

 private:
  std::uint16_t first_ = 0;
  std::map<std::uint16_t, std::uint64_t> next_;
};

}  // namespace pgfiredrill
