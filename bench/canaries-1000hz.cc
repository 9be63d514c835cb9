/// 1,000 canaries a second on each of ten pooled TLS paths against a stub server in a process of its own:
/// what our side costs, and whether all that was due was sent.

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include <sys/resource.h>

#include "base/clock.h"
#include "bench/support/figure.h"
#include "calibration/scratch_folder.h"
#include "calibration/stage.h"
#include "drivers/traffic.h"
#include "record/recorder.h"
#include "record/run_reader.h"

namespace pgfiredrill::bench {
namespace {

using namespace std::chrono_literals;

constexpr int kPaths = 10;
constexpr double kRateHz = 1000;
constexpr nanoseconds kDuration = 20s;

std::vector<TrafficPath> paths_to(const Endpoint& server) {
  std::vector<TrafficPath> paths;
  for (int i = 0; i < kPaths; ++i) {
    paths.push_back({.id = "path-" + std::to_string(i),
                     .addresses = {server},
                     .session = SessionKind::pooled,
                     .rate_hz = kRateHz,
                     .write_rate_hz = 20});
  }
  return paths;
}

double cpu_seconds() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

struct Driven {
  double cores = 0;
  std::size_t operations = 0;
  std::size_t successes = 0;
  std::size_t dropped = 0;
  double lateness_p99_s = 0;
};

int fail(const std::string& why) {
  std::fprintf(stderr, "canaries-1000hz: %s\n", why.c_str());
  return 70;
}

Result<Driven> count_operations(const std::string& folder) {
  Driven driven;
  std::vector<nanoseconds> late;
  const auto reader = RunReader::open(folder);
  if (!reader) return reader.error();
  const auto read = reader->operations(nanoseconds{0}, nanoseconds::max(), [&](const Operation& operation) {
    if (operation.kind != RecordKind::done) return;
    ++driven.operations;
    driven.successes += operation.acknowledged() && !operation.late ? 1 : 0;
    driven.dropped += operation.dropped ? 1 : 0;
    if (operation.sent_after) late.push_back(operation.sent_after.value_or(0ns));
  });
  if (!read) return read.error();
  if (late.empty()) return driven;
  const auto rank = late.begin() + static_cast<std::ptrdiff_t>(late.size() * 99 / 100);
  std::nth_element(late.begin(), rank, late.end());
  driven.lateness_p99_s = to_seconds(*rank);
  return driven;
}

Result<Driven> drive(const Endpoint& server, const std::string& folder) {
  SystemClock clock;
  double cores = 0;
  {
    auto recorder = Recorder::create(folder, clock);
    if (!recorder) return recorder.error();
    const auto paths = paths_to(server);
    if (auto written = (*recorder)->write_manifest({.run_id = "bench", .paths = paths}); !written) {
      return written.error();
    }
    auto traffic = Traffic::create(
        {.paths = paths, .access = {.database = "bench", .user = "bench", .password = Secret{"bench"}}},
        **recorder, clock);
    if (!traffic) return traffic.error();
    if (const auto troubles = (*traffic)->warm_up(30s); !troubles.empty()) {
      return Failure{.what = "log in to the stub", .came_back = troubles.front().text};
    }
    const double before = cpu_seconds();
    const nanoseconds began = clock.monotonic();
    (*traffic)->start(1);
    clock.sleep_for(kDuration);
    (*traffic)->stop();
    cores = (cpu_seconds() - before) / to_seconds(clock.monotonic() - began);
    (*traffic)->disconnect();
    (*recorder)->sync();
  }
  auto driven = count_operations(folder);
  if (driven) driven->cores = cores;
  return driven;
}

int run() {
  const auto stage = Stage::start({});  // before any thread: it forks
  if (!stage) return fail(stage.error().message());
  const auto folder = ScratchFolder::create();
  if (!folder) return fail(folder.error().message());
  const auto driven = drive((*stage)->server(), (*folder)->path());
  if (!driven) return fail(driven.error().message());
  const double rate = static_cast<double>(driven->successes) / to_seconds(kDuration);
  bool holds = print_figure("canaries-1000hz cpu", driven->cores, Bound::at_most, 0.5, "cores");
  holds &= print_figure("canaries-1000hz dropped", static_cast<double>(driven->dropped), Bound::at_most, 0,
                        "operations");
  holds &=
      print_figure("canaries-1000hz in time", rate, Bound::at_least, 0.99 * kPaths * kRateHz, "operations/s");
  print_note("canaries-1000hz lateness p99", driven->lateness_p99_s, "s");
  return holds ? 0 : 1;
}

}  // namespace
}  // namespace pgfiredrill::bench

int main() {
  return pgfiredrill::bench::run();
}
