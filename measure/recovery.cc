#include "measure/recovery.h"

#include <algorithm>

#include <fmt/format.h>

namespace pgfiredrill {

namespace {

constexpr nanoseconds kHeld{2'000'000'000};
/// Samples further apart say nothing about the time between them.
constexpr nanoseconds kLongestBlindSpot{15'000'000'000};

struct Stretch {
  nanoseconds begin{0};
  nanoseconds end{0};
};

std::vector<HealthSample> samples_from(const std::vector<HealthSample>& samples, nanoseconds from) {
  std::vector<HealthSample> later;
  std::copy_if(samples.begin(), samples.end(), std::back_inserter(later),
               [&](const HealthSample& sample) { return sample.at >= from; });
  return later;
}

/// The healthy samples at the end; there is at least one.
Stretch last_stretch(const std::vector<HealthSample>& samples) {
  Stretch stretch{samples.back().at, samples.back().at};
  for (auto sample = samples.rbegin(); sample != samples.rend(); ++sample) {
    if (!sample->healthy || stretch.begin - sample->at > kLongestBlindSpot) break;
    stretch.begin = std::min(stretch.begin, sample->at);
  }
  return stretch;
}

const DownSpan* still_down(const std::vector<DownSpan>& spans) {
  const auto down =
      std::find_if(spans.begin(), spans.end(), [](const DownSpan& span) { return span.censored; });
  return down == spans.end() ? nullptr : &*down;
}

nanoseconds paths_up_from(const std::vector<DownSpan>& spans, const Stretch& stretch) {
  nanoseconds from = stretch.begin;
  for (const DownSpan& span : spans) {
    if (span.start <= stretch.end) from = std::max(from, span.end);
  }
  return from;
}

}  // namespace

Recovery find_recovery(const std::vector<HealthSample>& samples, const std::vector<DownSpan>& down_spans,
                       nanoseconds fault_confirmed) {
  const std::vector<HealthSample> watched = samples_from(samples, fault_confirmed);
  if (watched.empty()) return {.why_not = "the cluster's health was not watched after the fault"};
  Recovery recovery{.unhealthy_until = watched.back().at};
  if (!watched.back().healthy) {
    recovery.why_not =
        fmt::format("the cluster was not healthy when watching ended: {}", watched.back().gaps);
    return recovery;
  }
  if (const DownSpan* down = still_down(down_spans)) {
    recovery.why_not = fmt::format("{} did not answer when observation ended", down->path);
    return recovery;
  }
  const Stretch stretch = last_stretch(watched);
  const nanoseconds begin = paths_up_from(down_spans, stretch);
  if (stretch.end - begin < kHeld) {
    recovery.why_not = "the cluster had not been healthy for 2 s when watching ended";
    recovery.unhealthy_until = begin;
    return recovery;
  }
  recovery.healthy_at = begin;
  return recovery;
}

}  // namespace pgfiredrill
