// Judging ten million writes of a ledger: reading its rows back and laying the record of the run beside them,
// against a bare COPY of the same columns. Also how much memory that takes, and that it grows with the number
// of writes and no faster.
//
// PGFIREDRILL_BENCH_WRITES (10000000) makes it shorter for a look.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <future>
#include <optional>
#include <string>
#include <vector>

#include "bench/support/child.h"
#include "bench/support/figure.h"
#include "bench/support/scratch_cluster.h"
#include "cluster/postgres_control.h"
#include "drivers/traffic_schema.h"
#include "measure/durability.h"
#include "record/recorder.h"
#include "record/run_reader.h"

namespace pgfiredrill::bench {
namespace {

constexpr std::uint16_t kStreams = 8;
constexpr int kRounds = 3;
constexpr std::chrono::seconds kLimit{300};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

std::uint64_t writes_wanted() {
  const char* const text = std::getenv("PGFIREDRILL_BENCH_WRITES");
  const std::uint64_t given = text != nullptr ? std::strtoull(text, nullptr, 10) : 0;
  return given >= 10'000 ? given : 10'000'000;
}

// ---- What is judged ----

Operation write_of(std::uint64_t i, RecordKind kind) {
  Operation operation;
  operation.kind = kind;
  operation.outcome = kind == RecordKind::sent ? Outcome::in_doubt : Outcome::acknowledged;
  operation.write = true;
  operation.node = 1;
  operation.stream = static_cast<std::uint16_t>(i % kStreams);
  operation.number = i / kStreams;
  operation.due = nanoseconds{static_cast<nanoseconds::rep>(i * 20'000)};
  operation.sent_after = nanoseconds{3'000};
  if (kind == RecordKind::done) {
    operation.done_after = nanoseconds{150'000};
    operation.lsn = 0x3000000 + i * 100;
    operation.timeline = 1;
    operation.backend_pid = 4711;
  }
  return operation;
}

/// As the ledger's lane writes it: each answer comes while later writes are under way.
Result<void> make_record(const std::string& folder, std::uint64_t writes) {
  SystemClock clock;
  auto recorder = Recorder::create(folder, clock);
  if (!recorder) return recorder.error();
  RunManifest manifest;
  manifest.run_id = "bench";
  if (auto written = (*recorder)->write_manifest(manifest); !written) return written;
  auto writer = (*recorder)->open_operations("traffic");
  if (!writer) return writer.error();
  for (std::uint64_t i = 0; i < writes + kStreams; ++i) {
    if (i < writes) (*writer)->append(write_of(i, RecordKind::sent));
    if (i >= kStreams) (*writer)->append(write_of(i - kStreams, RecordKind::done));
  }
  return {};
}

Result<void> fill_ledger(const ScratchCluster& cluster, std::uint64_t writes) {
  ConnectParameters superuser = cluster.superuser();
  superuser.database = cluster.access().database;
  auto control = PostgresControl::connect(superuser, "the throw-away PostgreSQL", kLimit);
  if (!control) return control.error();
  const std::string insert =
      "INSERT INTO pgfiredrill.ledger (stream, number) SELECT i % 8, i / 8 FROM "
      "pg_catalog.generate_series(0, " +
      std::to_string(writes - 1) + ") i";
  for (const std::string& statement : {std::string{"TRUNCATE pgfiredrill.ledger"}, insert,
                                       std::string{"VACUUM (FREEZE, ANALYZE) pgfiredrill.ledger"}}) {
    if (auto done = control->execute("fill the ledger", statement); !done) return done;
  }
  return {};
}

// ---- Judging it, in a process of its own ----

int judge(const std::vector<std::string>& arguments) {
  ConnectParameters superuser;
  superuser.host = arguments[1];
  superuser.port = std::stoi(arguments[2]);
  superuser.user = "postgres";
  const auto fence = take_fence(superuser);
  auto reader = RunReader::open(arguments[0]);
  if (!fence || !reader) {
    std::fprintf(stderr, "%s\n", (!fence ? fence.error() : reader.error()).message().c_str());
    return 1;
  }
  auto reading =
      std::async(std::launch::async, [&] { return read_ledger(superuser, *fence, 0, kStreams - 1, kLimit); });
  LedgerOutcomes outcomes;
  const auto read = reader->operations(nanoseconds::min(), nanoseconds::max(),
                                       [&](const Operation& operation) { outcomes.on(operation); });
  auto readback = reading.get();
  if (!read || !readback) {
    std::fprintf(stderr, "%s\n", (!read ? read.error() : readback.error()).message().c_str());
    return 1;
  }
  const auto judged = judge_durability(
      {.outcomes = outcomes,
       .leader = "scratch",
       .readbacks = {
           {.member = "scratch", .timeline = 1, .rows = readback->rows, .runs = std::move(readback->runs)}}});
  const Durability& durability = judged.durability;
  const bool right = durability.acknowledged == std::stoull(arguments[3]) && durability.lost == 0u &&
                     durability.duplicated == 0u && durability.attempted == durability.acknowledged;
  if (!right) std::fprintf(stderr, "judged wrongly: %zu acknowledged\n", durability.acknowledged);
  return right ? 0 : 1;
}

struct Cost {
  double judge_s = 0;
  double copy_s = 0;
  double memory_mib = 0;
};

class JudgeBench {
 public:
  JudgeBench(std::string self, const ScratchCluster& cluster) : self_{std::move(self)}, cluster_{cluster} {}

  std::optional<Cost> cost_of(std::uint64_t writes) const {
    const std::string folder = cluster_.folder() + "/run-" + std::to_string(writes);
    const auto made = make_record(folder, writes);
    const auto filled = fill_ledger(cluster_, writes);
    if (!made || !filled) {
      std::fprintf(stderr, "%s\n", (!made ? made.error() : filled.error()).message().c_str());
      return std::nullopt;
    }
    const auto cost = median_cost(folder, writes);
    std::filesystem::remove_all(folder);
    return cost;
  }

 private:
  std::optional<Cost> median_cost(const std::string& folder, std::uint64_t writes) const {
    const std::string port = std::to_string(cluster_.postgres_port());
    std::vector<double> judging, copying, memory;
    for (int round = 0; round < kRounds; ++round) {
      const ChildEnd copied = run_child({"psql", "-X", "-q", "-h", cluster_.folder(), "-p", port, "-U",
                                         "postgres", cluster_.access().database, "-c",
                                         "\\copy pgfiredrill.ledger (stream, number) to '/dev/null'"});
      const ChildEnd judged =
          run_child({self_, "--judge", folder, cluster_.folder(), port, std::to_string(writes)});
      if (!copied.good || !judged.good) return std::nullopt;
      std::fprintf(stderr, "%lu writes: judged in %.2f s (CPU %.2f s, %.0f MiB), COPY %.2f s\n",
                   static_cast<unsigned long>(writes), judged.wall_s, judged.cpu_s, judged.memory_mib,
                   copied.wall_s);
      judging.push_back(judged.wall_s);
      copying.push_back(copied.wall_s);
      memory.push_back(judged.memory_mib);
    }
    return Cost{median(judging), median(copying), median(memory)};
  }

  std::string self_;
  const ScratchCluster& cluster_;
};

int measure(const std::string& self) {
  const auto cluster = ScratchCluster::bring_up(false);
  if (!cluster) {
    std::fprintf(stderr, "%s\n", cluster.error().message().c_str());
    return 1;
  }
  const std::uint64_t writes = writes_wanted();
  const JudgeBench bench{self, **cluster};
  const auto few = bench.cost_of(writes / 10);
  const auto many = bench.cost_of(writes);
  if (!few || !many) return 1;
  const bool fast = print_figure("judge-10m", many->judge_s / many->copy_s, Bound::at_most, 1.3, "x COPY");
  const bool small = print_figure("judge-10m-memory", many->memory_mib, Bound::at_most, 256, "MiB");
  const bool linear = print_figure("judge-10m-linear", many->judge_s / (10 * few->judge_s), Bound::at_most,
                                   1.15, "x a tenth");
  return fast && small && linear ? 0 : 1;
}

}  // namespace
}  // namespace pgfiredrill::bench

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() == 5 && arguments[0] == "--judge") {
    return pgfiredrill::bench::judge({arguments.begin() + 1, arguments.end()});
  }
  return pgfiredrill::bench::measure(argv[0]);
}
