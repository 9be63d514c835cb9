#include "measure/path_windows.h"

#include <random>

#include <gtest/gtest.h>

#include "history.h"
#include "measure/operation_rules.h"
#include "measure/plausible_instant.h"

namespace pgfiredrill {
namespace {

using testing::at_s;
using testing::canary;
using testing::history;
using testing::times;

struct Span {
  double start, end, partial;
  bool censored;
  bool operator==(const Span&) const = default;
};

void PrintTo(const Span& span, std::ostream* out) {
  *out << "[" << span.start << ", " << span.end << ") partial " << span.partial
       << (span.censored ? " ..." : "");
}

using Spans = std::vector<Span>;

/// In milliseconds, so that they compare exactly.
double ms(nanoseconds duration) {
  return static_cast<double>(duration.count()) / 1e6;
}

Spans fold(const std::vector<Operation>& operations, double end_s, int servers = 1) {
  PathWindows windows{servers};
  for (const Operation& op : operations) windows.on(op.due, is_success(op, canary()));
  Spans spans;
  for (const OutageWindow& window : windows.finish(at_s(end_s))) {
    spans.push_back({ms(window.start), ms(window.end), ms(window.partial()), window.censored});
  }
  return spans;
}

TEST(PathWindows, NoneWhereEverythingSucceeds) {
  EXPECT_EQ(fold(history(times(40), 0.1), 4), Spans{});
}

TEST(PathWindows, OneFailureLastsOneInterval) {
  EXPECT_EQ(fold(history("++x" + times(20), 0.1), 2.3), (Spans{{200, 300, 0, false}}));
}

TEST(PathWindows, OpensAtTheFirstFailureAndClosesAtTheFirstSuccessThatLasts) {
  EXPECT_EQ(fold(history("+++xxxxx" + times(20), 0.1), 2.8), (Spans{{300, 800, 0, false}}));
}

TEST(PathWindows, AlternatingAnswersAreOneOutageThatIsPartial) {
  // Every second session is led to a wrong server: successes alone heal nothing.
  EXPECT_EQ(fold(history("+xxx+x+x+x" + times(20), 0.1), 3), (Spans{{100, 1000, 600, false}}));
}

TEST(PathWindows, ClosingSuccessNeedsThreeFollowersEvenWhereTheyAreSlow) {
  // One success each second: two followers span more than a second and are still too few.
  EXPECT_EQ(fold(history("x+++", 1), 4), (Spans{{0, 4000, 3000, true}}));
  EXPECT_EQ(fold(history("x++++", 1), 5), (Spans{{0, 1000, 0, false}}));
}

TEST(PathWindows, FollowersMustSpanASecond) {
  // Followers are due at 0.2, 0.3, ... : the last one at 1.1 spans 0.9 s, at 1.2 a whole one.
  EXPECT_EQ(fold(history("x" + times(11), 0.1), 1.2), (Spans{{0, 1200, 1100, true}}));
  EXPECT_EQ(fold(history("x" + times(12), 0.1), 1.3), (Spans{{0, 100, 0, false}}));
}

TEST(PathWindows, ThreeServersBehindAskForSixFollowers) {
  EXPECT_EQ(fold(history("x++++++", 1), 7, 3), (Spans{{0, 7000, 6000, true}}));
  EXPECT_EQ(fold(history("x+++++++", 1), 8, 3), (Spans{{0, 1000, 0, false}}));
}

TEST(PathWindows, FailureAmongTheFollowersStartsTheProofAgain) {
  EXPECT_EQ(fold(history("x" + times(10) + "x" + times(20), 0.1), 3.2), (Spans{{0, 1200, 1100, false}}));
}

TEST(PathWindows, TwoOutagesApart) {
  EXPECT_EQ(fold(history("xx" + times(15) + "x" + times(15), 0.1), 3.3),
            (Spans{{0, 200, 0, false}, {1700, 1800, 0, false}}));
}

TEST(PathWindows, StillOpenAtTheEndIsCensored) {
  EXPECT_EQ(fold(history("+++xxxx", 0.1), 0.7), (Spans{{300, 700, 0, true}}));
}

TEST(PathWindows, KnowsWhatIsOpenNow) {
  PathWindows windows{1};
  windows.on(at_s(1), true);
  EXPECT_FALSE(windows.open());
  windows.on(at_s(2), false);
  ASSERT_TRUE(windows.open());
  EXPECT_EQ(windows.open()->start, at_s(2));
  EXPECT_FALSE(windows.open()->first_success);
  windows.on(at_s(3), true);
  EXPECT_EQ(windows.open()->first_success, at_s(3));
}

TEST(PathWindows, SillyNumbersOfServersDoNotOverflow) {
  EXPECT_EQ(fold(history("x" + times(20), 0.1), 2.1, -5).size(), 1u);
  EXPECT_TRUE(fold(history("x" + times(20), 0.1), 2.1, 2147483647)[0].censored);
}

// ---- against the rule, spelt out
// ------------------------------------------------------------------------------

/// The rule word by word, looking at the whole history for each operation.
Spans slow_windows(const std::vector<Operation>& ops, double end_s, int servers) {
  const auto good = [&](std::size_t i) { return is_success(ops[i], canary()); };
  const std::size_t needed = std::max<std::size_t>(3, 2 * static_cast<std::size_t>(servers));
  const auto heals = [&](std::size_t i) {
    std::size_t last = i;
    while (last + 1 < ops.size() && good(last + 1)) ++last;
    for (std::size_t k = i + needed; k <= last; ++k) {
      if (ops[k].due - ops[i + 1].due >= at_s(1)) return true;
    }
    return false;
  };
  Spans spans;
  std::size_t i = 0;
  while (i < ops.size()) {
    if (good(i)) {
      ++i;
      continue;
    }
    const nanoseconds start = ops[i].due;
    nanoseconds end = at_s(end_s);
    std::optional<nanoseconds> first;
    bool censored = true;
    for (; i < ops.size(); ++i) {
      if (!good(i)) continue;
      if (!first) first = ops[i].due;
      if (!heals(i)) continue;
      end = ops[i].due;
      censored = false;
      break;
    }
    spans.push_back({ms(start), ms(end), first ? ms(end - *first) : 0, censored});
  }
  return spans;
}

TEST(PathWindows, AgreeWithTheRuleOnRandomHistories) {
  for (std::uint64_t seed = 1; seed <= 600; ++seed) {
    std::mt19937_64 random{seed};
    const int servers = static_cast<int>(random() % 4);
    const double step = (random() % 3 == 0) ? 0.5 : 0.05;
    std::string letters;
    while (letters.size() < 160) {
      const char kind = "+++++xlr-t"[random() % 10];
      letters += times(1 + random() % (kind == '+' ? 30 : 4), kind);
    }
    const double end = step * static_cast<double>(letters.size());
    const auto ops = history(letters, step);
    ASSERT_EQ(fold(ops, end, servers), slow_windows(ops, end, servers)) << "seed " << seed << " " << letters;
  }
}

}  // namespace
}  // namespace pgfiredrill
