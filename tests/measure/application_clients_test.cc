#include "measure/application_clients.h"

#include <gmock/gmock.h>

#include "measure/write_servers.h"
#include "tests/measure/history.h"

namespace pgfiredrill {
namespace {

using testing::at_s;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr const char* kOldLeader = "1000001";
constexpr const char* kNewLeader = "1000002";

/// The fault is sent at 100 s; the new leader takes writes from 106 s on.
class Story {
 public:
  Story& opened(const std::string& kind, std::int64_t client = 1,
                const std::string& entrypoint = "pg1:5000") {
    events_.push_back({.kind = event::kClientOpened,
                       .at = at_s(90),
                       .fields = {{"client", client},
                                  {"kind", kind},
                                  {"entrypoint", entrypoint},
                                  {"postmaster_start", std::string{kOldLeader}}}});
    return *this;
  }
  Story& good(double at, double took = 0.01, std::int64_t client = 1) {
    return answer(at, took, client, {{"ok", true}, {"in_recovery", false}});
  }
  Story& from_standby(double at, double took = 0.01) {
    return answer(at, took, 1, {{"ok", true}, {"in_recovery", true}});
  }
  Story& error(double at, const std::string& error_class, bool broken = false, double took = 0.01) {
    return answer(at, took, 1,
                  {{"ok", false},
                   {"class", error_class},
                   {"layer", std::string{"pooler"}},
                   {"text", "said " + error_class},
                   {"broken", broken}});
  }
  Story& closed(double at, std::optional<double> waiting = std::nullopt, std::int64_t client = 1) {
    events_.push_back({.kind = event::kClientClosed, .at = at_s(at), .fields = {{"client", client}}});
    if (waiting) events_.back().fields["waiting_s"] = *waiting;
    return *this;
  }

  std::vector<ClientResult> judge(const std::string& last_writer = kNewLeader) const {
    return judge_clients(
        {.events = events_, .injected = at_s(100), .new_leader_at = at_s(106), .last_writer = last_writer});
  }
  ClientResult result(const std::string& last_writer = kNewLeader) const {
    const auto results = judge(last_writer);
    EXPECT_THAT(results, SizeIs(1));
    return results.empty() ? ClientResult{} : results.front();
  }

 private:
  Story& answer(double at, double took, std::int64_t client, std::map<std::string, EventValue> fields) {
    fields["client"] = client;
    fields["statement"] = std::string{"next"};
    fields["took_s"] = took;
    events_.push_back({.kind = event::kClientAnswer, .at = at_s(at), .fields = std::move(fields)});
    return *this;
  }

  std::vector<Event> events_;
};

TEST(JudgeClients, WorksFromTheFirstGoodAnswerOfAGoodEnd) {
  const auto result =
      Story{}.opened("idle").good(101).error(105, "25006").good(107).good(108).good(109).closed(110).result();
  EXPECT_EQ(result.end, "works");
  EXPECT_NEAR(*result.after_s, 7, 1e-6);
  EXPECT_EQ(result.kind, "idle");
  EXPECT_EQ(result.entrypoint, "pg1:5000");
  EXPECT_TRUE(result.error.none());
}

TEST(JudgeClients, TellsTheErrorThatBrokeIt) {
  const auto result =
      Story{}.opened("in_transaction").good(101).error(102.5, "57P01", true).closed(110).result();
  EXPECT_EQ(result.end, "error");
  EXPECT_NEAR(*result.after_s, 2.5, 1e-6);
  EXPECT_TRUE(result.error.is_sqlstate("57P01"));
  EXPECT_EQ(result.layer, Layer::pooler);
  EXPECT_EQ(result.text, "said 57P01");
}

// What follows a failed statement in its transaction is no cause.
TEST(JudgeClients, TellsTheFirstErrorOfABadEnd) {
  const auto result = Story{}
                          .opened("in_transaction")
                          .error(102, "25006")
                          .error(103, "25P02")
                          .error(104, "wrong_tag")
                          .result();
  EXPECT_TRUE(result.error.is_sqlstate("25006"));
  EXPECT_NEAR(*result.after_s, 2, 1e-6);
}

TEST(JudgeClients, ReadsTroubleThatHasNoSqlstate) {
  EXPECT_TRUE(Story{}.opened("idle").error(102, "reset", true).result().error.is(Trouble::reset));
}

TEST(JudgeClients, IsStuckWhereNobodyAnswersUntilTheEnd) {
  const auto result = Story{}.opened("idle").good(101).closed(130, 25).result();
  EXPECT_EQ(result.end, "stuck");
  EXPECT_NEAR(*result.after_s, 5, 1e-6);
  EXPECT_NEAR(*result.stuck_s, 25, 1e-6);
}

TEST(JudgeClients, AWaitUnderASecondIsNoTrouble) {
  EXPECT_EQ(Story{}.opened("idle").good(129).closed(130, 0.9).result().end, "works");
}

TEST(JudgeClients, AWaitThatEndedIsToldToo) {
  const auto result = Story{}.opened("idle").good(112, 9).good(113).closed(120).result();
  EXPECT_EQ(result.end, "works");
  EXPECT_NEAR(*result.stuck_s, 9, 1e-6);
}

TEST(JudgeClients, WhatWasAskedBeforeTheFaultWaitsFromTheFaultOn) {
  const auto result = Story{}.opened("in_transaction").closed(130, 33).result();
  EXPECT_EQ(result.end, "stuck");
  EXPECT_NEAR(*result.after_s, 0, 1e-6);
  EXPECT_NEAR(*result.stuck_s, 30, 1e-6);
}

// A long query on a server that leads on is doing what it was asked.
TEST(JudgeClients, ALongQueryIsStuckOnlyWhereItsServerDoesNotLeadAnyMore) {
  const auto story = Story{}.opened("long_query").closed(130, 40);
  EXPECT_EQ(story.result(kOldLeader).end, "works");
  EXPECT_FALSE(story.result(kOldLeader).stuck_s);
  EXPECT_EQ(story.result(kNewLeader).end, "stuck");
  EXPECT_NEAR(*story.result(kNewLeader).stuck_s, 30, 1e-6);
  EXPECT_EQ(story.result("").end, "works") << "nothing is known against it";
}

TEST(JudgeClients, CountsReadOnlyAnswersToWhatWasAskedAfterTheNewLeaderWasUp) {
  const auto result = Story{}
                          .opened("idle")
                          .error(105, "25006")
                          .error(107, "25006", false, 2)  // asked before
                          .error(108, "25006")
                          .from_standby(109)
                          .error(110, "25P02")
                          .good(111)
                          .result();
  EXPECT_EQ(result.read_only_errors, 2u);
  EXPECT_NEAR(*result.read_only_until_s, 9, 1e-6);
  EXPECT_EQ(result.end, "works");
}

TEST(JudgeClients, OnTheOldLeaderForEverIsNoGoodEnd) {
  const auto result = Story{}.opened("idle").from_standby(107).from_standby(130).closed(131).result();
  EXPECT_EQ(result.end, "error");
  EXPECT_TRUE(result.error.is(Trouble::misrouted));
  EXPECT_EQ(result.layer, Layer::routing);
}

TEST(JudgeClients, LooksAtNothingBeforeTheFault) {
  const auto result = Story{}.opened("in_transaction").error(99, "57P01").closed(100.5).result();
  EXPECT_EQ(result.end, "not asked");
  EXPECT_FALSE(result.after_s);
}

// A record may hold anything.
TEST(JudgeClients, BearsEventsOfSessionsThatWereNeverOpened) {
  EXPECT_THAT(Story{}.good(101).closed(102).judge(), IsEmpty());
  EXPECT_THAT(Story{}.opened("idle").opened("idle").good(101, -5).closed(102, 1e300).judge(), SizeIs(1));
}

TEST(FindClientTrouble, IsOneFindingForAllThatAreStuck) {
  const auto clients = Story{}
                           .opened("idle", 1)
                           .opened("idle", 2)
                           .opened("in_transaction", 3, "pg2:5000")
                           .opened("idle", 4)
                           .good(101, 0.01, 4)
                           .closed(130, 20, 1)
                           .closed(130, 29, 2)
                           .closed(130, 30, 3)
                           .closed(130, std::nullopt, 4)
                           .judge();
  const auto findings = find_client_trouble("kill, repeat 1", clients);
  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_EQ(findings[0].id, "client.stuck");
  EXPECT_THAT(
      findings[0].evidence,
      ElementsAre("kill, repeat 1: 2 sessions of kind idle on pg1:5000: no answer for up to 29.0 s when "
                  "observation ended",
                  HasSubstr("1 session of kind in_transaction on pg2:5000: no answer for up to 30.0 s")));
  EXPECT_THAT(findings[0].remedy, HasSubstr("tcp_user_timeout"));
}

TEST(FindClientTrouble, TellsWhoWentOnReadingOnly) {
  const auto findings = find_client_trouble(
      "switchover, repeat 1", Story{}.opened("idle").error(108, "25006").error(120, "25006").judge());
  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_EQ(findings[0].id, "client.read-only-after-failover");
  EXPECT_THAT(findings[0].evidence, ElementsAre(HasSubstr("2 such answers, the last 20.0 s after")));
  EXPECT_THAT(find_client_trouble("x", Story{}.opened("idle").good(101).judge()), IsEmpty());
}

Operation write_by(std::uint16_t node, double due_s, double took_s = 0.01) {
  Operation operation = testing::operation('+', at_s(due_s), 1);
  operation.write = true;
  operation.node = node;
  operation.done_after = at_s(took_s);
  return operation;
}

TEST(WriteServers, TellsWhenAnotherPostmasterTookTheFirstWrite) {
  WriteServers servers{at_s(100)};
  for (const Operation& operation :
       {write_by(1, 99), write_by(1, 101), write_by(2, 106, 0.5), write_by(2, 106.1), write_by(2, 107)}) {
    servers.on(operation);
  }
  EXPECT_EQ(servers.new_one_up_at(), at_s(106.11));
  EXPECT_EQ(servers.last(), 2);
}

TEST(WriteServers, KnowsNoNewOneWhereTheSameGoesOn) {
  WriteServers servers{at_s(100)};
  Operation failed = write_by(2, 105);
  failed.outcome = Outcome::in_doubt;
  Operation read = write_by(3, 106);
  read.write = false;
  for (const Operation& operation : {write_by(1, 99), failed, read, write_by(1, 107)}) servers.on(operation);
  EXPECT_FALSE(servers.new_one_up_at());
  EXPECT_EQ(servers.last(), 1);
}

}  // namespace
}  // namespace pgfiredrill
