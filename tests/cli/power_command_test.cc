#include "cli/power_command.h"

#include <gmock/gmock.h>

#include "tests/support/fake_process_runner.h"

namespace pgfiredrill {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(SplitCommand, TakesWordsAsAShellWouldAndExpandsNothing) {
  EXPECT_THAT(split_command("a  b\tc").value(), ElementsAre("a", "b", "c"));
  EXPECT_THAT(split_command(R"(a 'b "c' "d 'e" f\ g)").value(), ElementsAre("a", "b \"c", "d 'e", "f g"));
  EXPECT_THAT(split_command(R"(x='1 2'3 "" '\')").value(), ElementsAre("x=1 23", "", "\\"));
  EXPECT_THAT(split_command("$HOME `id` *;|&").value(), ElementsAre("$HOME", "`id`", "*;|&"));
}

TEST(SplitCommand, RefusesWhatDoesNotEnd) {
  for (const char* text : {"a 'b", "a \"b", "a \\"}) EXPECT_FALSE(split_command(text)) << text;
}

class PowerCommand : public ::testing::Test {
 protected:
  fault::PowerSwitch make(const std::string& command) { return power_switch(command, processes_).value(); }

  Result<ProcessResult> answer_ = ProcessResult{};
  testing::FakeProcessRunner processes_{[this](const ProcessRequest&) { return answer_; }};
};

// Whatever a host is called in an inventory, it stays inside its word.
TEST_F(PowerCommand, PutsActionAndHostIntoTheirWords) {
  const auto power = make("pdu --outlet={host}.mgmt '{action} now' {host}");
  EXPECT_TRUE(power("pg1; rm -rf {action}", false));
  EXPECT_TRUE(power("pg2", true));
  ASSERT_EQ(processes_.requests().size(), 2u);
  EXPECT_THAT(processes_.requests()[0].argv,
              ElementsAre("pdu", "--outlet=pg1; rm -rf {action}.mgmt", "off now", "pg1; rm -rf {action}"));
  EXPECT_THAT(processes_.requests()[1].argv, ElementsAre("pdu", "--outlet=pg2.mgmt", "on now", "pg2"));
  EXPECT_EQ(processes_.requests()[0].deadline, std::chrono::minutes{2});
}

TEST_F(PowerCommand, FailsWithWhatTheCommandSaid) {
  const auto power = make("pdu {action} {host}");
  answer_ = ProcessResult{.exit_status = 3, .out = {}, .err = "no such outlet\n"};
  EXPECT_THAT(power("pg1", true).error().message(),
              AllOf(HasSubstr("pg1"), HasSubstr("exit status 3"), HasSubstr("no such outlet")));
  answer_ = ProcessResult{.exit_status = 137, .out = {}, .err = {}, .timed_out = true};
  EXPECT_EQ(power("pg1", true).error().kind, FailureKind::timed_out);
  answer_ = Failure{.kind = FailureKind::missing, .what = "run pdu", .came_back = "there is no such program"};
  EXPECT_EQ(power("pg1", true).error().kind, FailureKind::missing);
}

TEST_F(PowerCommand, IsNoneWhereNoneWasGiven) {
  EXPECT_FALSE(make(""));
}

// A command that does not say which host would switch the same one whatever is asked.
TEST_F(PowerCommand, RefusesACommandThatCannotTellWhatToDo) {
  for (const char* command :
       {"pdu {action}", "pdu {host}", "pdu", " ", "'' {action} {host}", "pdu '{action} {host}"}) {
    EXPECT_FALSE(power_switch(command, processes_)) << command;
  }
}

}  // namespace
}  // namespace pgfiredrill
