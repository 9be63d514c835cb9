#include "cluster/pgbackrest_info.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/fake_host.h"
#include "tests/support/fixture.h"

namespace pgfiredrill {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::Contains;
using testing::FakeHost;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::read_fixture;

std::vector<Repository> parse(const std::string& json) {
  auto repositories = parse_pgbackrest_info(json, "lab", "pg1");
  if (!repositories) {
    ADD_FAILURE() << repositories.error().message();
    return {};
  }
  return *repositories;
}

std::string failure_of(const std::string& json) {
  const auto repositories = parse_pgbackrest_info(json, "lab", "pg1");
  if (repositories) return "was read";
  EXPECT_EQ(repositories.error().kind, FailureKind::malformed);
  return repositories.error().message();
}

TEST(PgbackrestInfo, ReadsEachRepository) {
  const auto repositories = parse(read_fixture("cluster/data/config/pgbackrest-info.json"));
  ASSERT_EQ(repositories.size(), 3u);

  const Repository& first = repositories[0];
  EXPECT_EQ(first.key, 1);
  EXPECT_EQ(first.stanza, "lab");
  EXPECT_EQ(first.type, "");
  EXPECT_EQ(first.location, "");
  EXPECT_TRUE(first.reachable);
  EXPECT_EQ(first.status, "ok");
  EXPECT_EQ(first.archive_min, "000000010000000000000010");
  EXPECT_EQ(first.archive_max, "00000003000000000000002A");

  const Repository& second = repositories[1];
  EXPECT_EQ(second.key, 2);
  EXPECT_TRUE(second.reachable);
  EXPECT_EQ(second.status, "no valid backups");
  EXPECT_EQ(second.backups, 0);
  EXPECT_FALSE(second.last_backup);
  EXPECT_EQ(second.archive_max, "000000030000000000000029");
}

TEST(PgbackrestInfo, BackupsOfTheVersionBeforeAnUpgradeDoNotCount) {
  const auto repositories = parse(read_fixture("cluster/data/config/pgbackrest-info.json"));
  ASSERT_FALSE(repositories.empty());
  const Repository& first = repositories[0];
  EXPECT_EQ(first.backups, 2);
  ASSERT_TRUE(first.last_full);
  EXPECT_EQ(first.last_full->label, "20260108-030000F");
  EXPECT_EQ(first.last_full->type, "full");
  EXPECT_EQ(first.last_full->stopped_at, seconds{1'767'841'260});
  EXPECT_EQ(first.last_full->database_bytes, 32'000'000);
  EXPECT_EQ(first.last_full->repository_bytes, 4'100'000);  // block incremental: no size of the whole
  ASSERT_TRUE(first.last_backup);
  EXPECT_EQ(first.last_backup->label, "20260108-030000F_20260109-030000I");
  EXPECT_EQ(first.last_backup->type, "incr");

  // The same right after the upgrade: pgBackRest says "ok", and there is nothing to restore this version
  // from.
  const auto upgraded =
      parse(R"([{"name":"lab","db":[{"id":1,"repo-key":1},{"id":2,"repo-key":1}],"archive":[],)"
            R"("backup":[{"database":{"id":1,"repo-key":1},"label":"old","type":"full"}],)"
            R"("repo":[{"key":1,"status":{"code":0,"message":"ok"}}]}])");
  ASSERT_EQ(upgraded.size(), 1u);
  EXPECT_EQ(upgraded[0].backups, 0);
  EXPECT_FALSE(upgraded[0].last_full);
}

TEST(PgbackrestInfo, ARepositoryThatCouldNotBeReadSaysWhy) {
  const auto repositories = parse(read_fixture("cluster/data/config/pgbackrest-info.json"));
  ASSERT_EQ(repositories.size(), 3u);
  EXPECT_FALSE(repositories[2].reachable);
  EXPECT_THAT(repositories[2].status, HasSubstr("timeout connecting"));
  EXPECT_THAT(repositories[2].status, Not(HasSubstr("\n")));
}

TEST(PgbackrestInfo, TakesTheSizeOfTheWholeWhereItIsGiven) {
  const auto repositories = parse(
      R"([{"name":"lab","db":[{"id":1,"repo-key":1}],"repo":[{"key":1,"status":{"code":0,"message":"ok"}}],)"
      R"("backup":[{"database":{"id":1,"repo-key":1},"type":"diff","info":{"repository":{"delta":1,"size":2}}}]}])");
  ASSERT_EQ(repositories.size(), 1u);
  ASSERT_TRUE(repositories[0].last_backup);
  EXPECT_EQ(repositories[0].last_backup->repository_bytes, 2);
  EXPECT_FALSE(repositories[0].last_full);
}

TEST(PgbackrestInfo, ReadsReleasesBeforeSeveralRepositories) {
  const auto repositories = parse(
      R"([{"name":"lab","status":{"code":0,"message":"ok"},"db":[{"id":1}],)"
      R"("archive":[{"database":{"id":1},"min":"A","max":"B"}],"backup":[{"database":{"id":1},"type":"full"}]}])");
  ASSERT_EQ(repositories.size(), 1u);
  EXPECT_EQ(repositories[0].key, 1);
  EXPECT_EQ(repositories[0].backups, 1);
  EXPECT_EQ(repositories[0].archive_max, "B");
}

TEST(PgbackrestInfo, AStanzaThatIsNotThereHasNoRepositories) {
  EXPECT_THAT(parse("[]"), IsEmpty());
  EXPECT_THAT(parse(R"([{"name":"other"}])"), IsEmpty());
}

TEST(PgbackrestInfo, RefusesWhatIsNotItsJson) {
  EXPECT_THAT(failure_of(""), HasSubstr("not JSON"));
  EXPECT_THAT(failure_of("WARN: sesame\n[]"), HasSubstr("not JSON"));
  EXPECT_THAT(failure_of("WARN: sesame\n[]"), Not(HasSubstr("sesame")));
  EXPECT_THAT(failure_of("{}"), HasSubstr("not a list"));
  EXPECT_THAT(failure_of("[1]"), HasSubstr("not an object"));
  EXPECT_THAT(failure_of(R"([{"name":"lab","repo":{}}])"), HasSubstr("repositories"));
  EXPECT_THAT(failure_of(R"([{"name":"lab","repo":[{"key":"x"}]}])"), HasSubstr("key"));
  EXPECT_THAT(failure_of(R"([{"name":"lab","repo":[{"key":4294967297}]}])"), HasSubstr("key"));
}

TEST(PgbackrestInfo, RunsAsPostgresAndKeepsLogLinesOutOfTheJson) {
  FakeHost host{"pg1", [](const RemoteCommand&) -> Result<RemoteResult> {
                  return RemoteResult{.exit_status = 0, .out = "[]", .err = {}};
                }};
  ASSERT_TRUE(read_pgbackrest_info(host, "my stanza", milliseconds{5'000}));
  ASSERT_EQ(host.commands().size(), 1u);
  const RemoteCommand command = host.commands()[0];
  EXPECT_TRUE(command.as_root);
  EXPECT_EQ(command.deadline, milliseconds{5'000});
  EXPECT_EQ(command.argv[0], "runuser");
  EXPECT_EQ(command.argv[2], "postgres");
  EXPECT_THAT(command.argv, Contains("--stanza=my stanza"));
  EXPECT_THAT(command.argv, Contains("--log-level-console=off"));
}

TEST(PgbackrestInfo, PassesFailuresOn) {
  const auto failure_with = [](Result<RemoteResult> answer) {
    FakeHost host{"pg1", [&](const RemoteCommand&) { return answer; }};
    return read_pgbackrest_info(host, "lab", milliseconds{1'000}).error();
  };
  EXPECT_EQ(failure_with(Failure{FailureKind::timed_out, "run", "pg1", {}, {}}).kind, FailureKind::timed_out);
  EXPECT_EQ(failure_with(RemoteResult{.exit_status = 127, .out = {}, .err = "no such file"}).kind,
            FailureKind::missing);
  const Failure refused =
      failure_with(RemoteResult{.exit_status = 37, .out = {}, .err = "ERROR: [037]:\n  option"});
  EXPECT_EQ(refused.kind, FailureKind::failed);
  EXPECT_EQ(refused.where, "pg1");
  EXPECT_THAT(refused.came_back, HasSubstr("exit status 37: ERROR: [037]: option"));
}

}  // namespace
}  // namespace pgfiredrill
