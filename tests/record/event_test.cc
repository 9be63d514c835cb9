#include "record/event.h"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>

namespace pgfiredrill {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Event sample() {
  return {.kind = event::kFaultSent,
          .at = nanoseconds{12'345'678'901},
          .wall = nanoseconds{1'700'000'000'000'000'001},
          .fields = {{"fault", std::string{"kill-process"}},
                     {"delay_s", 2.0},
                     {"drill", std::int64_t{2}},
                     {"ok", true}}};
}

TEST(Event, ComesBackAsItWas) {
  const auto read = parse_event(to_json_line(sample()));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->kind, "fault_sent");
  EXPECT_EQ(read->at, sample().at);
  EXPECT_EQ(read->wall, sample().wall);
  EXPECT_EQ(read->fields, sample().fields);
}

TEST(Event, KeepsTheTypeOfANumber) {
  const auto read = parse_event(to_json_line(sample()));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->integer("drill"), 2);
  EXPECT_EQ(read->number("drill"), 2.0);
  EXPECT_EQ(read->number("delay_s"), 2.0);
  EXPECT_FALSE(read->integer("delay_s")) << "it was a double";
  EXPECT_EQ(read->flag("ok"), true);
  EXPECT_FALSE(read->flag("fault"));
  EXPECT_FALSE(read->text("no such field"));
}

TEST(Event, IsOneLineOfValidTextWhateverServersSay) {
  Event event = sample();
  event.fields["text"] = std::string{"FATAL:\n \"x\"\r\\ \xff\xfe \x1b[2J\0 end", 26};
  const std::string line = to_json_line(event);
  EXPECT_THAT(line, Not(HasSubstr("\n")));
  EXPECT_THAT(line, Not(HasSubstr("\xff")));
  const auto read = parse_event(line);
  ASSERT_TRUE(read);
  EXPECT_THAT(*read->text("text"), HasSubstr("\n \"x\"\r\\ \xef\xbf\xbd"));
  EXPECT_THAT(*read->text("text"), HasSubstr("end"));
}

TEST(Event, LeavesOutWhatIsNoNumber) {
  Event event = sample();
  event.fields["nan"] = std::nan("");
  event.fields["infinite"] = std::numeric_limits<double>::infinity();
  const auto read = parse_event(to_json_line(event));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->fields, sample().fields);
}

TEST(Event, KeepsKindsAndFieldsItDoesNotKnow) {
  const auto read = parse_event(
      R"({"kind":"moon_phase","at":5,"later":[1],"fields":{"phase":"full","seen":{"by":["a",1]},"none":null,)"
      R"("large":18446744073709551615}})");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->kind, "moon_phase");
  EXPECT_EQ(read->text("phase"), "full");
  EXPECT_EQ(read->text("seen"), R"({"by":["a",1]})");
  EXPECT_EQ(read->text("large"), "18446744073709551615");
  EXPECT_FALSE(read->fields.contains("none"));
}

TEST(Event, RefusesWhatIsNone) {
  for (const char* line : {"", "{", "[]", "null", "{}", R"({"kind":"stage"})", R"({"kind":5,"at":1})",
                           R"({"kind":"stage","at":"1"})", R"({"kind":"stage","at":1.5})",
                           R"({"kind":"stage","at":99999999999999999999})", R"({"kind":"stage","at":1}x)"})
    EXPECT_FALSE(parse_event(line)) << line;
}

TEST(Event, RefusesEndlessNesting) {
  const std::string deep(1'000'000, '[');
  EXPECT_FALSE(
      parse_event(R"({"kind":"a","at":1,"fields":{"x":)" + deep + std::string(1'000'000, ']') + "}}"));
}

}  // namespace
}  // namespace pgfiredrill
