#include "measure/return_to_normal.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "measure/operation_rules.h"

namespace pgfiredrill {

namespace {

constexpr nanoseconds kBucket = std::chrono::seconds{1};
constexpr std::size_t kInARow = 3;
constexpr double kQuantile = 0.95;
constexpr double kTolerance = 0.1;
constexpr nanoseconds kTick = std::chrono::milliseconds{1};
/// With fewer, one operation more or less in a second is a tenth of all.
constexpr double kLeastPerSecond = 20;
constexpr nanoseconds kLeastBaseline = std::chrono::seconds{3};
/// No bucket is as far away; a record may say anything.
constexpr nanoseconds kLongest = std::chrono::hours{24};

bool counts(const TrafficPath& path) {
  if (path.purpose == Purpose::ledger) return true;
  return path.purpose == Purpose::canary && path.access == Access::read_write && path.needed_for_steady_state;
}

/// Nearest rank among `due` operations of which only the successes have a response.
std::optional<std::size_t> rank_among(std::size_t due, std::size_t successes) {
  if (due == 0) return std::nullopt;
  const auto rank = static_cast<std::size_t>(std::ceil(kQuantile * static_cast<double>(due)));
  return rank <= successes ? std::optional{std::max<std::size_t>(rank, 1)} : std::nullopt;
}

bool all(const std::vector<bool>& good, std::size_t from, bool value) {
  if (from + kInARow > good.size()) return false;
  return std::all_of(good.begin() + static_cast<std::ptrdiff_t>(from),
                     good.begin() + static_cast<std::ptrdiff_t>(from + kInARow),
                     [value](bool one) { return one == value; });
}

}  // namespace

std::optional<std::size_t> find_back(const std::vector<bool>& good, std::size_t from) {
  std::optional<std::size_t> back;
  for (std::size_t at = from; at < good.size(); ++at) {
    if (all(good, at, false)) back.reset();
    if (!back && all(good, at, true)) back = at;
  }
  return back;
}

ReturnToNormalFold::ReturnToNormalFold(const RepeatTimes& times) : times_{times} {
  if (!times.injected) return;
  const nanoseconds seen = std::clamp(times.complete_until - *times.injected, nanoseconds{0}, kLongest);
  whole_buckets_ = static_cast<std::size_t>(seen / kBucket);
}

void ReturnToNormalFold::on(const Operation& operation, const TrafficPath& path) {
  if (operation.kind != RecordKind::done || !times_.injected || !counts(path)) return;
  if (operation.due < *times_.injected) return on_baseline(operation, path);
  const auto number = static_cast<std::size_t>((operation.due - *times_.injected) / kBucket);
  if (number < whole_buckets_) on_bucket(number, operation, path);
}

/// What was in flight when the fault hit is neither the baseline's nor the fault's.
void ReturnToNormalFold::on_baseline(const Operation& operation, const TrafficPath& path) {
  if (operation.due < times_.baseline_from || known_at(operation, path) >= *times_.injected) return;
  ++baseline_due_;
  if (is_success(operation, path) && operation.done_after) baseline_.record(*operation.done_after);
}

void ReturnToNormalFold::on_bucket(std::size_t number, const Operation& operation, const TrafficPath& path) {
  if (number + 1 < buckets_.size()) return;  // out of order: the path's instrument says so
  while (buckets_.size() <= number) {
    close_bucket();
    buckets_.emplace_back();
  }
  Bucket& bucket = buckets_.back();
  ++bucket.due;
  if (!is_success(operation, path)) return;
  ++bucket.successes;
  responses_.push_back(operation.done_after.value_or(nanoseconds{0}));
}

void ReturnToNormalFold::close_bucket() {
  if (buckets_.empty()) return;
  Bucket& bucket = buckets_.back();
  if (const auto rank = rank_among(bucket.due, bucket.successes)) {
    const auto nth = responses_.begin() + static_cast<std::ptrdiff_t>(*rank - 1);
    std::nth_element(responses_.begin(), nth, responses_.end());
    bucket.p95 = *nth;
  }
  responses_.clear();
}

double ReturnToNormalFold::baseline_seconds() const {
  return to_seconds(*times_.injected - times_.baseline_from);
}

double ReturnToNormalFold::baseline_per_s() const {
  return static_cast<double>(baseline_.count()) / baseline_seconds();
}

std::optional<nanoseconds> ReturnToNormalFold::baseline_p95() const {
  const auto rank = rank_among(baseline_due_, baseline_.count());
  if (!rank) return std::nullopt;
  return baseline_.value_at_quantile(static_cast<double>(*rank) / static_cast<double>(baseline_.count()));
}

std::string ReturnToNormalFold::why_no_baseline() const {
  if (!times_.injected) return "no fault was injected";
  if (*times_.injected - times_.baseline_from < kLeastBaseline) return "the baseline was shorter than 3 s";
  if (baseline_per_s() < kLeastPerSecond) {
    return fmt::format(
        "{:.1f} operations a second succeeded before the fault, too few to tell a tenth of them",
        baseline_per_s());
  }
  if (whole_buckets_ < kInARow) return "observation ended within 3 s of the fault";
  return {};
}

JudgedReturn ReturnToNormalFold::finish() const {
  JudgedReturn nothing;
  nothing.why_not = why_no_baseline();
  if (!nothing.why_not.empty()) return nothing;
  ReturnToNormalFold whole = *this;
  whole.close_bucket();
  whole.buckets_.resize(whole_buckets_);  // seconds in which nothing was due are bad ones
  return whole.judge();
}

std::optional<std::size_t> ReturnToNormalFold::find_throughput() const {
  const double least = (1 - kTolerance) * baseline_per_s();
  std::vector<bool> good;
  for (const Bucket& bucket : buckets_) good.push_back(static_cast<double>(bucket.successes) >= least);
  const auto first_bad = std::find(good.begin(), good.end(), false);
  if (first_bad == good.end()) return 0;
  return find_back(good, static_cast<std::size_t>(first_bad - good.begin()));
}

std::optional<std::size_t> ReturnToNormalFold::find_responses(std::size_t from) const {
  const auto before = baseline_p95();
  if (!before) return std::nullopt;
  const double most = (1 + kTolerance) * to_seconds(*before) + to_seconds(kTick);
  std::vector<bool> good;
  for (const Bucket& bucket : buckets_) good.push_back(bucket.p95 && to_seconds(*bucket.p95) <= most);
  return find_back(good, from);
}

JudgedReturn ReturnToNormalFold::judge() const {
  JudgedReturn judged;
  ReturnToNormal& result = judged.result.emplace();
  result.baseline_per_s = baseline_per_s();
  const auto before = baseline_p95();
  if (before) result.baseline_p95_s = to_seconds(*before);
  const std::string until =
      fmt::format(" for good in the {} s of observation after the fault", whole_buckets_);

  const auto throughput = find_throughput();
  if (!throughput) {
    judged.why_no_throughput = judged.why_no_p95 = "throughput was not back" + until;
    return judged;
  }
  result.throughput_s = static_cast<double>(*throughput);
  if (const auto responses = find_responses(*throughput)) {
    result.p95_s = static_cast<double>(*responses);
  } else {
    judged.why_no_p95 = before ? "responses were not as quick as before" + until
                               : "more than 5 % of the operations before the fault did not succeed";
  }
  return judged;
}

}  // namespace pgfiredrill
