#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <random>

#include <gtest/gtest.h>

#include "base/lsn.h"
#include "measure/durability.h"
#include "measure/loss_details.h"

namespace pgfiredrill {
namespace {

constexpr std::uint16_t kFirstStream = 3;
constexpr std::uint64_t kFork = 0x1'0000'0000;

/// A ledger written through a failover by several streams at once, with what became of each write known from
/// having been chosen.
class KnownHistory {
 public:
  explicit KnownHistory(std::uint64_t seed) : random_{seed} {
    const std::size_t streams = 1 + random_() % 4;
    // Some histories are longer than a page of numbers, and none begins at 0 by rule.
    const std::uint64_t writes = random_() % 4 == 0 ? 9'000 + random_() % 4'000 : 1 + random_() % 400;
    const std::uint64_t first = random_() % 3 == 0 ? random_() % 10'000 : 0;
    for (std::uint64_t i = 0; i < writes; ++i) {
      for (std::size_t stream = 0; stream < streams; ++stream) {
        write(static_cast<std::uint16_t>(kFirstStream + stream), first + i,
              static_cast<double>(i) / static_cast<double>(writes));
      }
    }
    std::shuffle(operations.begin(), operations.end(), random_);
    if (reaches_beyond_fork_)
      truth.rpo_bytes = static_cast<std::int64_t>(highest_on_old_ > kFork ? highest_on_old_ - kFork : 0);
  }

  struct Truth {
    std::size_t attempted = 0, acknowledged = 0, weak = 0, in_doubt = 0, failed = 0;
    std::size_t lost = 0, weak_lost = 0, unexpected = 0, duplicated = 0, in_doubt_present = 0;
    std::size_t lost_on_replica = 0;
    std::optional<std::int64_t> rpo_bytes;
  };

  [[nodiscard]] std::vector<NumberRange> ranges() const {
    std::vector<NumberRange> all;
    for (const auto& [stream, ranges] : ranges_) all.insert(all.end(), ranges.begin(), ranges.end());
    return all;
  }

  std::vector<Operation> operations;
  NumberRuns leader, replica;
  Truth truth;

 private:
  bool chance(int percent) { return random_() % 100 < static_cast<std::uint64_t>(percent); }

  /// `at`: how far through the history, in [0, 1). Up to 0.5 on the old timeline, of which the last part is
  /// lost.
  void write(std::uint16_t stream, std::uint64_t number, double at) {
    ++truth.attempted;
    if (chance(2)) return drop(stream, number);
    Operation operation;
    operation.write = true;
    operation.stream = stream;
    operation.number = number;
    operation.kind = RecordKind::sent;
    operation.outcome = Outcome::in_doubt;
    operations.push_back(operation);
    operation.kind = RecordKind::done;
    const bool old = at < 0.5;
    operation.timeline = old ? 1 : 2;
    operation.node = old ? 1 : 2;
    operation.lsn = kFork + static_cast<std::uint64_t>(static_cast<std::int64_t>((at - 0.4) * 1e6));
    const bool survives = !old || at < 0.4 || chance(30);
    const auto kind = random_() % 10;
    if (kind < 6) {
      acknowledge(operation, survives);
    } else if (kind == 6) {
      ++truth.weak;
      if (!survives) ++truth.weak_lost;
      finish(operation, Outcome::weak, survives);
    } else if (kind == 7) {
      doubt(operation, chance(50));
    } else {
      fail(operation, chance(10));
    }
  }

  void drop(std::uint16_t stream, std::uint64_t number) {
    ++truth.failed;
    Operation operation;
    operation.write = true;
    operation.dropped = true;
    operation.stream = stream;
    operation.number = number;
    operations.push_back(operation);
  }

  void acknowledge(Operation operation, bool survives) {
    ++truth.acknowledged;
    if (operation.timeline == 1) {
      reaches_beyond_fork_ = true;
      highest_on_old_ = std::max(highest_on_old_, operation.lsn);
    }
    if (!survives) ++truth.lost;
    note_range(operation, survives);
    finish(operation, Outcome::acknowledged, survives);
  }

  void note_range(const Operation& operation, bool survives) {
    NumberRange*& open = open_range_[operation.stream];
    auto& ranges = ranges_[operation.stream];
    if (survives) {
      open = nullptr;
    } else if (open != nullptr) {
      open->last = operation.number;
      ++open->writes;
    } else {
      ranges.push_back(
          {.stream = operation.stream, .first = operation.number, .last = operation.number, .writes = 1});
    }
    if (!survives) open = &ranges.back();
  }

  void doubt(Operation operation, bool present) {
    ++truth.in_doubt;
    if (present) ++truth.in_doubt_present;
    if (chance(30)) return place(operation, present);  // the program was killed: `sent` stands alone
    finish(operation, Outcome::in_doubt, present);
  }

  void fail(Operation operation, bool present) {
    ++truth.failed;
    if (present) ++truth.unexpected;
    finish(operation, Outcome::failed, present);
  }

  void finish(Operation operation, Outcome outcome, bool present) {
    operation.outcome = outcome;
    operations.push_back(operation);
    place(operation, present);
  }

  void place(const Operation& operation, bool present) {
    const bool acknowledged =
        operation.kind == RecordKind::done && operation.outcome == Outcome::acknowledged;
    const bool on_replica = present && !chance(5);
    if (acknowledged && !on_replica) ++truth.lost_on_replica;
    if (on_replica) replica.add(operation.stream, operation.number);
    if (!present) return;
    const std::uint64_t copies = chance(3) ? 2 + random_() % 3 : 1;
    if (copies > 1) ++truth.duplicated;
    for (std::uint64_t copy = 0; copy < copies; ++copy) leader.add(operation.stream, operation.number);
  }

  std::mt19937_64 random_;
  bool reaches_beyond_fork_ = false;
  std::uint64_t highest_on_old_ = 0;
  std::map<std::uint16_t, std::deque<NumberRange>> ranges_;
  std::map<std::uint16_t, NumberRange*> open_range_;
};

JudgedDurability judge(KnownHistory& history, LedgerOutcomes& outcomes) {
  for (const Operation& operation : history.operations) outcomes.on(operation);
  auto leader = history.leader.finish();
  auto replica = history.replica.finish();
  return judge_durability(
      {.outcomes = outcomes,
       .leader = "b",
       .readbacks = {{.member = "a", .timeline = 2, .rows = 0, .runs = std::move(replica)},
                     {.member = "b", .timeline = 2, .rows = 0, .runs = std::move(leader)}},
       .history = {{1, kFork}}});
}

TEST(DurabilityProperty, EveryHistoryIsJudgedExactly) {
  for (std::uint64_t seed = 1; seed <= 250; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    KnownHistory history{seed};
    LedgerOutcomes outcomes;
    const JudgedDurability judged = judge(history, outcomes);
    const Durability& found = judged.durability;
    const KnownHistory::Truth& truth = history.truth;
    ASSERT_EQ(found.attempted, truth.attempted);
    ASSERT_EQ(found.acknowledged, truth.acknowledged);
    ASSERT_EQ(found.weak, truth.weak);
    ASSERT_EQ(found.in_doubt, truth.in_doubt);
    ASSERT_EQ(found.failed, truth.failed);
    ASSERT_EQ(found.lost, truth.lost);
    ASSERT_EQ(found.weak_lost, truth.weak_lost);
    ASSERT_EQ(found.unexpected, truth.unexpected);
    ASSERT_EQ(found.duplicated, truth.duplicated);
    ASSERT_EQ(found.in_doubt_present, truth.in_doubt_present);
    ASSERT_EQ(found.rpo_bytes, truth.rpo_bytes);
    ASSERT_EQ(found.nodes.at(0).lost, truth.lost_on_replica);
    ASSERT_EQ(found.nodes.at(1).lost, truth.lost);
  }
}

TEST(DurabilityProperty, LostNumbersAreToldAsTheRangesThatTheyAre) {
  std::size_t lost = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    KnownHistory history{seed};
    LedgerOutcomes outcomes;
    const JudgedDurability judged = judge(history, outcomes);
    LossDetails details{judged.durability.lost_ranges, {}};
    for (const Operation& operation : history.operations) details.on(operation);
    const auto told = details.finish();
    const auto truth = history.ranges();
    ASSERT_EQ(told.size(), truth.size());
    for (std::size_t i = 0; i < told.size(); ++i) {
      ASSERT_EQ(told[i].stream, truth[i].stream);
      ASSERT_EQ(told[i].first, truth[i].first);
      ASSERT_EQ(told[i].last, truth[i].last);
      ASSERT_EQ(told[i].writes, truth[i].writes);
      ASSERT_EQ(told[i].timelines, std::vector<std::uint32_t>{1}) << "only the old timeline lost any";
      ASSERT_LE(parse_lsn(told[i].first_lsn), parse_lsn(told[i].last_lsn));
      lost += told[i].writes;
    }
  }
  EXPECT_GT(lost, 1'000u) << "the histories lose something";
}

}  // namespace
}  // namespace pgfiredrill
