#include "measure/path_windows.h"

#include <algorithm>

namespace pgfiredrill {

namespace {

constexpr std::size_t kLeastFollowers = 3;
constexpr nanoseconds kLeastSpan{1'000'000'000};

std::size_t followers_needed(int servers_behind) {
  const auto servers = static_cast<std::size_t>(std::max(servers_behind, 0));
  return std::max(kLeastFollowers, 2 * servers);
}

}  // namespace

PathWindows::PathWindows(int servers_behind) : followers_needed_{followers_needed(servers_behind)} {}

void PathWindows::on(nanoseconds due, bool success) {
  if (!success) {
    on_trouble(due);
  } else if (open_) {
    on_success(due);
  }
}

void PathWindows::on_trouble(nanoseconds due) {
  candidate_.reset();
  if (!open_) open_ = OutageWindow{.start = due};
}

void PathWindows::on_success(nanoseconds due) {
  if (!open_->first_success) open_->first_success = due;
  if (!candidate_) {
    candidate_ = Candidate{.due = due};
    return;
  }
  if (candidate_->followers == 0) candidate_->first_follower = due;
  ++candidate_->followers;
  if (!proves_healed(*candidate_, due)) return;
  open_->end = candidate_->due;
  closed_.push_back(*open_);
  open_.reset();
  candidate_.reset();
}

bool PathWindows::proves_healed(const Candidate& candidate, nanoseconds last_follower) const {
  return candidate.followers >= followers_needed_ && last_follower - candidate.first_follower >= kLeastSpan;
}

std::vector<OutageWindow> PathWindows::finish(nanoseconds end_of_observation) const {
  std::vector<OutageWindow> windows = closed_;
  if (open_) {
    windows.push_back(*open_);
    windows.back().end = std::max(end_of_observation, open_->first_success.value_or(open_->start));
    windows.back().censored = true;
  }
  return windows;
}

}  // namespace pgfiredrill
