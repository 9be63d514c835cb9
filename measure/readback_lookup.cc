#include "measure/readback_lookup.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace pgfiredrill {

ReadbackLookup::ReadbackLookup(std::vector<NumberRun> runs) : runs_{std::move(runs)} {
  std::sort(runs_.begin(), runs_.end(), [](const NumberRun& a, const NumberRun& b) {
    return std::tie(a.stream, a.first) < std::tie(b.stream, b.first);
  });
}

std::size_t ReadbackLookup::copies(std::uint16_t stream, std::uint64_t number) {
  const auto begins_by_now = [&](const NumberRun& run) {
    return std::tie(run.stream, run.first) <= std::tie(stream, number);
  };
  const auto is_behind = [&](const NumberRun& run) {
    return std::tie(run.stream, run.last) < std::tie(stream, number);
  };
  std::erase_if(covering_, is_behind);
  for (; next_ < runs_.size() && begins_by_now(runs_[next_]); ++next_) {
    if (!is_behind(runs_[next_])) covering_.push_back(runs_[next_]);
  }
  std::size_t copies = 0;
  for (const NumberRun& run : covering_) copies += run.copies;
  return copies;
}

}  // namespace pgfiredrill
