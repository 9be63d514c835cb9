#include "suites/guard.h"

#include <algorithm>
#include <charconv>
#include <cstdio>

#include "base/text.h"
#include "measure/judge.h"

namespace pgfiredrill {
namespace {

constexpr double kLongest = 86'400;

struct Guarded {
  const char* metric;
  double LivePath::*value;
};

constexpr Guarded kGuarded[] = {{"outage_s", &LivePath::longest_s},
                                {"unavailable_s", &LivePath::unavailable_s},
                                {"error_s", &LivePath::error_s},
                                {"stall_s", &LivePath::stall_s}};

const Guarded* find_guarded(const std::string& metric) {
  for (const Guarded& known : kGuarded) {
    if (metric == known.metric) return &known;
  }
  return nullptr;
}

std::optional<double> parse_seconds(const std::string& text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [parsed_to, error] = std::from_chars(text.data(), end, value, std::chars_format::fixed);
  if (error != std::errc{} || parsed_to != end || !(value > 0) || value > kLongest) return std::nullopt;
  return value;
}

bool counts(const TrafficPath& path) {
  return path.access == Access::read_write && path.purpose == Purpose::canary &&
         path.needed_for_steady_state && path.pinned_member.empty();
}

const TrafficPath* find_path(const std::vector<TrafficPath>& paths, const std::string& id) {
  const auto found =
      std::find_if(paths.begin(), paths.end(), [&](const TrafficPath& path) { return path.id == id; });
  return found == paths.end() ? nullptr : &*found;
}

}  // namespace

std::string guarded_metrics() {
  std::vector<std::string> names;
  for (const Guarded& known : kGuarded) names.emplace_back(known.metric);
  return join(names, ", ");
}

Result<GuardLimit> parse_guard_limit(const std::string& text) {
  const auto refuse = [&](const std::string& came_back) {
    return Failure{.kind = FailureKind::malformed,
                   .what = "abort if '" + one_line(text, 80) + "'",
                   .came_back = came_back,
                   .hint = "Say METRIC>SECONDS, as outage_s>30, of: " + guarded_metrics() + "."};
  };
  const auto at = text.find('>');
  if (at == std::string::npos) return refuse("there is no '>'");
  const std::string metric{trim(std::string_view{text}.substr(0, at))};
  if (find_guarded(metric) == nullptr) {
    return refuse(find_metric(metric) == nullptr ? "there is no such metric"
                                                 : "that is known only after the drill");
  }
  const auto limit = parse_seconds(std::string{trim(std::string_view{text}.substr(at + 1))});
  if (!limit) return refuse("the limit is no number of seconds above 0");
  return GuardLimit{metric, *limit};
}

std::optional<std::string> guard_trips(const std::vector<GuardLimit>& limits,
                                       const std::vector<TrafficPath>& paths,
                                       const std::vector<LivePath>& live) {
  for (const GuardLimit& limit : limits) {
    const Guarded* guarded = find_guarded(limit.metric);
    if (guarded == nullptr) continue;
    for (const LivePath& now : live) {
      const TrafficPath* path = find_path(paths, now.id);
      if (path == nullptr || !counts(*path) || now.*(guarded->value) <= limit.limit) continue;
      char numbers[80];
      std::snprintf(numbers, sizeof numbers, " is %.1f s and may be %g s", now.*(guarded->value),
                    limit.limit);
      return "Stopped by the guard: " + limit.metric + " of " + now.id + numbers + ".";
    }
  }
  return std::nullopt;
}

}  // namespace pgfiredrill
