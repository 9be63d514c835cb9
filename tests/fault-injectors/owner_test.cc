#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fault-injectors/host_lock.h"

namespace pgfiredrill::fault {
namespace {

using ::testing::MatchesRegex;

std::string with_pid(pid_t pid) {
  const std::string ours = this_owner();
  const auto begin = ours.find(" pid ") + 5;
  return ours.substr(0, begin) + std::to_string(pid) + ours.substr(ours.find(' ', begin));
}

TEST(Owner, NamesThisProcess) {
  EXPECT_THAT(this_owner(), MatchesRegex("[^ ]+@[^ ]+ pid [0-9]+ boot [^ ]+"));
  EXPECT_FALSE(owner_is_dead_here(this_owner()));
}

TEST(Owner, IsDeadOnlyWhereThatIsProven) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  const std::string dead = with_pid(child);
  EXPECT_TRUE(owner_is_dead_here(dead));
  EXPECT_FALSE(owner_is_dead_here(dead + "x")) << "another boot: perhaps another machine of that name";
  EXPECT_FALSE(owner_is_dead_here("root@another-machine" + dead.substr(dead.find(" pid ")))) << dead;
  for (const char* odd :
       {"", "nobody", "a@b pid x boot y", "a@b pid -1 boot y", "a@b pid 99999999999 boot y"}) {
    EXPECT_FALSE(owner_is_dead_here(odd)) << odd;
  }
}

}  // namespace
}  // namespace pgfiredrill::fault
