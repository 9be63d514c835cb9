#include "cluster/config/pgbouncer_ini.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/fixture.h"

namespace pgfiredrill {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;
using testing::read_fixture;

PgbouncerIni parse(const std::string& text) {
  auto ini = parse_pgbouncer_ini(text, "pg1:pgbouncer.ini");
  if (!ini) {
    ADD_FAILURE() << ini.error().message();
    return {};
  }
  return *ini;
}

Failure failure_of(const std::string& text) {
  const auto ini = parse_pgbouncer_ini(text, "pg1:pgbouncer.ini");
  if (ini) {
    ADD_FAILURE() << "was read: " << text;
    return {};
  }
  EXPECT_EQ(ini.error().kind, FailureKind::malformed);
  return ini.error();
}

std::map<std::string, std::string> options_of(const std::string& connection) {
  const PgbouncerIni ini = parse("[databases]\na = " + connection + "\n");
  return ini.databases.empty() ? std::map<std::string, std::string>{} : ini.databases[0].options;
}

TEST(PgbouncerIni, ReadsWhatIsDeployed) {
  const PgbouncerIni ini = parse(read_fixture("cluster/data/config/pgbouncer.ini"));
  ASSERT_EQ(ini.databases.size(), 3u);
  EXPECT_EQ(ini.databases[0].name, "postgres");
  EXPECT_THAT(
      ini.databases[0].options,
      ElementsAre(Pair("dbname", "postgres"), Pair("host", "/var/run/postgresql"), Pair("port", "5432")));
  EXPECT_EQ(ini.databases[1].options.at("pool_size"), "40");
  EXPECT_EQ(ini.databases[1].options.at("pool_mode"), "transaction");
  EXPECT_EQ(ini.databases[2].name, "*");
  EXPECT_EQ(ini.listen_port(), 6432);
  EXPECT_EQ(ini.setting("server_login_retry"), "15");
  EXPECT_EQ(ini.setting("auth_query"), "SELECT usename, passwd FROM user_search($1)");
  EXPECT_EQ(ini.setting("server_connect_timeout"), "");
  EXPECT_THAT(ini.list("ignore_startup_parameters"),
              ElementsAre("extra_float_digits", "geqo", "search_path"));
  EXPECT_THAT(ini.remarks, IsEmpty());
}

TEST(PgbouncerIni, TakesCommentsAtLineStartsOnly) {
  const PgbouncerIni ini = parse("# a\n ; b\n[pgbouncer]\nserver_reset_query = DISCARD ALL; -- # all\n");
  EXPECT_EQ(ini.setting("server_reset_query"), "DISCARD ALL; -- # all");
}

TEST(PgbouncerIni, TheLastSettingCountsAndNamesIgnoreCase) {
  const PgbouncerIni ini =
      parse("[pgbouncer]\npool_mode=session\nPool_Mode = transaction\nlisten_port = x\n");
  EXPECT_EQ(ini.setting("pool_mode"), "transaction");
  EXPECT_EQ(ini.listen_port(), std::nullopt);
}

TEST(PgbouncerIni, TheLastLineOfADatabaseCounts) {
  const PgbouncerIni ini = parse("[databases]\na = host=x\nb = host=y\na = port=1\n");
  ASSERT_EQ(ini.databases.size(), 2u);
  EXPECT_EQ(ini.databases[0].name, "a");
  EXPECT_THAT(ini.databases[0].options, ElementsAre(Pair("port", "1")));
}

TEST(PgbouncerIni, UnderstandsQuotedConnectionValues) {
  EXPECT_THAT(options_of("connect_query='set x = ''y''; -- z' host=h"),
              ElementsAre(Pair("connect_query", "set x = 'y'; -- z"), Pair("host", "h")));
  EXPECT_THAT(options_of("host = h  port= 1"), ElementsAre(Pair("host", "h"), Pair("port", "1")));
  EXPECT_THAT(options_of(""), IsEmpty());
}

TEST(PgbouncerIni, KeepsNoPassword) {
  EXPECT_THAT(options_of("host=h user=u password='se same'"),
              ElementsAre(Pair("host", "h"), Pair("user", "u")));
  EXPECT_EQ(parse("[pgbouncer]\nauth_ldap_options = ldapbindpasswd=sesame\n").setting("auth_ldap_options"),
            "***");
}

TEST(PgbouncerIni, RefusesConnectionStringsThatAreNone) {
  for (const char* connection : {"host='h", "host=''", "host=", "=h", "host h", "host=h '"}) {
    EXPECT_THAT(failure_of("[databases]\n\na = " + std::string{connection} + "\n").came_back,
                HasSubstr("line 3"))
        << connection;
  }
}

TEST(PgbouncerIni, TakesQuotedDatabaseNames) {
  EXPECT_EQ(parse("[databases]\n\"my db\" = host=h\n").databases.at(0).name, "my db");
  EXPECT_EQ(parse("[databases]\n'my=db' = host=h\n").databases.at(0).name, "my=db");
  failure_of("[databases]\n\"my db = host=h\n");
  failure_of("[databases]\n'' = host=h\n");
}

TEST(PgbouncerIni, SaysThatItDoesNotFollowIncludes) {
  EXPECT_THAT(parse("%include /etc/pgbouncer/more.ini\n[pgbouncer]\nlisten_port = 1\n").remarks,
              ElementsAre(HasSubstr("pg1:pgbouncer.ini: line 1 includes another file")));
}

TEST(PgbouncerIni, PassesOverOtherSections) {
  const PgbouncerIni ini =
      parse("[users]\nu = pool_mode=session\n[peers]\n1 = host=a\n[pgbouncer] ; rest\nlisten_port=1\n");
  EXPECT_THAT(ini.databases, IsEmpty());
  EXPECT_EQ(ini.listen_port(), 1);
}

TEST(PgbouncerIni, NamesTheLineAndNeverItsText) {
  const Failure failure = failure_of("[pgbouncer]\nlisten_port = 1\nsesame\n");
  EXPECT_THAT(failure.message(), HasSubstr("line 3"));
  EXPECT_THAT(failure.message(), Not(HasSubstr("sesame")));
  EXPECT_THAT(failure_of("[pgbouncer\n").message(), HasSubstr("line 1"));
  EXPECT_THAT(failure_of("a = b\n").message(), HasSubstr("line 1"));
}

}  // namespace
}  // namespace pgfiredrill
