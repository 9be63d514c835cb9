#include "measure/expectations.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "measure/judge.h"
#include "measure/metric_values.h"

namespace pgfiredrill {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// Differences of nanoseconds as seconds, against a limit that was written in decimal.
constexpr double kRounding = 1e-9;

/// What is known of a value: `high` is infinite where it was still growing when observation ended.
struct Bounds {
  double low = 0;
  double high = 0;
};

bool matches(const std::string& wanted, const std::string& is) {
  return wanted.empty() || wanted == is;
}

bool matches(const Expectation::Where& where, const TrafficPath& path) {
  if (!path.needed_for_steady_state && where.entrypoint.empty()) return false;
  return matches(where.entrypoint, path.entrypoint) && matches(where.depth, to_string(path.depth)) &&
         matches(where.access, to_string(path.access)) && matches(where.session, to_string(path.session));
}

bool is_censored(const MeasuredPath& path, const Metric& metric) {
  if (metric.higher_is_better) return false;
  if (std::string{"longest_gap_s"} == metric.name) return path.gap_is_open;
  return std::any_of(path.result.windows.begin(), path.result.windows.end(),
                     [](const Window& window) { return window.censored; });
}

double fold_two(Fold over, double a, double b) {
  switch (over) {
    case Fold::max:
      return std::max(a, b);
    case Fold::min:
      return std::min(a, b);
    case Fold::sum:
      return a + b;
  }
  return std::max(a, b);
}

Bounds fold_two(Fold over, const Bounds& a, const Bounds& b) {
  return {fold_two(over, a.low, b.low), fold_two(over, a.high, b.high)};
}

bool exceeds(const Metric& metric, double value, double limit) {
  return metric.higher_is_better ? value < limit - kRounding : value > limit + kRounding;
}

bool keeps(const Metric& metric, double value, double limit) {
  return metric.higher_is_better ? value >= limit - kRounding : value <= limit + kRounding;
}

/// The name of the metric's value in the results, where `not_measured` speaks of it.
std::string result_field(const std::string& metric) {
  if (metric == "replica_lag_s") return "max_s";
  return metric == "replica_lag_bytes" ? "max_bytes" : metric;
}

class Judge {
 public:
  Judge(const Expectation& expectation, const ExpectationInput& input)
      : expectation_{expectation}, input_{input} {
    judged_.result.expectation = expectation;
  }

  JudgedExpectation judge() {
    metric_ = find_metric(expectation_.metric);
    if (metric_ == nullptr) {
      undecided("there is no such metric");
    } else if (metric_->of_paths) {
      judge_paths();
    } else {
      judge_repeat();
    }
    return std::move(judged_);
  }

 private:
  void judge_paths() {
    std::optional<Bounds> folded;
    for (const MeasuredPath& path : input_.paths) {
      if (!matches(expectation_.where, path.result.path)) continue;
      const auto value = path_value(path.result, expectation_.metric);
      if (!value) return undecided(fmt::format("{}: {}", path.result.path.id, path.unmeasured));
      note_distrust(path);
      const Bounds bounds{*value, is_censored(path, *metric_) ? kInfinity : *value};
      folded = folded ? fold_two(expectation_.over, *folded, bounds) : bounds;
      resolution_ = std::max(resolution_, path.result.resolution_s);
    }
    if (!folded) return undecided("no path matches");
    compare(*folded);
  }

  void note_distrust(const MeasuredPath& path) {
    const Instrument& instrument = path.result.instrument;
    if (distrust_.empty() && !instrument.valid) {
      distrust_ = fmt::format("{} cannot be trusted: {}", path.result.path.id, instrument.why);
    }
    if (distrust_.empty() && !path.unsteady.empty()) {
      distrust_ = fmt::format("{} was not steady before the fault: {}", path.result.path.id, path.unsteady);
    }
  }

  void judge_repeat() {
    if (const auto value = repeat_value(input_.repeat, expectation_.metric)) return compare({*value, *value});
    const std::string why = why_not_measured();
    const auto at_least = input_.full_health_at_least_s;
    const bool can_fail = expectation_.metric == "full_health_s" && input_.distrust.empty() && at_least;
    if (can_fail && exceeds(*metric_, *at_least, expectation_.limit)) {
      return failed(fmt::format("not within {:.3f} s: {}", *at_least, why));
    }
    undecided(why);
  }

  std::string why_not_measured() const {
    const std::string wanted = result_field(expectation_.metric);
    for (const NotMeasured& missing : input_.repeat.not_measured) {
      const std::size_t slash = missing.pointer.rfind('/');
      const std::string field = missing.pointer.substr(slash == std::string::npos ? 0 : slash + 1);
      if (field == wanted || missing.pointer == "/durability") return missing.reason;
    }
    return "it was not measured";
  }

  void compare(const Bounds& bounds) {
    judged_.result.measured = bounds.low;
    if (distrust_.empty()) distrust_ = input_.distrust;
    const bool too_coarse = is_duration() && expectation_.limit > 0 && resolution_ > expectation_.limit;
    if (!distrust_.empty()) {
      undecided(distrust_);
    } else if (exceeds(*metric_, bounds.low - (too_coarse ? resolution_ : 0), expectation_.limit)) {
      failed(bounds.high == kInfinity ? "at least, for it had not ended when observation did" : "");
    } else if (too_coarse) {
      undecided(fmt::format("one operation in {:g} s cannot tell", resolution_));
    } else if (bounds.high == kInfinity && exceeds(*metric_, bounds.high, expectation_.limit)) {
      undecided("it had not ended when observation did");
    } else if (keeps(*metric_, bounds.high, expectation_.limit)) {
      judged_.result.passed = true;
      judged_.verdict = Verdict::passed;
    } else {
      undecided("the limit is no number");
    }
  }

  bool is_duration() const { return std::string{"s"} == metric_->unit && metric_->of_paths; }

  void failed(const std::string& why) {
    judged_.verdict = Verdict::failed;
    settle(why);
  }

  void undecided(const std::string& why) {
    judged_.verdict = Verdict::inconclusive;
    settle(why);
  }

  void settle(const std::string& why) {
    judged_.result.why = why;
    const std::string measured = judged_.result.measured
                                     ? fmt::format("{:g} {}", *judged_.result.measured, metric_->unit)
                                     : "not measured";
    const std::string unit = metric_ == nullptr ? "" : fmt::format(" {}", metric_->unit);
    judged_.reason = fmt::format("{}: {}, limit {:g}{}{}{}", describe(expectation_), measured,
                                 expectation_.limit, unit, why.empty() ? "" : "; ", why);
  }

  const Expectation& expectation_;
  const ExpectationInput& input_;
  const Metric* metric_ = nullptr;
  double resolution_ = 0;
  std::string distrust_;
  JudgedExpectation judged_;
};

}  // namespace

JudgedExpectation judge_expectation(const Expectation& expectation, const ExpectationInput& input) {
  return Judge{expectation, input}.judge();
}

std::string describe(const Expectation& expectation) {
  std::string where;
  for (const std::string& part : {expectation.where.entrypoint, expectation.where.depth,
                                  expectation.where.access, expectation.where.session}) {
    if (!part.empty()) where += (where.empty() ? "" : ", ") + part;
  }
  return where.empty() ? expectation.metric : fmt::format("{} ({})", expectation.metric, where);
}

}  // namespace pgfiredrill
