#include "cli/latency_files.h"

#include <filesystem>
#include <set>

#include <gmock/gmock.h>

#include "record/files.h"
#include "record/recorder.h"
#include "tests/support/simulated_clock.h"
#include "tests/support/temporary_directory.h"

namespace pgfiredrill {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using namespace std::chrono_literals;
using testing::SimulatedClock;
using testing::TemporaryDirectory;

RunManifest manifest_of(const std::string& drill, const std::string& path) {
  RunManifest manifest;
  manifest.drills.emplace_back().name = drill;
  manifest.paths.emplace_back().id = path;
  manifest.paths[0].rate_hz = 10;
  return manifest;
}

/// Ten successes before the fault and five after it.
void record_run(const std::string& folder, const RunManifest& manifest) {
  SimulatedClock clock;
  const auto recorder = Recorder::create(folder, clock).value();
  ASSERT_TRUE(recorder->write_manifest(manifest));
  const nanoseconds start = clock.monotonic();
  const auto add = [&](const char* kind, nanoseconds after) {
    recorder->add({.kind = kind,
                   .at = start + after,
                   .fields = {{"drill", std::int64_t{0}}, {"repeat", std::int64_t{0}}}});
  };
  add(event::kRepeatStarted, 0s);
  add(event::kTrafficStarted, 0s);
  add(event::kFaultSent, 1s);
  add(event::kTrafficStopped, 2s);
  const auto writer = recorder->open_operations("traffic").value();
  for (int i = 0; i < 15; ++i) {
    Operation operation;
    operation.outcome = Outcome::acknowledged;
    operation.due = start + i * 100ms;
    operation.sent_after = 1ms;
    operation.done_after = 5ms;
    writer->append(operation);
  }
  recorder->sync();
}

std::set<std::string> names_in(const std::string& folder) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator{folder})
    names.insert(entry.path().filename().string());
  return names;
}

TEST(LatencyFiles, AreWrittenForEachPathBeforeAndAfter) {
  const TemporaryDirectory folder;
  record_run(folder / "run", manifest_of("switchover", "pg1:5000/read_write/fresh"));
  const auto written = write_latency_files(folder / "run");
  ASSERT_TRUE(written) << written.error().message();
  EXPECT_EQ(*written, folder / "run/latency");
  EXPECT_THAT(names_in(*written), ElementsAre("switchover-1-pg1_5000_read_write_fresh-response-after.hgrm",
                                              "switchover-1-pg1_5000_read_write_fresh-response-before.hgrm",
                                              "switchover-1-pg1_5000_read_write_fresh-service-after.hgrm",
                                              "switchover-1-pg1_5000_read_write_fresh-service-before.hgrm"));
  const auto text =
      read_whole_file(*written + "/switchover-1-pg1_5000_read_write_fresh-service-before.hgrm", 1'000'000);
  EXPECT_THAT(text.value(), HasSubstr("#[Max     =        4.000, Total count    =           10]"));
}

TEST(LatencyFiles, NamesLeadNowhereElse) {
  const TemporaryDirectory folder;
  record_run(folder / "run", manifest_of("../../up", "/etc/\n"));
  const auto written = write_latency_files(folder / "run");
  ASSERT_TRUE(written) << written.error().message();
  EXPECT_TRUE(names_in(*written).contains(".._.._up-1-_etc__-response-after.hgrm"));
}

TEST(LatencyFiles, WithoutARecordOrAPlaceToWriteThereAreNone) {
  const TemporaryDirectory folder;
  EXPECT_FALSE(write_latency_files(folder / "nothing"));
  record_run(folder / "run", manifest_of("switchover", "path"));
  ASSERT_TRUE(write_file_aside(folder / "run/latency", "a file stands in the way"));
  EXPECT_FALSE(write_latency_files(folder / "run"));
}

}  // namespace
}  // namespace pgfiredrill
