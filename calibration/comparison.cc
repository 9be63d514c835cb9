#include "calibration/comparison.h"

#include <algorithm>

namespace pgfiredrill {
namespace {

/// Dispatch, a round trip and the other side's own instants.
constexpr nanoseconds kElse = std::chrono::milliseconds{2};

/// Bytes that are only held are late, and late within the deadline is in time.
nanoseconds visible_length(const PathEvidence& evidence, const TrueOutage& truth) {
  if (evidence.kind != OutageKind::delay) return truth.length();
  return std::max(nanoseconds{0}, truth.length() - evidence.deadline);
}

/// Longer ones hold at least one operation that cannot have succeeded.
nanoseconds certain_length(const PathEvidence& evidence) {
  const bool waits = evidence.kind == OutageKind::delay || evidence.session == SessionKind::pooled;
  return 2 * evidence.interval + (waits ? evidence.deadline : nanoseconds{0});
}

/// A span within which things have to do with an outage.
struct Reach {
  nanoseconds from{0};
  nanoseconds to{0};
  [[nodiscard]] bool meets(nanoseconds start, nanoseconds end) const { return start <= to && end >= from; }
};

/// What fails because of an outage was due at most a deadline before it, and not much later than its end.
Reach reach_of(const PathEvidence& evidence, const TrueOutage& truth) {
  return {truth.start - evidence.deadline, truth.end + error_bound(evidence)};
}

nanoseconds stall_within(const PathEvidence& evidence, const Reach& reach) {
  nanoseconds sum{0};
  for (const LoopStall& stall : evidence.stalls) {
    if (reach.meets(stall.from, stall.to)) sum += stall.length();
  }
  return sum;
}

ComparedOutage compare_outage(const PathEvidence& evidence, const TrueOutage& truth) {
  const Reach reach = reach_of(evidence, truth);
  ComparedOutage compared{.truth = truth,
                          .visible = visible_length(evidence, truth),
                          .bound = error_bound(evidence),
                          .stall = stall_within(evidence, reach)};
  const OutageWindow* first = nullptr;
  for (const OutageWindow& window : evidence.windows) {
    if (!reach.meets(window.start, window.end)) continue;
    if (first == nullptr) first = &window;
    compared.measured = window.end - first->start;
  }
  compared.missed = first == nullptr && truth.length() > certain_length(evidence);
  return compared;
}

nanoseconds nearest_rank(const std::vector<nanoseconds>& sorted, std::size_t percent) {
  if (sorted.empty()) return nanoseconds{0};
  const std::size_t rank = (sorted.size() * percent + 99) / 100;
  return sorted[std::max<std::size_t>(rank, 1) - 1];
}

}  // namespace

nanoseconds error_bound(const PathEvidence& evidence) {
  const bool fresh = evidence.session == SessionKind::fresh;
  return evidence.interval + kElse + (fresh ? evidence.login_p99 : evidence.deadline);
}

PathComparison compare(const PathEvidence& evidence) {
  PathComparison comparison;
  for (const TrueOutage& truth : evidence.outages) {
    comparison.outages.push_back(compare_outage(evidence, truth));
  }
  for (const OutageWindow& window : evidence.windows) {
    const bool explained = std::any_of(
        evidence.outages.begin(), evidence.outages.end(),
        [&](const TrueOutage& truth) { return reach_of(evidence, truth).meets(window.start, window.end); });
    if (!explained) comparison.invented.push_back(window);
  }
  return comparison;
}

bool KindVerdict::holds() const {
  return outages > 0 && outside == 0 && outside_without_stall * 100 <= outages && missed == 0 &&
         invented == 0;
}

KindVerdict judge_kind(OutageKind kind, SessionKind session, const std::vector<PathComparison>& comparisons) {
  KindVerdict verdict{.kind = kind, .session = session};
  std::vector<nanoseconds> errors;
  for (const PathComparison& comparison : comparisons) {
    verdict.invented += comparison.invented.size();
    for (const ComparedOutage& outage : comparison.outages) {
      errors.push_back(outage.error());
      verdict.bound = std::max(verdict.bound, outage.bound);
      verdict.outside += outage.within() ? 0 : 1;
      verdict.outside_without_stall += outage.within_without_stall() ? 0 : 1;
      verdict.missed += outage.missed ? 1 : 0;
    }
  }
  std::sort(errors.begin(), errors.end());
  verdict.outages = errors.size();
  verdict.error_p50 = nearest_rank(errors, 50);
  verdict.error_p99 = nearest_rank(errors, 99);
  verdict.error_max = errors.empty() ? nanoseconds{0} : errors.back();
  return verdict;
}

}  // namespace pgfiredrill
