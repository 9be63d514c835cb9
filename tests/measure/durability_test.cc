#include "measure/durability.h"

#include <random>
#include <set>

#include <gtest/gtest.h>

#include "base/lsn.h"
#include "measure/readback_pages.h"

namespace pgfiredrill {
namespace {

Operation write(Outcome outcome, std::uint16_t stream, std::uint64_t number) {
  Operation op;
  op.outcome = outcome;
  op.write = true;
  op.stream = stream;
  op.number = number;
  return op;
}

Operation sent(std::uint16_t stream, std::uint64_t number) {
  Operation op = write(Outcome::failed, stream, number);
  op.kind = RecordKind::sent;
  return op;
}

Operation acknowledged_at(std::uint32_t timeline, std::uint64_t lsn, std::uint64_t number) {
  Operation op = write(Outcome::acknowledged, 1, number);
  op.timeline = timeline;
  op.lsn = lsn;
  return op;
}

LedgerOutcomes ledger(const std::vector<Operation>& operations) {
  LedgerOutcomes outcomes;
  for (const Operation& op : operations) outcomes.on(op);
  return outcomes;
}

ServerReadback server(const std::string& member, std::vector<NumberRun> runs) {
  return {.member = member, .timeline = 2, .rows = 9, .runs = std::move(runs)};
}

constexpr auto kAcknowledged = Outcome::acknowledged;

TEST(Durability, CountsEachOutcome) {
  Operation dropped = write(Outcome::failed, 1, 0);
  dropped.dropped = true;
  const auto outcomes = ledger({sent(1, 1), write(kAcknowledged, 1, 1), sent(1, 2),
                                write(Outcome::weak, 1, 2), sent(1, 3), write(Outcome::in_doubt, 1, 3),
                                sent(1, 4), write(Outcome::failed, 1, 4), sent(1, 5), dropped, dropped});
  const auto judged = judge_durability({.outcomes = outcomes, .nothing_read = "killed"});
  EXPECT_EQ(judged.durability.attempted, 7u);
  EXPECT_EQ(judged.durability.acknowledged, 1u);
  EXPECT_EQ(judged.durability.weak, 1u);
  EXPECT_EQ(judged.durability.in_doubt, 2u) << "sent without an outcome is in doubt";
  EXPECT_EQ(judged.durability.failed, 3u);
  EXPECT_FALSE(judged.durability.lost);
  EXPECT_EQ(judged.why_no_leader, "killed");
}

TEST(Durability, ComparesWithTheLeader) {
  const auto outcomes =
      ledger({write(kAcknowledged, 1, 1), write(kAcknowledged, 1, 2), write(kAcknowledged, 1, 3),
              write(Outcome::failed, 1, 4), write(Outcome::in_doubt, 1, 5), write(Outcome::in_doubt, 1, 6),
              write(Outcome::weak, 1, 7)});
  const auto judged =
      judge_durability({.outcomes = outcomes,
                        .leader = "b",
                        .readbacks = {server("a", {}), server("b", {{1, 1, 1, 2}, {1, 3, 5}})}});
  const Durability& durability = judged.durability;
  EXPECT_EQ(durability.lost, 1u);
  EXPECT_EQ(durability.weak_lost, 1u);
  EXPECT_EQ(durability.unexpected, 1u);
  EXPECT_EQ(durability.duplicated, 1u);
  EXPECT_EQ(durability.in_doubt_present, 1u);
  ASSERT_EQ(durability.lost_ranges.size(), 1u);
  EXPECT_EQ(durability.lost_ranges[0].first, 2u);
  ASSERT_EQ(durability.nodes.size(), 2u);
  EXPECT_EQ(durability.nodes[0].lost, 3u);
  EXPECT_EQ(durability.nodes[1].lost, 1u);
  EXPECT_EQ(judged.why_no_leader, "");
}

TEST(Durability, WriteWithoutAnOutcomeMayBeThere) {
  const auto outcomes = ledger({sent(1, 1), sent(1, 2)});
  const auto judged =
      judge_durability({.outcomes = outcomes, .leader = "b", .readbacks = {server("b", {{1, 2, 2}})}});
  EXPECT_EQ(judged.durability.in_doubt_present, 1u);
  EXPECT_EQ(judged.durability.unexpected, 0u);
}

TEST(Durability, LostNumbersBecomeRangesWithinAStream) {
  const auto outcomes =
      ledger({write(kAcknowledged, 1, 1), write(kAcknowledged, 1, 2), write(Outcome::in_doubt, 1, 3),
              write(kAcknowledged, 1, 4), write(kAcknowledged, 1, 5), write(kAcknowledged, 1, 6),
              write(kAcknowledged, 2, 7), write(kAcknowledged, 2, 8)});
  const auto judged = judge_durability(
      {.outcomes = outcomes, .leader = "b", .readbacks = {server("b", {{1, 5, 5}, {2, 8, 8}})}});
  EXPECT_EQ(judged.durability.lost, 5u);
  const auto& ranges = judged.durability.lost_ranges;
  ASSERT_EQ(ranges.size(), 3u);
  EXPECT_EQ(ranges[0].first, 1u);
  EXPECT_EQ(ranges[0].last, 4u);
  EXPECT_EQ(ranges[1].first, 6u);
  EXPECT_EQ(ranges[1].last, 6u);
  EXPECT_EQ(ranges[2].stream, 2u);
  EXPECT_EQ(ranges[2].last, 7u);
}

TEST(Durability, WithoutTheLeadersRowsNothingIsKnownLost) {
  const auto outcomes = ledger({write(kAcknowledged, 1, 1)});
  const ServerReadback unread{.member = "b", .runs = Failure{.came_back = "replay stood still"}};
  const auto no_leader = judge_durability({.outcomes = outcomes, .readbacks = {server("a", {})}});
  EXPECT_FALSE(no_leader.durability.lost);
  EXPECT_NE(no_leader.why_no_leader, "");
  const auto not_read = judge_durability({.outcomes = outcomes, .leader = "b", .readbacks = {unread}});
  EXPECT_FALSE(not_read.durability.lost);
  EXPECT_NE(not_read.why_no_leader.find("replay stood still"), std::string::npos);
  EXPECT_FALSE(not_read.durability.nodes[0].read);
  EXPECT_EQ(not_read.durability.nodes[0].why_not, "replay stood still");
  const auto absent = judge_durability({.outcomes = outcomes, .leader = "c", .readbacks = {server("a", {})}});
  EXPECT_FALSE(absent.durability.lost);
}

TEST(Durability, RecoveryPointIsWhatWasAcknowledgedBeyondTheFork) {
  const auto outcomes =
      ledger({acknowledged_at(1, 1000, 1), acknowledged_at(1, 1500, 2), acknowledged_at(2, 9000, 3)});
  const auto rpo = [&](std::vector<EndedTimeline> history) {
    return judge_durability({.outcomes = outcomes, .history = std::move(history)}).durability.rpo_bytes;
  };
  EXPECT_EQ(rpo({{1, 1200}}), 300);
  EXPECT_EQ(rpo({{1, 2000}}), 0) << "the timeline went on after the last write";
  EXPECT_EQ(rpo({}), std::nullopt);
  EXPECT_EQ(rpo({{7, 100}}), std::nullopt) << "it ended before these writes";
}

TEST(Durability, OnlyFullAcknowledgementsReachFar) {
  Operation weak = acknowledged_at(1, 5000, 2);
  weak.outcome = Outcome::weak;
  const auto outcomes = ledger({acknowledged_at(1, 1000, 1), weak});
  EXPECT_EQ(judge_durability({.outcomes = outcomes, .history = {{1, 900}}}).durability.rpo_bytes, 100);
}

TEST(Durability, AgreesWithSetsOnRandomLedgers) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    std::mt19937_64 random{seed};
    std::vector<Operation> operations;
    std::set<std::pair<std::uint16_t, std::uint64_t>> acknowledged, present;
    NumberRuns rows;
    for (std::uint64_t i = 0; i < 300; ++i) {
      const auto stream = static_cast<std::uint16_t>(random() % 3);
      operations.push_back(sent(stream, i));
      const auto outcome = static_cast<Outcome>(random() % 4);
      operations.push_back(write(outcome, stream, i));
      if (outcome == kAcknowledged) acknowledged.insert({stream, i});
      if (random() % 4 == 0) continue;
      present.insert({stream, i});
      rows.add(stream, i);
    }
    std::shuffle(operations.begin(), operations.end(), random);
    std::vector<std::pair<std::uint16_t, std::uint64_t>> lost;
    std::set_difference(acknowledged.begin(), acknowledged.end(), present.begin(), present.end(),
                        std::back_inserter(lost));
    const auto judged = judge_durability(
        {.outcomes = ledger(operations), .leader = "a", .readbacks = {server("a", *rows.finish())}});
    ASSERT_EQ(judged.durability.lost, lost.size()) << "seed " << seed;
    for (const auto& [stream, number] : lost) {
      const bool in_range =
          std::any_of(judged.durability.lost_ranges.begin(), judged.durability.lost_ranges.end(),
                      [&, s = stream, n = number](const NumberRange& r) {
                        return r.stream == s && r.first <= n && n <= r.last;
                      });
      ASSERT_TRUE(in_range) << "seed " << seed;
    }
  }
}

TEST(ReadbackPages, AddUpRunsThatOverlapInAnyOrder) {
  ReadbackPages pages{{{1, 5, 9, 1}, {1, 1, 6, 2}, {0, 1, 100, 7}, {1, 3, 2, 9}, {1, 63, 4100, 1}}};
  pages.turn_to(0, 0);
  EXPECT_EQ(pages.present()[0], ~std::uint64_t{1});
  EXPECT_EQ(pages.present()[1], (std::uint64_t{1} << 37) - 1) << "64 to 100";
  EXPECT_EQ(pages.more_than_once(), pages.present());
  pages.turn_to(1, 0);
  EXPECT_EQ(pages.present()[0], 0x8000'0000'0000'03feu) << "1 to 9, and 63";
  EXPECT_EQ(pages.more_than_once()[0], 0x7eu) << "5 and 6 are in two runs";
  EXPECT_EQ(pages.present()[63], ~std::uint64_t{0});
  pages.turn_to(1, kNumbersInPage);
  EXPECT_EQ(pages.present()[0], 0x1fu) << "the run goes on to 4100";
  EXPECT_EQ(pages.present()[1], 0u);
  pages.turn_to(9, 0);
  EXPECT_EQ(pages.present(), NumberBits{});
}

TEST(WriteStates, KeepWhatIsBelievedMost) {
  const std::vector<WriteState> states{WriteState::sent, WriteState::failed, WriteState::in_doubt,
                                       WriteState::weak, WriteState::acknowledged};
  for (const WriteState first : states) {
    for (const WriteState second : states) {
      WriteStates word;
      word.raise(4, first);
      word.raise(4, second);
      const WriteState best = std::max(first, second);
      EXPECT_EQ(word.acknowledged(), best == WriteState::acknowledged ? 4u : 0u);
      EXPECT_EQ(word.weak(), best == WriteState::weak ? 4u : 0u);
      EXPECT_EQ(word.failed(), best == WriteState::failed ? 4u : 0u);
      EXPECT_EQ(word.in_doubt(), best == WriteState::in_doubt || best == WriteState::sent ? 4u : 0u);
      EXPECT_EQ(word.all(), 4u);
    }
  }
}

TEST(Lsn, ReadsBothHalves) {
  EXPECT_EQ(parse_lsn("0/3000000"), 0x3000000u);
  EXPECT_EQ(parse_lsn("16/B374D848"), 0x16B374D848u);
  EXPECT_EQ(parse_lsn("FFFFFFFF/ffffffff"), UINT64_MAX);
  for (const char* text :
       {"", "/", "1/", "/1", "1", "g/1", "1/1/1", "1/1 ", "100000000/1", "-1/1", "000000001/1"}) {
    EXPECT_FALSE(parse_lsn(text)) << text;
  }
}

}  // namespace
}  // namespace pgfiredrill
