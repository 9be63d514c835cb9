#include "record/recorder.h"

#include <csignal>
#include <filesystem>
#include <limits>
#include <thread>

#include <gmock/gmock.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "record/run_reader.h"
#include "tests/record/sample_record.h"
#include "tests/support/simulated_clock.h"
#include "tests/support/temporary_directory.h"

namespace pgfiredrill {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using testing::sample_manifest;
using testing::sample_operation;
using testing::SimulatedClock;
using testing::TemporaryDirectory;

/// More than two segments hold.
constexpr std::uint64_t kMany = 160'000;

std::vector<Operation> read_all(const std::string& run_folder) {
  std::vector<Operation> operations;
  const auto reader = RunReader::open(run_folder);
  EXPECT_TRUE(reader) << reader.error().message();
  const auto damages =
      reader->operations(nanoseconds::min(), nanoseconds::max(),
                         [&](const Operation& operation) { operations.push_back(operation); });
  EXPECT_TRUE(damages) << damages.error().message();
  EXPECT_TRUE(damages->empty());
  return operations;
}

/// What the first segment of a file holds at least.
constexpr std::size_t kFirstSegment = (4 << 20) / kOperationBytes - 2;

/// Numbers from 1 on without a gap, and nothing else changed.
void expect_unbroken(const std::vector<Operation>& operations) {
  for (std::size_t i = 0; i < operations.size(); ++i) {
    if (operations[i] == sample_operation(i + 1)) continue;
    FAIL() << "operation " << i << " is not as it was written";
  }
}

class RecorderTest : public ::testing::Test {
 protected:
  std::unique_ptr<Recorder> make_recorder() {
    auto recorder = Recorder::create(run_folder_, clock_);
    EXPECT_TRUE(recorder) << recorder.error().message();
    EXPECT_TRUE((*recorder)->write_manifest(sample_manifest()));
    return std::move(*recorder);
  }

  static std::unique_ptr<OperationWriter> open(Recorder& recorder, const std::string& thread) {
    auto writer = recorder.open_operations(thread);
    EXPECT_TRUE(writer) << writer.error().message();
    return std::move(*writer);
  }

  /// Returns after the recorder's thread has looked after its segments at least once more.
  static void let_recorder_work(Recorder& recorder) {
    for (int round = 0; round < 2; ++round) {
      recorder.add({.kind = event::kRemark});
      recorder.sync();
    }
  }

  TemporaryDirectory directory_;
  std::string run_folder_ = directory_ / "runs/20261130T184500Z-smoke";
  SimulatedClock clock_;
};

TEST_F(RecorderTest, KeepsEveryOperationThroughAllSegments) {
  {
    const auto recorder = make_recorder();
    const auto writer = open(*recorder, "traffic");
    for (std::uint64_t number = 1; number <= kMany; ++number) writer->append(sample_operation(number));
    EXPECT_EQ(recorder->trouble(), "");
  }
  const auto operations = read_all(run_folder_);
  EXPECT_EQ(operations.size(), kMany);
  expect_unbroken(operations);
}

TEST_F(RecorderTest, CutsWhatWasAllocatedAhead) {
  {
    const auto recorder = make_recorder();
    open(*recorder, "traffic")->append(sample_operation());
  }
  EXPECT_EQ(std::filesystem::file_size(run_folder_ + "/record/ops-traffic.bin"), 64 + kOperationBytes);
}

TEST_F(RecorderTest, GivesEachThreadAFileOfItsOwn) {
  const auto recorder = make_recorder();
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&recorder, i] {
      const auto writer = open(*recorder, "connector-" + std::to_string(i));
      for (std::uint64_t number = 1; number <= 30'000; ++number) writer->append(sample_operation(number));
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(read_all(run_folder_).size(), 90'000u);
}

TEST_F(RecorderTest, RefusesAThreadsNameThatIsTakenOrNone) {
  const auto recorder = make_recorder();
  const auto writer = open(*recorder, "traffic");
  EXPECT_FALSE(recorder->open_operations("traffic"));
  for (const std::string name :
       {"", "../traffic", "a b", "a/b", "very-long-names-do-not-fit-into-a-files-header"})
    EXPECT_FALSE(recorder->open_operations(name)) << name;
}

TEST_F(RecorderTest, TakesNoFolderTwice) {
  const auto first = make_recorder();
  const auto second = Recorder::create(run_folder_, clock_);
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().message(), HasSubstr("Each run has a folder of its own"));
}

TEST_F(RecorderTest, SaysWhyItCannotCreateTheFolder) {
  const std::string file = directory_.write("file", "");
  const auto recorder = Recorder::create(file + "/run", clock_);
  ASSERT_FALSE(recorder);
  EXPECT_THAT(recorder.error().message(), HasSubstr(file));
}

/// The promise of the record: what was appended before SIGKILL is there after it.
TEST_F(RecorderTest, SurvivesItsProgram) {
  void* const shared = ::mmap(nullptr, sizeof(std::atomic<std::uint64_t>), PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(shared, MAP_FAILED);
  auto& appended = *new (shared) std::atomic<std::uint64_t>{0};
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    auto recorder = Recorder::create(run_folder_, clock_);
    if (!recorder || !(*recorder)->write_manifest(sample_manifest())) ::_exit(1);
    auto writer = (*recorder)->open_operations("traffic");
    if (!writer) ::_exit(1);
    (*recorder)->add({.kind = event::kRunStarted, .at = 5ns});
    (*recorder)->sync();
    for (std::uint64_t number = 1;; ++number) {
      (*writer)->append(sample_operation(number));
      appended.store(number);
    }
  }
  int status = 0;
  while (appended < kMany && ::waitpid(child, &status, WNOHANG) == 0) std::this_thread::yield();
  ASSERT_GE(appended, kMany) << "the writer ended by itself";
  ::kill(child, SIGKILL);
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  const std::uint64_t before_the_kill = appended;
  ::munmap(shared, sizeof appended);

  const auto reader = RunReader::open(run_folder_);
  ASSERT_TRUE(reader);
  EXPECT_FALSE(reader->ended());
  ASSERT_EQ(reader->events().size(), 1u);
  std::vector<Operation> operations;
  const auto damages =
      reader->operations(nanoseconds::min(), nanoseconds::max(),
                         [&](const Operation& operation) { operations.push_back(operation); });
  ASSERT_TRUE(damages);
  EXPECT_GE(operations.size(), before_the_kill);
  EXPECT_LE(operations.size(), before_the_kill + 1);
  expect_unbroken(operations);
  // At most the record that was being copied.
  for (const RecordDamage& damage : *damages) EXPECT_LT(damage.bytes_left, kOperationBytes);
}

class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &before_);
    set(bytes);
  }
  ~FileSizeLimit() {
    set(before_.rlim_cur);
    std::signal(SIGXFSZ, handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

  void set(rlim_t bytes) const {
    rlimit limit = before_;
    limit.rlim_cur = bytes;
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }

 private:
  rlimit before_{};
  void (*handler_)(int) = nullptr;
};

TEST_F(RecorderTest, CountsWhatItHadNoRoomForAndGoesOnLater) {
  const auto recorder = make_recorder();
  const auto writer = open(*recorder, "traffic");
  std::uint64_t number = 0;
  {
    const FileSizeLimit limit{5 << 20};
    while (number < kMany && recorder->trouble().empty()) writer->append(sample_operation(++number));
    EXPECT_THAT(recorder->trouble(), HasSubstr("cannot make room for operations"));
    while (number < kMany) writer->append(sample_operation(++number));
  }
  EXPECT_THAT(recorder->trouble(), HasSubstr(" operations were not recorded: "));
  const auto operations = read_all(run_folder_);
  EXPECT_GT(operations.size(), kFirstSegment);
  EXPECT_LT(operations.size(), kMany);
  expect_unbroken({operations.begin(), operations.begin() + kFirstSegment});

  let_recorder_work(*recorder);
  writer->append(sample_operation(++number));
  EXPECT_EQ(read_all(run_folder_).size(), operations.size() + 1);
  EXPECT_THAT(recorder->trouble(), HasSubstr(" operations were not recorded: ")) << "lost is lost";
}

TEST_F(RecorderTest, RefusesAFileThatHasNoRoomForItsFirstSegment) {
  const auto recorder = make_recorder();
  const FileSizeLimit limit{1 << 20};
  const auto writer = recorder->open_operations("traffic");
  ASSERT_FALSE(writer);
  EXPECT_THAT(writer.error().message(), HasSubstr("--output"));
  EXPECT_FALSE(std::filesystem::exists(run_folder_ + "/record/ops-traffic.bin"));
}

/// A full disk and no limit: nothing of it may end in SIGBUS.
TEST_F(RecorderTest, LivesOnAFullDisk) {
  const std::string disk = directory_ / "disk";
  std::filesystem::create_directory(disk);
  if (::mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=6m") != 0)
    GTEST_SKIP() << "cannot mount: no root here";
  run_folder_ = disk + "/run";
  {
    const auto recorder = make_recorder();
    const auto writer = open(*recorder, "traffic");
    for (std::uint64_t number = 1; number <= kMany; ++number) writer->append(sample_operation(number));
    EXPECT_THAT(recorder->trouble(), HasSubstr("No space left on device"));
    EXPECT_GT(read_all(run_folder_).size(), kFirstSegment);
  }
  EXPECT_EQ(::umount(disk.c_str()), 0);
}

TEST_F(RecorderTest, StampsEventsThatHaveNoTime) {
  const auto recorder = make_recorder();
  recorder->add({.kind = event::kStage});
  recorder->add({.kind = event::kStage, .at = 77ns});
  recorder->sync();
  const auto reader = RunReader::open(run_folder_);
  ASSERT_TRUE(reader);
  ASSERT_EQ(reader->events().size(), 2u);
  EXPECT_EQ(reader->events()[0].at, clock_.monotonic());
  EXPECT_EQ(reader->events()[0].wall, clock_.wall());
  EXPECT_EQ(reader->events()[1].at, 77ns);
}

TEST_F(RecorderTest, LosesNoEventOfAnyThread) {
  {
    const auto recorder = make_recorder();
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&recorder, i] {
        for (std::int64_t n = 0; n < 500; ++n)
          recorder->add({.kind = event::kRemark,
                         .fields = {{"thread", std::int64_t{i}}, {"n", n}, {"text", std::string(200, 'x')}}});
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  const auto reader = RunReader::open(run_folder_);
  ASSERT_TRUE(reader);
  EXPECT_EQ(reader->bad_event_lines(), 0u);
  ASSERT_EQ(reader->events().size(), 2'000u);
  std::map<std::int64_t, std::int64_t> next;
  for (const Event& event : reader->events())
    EXPECT_EQ(event.integer("n"), next[*event.integer("thread")]++) << "the order of a thread's events";
}

TEST_F(RecorderTest, KeepsEventsThatTheDiskDidNotTakeYet) {
  const auto recorder = make_recorder();
  {
    const FileSizeLimit limit{100};
    recorder->add({.kind = event::kRemark, .fields = {{"text", std::string(500, 'x')}}});
    recorder->sync();
    EXPECT_THAT(recorder->trouble(), HasSubstr("cannot write events"));
  }
  recorder->add({.kind = event::kRunEnded});
  recorder->sync();
  EXPECT_EQ(recorder->trouble(), "");
  const auto reader = RunReader::open(run_folder_);
  ASSERT_TRUE(reader);
  EXPECT_EQ(reader->bad_event_lines(), 0u);
  ASSERT_EQ(reader->events().size(), 2u);
  EXPECT_EQ(reader->events()[0].text("text"), std::string(500, 'x'));
}

TEST(RecordSize, CountsWritesTwiceForEverySecondOfEveryRepeat) {
  RunManifest manifest;
  manifest.paths = {{.rate_hz = 100, .write_rate_hz = 50}, {.rate_hz = 10, .write_rate_hz = 0}};
  manifest.drills = {{.repeats = 3, .baseline_s = 10, .observe_s = 30, .health_deadline_s = 300}};
  EXPECT_EQ(estimate_record_bytes(manifest), std::size_t{(100 + 50 + 10) * 3 * (10 + 30 + 60) * 60});
  manifest.drills[0].observe_s = 1e300;
  EXPECT_GT(estimate_record_bytes(manifest), std::size_t{1} << 50) << "it saturates";
}

TEST(FreeBytes, AreThoseOfTheNearestFolderThatExists) {
  const TemporaryDirectory directory;
  const auto here = free_bytes(directory.path().string());
  const auto below = free_bytes(directory / "not/there/yet");
  ASSERT_TRUE(here);
  ASSERT_TRUE(below);
  EXPECT_GT(*here, 0u);
  EXPECT_NEAR(static_cast<double>(*below), static_cast<double>(*here), 1e9) << "of the same file system";
}

}  // namespace
}  // namespace pgfiredrill
