#include "measure/readback_pages.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace pgfiredrill {

ReadbackPages::ReadbackPages(std::vector<NumberRun> runs) : runs_{std::move(runs)} {
  std::sort(runs_.begin(), runs_.end(), [](const NumberRun& a, const NumberRun& b) {
    return std::tie(a.stream, a.first) < std::tie(b.stream, b.first);
  });
}

void ReadbackPages::turn_to(std::uint16_t stream, std::uint64_t first) {
  const std::uint64_t last = first + kNumbersInPage - 1;
  present_.fill(0);
  more_than_once_.fill(0);
  const auto begins_by_now = [&](const NumberRun& run) {
    return std::tie(run.stream, run.first) <= std::tie(stream, last);
  };
  const auto is_behind = [&](const NumberRun& run) {
    return std::tie(run.stream, run.last) < std::tie(stream, first);
  };
  std::erase_if(reaching_, is_behind);
  for (; next_ < runs_.size() && begins_by_now(runs_[next_]); ++next_) {
    if (!is_behind(runs_[next_])) reaching_.push_back(runs_[next_]);
  }
  for (const NumberRun& run : reaching_) {
    if (run.copies == 0 || run.last < run.first) continue;  // a file that says so says nothing
    mark(std::max(run.first, first) - first, std::min(run.last, last) - first, run.copies > 1);
  }
}

/// Numbers within the page, both included.
void ReadbackPages::mark(std::uint64_t from, std::uint64_t to, bool several) {
  constexpr std::uint64_t kAll = ~std::uint64_t{0};
  for (std::uint64_t word = from / 64; word <= to / 64; ++word) {
    std::uint64_t bits = kAll;
    if (word == from / 64) bits &= kAll << from % 64;
    if (word == to / 64) bits &= kAll >> (63 - to % 64);
    more_than_once_[word] |= several ? bits : bits & present_[word];
    present_[word] |= bits;
  }
}

}  // namespace pgfiredrill
