#include "report/inspect_text.h"

#include <gmock/gmock.h>

#include "tests/report/sample_cluster.h"

namespace pgfiredrill {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::sample_cluster;

constexpr nanoseconds kNow = 1'772'366'400s;  // three hours after the sample's last backup

std::string render(const ClusterDescription& cluster, bool colours = false) {
  return render_inspect_text(cluster, kNow, TerminalStyle{colours}, 100);
}

TEST(InspectText, ShowsEveryPart) {
  const std::string text = render(sample_cluster());
  EXPECT_THAT(text, HasSubstr("postgres-cluster  PostgreSQL 17.6, Patroni 4.0.7, looked at in 1.2 s\n"));
  EXPECT_THAT(text, HasSubstr("deployment type A: HAProxy behind a virtual address\n"));
  EXPECT_THAT(
      text,
      HasSubstr("pgnode02  pg2   replica  streaming, restart pending  3         16 KiB  10.77.0.12:5432"));
  EXPECT_THAT(text, HasSubstr("nofailover=true"));
  EXPECT_THAT(text,
              HasSubstr("2026-02-01T10:00:00.123456+00:00  1                    pgnode02    no recovery"));
  EXPECT_THAT(text, HasSubstr("pgnode01 (1 down)  pgnode01, writable"));
  EXPECT_THAT(text, HasSubstr("9 ms"));
  EXPECT_THAT(text, HasSubstr("healthy, leader"));
  EXPECT_THAT(text, HasSubstr("s3://backups/one at s3.example  ok      8 h ago    diff, 3 h ago"));
  EXPECT_THAT(text, HasSubstr("inter 3 s, fastinter 1 s, fall 3, rise 4, timeout 15 s"));
  EXPECT_THAT(text, HasSubstr("not the same everywhere: server_login_retry"));
  EXPECT_THAT(text, HasSubstr("Patroni is paused"));
  EXPECT_THAT(text, HasSubstr("Not reached (1)\n  pg3, ssh\n    cannot log in by ssh on pg3: Connection "
                              "refused. Is sshd running?"));
}

TEST(InspectText, SaysWhereAPortIsEmptyByDesign) {
  EXPECT_THAT(render(sample_cluster()), HasSubstr("nobody: no such replica"));
}

TEST(InspectText, SaysWhatAnswersAgainstItsRole) {
  auto cluster = sample_cluster();
  cluster.entry_points[0].answered_by = "pgnode02";
  cluster.entry_points[0].answered_in_recovery = true;
  EXPECT_THAT(render(cluster), HasSubstr("pgnode02, in recovery: not its role"));
}

TEST(InspectText, SetsPatronisWordAgainstTheServers) {
  auto cluster = sample_cluster();
  cluster.members[0].in_recovery = true;
  cluster.members[1].in_recovery = false;
  const std::string text = render(cluster);
  EXPECT_THAT(text, HasSubstr("leader (but in recovery)"));
  EXPECT_THAT(text, HasSubstr("replica (but writable)"));
}

TEST(InspectText, SaysThatAVirtualAddressIsNotHeldByOne) {
  auto cluster = sample_cluster();
  cluster.virtual_addresses[0].holders = {"pg1", "pg2"};
  EXPECT_THAT(render(cluster), HasSubstr("pg1 pg2: more than one"));
  cluster.virtual_addresses[0].holders = {};
  EXPECT_THAT(render(cluster), HasSubstr("nobody"));
}

TEST(InspectText, HasColoursOnlyWhereTheyAreWanted) {
  EXPECT_THAT(render(sample_cluster(), false), Not(HasSubstr("\x1b")));
  EXPECT_THAT(render(sample_cluster(), true), HasSubstr("\x1b["));
}

TEST(InspectText, LetsNoServerWriteToTheTerminal) {
  auto cluster = sample_cluster();
  cluster.members[0].name = "evil\x1b[2J\nMembers";
  cluster.members[0].tags["\x1b]0;title\x07"] = "x";
  cluster.not_reached[0].failure.came_back = "\x1b[31mred";
  EXPECT_THAT(render(cluster), Not(HasSubstr("\x1b")));
}

TEST(InspectText, IsCalmAboutAnEmptyCluster) {
  EXPECT_THAT(render(ClusterDescription{}), HasSubstr("none: no Patroni answered"));
}

TEST(InspectText, HoldsNoSecret) {
  EXPECT_THAT(render(sample_cluster()), Not(HasSubstr("hunter2")));
}

}  // namespace
}  // namespace pgfiredrill
