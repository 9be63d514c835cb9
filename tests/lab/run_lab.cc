#include "tests/lab/run_lab.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <iterator>
#include <sstream>
#include <thread>

#include <nlohmann/json.hpp>

#include "fault-injectors/journal.h"
#include "record/event.h"
#include "tests/lab/lab_program.h"

namespace pgfiredrill::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

namespace fs = std::filesystem;

/// How long a stage may take to come: a failover and its full health are before some.
constexpr auto kStageDeadline = 180s;
/// Four times PgBouncer's own server_login_retry.
constexpr auto kWaysInDeadline = 60s;

/// On each host. The guard is a file that the lock's scripts leave for good.
constexpr const char* kLook = R"sh(
runuser -u postgres -- psql -XqAt \
  -c "select case when pg_is_in_recovery() then 'replica' else 'leader' end" \
  -c "select 'database ' || datname from pg_database order by 1" \
  -c "select 'role ' || rolname from pg_roles order by 1"
curl -sk https://127.0.0.1:8008/config | grep -o '"pause": *[a-z]*'
find /var/lib/pgfiredrill -type f ! -name 'guard*' ! -name last-disruptive -print -exec cat {} + 2>/dev/null
systemctl list-units --all --plain --no-legend 'pgfiredrill-*'
nft list tables 2>/dev/null | grep pgfiredrill
true)sh";

std::string read_text(const std::string& path) {
  std::ifstream file{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{file}, {}};
}

}  // namespace

void RunLab::SetUp() {
  const char* inventory = std::getenv("PGFIREDRILL_LAB_INVENTORY");
  if (inventory == nullptr) {
    GTEST_SKIP() << "no lab: PGFIREDRILL_LAB_INVENTORY is not set (lab/lab up, as root)";
  }
  environment_.set("XDG_STATE_HOME", directory_ / "state");
  inventory_ = inventory;
  ASSERT_TRUE(lab_is_healthy()) << "an earlier test has left the lab as it must not be";
  before_ = fingerprint();
  ASSERT_THAT(before_, HasSubstr("leader"));
}

void RunLab::TearDown() {
  if (before_.empty()) return;
  EXPECT_TRUE(lab_is_healthy()) << "the lab must be healthy for the next test";
  const std::string after = fingerprint();
  EXPECT_EQ(after, before_) << "the cluster is not as it was";
  const auto journal = fault::Journal::open(kLabCluster);
  ASSERT_TRUE(journal);
  EXPECT_THAT((*journal)->open_runs().value(), IsEmpty());
  // The tests to come are not to fail for this one.
  if (after != before_) (void)heal();
}

std::string RunLab::quick_suite(int baseline_s, int observe_s) {
  return directory_.write(
      "quick.yaml",
      "suite: quick\ndrills:\n  - name: switchover\n    fault: {kind: patroni-switchover, target: leader}\n"
      "    baseline_s: " +
          std::to_string(baseline_s) + "\n    observe_s: " + std::to_string(observe_s) + "\n");
}

std::vector<std::string> RunLab::run_command(const std::string& suite, const std::vector<std::string>& more) {
  std::vector<std::string> argv{PGFIREDRILL_PROGRAM, "run",    suite,      "-i",
                                inventory_,          "--seed", kQuickSeed, "--with-sudo"};
  // The lab is there to be broken again and again.
  argv.insert(argv.end(), {"--override", "recent-run"});
  const auto given = [&](const char* option) {
    return std::find(more.begin(), more.end(), option) != more.end();
  };
  if (!given("--output")) argv.insert(argv.end(), {"--output", directory_ / "runs"});
  if (!given("--confirm")) argv.insert(argv.end(), {"--confirm", kLabCluster});
  argv.insert(argv.end(), more.begin(), more.end());
  return argv;
}

ProcessResult RunLab::run(const std::string& suite, const std::vector<std::string>& more) {
  return execute(run_command(suite, more), 500s);
}

std::unique_ptr<RunningProgram> RunLab::start(const std::string& suite, RunningProgram::Output output) {
  return std::make_unique<RunningProgram>(run_command(suite), output);
}

void RunLab::wait_until(RunningProgram& program, const std::string& what,
                        const std::function<bool()>& condition) {
  const auto deadline = std::chrono::steady_clock::now() + kStageDeadline;
  while (!condition()) {
    ASSERT_TRUE(program.running()) << "it ended before " << what << '\n' << program.out() << program.err();
    ASSERT_LT(std::chrono::steady_clock::now(), deadline) << "no " << what << '\n' << program.out();
    std::this_thread::sleep_for(20ms);
  }
}

void RunLab::wait_for_stage(RunningProgram& program, const std::string& stage) {
  wait_until(program, "stage " + stage, [&] {
    std::istringstream events{file_of_run("record/events.jsonl")};
    for (std::string line; std::getline(events, line);) {
      const auto event = parse_event(line);
      if (event && event->kind == event::kStage && event->text("stage") == stage) return true;
    }
    return false;
  });
}

ProcessResult RunLab::heal(const std::vector<std::string>& before) {
  std::vector<std::string> argv = before;
  argv.insert(argv.end(), {PGFIREDRILL_PROGRAM, "heal", "-i", inventory_});
  return execute(std::move(argv));
}

ProcessResult RunLab::program(const std::vector<std::string>& arguments) {
  std::vector<std::string> argv{PGFIREDRILL_PROGRAM};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  return execute(std::move(argv));
}

std::string RunLab::run_folder() const {
  std::string newest;  // names begin with their time
  std::error_code error;
  for (const auto& entry : fs::directory_iterator{directory_.path() / "runs", error}) {
    if (!entry.is_symlink()) newest = std::max(newest, entry.path().string());
  }
  return newest;
}

std::string RunLab::file_of_run(const std::string& name) const {
  return read_text(run_folder() + "/" + name);
}

std::string RunLab::reported(const std::string& path) const {
  const auto document = nlohmann::json::parse(file_of_run("report.json"), nullptr, false);
  if (document.is_discarded()) return "no report.json";
  std::string pointer = "/" + path;
  std::replace(pointer.begin(), pointer.end(), '.', '/');
  const nlohmann::json::json_pointer wanted{pointer};
  if (!document.contains(wanted)) return "no " + path;
  const auto& value = document[wanted];
  return value.is_string() ? value.get<std::string>() : value.dump();
}

std::string RunLab::on_host(const std::string& host, const std::string& command) {
  const auto result = lab({"ssh", host, "--", command});
  EXPECT_EQ(result.exit_status, 0) << host << ": " << command << '\n' << result.out << result.err;
  return result.out;
}

std::string RunLab::leader() const {
  const auto line = before_.find("\nleader\n");
  const auto host = before_.rfind("host ", line) + 5;
  return before_.substr(host, line - host);
}

std::string RunLab::a_replica() const {
  return leader() == kHosts[2] ? kHosts[1] : kHosts[2];
}

OnExit RunLab::edited(const std::string& path, const std::string& sed) {
  const std::string kept = path + ".before-test";
  for (const char* host : kHosts) {
    on_host(host, "cp -p " + path + " " + kept + " && sed -i '" + sed + "' " + path + " && ! cmp -s " + path +
                      " " + kept);
  }
  return OnExit{[this, path, kept] {
    for (const char* host : kHosts) on_host(host, "mv " + kept + " " + path);
  }};
}

std::string RunLab::fingerprint() {
  std::vector<std::future<std::string>> answers;
  for (const std::string host : kHosts) {
    answers.push_back(std::async(std::launch::async, [this, host] { return on_host(host, kLook); }));
  }
  std::string text;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    text += std::string{"host "} + kHosts[i] + "\n" + answers[i].get();
  }
  return text;
}

bool RunLab::lab_is_healthy() const {
  const auto status = lab({"status", "--wait"});
  EXPECT_EQ(status.exit_status, 0) << status.out << status.err;
  const auto deadline = std::chrono::steady_clock::now() + kWaysInDeadline;
  auto seen = program({"inspect", "-i", inventory_});
  while (seen.exit_status != 0 && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(1s);
    seen = program({"inspect", "-i", inventory_});
  }
  EXPECT_EQ(seen.exit_status, 0) << seen.out << seen.err;
  return status.exit_status == 0 && seen.exit_status == 0;
}

void expect_refusal(const ProcessResult& result, int exit_status, const std::string& text) {
  EXPECT_EQ(result.exit_status, exit_status) << result.out << result.err;
  EXPECT_THAT(result.err, HasSubstr(text)) << result.out;
}

}  // namespace pgfiredrill::testing
