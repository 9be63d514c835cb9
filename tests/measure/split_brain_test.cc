#include "measure/split_brain.h"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "direct_answers.h"

namespace pgfiredrill {
namespace {

using std::chrono::microseconds;
using testing::answer_of;
using testing::at_s;

Operation write_on(std::uint32_t timeline, nanoseconds sent, nanoseconds took,
                   Outcome outcome = Outcome::acknowledged) {
  Operation operation;
  operation.kind = RecordKind::done;
  operation.write = true;
  operation.outcome = outcome;
  operation.timeline = timeline;
  operation.due = sent - microseconds{100};
  operation.sent_after = microseconds{100};
  operation.done_after = microseconds{100} + took;
  return operation;
}

struct Write {
  Operation operation;
  bool through_entry_point;
};

bool counts(const Operation& operation) {
  return operation.kind == RecordKind::done && operation.outcome == Outcome::acknowledged;
}

/// Every pair, as the rule is worded.
bool proven_by_pairs(const std::vector<Write>& writes, bool only_entry_points) {
  for (const Write& stale : writes) {
    for (const Write& newer : writes) {
      if (!counts(stale.operation) || !counts(newer.operation)) continue;
      if (only_entry_points && !stale.through_entry_point) continue;
      const nanoseconds sent = stale.operation.due + *stale.operation.sent_after;
      const nanoseconds completed = newer.operation.due + *newer.operation.done_after;
      if (stale.operation.timeline < newer.operation.timeline && sent > completed + microseconds{1})
        return true;
    }
  }
  return false;
}

std::optional<StaleWrite> fold(const std::vector<Write>& writes) {
  StaleWriteFold fold;
  for (const Write& write : writes) fold.on(write.operation, write.through_entry_point);
  return fold.finish();
}

Outcome random_outcome(std::mt19937& random) {
  static constexpr Outcome kOutcomes[] = {Outcome::acknowledged, Outcome::acknowledged, Outcome::weak,
                                          Outcome::in_doubt, Outcome::failed};
  return kOutcomes[std::uniform_int_distribution<std::size_t>{0, 4}(random)];
}

/// Two timelines, the later one from 10 s on; the old leader goes on for so long after that.
std::vector<Write> history_with_overlap(std::mt19937& random, double overlap_s) {
  std::vector<Write> writes;
  std::uniform_int_distribution<int> latency_us{100, 900'000};
  std::uniform_real_distribution<double> old_time{0, 10 + overlap_s}, new_time{10, 20};
  for (int i = 0; i < 40; ++i) {
    const bool old = i % 2 == 0;
    const auto sent = at_s(old ? old_time(random) : new_time(random));
    writes.push_back({write_on(old ? 3 : 4, sent, microseconds{latency_us(random)}, random_outcome(random)),
                      std::bernoulli_distribution{0.5}(random)});
  }
  std::shuffle(writes.begin(), writes.end(), random);
  return writes;
}

TEST(StaleWriteFold, GivesTheAnswerOfAllPairs) {
  std::mt19937 random{20261130};
  int proven = 0;
  for (int round = 0; round < 400; ++round) {
    const auto writes = history_with_overlap(random, round % 2 == 0 ? 0 : 0.02 * round);
    const auto found = fold(writes);
    ASSERT_EQ(found.has_value(), proven_by_pairs(writes, false)) << round;
    ASSERT_EQ(found && found->through_entry_point, proven_by_pairs(writes, true)) << round;
    if (round % 2 == 0) {
      ASSERT_FALSE(found) << "no overlap was planted";
    }
    proven += found ? 1 : 0;
  }
  EXPECT_GT(proven, 100) << "the histories must not be all alike";
}

// A write that was under way while the roles changed is what every clean failover has.
TEST(StaleWriteFold, AWriteThatWasSentBeforeIsNoProof) {
  EXPECT_FALSE(fold({{write_on(3, at_s(9.9), at_s(5)), true}, {write_on(4, at_s(10), at_s(0.1)), true}}));
}

TEST(StaleWriteFold, WeakOnesAndDoubtsNeverCount) {
  for (const Outcome outcome : {Outcome::weak, Outcome::in_doubt, Outcome::failed}) {
    const Write good_old{write_on(3, at_s(11), at_s(0.1)), true};
    const Write good_new{write_on(4, at_s(10), at_s(0.1)), true};
    EXPECT_TRUE(fold({good_old, good_new}));
    EXPECT_FALSE(fold({good_old, {write_on(4, at_s(10), at_s(0.1), outcome), true}}));
    EXPECT_FALSE(fold({{write_on(3, at_s(11), at_s(0.1), outcome), true}, good_new}));
  }
}

TEST(StaleWriteFold, LooksThroughMoreThanTwoTimelines) {
  const auto found =
      fold({{write_on(3, at_s(30), at_s(0.1)), false}, {write_on(5, at_s(20), at_s(0.1)), true}});
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->through_entry_point);
  EXPECT_EQ(found->newer.timeline, 5u);
  EXPECT_NEAR(to_seconds(found->late_by()), 9.9, 1e-6);
}

TEST(OpenTogether, CountsOnlyWhatIsCertain) {
  const auto both = open_together({answer_of("a", 1, 0.01, false), answer_of("b", 2, 0.5, false),
                                   answer_of("a", 3, 0.2, false), answer_of("b", 4, 0.01, false)});
  ASSERT_EQ(both.size(), 1u);
  EXPECT_EQ(both[0].from, at_s(2.5)) << "b was certainly open when its first answer had come";
  EXPECT_EQ(both[0].to, at_s(3)) << "a was certainly open when its last answer was asked for";
}

TEST(OpenTogether, ACleanHandoverIsNone) {
  EXPECT_TRUE(open_together({answer_of("a", 1, 0.01, false), answer_of("b", 1, 0.01, true),
                             answer_of("a", 2, 0.01, false), answer_of("b", 2.02, 0.01, false),
                             answer_of("a", 3, 0.01, true, "2")})
                  .empty());
}

// The old leader comes back as a replica by a restart: what it was before says nothing of after.
TEST(OpenTogether, AnotherPostmasterIsAnotherSpan) {
  EXPECT_TRUE(open_together({answer_of("a", 1, 0.01, false, "1"), answer_of("b", 2, 0.01, false),
                             answer_of("b", 3, 0.01, false), answer_of("a", 5, 0.01, false, "2")})
                  .empty());
}

}  // namespace
}  // namespace pgfiredrill
