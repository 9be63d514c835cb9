#include "drivers/classify.h"

#include <gmock/gmock.h>

namespace pgfiredrill {
namespace {

struct LoginCase {
  const char* name;
  LoginEvidence evidence;
  Depth depth;
  ErrorClass error;
  Layer layer;
};

std::ostream& operator<<(std::ostream& out, const LoginCase& example) {
  return out << example.name;
}

LoginEvidence refused_by(const char* sqlstate, const char* text,
                         LoginStage stage = LoginStage::authenticating) {
  return {.stage = stage, .sqlstate = sqlstate, .text = text};
}

LoginEvidence lost(LoginStage stage, const char* text) {
  return {.stage = stage, .text = text};
}

LoginEvidence slow(LoginStage stage) {
  return {.stage = stage, .deadline_passed = true};
}

constexpr const char* kClosed = "server closed the connection unexpectedly This probably means …";

const LoginCase kLogins[] = {
    {"RefusedByBalancer", lost(LoginStage::connecting, "connect failed: Connection refused"), Depth::balancer,
     Trouble::refused, Layer::balancer},
    {"RefusedByPooler", lost(LoginStage::connecting, "Connection refused"), Depth::pooler, Trouble::refused,
     Layer::pooler},
    {"RefusedByServer", lost(LoginStage::connecting, "Connection refused"), Depth::server, Trouble::refused,
     Layer::postgres},
    {"BalancerWithoutServer", lost(LoginStage::negotiating, kClosed), Depth::balancer, Trouble::closed,
     Layer::balancer},
    {"BalancerWithoutServerResets", lost(LoginStage::negotiating, "recv: Connection reset by peer"),
     Depth::balancer, Trouble::reset, Layer::balancer},
    {"PoolerGoneBehindBalancer", lost(LoginStage::authenticating, kClosed), Depth::balancer, Trouble::closed,
     Layer::pooler},
    {"SslEofIsNoTlsTrouble", lost(LoginStage::authenticating, "SSL SYSCALL error: EOF detected"),
     Depth::server, Trouble::closed, Layer::postgres},
    {"NoRoute", lost(LoginStage::connecting, "No route to host"), Depth::balancer, Trouble::unreachable,
     Layer::network},
    {"TcpGivesUp", lost(LoginStage::connecting, "Connection timed out"), Depth::server, Trouble::unreachable,
     Layer::network},
    {"WithoutTls", lost(LoginStage::negotiating, "server does not support SSL, but SSL was required"),
     Depth::balancer, Trouble::tls, Layer::pooler},
    {"BadCertificate", lost(LoginStage::negotiating, "SSL error: certificate verify failed"), Depth::server,
     Trouble::tls, Layer::postgres},
    {"ReadOnlySession", lost(LoginStage::authenticating, "failed: session is read-only"), Depth::pooler,
     Trouble::read_only_session, Layer::routing},
    {"NoTcpInTime", slow(LoginStage::connecting), Depth::balancer, Trouble::connect_timeout, Layer::network},
    {"NobodyAnswersBehindBalancer", slow(LoginStage::negotiating), Depth::balancer, Trouble::login_timeout,
     Layer::unknown},
    {"PoolerWaitsForServer", slow(LoginStage::authenticating), Depth::balancer, Trouble::login_timeout,
     Layer::pooler},
    {"FrozenServer", slow(LoginStage::negotiating), Depth::server, Trouble::login_timeout, Layer::postgres},
    {"StartingUp", refused_by("57P03", "the database system is starting up"), Depth::balancer,
     ErrorClass::sqlstate("57P03"), Layer::postgres},
    {"CachedLoginError",
     refused_by("08P01", "server login has been failing, cached error: connect failed (server_login_retry)"),
     Depth::balancer, Trouble::login_retry, Layer::pooler},
    {"OldPoolerCannotConnect", refused_by("08P01", "pgbouncer cannot connect to server"), Depth::pooler,
     Trouble::login_retry, Layer::pooler},
    {"QueryWait", refused_by("08P01", "query_wait_timeout"), Depth::pooler, Trouble::query_wait_timeout,
     Layer::pooler},
    {"ClientLoginTimeout", refused_by("08P01", "client_login_timeout (server down)"), Depth::balancer,
     Trouble::login_timeout, Layer::pooler},
    {"PoolerHidesAPasswordError", refused_by("08P01", "SASL authentication failed"), Depth::pooler,
     ErrorClass::sqlstate("08P01"), Layer::pooler},
    {"PasswordAtServer", refused_by("28P01", "password authentication failed"), Depth::server,
     ErrorClass::sqlstate("28P01"), Layer::postgres},
    {"ServerIsFull", refused_by("53300", "sorry, too many clients already"), Depth::balancer,
     ErrorClass::sqlstate("53300"), Layer::postgres},
    {"PoolerIsFull", refused_by("53300", "no more connections allowed (max_client_conn)"), Depth::balancer,
     ErrorClass::sqlstate("53300"), Layer::pooler},
    {"NotPostgres", lost(LoginStage::negotiating, "received invalid response to SSL negotiation: H"),
     Depth::balancer, Trouble::tls, Layer::pooler},
};

class ClassifyLogin : public ::testing::TestWithParam<LoginCase> {};

TEST_P(ClassifyLogin, IsFailedWithItsClassAndLayer) {
  const LoginCase& example = GetParam();
  const Classification got = classify_login(example.evidence, example.depth);
  EXPECT_EQ(got.outcome, Outcome::failed) << "nothing was asked yet";
  EXPECT_EQ(got.error.to_string(), example.error.to_string());
  EXPECT_STREQ(to_string(got.layer), to_string(example.layer));
}

INSTANTIATE_TEST_SUITE_P(Logins, ClassifyLogin, ::testing::ValuesIn(kLogins),
                         [](const auto& tested) { return tested.param.name; });

struct StatementCase {
  const char* name;
  StatementEvidence evidence;
  Outcome write;
  Outcome read;
  ErrorClass error;
  Layer layer;
};

std::ostream& operator<<(std::ostream& out, const StatementCase& example) {
  return out << example.name;
}

StatementEvidence clean(const char* tag) {
  return {.sent = true, .command_tag = tag, .ended_cleanly = true};
}

ServerMessage message(const char* severity, const char* state, const char* text = "") {
  return {.severity = severity, .sqlstate = state, .text = text};
}

StatementEvidence error_in_session(const char* state, const char* text = "") {
  return {.sent = true, .error = message("ERROR", state, text), .ended_cleanly = true};
}

/// What a session terminated during the wait for replication delivers: success, then its end.
StatementEvidence fatal_after(const char* tag, const char* state, const char* text = "") {
  return {.sent = true, .command_tag = tag, .error = message("FATAL", state, text)};
}

StatementEvidence with_notice(StatementEvidence evidence, const char* source_function) {
  evidence.notices.push_back(
      {.severity = "WARNING", .sqlstate = "01000", .source_function = source_function});
  return evidence;
}

const StatementCase kStatements[] = {
    {"Success", clean("INSERT 0 1"), Outcome::acknowledged, Outcome::acknowledged, {}, Layer::none},
    {"SuccessWithoutItsEnd",
     {.sent = true, .command_tag = "INSERT 0 1", .transport_text = kClosed},
     Outcome::in_doubt,
     Outcome::failed,
     Trouble::closed,
     Layer::unknown},
    {"SuccessThenFatal", fatal_after("INSERT 0 1", "57P01"), Outcome::in_doubt, Outcome::failed,
     ErrorClass::sqlstate("57P01"), Layer::postgres},
    {"WaitForStandbyCancelled",
     with_notice(clean("INSERT 0 1"), "SyncRepWaitForLSN"),
     Outcome::weak,
     Outcome::acknowledged,
     {},
     Layer::none},
    {"OtherNotice",
     with_notice(clean("INSERT 0 1"), "DefineIndex"),
     Outcome::acknowledged,
     Outcome::acknowledged,
     {},
     Layer::none},
    {"CommitAnsweredByRollback", clean("ROLLBACK"), Outcome::failed, Outcome::failed, Trouble::wrong_tag,
     Layer::pooler},
    {"NothingInserted", clean("INSERT 0 0"), Outcome::failed, Outcome::failed, Trouble::wrong_tag,
     Layer::pooler},
    {"AnotherTag", clean("SELECT 1"), Outcome::in_doubt, Outcome::failed, Trouble::wrong_tag, Layer::pooler},
    {"DeferredConstraint",
     {.sent = true, .command_tag = "INSERT 0 1", .error = message("ERROR", "23503"), .ended_cleanly = true},
     Outcome::failed,
     Outcome::failed,
     ErrorClass::sqlstate("23503"),
     Layer::postgres},
    {"ReadOnlyServer", error_in_session("25006"), Outcome::failed, Outcome::failed,
     ErrorClass::sqlstate("25006"), Layer::routing},
    {"Serialisation", error_in_session("40001"), Outcome::failed, Outcome::failed,
     ErrorClass::sqlstate("40001"), Layer::postgres},
    {"CompletionUnknown", error_in_session("40003"), Outcome::in_doubt, Outcome::failed,
     ErrorClass::sqlstate("40003"), Layer::postgres},
    {"TransactionResolutionUnknown", error_in_session("08007"), Outcome::in_doubt, Outcome::failed,
     ErrorClass::sqlstate("08007"), Layer::pooler},
    {"AdminShutdownAsError", error_in_session("57P01"), Outcome::in_doubt, Outcome::failed,
     ErrorClass::sqlstate("57P01"), Layer::postgres},
    {"CrashShutdown", fatal_after("", "57P02"), Outcome::in_doubt, Outcome::failed,
     ErrorClass::sqlstate("57P02"), Layer::postgres},
    {"ErrorWithoutItsEnd",
     {.sent = true, .error = message("ERROR", "40001"), .transport_text = kClosed},
     Outcome::in_doubt,
     Outcome::failed,
     ErrorClass::sqlstate("40001"),
     Layer::postgres},
    {"ServerConnCrashed", fatal_after("", "08P01", "server conn crashed?"), Outcome::in_doubt,
     Outcome::failed, Trouble::server_conn_crashed, Layer::pooler},
    {"ServerConnectionClosed", fatal_after("", "08P01", "server connection closed"), Outcome::in_doubt,
     Outcome::failed, Trouble::server_conn_crashed, Layer::pooler},
    {"QueryWaitTimeout", fatal_after("", "08P01", "query_wait_timeout"), Outcome::in_doubt, Outcome::failed,
     Trouble::query_wait_timeout, Layer::pooler},
    {"CachedLoginError", fatal_after("", "08P01", "server login has been failing, cached error: x"),
     Outcome::in_doubt, Outcome::failed, Trouble::login_retry, Layer::pooler},
    {"Reset",
     {.sent = true, .transport_text = "SSL SYSCALL error: Connection reset by peer"},
     Outcome::in_doubt,
     Outcome::failed,
     Trouble::reset,
     Layer::unknown},
    {"OurDeadline",
     {.sent = true, .deadline_passed = true},
     Outcome::in_doubt,
     Outcome::failed,
     Trouble::answer_timeout,
     Layer::unknown},
    {"DeadlineInTheSameMoment",
     {.sent = true, .deadline_passed = true, .command_tag = "INSERT 0 1"},
     Outcome::in_doubt,
     Outcome::failed,
     Trouble::answer_timeout,
     Layer::unknown},
    {"NeverSent",
     {.transport_text = "server closed the connection unexpectedly"},
     Outcome::failed,
     Outcome::failed,
     Trouble::closed,
     Layer::unknown},
};

class ClassifyStatement : public ::testing::TestWithParam<StatementCase> {};

TEST_P(ClassifyStatement, DependsOnWhatItWouldHaveChanged) {
  const StatementCase& example = GetParam();
  for (const bool write : {true, false}) {
    const Classification got =
        classify_statement(example.evidence, {.write = write, .command_tag = "INSERT 0 1"});
    EXPECT_STREQ(to_string(got.outcome), to_string(write ? example.write : example.read));
    EXPECT_EQ(got.error.to_string(), example.error.to_string());
    EXPECT_STREQ(to_string(got.layer), to_string(example.layer));
  }
}

INSTANTIATE_TEST_SUITE_P(Statements, ClassifyStatement, ::testing::ValuesIn(kStatements),
                         [](const auto& tested) { return tested.param.name; });

TEST(Classify, AnAnswerFromRecoveryIsMisroutedAndHasWrittenNothing) {
  for (const bool write : {true, false}) {
    const Classification got =
        classify_statement(clean("SELECT 1"), {.write = write, .command_tag = "SELECT 1", .misrouted = true});
    EXPECT_EQ(got, (Classification{Outcome::failed, Trouble::misrouted, Layer::routing}));
  }
}

// Patroni's non-strict mode empties synchronous_standby_names: no notice tells of it.
TEST(Classify, AWriteWithoutThePromisedStandbyIsWeak) {
  const StatementTerms terms{.write = true, .command_tag = "INSERT 0 1", .unsynchronised = true};
  EXPECT_EQ(classify_statement(clean("INSERT 0 1"), terms).outcome, Outcome::weak);
}

TEST(Classify, AReadHasNoPromiseToBreak) {
  const StatementTerms terms{.command_tag = "SELECT 1", .unsynchronised = true};
  EXPECT_EQ(classify_statement(clean("SELECT 1"), terms).outcome, Outcome::acknowledged);
}

TEST(Classify, TheEndOfASessionIsSomebodysByDepth) {
  const StatementEvidence evidence{.sent = true, .transport_text = kClosed};
  const auto layer_at = [&](Depth depth) {
    return classify_statement(evidence, {.command_tag = "SELECT 1", .depth = depth}).layer;
  };
  EXPECT_EQ(layer_at(Depth::balancer), Layer::unknown);
  EXPECT_EQ(layer_at(Depth::pooler), Layer::pooler);
  EXPECT_EQ(layer_at(Depth::server), Layer::postgres);
}

// The text of 08P01 is PgBouncer's only where there is one.
TEST(Classify, DirectSessionsKnowNoPooler) {
  const auto got = classify_statement(fatal_after("", "08P01", "query_wait_timeout"),
                                      {.command_tag = "SELECT 1", .depth = Depth::server});
  EXPECT_EQ(got.error, ErrorClass::sqlstate("08P01"));
  EXPECT_EQ(got.layer, Layer::postgres);
}

TEST(Classify, TheLastWordsOfAnIdleSessionAreHeard) {
  EXPECT_EQ(classify_idle_loss(message("FATAL", "57P01"), Depth::balancer),
            (Classification{Outcome::failed, ErrorClass::sqlstate("57P01"), Layer::postgres}));
  EXPECT_EQ(classify_idle_loss(std::nullopt, Depth::balancer),
            (Classification{Outcome::failed, Trouble::closed, Layer::unknown}));
}

}  // namespace
}  // namespace pgfiredrill
