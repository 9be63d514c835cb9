#include "cluster/config/pgbackrest_conf.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/fixture.h"

namespace pgfiredrill {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::read_fixture;

using Files = std::vector<std::pair<std::string, std::string>>;

PgbackrestConf parse(const Files& files) {
  auto conf = parse_pgbackrest_conf(files);
  if (!conf) {
    ADD_FAILURE() << conf.error().message();
    return {};
  }
  return *conf;
}

PgbackrestConf parse(const std::string& text) {
  return parse(Files{{"pg1:pgbackrest.conf", text}});
}

std::string failure_of(const Files& files) {
  const auto conf = parse_pgbackrest_conf(files);
  if (conf) return "was read";
  EXPECT_EQ(conf.error().kind, FailureKind::malformed);
  return conf.error().message();
}

std::string location_of(const std::string& options) {
  return repository_location(parse("[global]\n" + options), "lab", 1);
}

TEST(PgbackrestConf, ReadsWhatIsDeployed) {
  const PgbackrestConf conf = parse(read_fixture("cluster/data/config/pgbackrest.conf"));
  EXPECT_THAT(conf.repository_keys(), ElementsAre(1, 2));
  EXPECT_THAT(conf.stanzas(), ElementsAre("lab"));
  EXPECT_EQ(conf.global("start-fast"), "y");
  EXPECT_EQ(conf.global("pg1-path"), "");
  EXPECT_EQ(conf.option("lab", "process-max"), "4");
  EXPECT_EQ(conf.option("lab", "archive-async"), "y");
  EXPECT_EQ(conf.option("other", "process-max"), "");
  EXPECT_EQ(conf.sections.at("global:archive-push").at("process-max"), "2");
  EXPECT_EQ(repository_type(conf, "lab", 1), "s3");
  EXPECT_EQ(repository_location(conf, "lab", 1), "s3://first/pgbackrest at s3.lab");
  EXPECT_EQ(repository_type(conf, "lab", 2), "posix");
  EXPECT_EQ(repository_location(conf, "lab", 2), "posix /var/lib/pgbackrest on 10.77.0.14");
}

TEST(PgbackrestConf, KeepsNoSecret) {
  const PgbackrestConf conf = parse(read_fixture("cluster/data/config/pgbackrest.conf"));
  for (const auto& [section, options] : conf.sections) {
    for (const auto& [name, value] : options) EXPECT_THAT(value, Not(HasSubstr("example-"))) << name;
  }
  EXPECT_EQ(conf.global("repo1-s3-key"), "***");
  EXPECT_EQ(conf.global("repo1-s3-region"), "lab");
  const PgbackrestConf others = parse(
      "[global]\nrepo1-azure-account=s\nrepo1-azure-key=s\nrepo1-s3-token=s\nrepo1-gcs-key=s\n"
      "repo1-sftp-private-key-passphrase=s\nrepo1-s3-sse-customer-key=s\nrepo1-s3-key-type=auto\n");
  for (const char* name : {"repo1-azure-account", "repo1-azure-key", "repo1-s3-token", "repo1-gcs-key",
                           "repo1-sftp-private-key-passphrase", "repo1-s3-sse-customer-key"}) {
    EXPECT_EQ(others.global(name), "***") << name;
  }
  EXPECT_EQ(others.global("repo1-s3-key-type"), "auto");
}

TEST(PgbackrestConf, JoinsTheFiles) {
  const PgbackrestConf conf = parse(Files{{"a", "[global]\nrepo1-path=/a\n[x]\npg1-path=/p\n"},
                                          {"b", "[y]\npg1-path=/q\n[global]\nrepo3-path=/c\n"}});
  EXPECT_THAT(conf.stanzas(), ElementsAre("x", "y"));
  EXPECT_THAT(conf.repository_keys(), ElementsAre(1, 3));
  EXPECT_EQ(conf.global("repo1-path"), "/a");
}

TEST(PgbackrestConf, JoinsOptionsThatMayStandSeveralTimes) {
  const PgbackrestConf conf = parse("[a]\ndb-include=x\ndb-include=y\nprocess-max=1\nprocess-max=2\n");
  EXPECT_EQ(conf.option("a", "db-include"), "x\ny");
  EXPECT_EQ(conf.option("a", "process-max"), "2");
}

TEST(PgbackrestConf, KnowsStanzasByTheirCommandSections) {
  EXPECT_THAT(parse("[a:archive-push]\nprocess-max=1\n[a]\n[global:backup]\n[b]\n").stanzas(),
              ElementsAre("a", "b"));
}

TEST(PgbackrestConf, CountsRepositoriesByNumberOnly) {
  EXPECT_THAT(parse("[global]\nrepo12-path=/\nrepo-path=/x\nrepository=1\nrepo0-path=/\nrepoX-path=/"
                    "\nrepo9999-path=/\n")
                  .repository_keys(),
              ElementsAre(1, 12));
  EXPECT_EQ(parse("[global]\nrepo-path=/x\n").global("repo1-path"), "/x");
}

TEST(PgbackrestConf, TakesCommentsAtLineStartsOnly) {
  const PgbackrestConf conf = parse("# a\n  # b\n[global]\n  log-path = /a#b ; c  \nempty=\n");
  EXPECT_EQ(conf.global("log-path"), "/a#b ; c");
  EXPECT_EQ(conf.global("empty"), "");
}

TEST(PgbackrestConf, SaysWhereEachKindOfRepositoryIs) {
  EXPECT_EQ(location_of("repo1-path=/b\n"), "posix /b");
  EXPECT_EQ(location_of(""), "posix /var/lib/pgbackrest");
  EXPECT_EQ(location_of("repo1-type=s3\nrepo1-s3-bucket=b\nrepo1-path=/\n"), "s3://b/");
  EXPECT_EQ(location_of("repo1-type=gcs\nrepo1-gcs-bucket=b\nrepo1-path=/p\n"), "gcs://b/p");
  EXPECT_EQ(
      location_of("repo1-type=azure\nrepo1-azure-container=c\nrepo1-azure-account=sesame\nrepo1-path=/p\n"),
      "azure://c/p");
  EXPECT_EQ(location_of("repo1-type=sftp\nrepo1-sftp-host=h\nrepo1-path=/p\n"), "sftp /p on h");
  EXPECT_EQ(location_of("repo1-type=cifs\nrepo1-path=/p\n"), "cifs /p");
}

TEST(PgbackrestConf, TellsRepositoriesOnOneMachineApart) {
  const PgbackrestConf conf = parse(read_fixture("cluster/data/lab/pgbackrest.conf"));
  EXPECT_THAT(conf.repository_keys(), ElementsAre(1, 2));
  EXPECT_EQ(repository_location(conf, "postgres-cluster", 1), "s3://repo1/pgbackrest at 10.77.0.14:9001");
  EXPECT_EQ(repository_location(conf, "postgres-cluster", 2), "s3://repo2/pgbackrest at 10.77.0.14:9002");
}

TEST(PgbackrestConf, WhatTheStanzaSaysCounts) {
  const PgbackrestConf conf = parse("[global]\nrepo1-path=/a\n[lab]\nrepo1-path=/b\n");
  EXPECT_EQ(repository_location(conf, "lab", 1), "posix /b");
  EXPECT_EQ(repository_location(conf, "other", 1), "posix /a");
}

TEST(PgbackrestConf, NamesFileAndLineAndNeverTheText) {
  EXPECT_THAT(failure_of({{"a", "[global]\n"}, {"b", "[x]\n\nsesame\n"}}),
              HasSubstr("on b: line 3 has no '='"));
  EXPECT_THAT(failure_of({{"a", "[sesame\n"}}), HasSubstr("line 1"));
  EXPECT_THAT(failure_of({{"a", "[]\n"}}), HasSubstr("line 1"));
  EXPECT_THAT(failure_of({{"a", "[x]\n=sesame\n"}}), HasSubstr("line 2"));
  EXPECT_THAT(failure_of({{"a", "[x]\nsesame\n"}}), Not(HasSubstr("sesame")));
  // Each file begins with its own section.
  EXPECT_THAT(failure_of({{"a", "[x]\n"}, {"b", "pg1-path=/p\n"}}), HasSubstr("on b: line 1"));
}

TEST(PgbackrestConf, NothingIsAConfigurationToo) {
  EXPECT_THAT(parse(Files{}).stanzas(), IsEmpty());
  EXPECT_THAT(parse("").repository_keys(), IsEmpty());
}

}  // namespace
}  // namespace pgfiredrill
