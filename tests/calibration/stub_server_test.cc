/// The stub against the client that it is there for.

#include <boost/asio/io_context.hpp>
#include <gmock/gmock.h>

#include "calibration/stage.h"
#include "cluster/postgres_session.h"
#include "drivers/statements.h"

namespace pgfiredrill {
namespace {

using namespace std::chrono_literals;

class StubServer : public ::testing::Test {
 protected:
  void SetUp() override {
    auto stage = Stage::start({});
    ASSERT_TRUE(stage) << stage.error().message();
    stage_ = std::move(*stage);
  }

  ConnectParameters parameters(const std::string& sslmode) const {
    ConnectParameters parameters;
    parameters.host = stage_->server().host;
    parameters.port = stage_->server().port;
    parameters.user = "traffic";
    parameters.password = Secret{"example-password"};
    parameters.sslmode = sslmode;
    return parameters;
  }

  LoginEvidence log_in(PostgresSession& session, const ConnectParameters& parameters) {
    LoginEvidence result;
    session.log_in(parameters, 10s, [&](const LoginEvidence& evidence) { result = evidence; });
    loop_.restart();
    loop_.run();
    return result;
  }

  StatementEvidence ask(PostgresSession& session, const Statement& statement) {
    StatementEvidence result;
    session.execute(statement, 10s, [&](StatementEvidence evidence) { result = std::move(evidence); });
    loop_.restart();
    loop_.run();
    return result;
  }

  boost::asio::io_context loop_;
  std::unique_ptr<Stage> stage_;
};

TEST_F(StubServer, LetsClientsInWithAndWithoutTls) {
  for (const char* sslmode : {"require", "disable"}) {
    PostgresSession session{loop_};
    const auto evidence = log_in(session, parameters(sslmode));
    EXPECT_TRUE(evidence.ready()) << sslmode << ": " << evidence.text;
  }
}

/// Multi-host lists ask for a server that takes writes.
TEST_F(StubServer, TakesWrites) {
  auto wanted = parameters("require");
  wanted.target_session_attrs = "read-write";
  PostgresSession session{loop_};
  EXPECT_TRUE(log_in(session, wanted).ready());
}

TEST_F(StubServer, AnswersCanariesAndTheLedgerAsAPrimary) {
  PostgresSession session{loop_};
  ASSERT_TRUE(log_in(session, parameters("require")).ready());
  const std::vector<std::pair<Statement, std::string>> asked{{canary_statement(1, 2, true), kCanaryTag},
                                                             {ledger_statement(1, 3), kLedgerTag},
                                                             {canary_statement(1, 4, false), kCanaryTag}};
  for (const auto& [statement, tag] : asked) {
    const auto evidence = ask(session, statement);
    EXPECT_TRUE(evidence.ended_cleanly) << evidence.transport_text;
    EXPECT_EQ(evidence.command_tag, tag);
    const Answer answer = parse_answer(evidence);
    EXPECT_TRUE(answer.whole) << "the row that drivers/statements.h reads has another form than the stub's";
    EXPECT_FALSE(answer.in_recovery);
    EXPECT_EQ(answer.timeline, 1u);
    EXPECT_GT(answer.lsn, 0u);
    EXPECT_GT(answer.postmaster_start, 0);
    EXPECT_TRUE(answer.waits_for_flush);
  }
}

TEST_F(StubServer, ServesManyAtATime) {
  PostgresSession first{loop_}, second{loop_};
  ASSERT_TRUE(log_in(first, parameters("require")).ready());
  ASSERT_TRUE(log_in(second, parameters("require")).ready());
  const auto one = parse_answer(ask(first, canary_statement(0, 0, false)));
  const auto other = parse_answer(ask(second, canary_statement(0, 0, false)));
  EXPECT_TRUE(one.whole && other.whole);
  EXPECT_NE(one.backend_pid, other.backend_pid);
}

}  // namespace
}  // namespace pgfiredrill
