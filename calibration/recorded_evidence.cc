#include "calibration/recorded_evidence.h"

#include <algorithm>
#include <map>

#include "measure/judge.h"
#include "measure/repeat_facts.h"
#include "measure/repeat_traffic.h"
#include "record/run_reader.h"

namespace pgfiredrill {
namespace {

/// Logins this near to an outage may have met it.
constexpr nanoseconds kApart = std::chrono::seconds{1};

Failure unreadable(const std::string& run_folder, const std::string& why) {
  return {.kind = FailureKind::malformed,
          .what = "read what was recorded",
          .where = run_folder,
          .came_back = why};
}

bool is_quiet(nanoseconds due, const std::vector<TrueOutage>& outages) {
  return std::none_of(outages.begin(), outages.end(), [&](const TrueOutage& outage) {
    return due > outage.start - kApart && due < outage.end + kApart;
  });
}

nanoseconds percentile_99(std::vector<nanoseconds> values) {
  if (values.empty()) return nanoseconds{0};
  const std::size_t rank = (values.size() * 99 + 99) / 100 - 1;
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(rank), values.end());
  return values[rank];
}

/// How long the logins of each path's fresh sessions took from their due time, while nothing was the matter.
Result<std::map<std::size_t, nanoseconds>> login_times(const RunReader& reader, const RepeatFacts& facts,
                                                       const std::vector<std::vector<TrueOutage>>& truths) {
  std::map<std::size_t, std::vector<nanoseconds>> logins;
  const auto look = [&](const Operation& operation) {
    const bool whole = operation.kind == RecordKind::done && operation.acknowledged() && operation.sent_after;
    if (!whole || operation.path / 2 >= truths.size()) return;
    if (!is_quiet(operation.due, truths[operation.path / 2])) return;
    logins[operation.path].push_back(operation.sent_after.value_or(nanoseconds{0}));
  };
  if (auto read = reader.operations(facts.from, facts.to, look); !read) return read.error();
  std::map<std::size_t, nanoseconds> p99;
  for (auto& [path, times] : logins) p99[path] = percentile_99(std::move(times));
  return p99;
}

}  // namespace

Result<std::vector<PathEvidence>> read_evidence(const std::string& run_folder,
                                                const std::vector<StageLane>& lanes,
                                                const std::vector<std::vector<TrueOutage>>& truths) {
  const auto reader = RunReader::open(run_folder);
  if (!reader) return reader.error();
  const auto repeats = repeats_of(reader->events());
  if (repeats.size() != 1) return unreadable(run_folder, "it holds no repeat");
  const RepeatTraffic traffic = read_traffic(run_input(*reader), repeats.front());
  if (!traffic.unreadable.empty()) return unreadable(run_folder, traffic.unreadable);
  if (traffic.paths.size() != 2 * lanes.size()) return unreadable(run_folder, "it holds other paths");
  const auto logins = login_times(*reader, repeats.front(), truths);
  if (!logins) return logins.error();

  std::vector<PathEvidence> evidence;
  for (std::size_t i = 0; i < traffic.paths.size(); ++i) {
    const TrafficPath& path = traffic.paths[i].result.path;
    const auto login = logins->find(i);
    evidence.push_back({.kind = lanes[i / 2].kind,
                        .session = path.session,
                        .interval = path.interval(),
                        .deadline = path.deadline,
                        .login_p99 = login == logins->end() ? nanoseconds{0} : login->second,
                        .outages = truths[i / 2],
                        .windows = traffic.paths[i].windows,
                        .stalls = stalls_of_path(repeats.front().stalls, path)});
  }
  return evidence;
}

}  // namespace pgfiredrill
