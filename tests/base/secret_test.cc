#include "base/secret.h"

#include <concepts>
#include <ostream>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace pgfiredrill {
namespace {

template <typename T>
concept Streamable = requires(std::ostream& stream, const T& value) {
  stream << value;
};

TEST(Secret, DoesNotPrint) {
  static_assert(!Streamable<Secret>);
  static_assert(!fmt::is_formattable<Secret>::value);
  static_assert(!std::convertible_to<Secret, std::string>);
}

TEST(Secret, WipesWhatItWasMovedFrom) {
  Secret first{std::string(100, 's')};
  const Secret second{std::move(first)};
  EXPECT_TRUE(first.empty());  // NOLINT(bugprone-use-after-move): that is the point
  EXPECT_EQ(second.reveal(), std::string(100, 's'));

  Secret short_one{"short"};
  const Secret moved{std::move(short_one)};
  EXPECT_EQ(short_one.reveal().data()[0], '\0');  // NOLINT: short strings live in the object
  EXPECT_EQ(moved.reveal(), "short");
}

TEST(Secret, SurvivesSelfAssignment) {
  Secret secret{"hunter2"};
  const Secret& same = secret;
  secret = same;
  EXPECT_EQ(secret.reveal(), "hunter2");
}

TEST(Scrub, ReplacesEveryOccurrenceLongestFirst) {
  EXPECT_EQ(scrub("pw=abcdef and abc, abcdef", {Secret{"abc"}, Secret{"abcdef"}}), "pw=*** and ***, ***");
}

TEST(Scrub, IgnoresAnEmptySecretAndEndsWhereASecretIsStars) {
  EXPECT_EQ(scrub("text *", {Secret{""}, Secret{"*"}}), "text ***");
}

}  // namespace
}  // namespace pgfiredrill
