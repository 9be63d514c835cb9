#include "cluster/connect_parameters.h"

#include <map>
#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <libpq-fe.h>

#include "tests/support/environment_guard.h"
#include "tests/support/temporary_directory.h"

namespace pgfiredrill {
namespace {

using testing::EnvironmentGuard;
using ::testing::HasSubstr;
using ::testing::Not;

ConnectParameters parameters() {
  ConnectParameters result;
  result.host = "/nonexistent";
  result.port = 6432;
  result.database = "app";
  result.user = "postgres";
  result.password = Secret{"example-password"};
  return result;
}

/// What libpq made of the keywords and the environment.
std::map<std::string, std::string> effective_options(const ConnectParameters& parameters) {
  std::vector<const char*> keywords;
  std::vector<const char*> values;
  const auto pairs = libpq_keywords(parameters);
  for (const auto& [keyword, value] : pairs) {
    keywords.push_back(keyword.c_str());
    values.push_back(value.c_str());
  }
  keywords.push_back(nullptr);
  values.push_back(nullptr);
  const std::unique_ptr<PGconn, decltype(&PQfinish)> connection{
      PQconnectStartParams(keywords.data(), values.data(), 1), &PQfinish};
  const std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)> options{PQconninfo(connection.get()),
                                                                             &PQconninfoFree};
  std::map<std::string, std::string> result;
  for (const auto* option = options.get(); option != nullptr && option->keyword != nullptr; ++option) {
    if (option->val != nullptr) result[option->keyword] = option->val;
  }
  return result;
}

std::vector<std::string> variables_of_libpq() {
  std::vector<std::string> names;
  const std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)> options{PQconndefaults(),
                                                                             &PQconninfoFree};
  for (const auto* option = options.get(); option != nullptr && option->keyword != nullptr; ++option) {
    if (option->envvar != nullptr) names.emplace_back(option->envvar);
  }
  return names;
}

TEST(LibpqKeywords, SayWhereAndAsWhom) {
  ConnectParameters given = parameters();
  given.sslmode = "verify-ca";
  given.ca_file = "/ca.crt";
  auto options = effective_options(given);
  EXPECT_EQ(options["host"], "/nonexistent");
  EXPECT_EQ(options["port"], "6432");
  EXPECT_EQ(options["dbname"], "app");
  EXPECT_EQ(options["user"], "postgres");
  EXPECT_EQ(options["password"], "example-password");
  EXPECT_EQ(options["sslmode"], "verify-ca");
  EXPECT_EQ(options["sslrootcert"], "/ca.crt");
  EXPECT_EQ(options["connect_timeout"], "3");
  EXPECT_EQ(options["application_name"], "pgfiredrill");
  EXPECT_EQ(options["options"], "");  // PgBouncer refuses it
  EXPECT_EQ(options["gssencmode"], "disable");
}

// Whoever runs the program has variables for other clusters.
TEST(LibpqKeywords, LeaveNothingToTheEnvironment) {
  const auto expected = effective_options(parameters());
  EnvironmentGuard environment;
  for (const std::string& name : variables_of_libpq()) {
    if (name != "PGSERVICE") environment.set(name, "1");
  }
  environment.set("PGOPTIONS", "-c default_transaction_read_only=on");
  environment.set("PGHOST", "elsewhere.example");
  environment.set("PGHOSTADDR", "10.77.0.99");
  environment.set("PGPASSFILE", "/etc/hostname");
  environment.set("PGSSLMODE", "disable");
  environment.set("PGTARGETSESSIONATTRS", "read-only");
  EXPECT_EQ(effective_options(parameters()), expected);

  // Nor where a text is empty, which libpq takes for "not given".
  ConnectParameters empty;
  auto options = effective_options(empty);
  EXPECT_EQ(options["host"], "");
  EXPECT_NE(options["user"], "1");
  EXPECT_EQ(options["password"], "");
}

TEST(LibpqKeywords, LeaveNothingToAServiceFile) {
  const auto expected = effective_options(parameters());
  const testing::TemporaryDirectory directory;
  const std::string file = directory.write("services",
                                           "[other]\nhost=elsewhere.example\nhostaddr=10.77.0.99\n"
                                           "options=-c work_mem=1\nsslmode=disable\n"
                                           "target_session_attrs=read-only\npassfile=/etc/hostname\n");
  EnvironmentGuard environment;
  environment.set("PGSERVICEFILE", file);
  environment.set("PGSERVICE", "other");
  auto options = effective_options(parameters());
  options.erase("service");
  EXPECT_EQ(options, expected);
}

TEST(LibpqKeywords, TakeADatabaseNameForNothingElse) {
  ConnectParameters hostile = parameters();
  hostile.database = "host=elsewhere.example password=x";
  auto options = effective_options(hostile);
  EXPECT_EQ(options["dbname"], "host=elsewhere.example password=x");
  EXPECT_EQ(options["host"], "/nonexistent");
}

TEST(ForgetLibpqEnvironment, ForgetsWhatNoKeywordWardsOff) {
  EnvironmentGuard environment;
  const std::vector<std::string> variables{"PGSERVICE", "PGSERVICEFILE", "PGTZ",      "PGDATESTYLE",
                                           "PGGEQO",    "PGHOST",        "PGOPTIONS", "PGPASSWORD"};
  for (const auto& name : variables) environment.set(name, "nonsense");
  environment.set("PGFIREDRILL_TEST", "ours");
  forget_libpq_environment();
  for (const auto& name : variables) EXPECT_EQ(std::getenv(name.c_str()), nullptr) << name;
  EXPECT_STREQ(std::getenv("PGFIREDRILL_TEST"), "ours");
}

struct Case {
  const char* message;
  FailureKind kind;
  const char* hint;
};

class ConnectFailure : public ::testing::TestWithParam<Case> {};

TEST_P(ConnectFailure, IsToldByItsText) {
  const Failure failure = connect_failure(GetParam().message, parameters(), "log in", "pg1");
  EXPECT_EQ(failure.kind, GetParam().kind) << GetParam().message;
  EXPECT_THAT(failure.hint, HasSubstr(GetParam().hint));
  EXPECT_EQ(failure.what, "log in");
  EXPECT_EQ(failure.where, "pg1");
}

// Texts of libpq 15 to 17 and PgBouncer 1.18 to 1.24.
INSTANTIATE_TEST_SUITE_P(
    Texts, ConnectFailure,
    ::testing::Values(
        Case{"connection to server at \"10.77.0.11\", port 5432 failed: Connection refused\n"
             "\tIs the server running on that host and accepting TCP/IP connections?\n",
             FailureKind::unreachable, "Nobody listens"},
        Case{"connection to server at \"10.77.0.11\", port 5432 failed: timeout expired\n",
             FailureKind::timed_out, "cut off"},
        Case{"connection to server at \"10.77.0.11\", port 5432 failed: No route to host\n",
             FailureKind::unreachable, "down"},
        Case{"could not translate host name \"pg1.example\" to address: Name or service not known\n",
             FailureKind::unreachable, "resolve"},
        Case{"connection to server at \"10.77.0.11\", port 5432 failed: FATAL:  28P01: password "
             "authentication "
             "failed for user \"postgres\"\nLOCATION:  auth_failed, auth.c:335\n",
             FailureKind::denied, "password"},
        // The same in German, and through PgBouncer, which has another SQLSTATE for it.
        Case{"connection to server at \"10.77.0.11\", port 5432 failed: FATAL:  28P01: "
             "Passwort-Authentifizierung "
             "für Benutzer »postgres« fehlgeschlagen\n",
             FailureKind::denied, "password"},
        Case{"connection to server at \"10.77.0.11\", port 6432 failed: FATAL:  08P01: password "
             "authentication "
             "failed\n",
             FailureKind::denied, "password"},
        Case{"connection to server at \"10.77.0.11\", port 6432 failed: FATAL:  08P01: SASL authentication "
             "failed\n",
             FailureKind::denied, "password"},
        Case{"connection to server at \"10.77.0.11\", port 5432 failed: FATAL:  28000: no pg_hba.conf entry "
             "for "
             "host \"10.77.0.1\", user \"postgres\", database \"app\", no encryption\n",
             FailureKind::denied, "pg_hba.conf"},
        Case{"connection to server at \"10.77.0.11\", port 5432 failed: FATAL:  3D000: database \"app\" does "
             "not "
             "exist\n",
             FailureKind::missing, "database"},
        Case{
            "connection to server at \"10.77.0.11\", port 5432 failed: FATAL:  57P03: the database system is "
            "starting up\n",
            FailureKind::failed, "try again"},
        Case{"connection to server at \"10.77.0.11\", port 6432 failed: FATAL:  08P01: server login has been "
             "failing, cached error: connect failed (server_login_retry)\n",
             FailureKind::failed, "server_login_retry"},
        Case{"connection to server at \"10.77.0.11\", port 6432 failed: FATAL:  08P01: not allowed\n",
             FailureKind::denied, "admin_users"},
        Case{"connection to server at \"10.77.0.11\", port 6432 failed: FATAL:  08P01: SSL required\n",
             FailureKind::denied, "TLS"},
        Case{"connection to server at \"10.77.0.11\", port 5432 failed: SSL error: certificate verify "
             "failed\n",
             FailureKind::untrusted, "authority"},
        Case{"connection to server at \"pg1\" (10.77.0.11), port 5432 failed: server certificate for \"pg2\" "
             "does "
             "not match host name \"pg1\"\n",
             FailureKind::untrusted, "certificate"},
        Case{"connection to server at \"10.77.0.11\", port 5432 failed: server does not support SSL, but SSL "
             "was "
             "required\n",
             FailureKind::failed, "TLS"},
        Case{"connection to server at \"10.77.0.11\", port 7000 failed: received invalid response to SSL "
             "negotiation: H\n",
             FailureKind::malformed, "Is this a port of PostgreSQL"},
        Case{"connection to server at \"10.77.0.11\", port 5000 failed: server closed the connection "
             "unexpectedly\n\tThis probably means the server terminated abnormally\n",
             FailureKind::failed, "balancer without a server"},
        Case{"definition of service \"old\" not found\n", FailureKind::missing, "PGSERVICE"},
        Case{"etwas ganz anderes", FailureKind::failed, "log"}, Case{"", FailureKind::failed, "log"},
        Case{"FATAL:  2", FailureKind::failed, "log"}));

TEST(ConnectFailure, IsOneLineWithoutGuessesAndSecrets) {
  const Failure failure = connect_failure(
      "connection to server at \"10.77.0.11\", port 5432 failed: FATAL:  28P01: password example-password\n"
      "LOCATION:  auth_failed, auth.c:335\n\tThis probably means something else\n",
      parameters(), "log in", "pg1");
  EXPECT_THAT(failure.message(), Not(HasSubstr("example-password")));
  EXPECT_THAT(failure.message(), HasSubstr("password ***"));
  EXPECT_THAT(failure.message(), Not(HasSubstr("LOCATION")));
  EXPECT_THAT(failure.message(), Not(HasSubstr("probably")));
  EXPECT_THAT(failure.message(), Not(HasSubstr("\n")));
}

}  // namespace
}  // namespace pgfiredrill
