#pragma once

/// The outage windows of one path: a streaming fold over successes and non-successes in the order of due
/// time.
///
/// A window opens at the due time of the first non-success. It closes at the due time of the first success
/// that is followed, without a non-success between, by at least max(3, 2 × servers behind the path) further
/// successes whose due times span at least 1 s: enough that a balancer which still leads every second session
/// to a wrong server is not taken for healed.

#include <cstddef>
#include <optional>
#include <vector>

#include "base/clock.h"

namespace pgfiredrill {

/// Instants on the clock of the due times.
struct OutageWindow {
  nanoseconds start{0};
  nanoseconds end{0};
  std::optional<nanoseconds> first_success;  ///< inside it; from here on the path was partly up
  bool censored = false;                     ///< still open when observation ended

  [[nodiscard]] nanoseconds length() const { return end - start; }
  [[nodiscard]] nanoseconds partial() const { return first_success ? end - *first_success : nanoseconds{0}; }
};

class PathWindows {
 public:
  explicit PathWindows(int servers_behind);

  void on(nanoseconds due, bool success);

  /// The window that is open now, its end not yet known.
  [[nodiscard]] const std::optional<OutageWindow>& open() const noexcept { return open_; }
  [[nodiscard]] const std::vector<OutageWindow>& closed() const noexcept { return closed_; }
  /// All windows; one that is still open ends, censored, with the observation.
  [[nodiscard]] std::vector<OutageWindow> finish(nanoseconds end_of_observation) const;

 private:
  /// A success that closes the window if enough others follow it.
  struct Candidate {
    nanoseconds due{0};
    std::size_t followers = 0;
    nanoseconds first_follower{0};
  };

  void on_success(nanoseconds due);
  void on_trouble(nanoseconds due);
  [[nodiscard]] bool proves_healed(const Candidate& candidate, nanoseconds last_follower) const;

  std::size_t followers_needed_;
  std::optional<OutageWindow> open_;
  std::optional<Candidate> candidate_;
  std::vector<OutageWindow> closed_;
};

}  // namespace pgfiredrill
