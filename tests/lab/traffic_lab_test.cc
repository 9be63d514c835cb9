/// Traffic against the lab: every path that a healthy cluster has carries what is due, and the ledger is
/// found again, whole, on every member.

#include <chrono>
#include <iostream>
#include <map>
#include <set>

#include <gmock/gmock.h>
#include <sys/resource.h>

#include "cluster/superuser_session.h"
#include "drivers/paths.h"
#include "drivers/traffic.h"
#include "drivers/traffic_schema.h"
#include "record/run_reader.h"
#include "tests/lab/discovered_lab.h"
#include "tests/support/temporary_directory.h"

namespace pgfiredrill {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr double kPooledHz = 50;
constexpr double kLedgerHz = 100;
/// The lab's three hosts share this machine's cores with the test: more logins would only measure these.
constexpr double kFreshPerSecond = 20;
constexpr auto kTime = 10s;
constexpr std::uint16_t kFirstStream = 40;
constexpr int kLedgerConnections = 4;

double cpu_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

struct Count {
  int due = 0;
  int good = 0;
  int writes = 0;
  std::map<std::string, int> errors;
};

class TrafficLab : public testing::DiscoveredLab {
 protected:
  void SetUp() override {
    discover_lab();
    if (IsSkipped() || HasFatalFailure()) return;
    make_routes();
    ASSERT_NE(leader_, nullptr);
    ASSERT_TRUE(drop_traffic_schema(*leader_)) << "left by an earlier test that was killed";
    access_ = make_traffic_access();
    paths_ = find_paths(cluster_);
    const auto created = create_traffic_schema(*leader_, access_, static_cast<int>(paths_.size()));
    ASSERT_TRUE(created) << created.error().message();
  }

  void TearDown() override {
    if (leader_ == nullptr) return;
    const auto dropped = drop_traffic_schema(*leader_);
    EXPECT_TRUE(dropped) << dropped.error().message();
    const auto left = find_foreign_schema(*leader_);
    ASSERT_TRUE(left) << left.error().message();
    EXPECT_EQ(*left, std::nullopt);
  }

  void make_routes() {
    for (const Member& member : cluster_.members) {
      auto route = open_superuser_route(cluster_, member, *hosts_.at(member.host));
      ASSERT_TRUE(route) << route.error().message();
      const auto stays = routes_.emplace(member.name, std::move(*route)).first;
      if (member.leads()) leader_ = &stays->second.parameters;
    }
  }

  std::map<std::string, SuperuserRoute> routes_;
  const ConnectParameters* leader_ = nullptr;
  TrafficAccess access_;
  std::vector<TrafficPath> paths_;
  testing::TemporaryDirectory folder_;
};

std::vector<std::string> needed_troubles(const std::vector<PathTrouble>& troubles,
                                         const std::vector<TrafficPath>& paths) {
  std::vector<std::string> texts;
  for (const PathTrouble& trouble : troubles) {
    const bool optional = std::any_of(paths.begin(), paths.end(), [&](const TrafficPath& path) {
      return path.id == trouble.path && !path.needed_for_steady_state;
    });
    if (!optional) texts.push_back(trouble.path + ": " + trouble.text);
  }
  return texts;
}

std::map<std::uint16_t, Count> count_operations(const RunReader& reader,
                                                std::map<std::uint16_t, std::set<std::uint64_t>>& ledger) {
  std::map<std::uint16_t, Count> counts;
  const auto damage = reader.operations(nanoseconds{0}, nanoseconds::max(), [&](const Operation& operation) {
    if (operation.kind == RecordKind::sent) return;
    Count& count = counts[operation.path];
    ++count.due;
    count.good += operation.acknowledged() && !operation.late;
    count.writes += operation.write;
    if (!operation.error.none()) ++count.errors[operation.error.to_string()];
    const bool in_ledger = reader.manifest().paths.at(operation.path).purpose == Purpose::ledger;
    if (in_ledger && operation.acknowledged()) ledger[operation.stream].insert(operation.number);
  });
  EXPECT_TRUE(damage.has_value() && damage->empty());
  return counts;
}

double worst_stall(const RunReader& reader, const std::string& loop) {
  double worst = 0;
  for (const Event& event : reader.events()) {
    if (event.kind == event::kLoopStall && event.text("loop") == loop)
      worst = std::max(worst, event.number("stall_s").value_or(0));
  }
  return worst;
}

void expect_all_found(const LedgerReadback& readback,
                      const std::map<std::uint16_t, std::set<std::uint64_t>>& acknowledged,
                      const std::string& member) {
  std::set<std::pair<std::uint16_t, std::uint64_t>> found;
  for (const NumberRun& run : readback.runs) {
    EXPECT_EQ(run.copies, 1u) << member;
    for (auto number = run.first; number <= run.last; ++number) found.emplace(run.stream, number);
  }
  EXPECT_EQ(readback.rows, found.size());
  for (const auto& [stream, numbers] : acknowledged) {
    for (const auto number : numbers) {
      EXPECT_TRUE(found.contains({stream, number})) << member << ": " << stream << ' ' << number;
    }
  }
}

TEST_F(TrafficLab, CarriesWhatIsDueOnEveryPathAndFindsTheLedgerAgain) {
  assign_rates(paths_, kPooledHz, kLedgerHz, kFreshPerSecond);
  auto recorder = Recorder::create(folder_ / "run", clock_);
  ASSERT_TRUE(recorder) << recorder.error().message();
  ASSERT_TRUE((*recorder)->write_manifest({.run_id = "lab", .suite = "test", .paths = paths_}));
  double cpu = 0;
  {
    auto traffic = Traffic::create(
        {.paths = paths_, .access = access_, .ledger_connections = kLedgerConnections}, **recorder, clock_);
    ASSERT_TRUE(traffic) << traffic.error().message();
    EXPECT_THAT(needed_troubles((*traffic)->warm_up(20s), paths_), IsEmpty());
    const double before = cpu_seconds();
    (*traffic)->start(kFirstStream);
    clock_.sleep_for(kTime);
    (*traffic)->stop();
    cpu = cpu_seconds() - before;
    (*traffic)->disconnect();
  }
  for (auto& [member, route] : routes_) {
    const auto ended = end_traffic_sessions(route.parameters, 10s);
    ASSERT_TRUE(ended) << ended.error().message();
  }
  const auto fence = take_fence(*leader_);
  ASSERT_TRUE(fence) << fence.error().message();
  (*recorder)->sync();
  EXPECT_EQ((*recorder)->trouble(), "");

  const auto reader = RunReader::open(folder_ / "run");
  ASSERT_TRUE(reader) << reader.error().message();
  std::map<std::uint16_t, std::set<std::uint64_t>> acknowledged;
  const auto counts = count_operations(*reader, acknowledged);
  const double seconds = std::chrono::duration<double>{kTime}.count();
  double writes = 0;
  for (std::size_t i = 0; i < paths_.size(); ++i) {
    const TrafficPath& path = paths_[i];
    const auto found = counts.find(static_cast<std::uint16_t>(i));
    const Count count = found == counts.end() ? Count{} : found->second;
    std::cout << path.id << ": " << path.rate_hz << "/s, due " << count.due << ", good " << count.good
              << ", writes " << count.writes;
    for (const auto& [error, times] : count.errors) std::cout << ", " << error << " x" << times;
    std::cout << '\n';
    EXPECT_NEAR(count.due, path.rate_hz * seconds, path.rate_hz * 0.1 + 2) << path.id;
    EXPECT_GE(count.good, path.needed_for_steady_state ? count.due * 0.99 : 0) << path.id;
    writes += count.writes;
  }
  std::cout << "cpu " << cpu / seconds << " cores, worst stall: traffic " << worst_stall(*reader, "traffic")
            << " s, connector " << worst_stall(*reader, "connector-0") << " s, writes " << writes / seconds
            << "/s\n";
  EXPECT_LE(writes / seconds, 205);
  for (const Event& sample : reader->events()) {
    if (sample.kind != event::kErrorSample) continue;
    std::cout << sample.text("path").value_or("") << ": " << sample.text("class").value_or("") << " ("
              << sample.text("layer").value_or("") << ") " << sample.text("text").value_or("") << '\n';
  }

  // The first connection that is free takes the next write: on a quiet machine the last ones may get none.
  EXPECT_FALSE(acknowledged.empty());
  EXPECT_LE(acknowledged.size(), static_cast<std::size_t>(kLedgerConnections));
  for (auto& [member, route] : routes_) {
    const auto readback =
        read_ledger(route.parameters, *fence, kFirstStream, kFirstStream + kLedgerConnections - 1, 20s);
    ASSERT_TRUE(readback) << readback.error().message();
    expect_all_found(*readback, acknowledged, member);
  }
}

}  // namespace
}  // namespace pgfiredrill
