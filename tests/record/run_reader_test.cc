#include "record/run_reader.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <tuple>

#include <gmock/gmock.h>

#include "record/crc32c.h"
#include "record/little_endian.h"
#include "record/operation_file.h"
#include "record/recorder.h"
#include "tests/record/sample_record.h"
#include "tests/support/simulated_clock.h"
#include "tests/support/temporary_directory.h"

namespace pgfiredrill {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::sample_manifest;
using testing::sample_operation;
using testing::TemporaryDirectory;

std::string text_of(const auto& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string records(const std::vector<Operation>& operations) {
  std::string text = text_of(encode_operation_header("traffic"));
  for (const Operation& operation : operations) text += text_of(encode(operation));
  return text;
}

/// A run folder whose files are written by hand.
class RunReaderTest : public ::testing::Test {
 protected:
  RunReaderTest() {
    std::filesystem::create_directory(directory_ / "record");
    directory_.write("record/manifest.json", to_json(sample_manifest()));
  }

  void append(const std::string& name, const std::string& text) const {
    std::ofstream{directory_ / ("record/" + name), std::ios::binary | std::ios::app} << text;
  }

  Result<RunReader> open() const { return RunReader::open(directory_.path().string()); }

  /// Numbers of the operations that were handed over, and the damage.
  std::vector<RecordDamage> read(nanoseconds from = nanoseconds::min(), nanoseconds to = nanoseconds::max()) {
    numbers_.clear();
    const auto reader = open();
    EXPECT_TRUE(reader);
    auto damages = reader->operations(
        from, to, [this](const Operation& operation) { numbers_.push_back(operation.number); });
    EXPECT_TRUE(damages) << damages.error().message();
    return damages ? *damages : std::vector<RecordDamage>{};
  }

  TemporaryDirectory directory_;
  std::vector<std::uint64_t> numbers_;
};

Operation operation(std::uint64_t number, nanoseconds due, std::uint16_t path = 0,
                    RecordKind kind = RecordKind::done) {
  return {.kind = kind, .path = path, .number = number, .due = due};
}

TEST_F(RunReaderTest, MergesFilesInTheOrderOfDueTimes) {
  append("ops-a.bin", records({operation(3, 30ns), operation(1, 10ns), operation(5, 40ns, 1)}));
  append("ops-b.bin",
         records({operation(6, 40ns, 2), operation(4, 40ns, 1, RecordKind::sent), operation(2, 20ns)}));
  EXPECT_THAT(read(), ::testing::IsEmpty());
  EXPECT_THAT(numbers_, ElementsAre(1, 2, 3, 4, 5, 6));
}

/// Whatever the order in the files and however many chunks they have: as if all had been sorted at once.
TEST_F(RunReaderTest, PutsManyRecordsInOrderHoweverTheyStand) {
  std::mt19937_64 random{7};
  for (const std::uint64_t disorder : {1u, 3'000u, 1'000'000'000u}) {
    std::vector<Operation> all;
    for (const std::string name : {"ops-a.bin", "ops-b.bin", "ops-c.bin"}) {
      std::vector<Operation> of_file;
      const std::uint64_t count = 3'000 + random() % 12'000;
      for (std::uint64_t i = 0; i < count; ++i) {
        const auto due = static_cast<nanoseconds::rep>(i * 100 + random() % disorder);
        of_file.push_back(operation(all.size() + i, nanoseconds{due},
                                    static_cast<std::uint16_t>(random() % 3),
                                    random() % 2 == 0 ? RecordKind::sent : RecordKind::done));
      }
      directory_.write("record/" + name, records(of_file));
      all.insert(all.end(), of_file.begin(), of_file.end());
    }
    const auto earlier = [](const Operation& a, const Operation& b) {
      return std::tie(a.due, a.path, a.kind, a.number) < std::tie(b.due, b.path, b.kind, b.number);
    };
    std::sort(all.begin(), all.end(), earlier);
    const nanoseconds from = all[all.size() / 10].due, to = all[all.size() / 2].due;
    std::erase_if(all, [&](const Operation& one) { return one.due < from || one.due >= to; });
    const auto reader = open();
    ASSERT_TRUE(reader);
    for (int again = 0; again < 2; ++again) {
      std::vector<Operation> got;
      ASSERT_TRUE(reader->operations(from, to, [&](const Operation& one) { got.push_back(one); }));
      const auto out_of_order = std::adjacent_find(got.begin(), got.end(), [](const auto& a, const auto& b) {
        return std::tie(a.due, a.path, a.kind) > std::tie(b.due, b.path, b.kind);
      });
      ASSERT_EQ(out_of_order, got.end()) << "disorder " << disorder;
      std::sort(got.begin(), got.end(), earlier);
      ASSERT_EQ(got, all) << "disorder " << disorder;
    }
  }
}

/// A program that still writes, or somebody who cuts the file, must not take numbers away unseen.
TEST_F(RunReaderTest, SaysWhereRecordsVanishWhileTheyAreRead) {
  append("ops-a.bin", records({operation(1, 10ns), operation(2, 20ns)}));
  const auto reader = open();
  ASSERT_TRUE(reader);
  ASSERT_TRUE(reader->operations(0ns, 5ns, [](const Operation&) {}));
  directory_.write("record/ops-a.bin", records({operation(1, 10ns)}));
  const auto read = reader->operations(0ns, 50ns, [](const Operation&) {});
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message(), HasSubstr("ops-a.bin"));
}

TEST_F(RunReaderTest, KeepsToTheSpan) {
  append("ops-a.bin", records({operation(1, 10ns), operation(2, 20ns), operation(3, 30ns)}));
  read(20ns, 30ns);
  EXPECT_THAT(numbers_, ElementsAre(2));
}

TEST_F(RunReaderTest, TakesZerosAtTheEndForNoDamage) {
  append("ops-a.bin", records({operation(1, 10ns)}) + std::string(1'000'000, '\0'));
  EXPECT_THAT(read(), ::testing::IsEmpty());
  EXPECT_THAT(numbers_, ElementsAre(1));
}

TEST_F(RunReaderTest, StopsAtATornRecordAndSaysWhatIsLeft) {
  const std::string good = records({operation(1, 10ns), operation(2, 20ns)});
  append("ops-a.bin", good.substr(0, good.size() - 10) + std::string(300, '\0'));
  append("ops-b.bin", records({operation(3, 30ns)}));
  const auto damages = read();
  EXPECT_THAT(numbers_, ElementsAre(1, 3)) << "the other file is read all the same";
  ASSERT_EQ(damages.size(), 1u);
  EXPECT_EQ(damages[0].file, "ops-a.bin");
  EXPECT_EQ(damages[0].good_records, 1u);
  EXPECT_GT(damages[0].bytes_left, 0u);
  EXPECT_LT(damages[0].bytes_left, kOperationBytes);
}

TEST_F(RunReaderTest, TakesNothingBehindABadRecord) {
  std::vector<Operation> many;
  for (std::uint64_t number = 1; number <= 10'000; ++number) many.push_back(sample_operation(number));
  std::string text = records(many);
  text[kOperationHeaderBytes + 4'000 * kOperationBytes + 20] ^= 1;
  append("ops-a.bin", text);
  const auto damages = read();
  EXPECT_EQ(numbers_.size(), 4'000u);
  ASSERT_EQ(damages.size(), 1u);
  EXPECT_EQ(damages[0].good_records, 4'000u);
  EXPECT_EQ(damages[0].bytes_left, 6'000 * kOperationBytes);
}

TEST_F(RunReaderTest, CallsAFileWithoutAHeaderDamaged) {
  append("ops-a.bin", "not a header" + std::string(200, 'x'));
  append("ops-empty.bin", "");
  append("ops-zeros.bin", std::string(4096, '\0'));
  const auto damages = read();
  ASSERT_EQ(damages.size(), 1u);
  EXPECT_EQ(damages[0].bytes_left, 212u);
}

TEST_F(RunReaderTest, RefusesAFileOfAnotherVersion) {
  OperationHeaderBytes header = encode_operation_header("traffic");
  store_little(header.data() + 8, std::uint32_t{3});
  store_little(header.data() + 60, crc32c(std::span{header}.first(60)));
  append("ops-a.bin", text_of(header));
  const auto reader = open();
  ASSERT_TRUE(reader);
  const auto damages = reader->operations(0ns, 1ns, [](const Operation&) {});
  ASSERT_FALSE(damages);
  EXPECT_THAT(damages.error().message(), HasSubstr("version 3"));
}

TEST_F(RunReaderTest, ReadsARunWithoutOperationsOrEvents) {
  EXPECT_THAT(read(), ::testing::IsEmpty());
  const auto reader = open();
  ASSERT_TRUE(reader);
  EXPECT_TRUE(reader->events().empty());
  EXPECT_FALSE(reader->ended());
  EXPECT_EQ(reader->manifest().run_id, "20261130T184500Z-smoke");
}

TEST_F(RunReaderTest, NeedsAManifest) {
  const auto nowhere = RunReader::open(directory_ / "nowhere");
  ASSERT_FALSE(nowhere);
  EXPECT_EQ(nowhere.error().kind, FailureKind::missing);
  EXPECT_THAT(nowhere.error().message(), HasSubstr("Name the folder of a run"));
  directory_.write("record/manifest.json", "{}");
  ASSERT_FALSE(open());
  EXPECT_EQ(open().error().kind, FailureKind::malformed);
}

TEST_F(RunReaderTest, CountsLinesThatAreNoEvents) {
  append("events.jsonl", to_json_line({.kind = event::kRunStarted, .at = 1ns}) + "\nrubbish\n\n" +
                             to_json_line({.kind = "a kind of the future", .at = 2ns}) + "\n" +
                             R"({"kind":"run_ended","at)");
  const auto reader = open();
  ASSERT_TRUE(reader);
  ASSERT_EQ(reader->events().size(), 2u);
  EXPECT_EQ(reader->events()[1].kind, "a kind of the future");
  EXPECT_EQ(reader->bad_event_lines(), 2u);
  EXPECT_FALSE(reader->ended());
}

TEST_F(RunReaderTest, KnowsThatARunEnded) {
  append("events.jsonl", to_json_line({.kind = event::kRunEnded, .at = 1ns}) + "\n");
  EXPECT_TRUE(open()->ended());
  append("events.jsonl", to_json_line({.kind = event::kRemark, .at = 2ns}) + "\n");
  EXPECT_FALSE(open()->ended());
}

TEST_F(RunReaderTest, ReadsOnlyReadBacksOfTheRecord) {
  ASSERT_TRUE(write_readback(directory_ / "record/readback-0-pgnode01.bin", {{1, 1, 9, 1}}));
  ASSERT_TRUE(write_readback(directory_ / "outside.bin", {{1, 1, 9, 1}}));
  const auto reader = open();
  ASSERT_TRUE(reader);
  EXPECT_TRUE(reader->readback("readback-0-pgnode01.bin"));
  for (const char* name : {"../outside.bin", "", "..", "/etc/passwd", "missing.bin"})
    EXPECT_FALSE(reader->readback(name)) << name;
}

class OperationTailTest : public RunReaderTest {
 protected:
  std::vector<std::uint64_t> poll() {
    std::vector<std::uint64_t> numbers;
    tail_.poll([&](const Operation& operation) { numbers.push_back(operation.number); });
    return numbers;
  }

  OperationTail tail_{directory_.path().string()};
};

TEST_F(OperationTailTest, FollowsFilesAndPicksUpNewOnes) {
  EXPECT_THAT(poll(), ElementsAre());
  append("ops-a.bin", records({operation(1, 10ns)}));
  EXPECT_THAT(poll(), ElementsAre(1));
  EXPECT_THAT(poll(), ElementsAre());
  append("ops-a.bin", text_of(encode(operation(2, 20ns))));
  append("ops-b.bin", records({operation(3, 5ns)}));
  EXPECT_THAT(poll(), ElementsAre(2, 3));
}

TEST_F(OperationTailTest, WaitsForARecordThatIsNotWholeYet) {
  const std::string text = records({operation(1, 10ns)});
  append("ops-a.bin", text.substr(0, 30));
  EXPECT_THAT(poll(), ElementsAre());
  append("ops-a.bin", text.substr(30, 60));
  EXPECT_THAT(poll(), ElementsAre());
  append("ops-a.bin", text.substr(90));
  EXPECT_THAT(poll(), ElementsAre(1));
}

TEST_F(OperationTailTest, FollowsARecorderAndItsEnd) {
  testing::SimulatedClock clock;
  auto recorder = Recorder::create(directory_ / "run", clock);
  ASSERT_TRUE(recorder);
  OperationTail tail{directory_ / "run"};
  std::uint64_t seen = 0;
  const auto poll_in_order = [&] {
    tail.poll([&](const Operation& operation) { EXPECT_EQ(operation.number, ++seen); });
  };
  {
    auto writer = (*recorder)->open_operations("traffic");
    ASSERT_TRUE(writer);
    for (std::uint64_t number = 1; number <= 100'000; ++number) {
      (*writer)->append(sample_operation(number));
      if (number % 10'000 != 0) continue;
      poll_in_order();
      EXPECT_EQ(seen, number);
    }
  }
  poll_in_order();
  EXPECT_EQ(seen, 100'000u);
}

}  // namespace
}  // namespace pgfiredrill
