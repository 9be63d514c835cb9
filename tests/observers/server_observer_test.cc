#include "observers/server_observer.h"

#include <algorithm>
#include <thread>

#include <gmock/gmock.h>

#include "record/run_reader.h"
#include "tests/support/scripted_postgres.h"
#include "tests/support/temporary_directory.h"

namespace pgfiredrill {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using testing::ScriptedPostgres;

std::optional<std::string> standby(const std::string& sql) {
  if (sql.find("pgfiredrill.observe") == std::string::npos) return testing::wire_done("SET");
  return testing::wire_rows({"a", "b", "c", "d", "e", "f"},
                            {{"t", "1700000000000000", "4", "0/3000060", "0/3000070", "1700000001000000"}});
}

/// Silent whatever it is asked.
std::optional<std::string> silent(const std::string&) {
  return std::nullopt;
}

class ServerObserverTest : public ::testing::Test {
 protected:
  ServerObserverTest() {
    auto recorder = Recorder::create(directory_ / "run", clock_);
    recorder_ = std::move(*recorder);
    (void)recorder_->write_manifest({.run_id = "r"});
  }

  static ObservedServer at(const std::string& member, int port) {
    return {.member = member, .direct = {.host = "127.0.0.1", .port = port, .sslmode = "disable"}};
  }

  /// What a member's events say after the observer has watched for so long.
  std::vector<Event> watch(const std::vector<ObservedServer>& servers, std::chrono::milliseconds duration) {
    auto observer = ServerObserver::start(servers, {}, *recorder_, clock_);
    std::this_thread::sleep_for(duration);
    observer.reset();
    recorder_->sync();
    return RunReader::open(directory_ / "run")->events();
  }

  static std::vector<Event> of(const std::vector<Event>& events, const std::string& member) {
    std::vector<Event> own;
    std::copy_if(events.begin(), events.end(), std::back_inserter(own),
                 [&](const Event& event) { return event.text("member") == member; });
    return own;
  }

  testing::TemporaryDirectory directory_;
  SystemClock clock_;
  std::unique_ptr<Recorder> recorder_;
};

TEST_F(ServerObserverTest, RecordsWhatAServerSaysOfItself) {
  ScriptedPostgres server{standby};
  const auto events = of(watch({at("pgnode02", server.port())}, 700ms), "pgnode02");
  ASSERT_GE(events.size(), 3u) << "ten a second";
  EXPECT_EQ(events[0].kind, event::kServerState);
  EXPECT_EQ(events[0].flag("reachable"), true);
  EXPECT_EQ(events[0].text("via"), "direct");
  EXPECT_EQ(events[0].flag("in_recovery"), true);
  EXPECT_EQ(events[0].integer("timeline"), 4);
  EXPECT_EQ(events[0].text("lsn"), "0/3000060");
  EXPECT_EQ(events[0].text("receive_lsn"), "0/3000070");
  EXPECT_LE(events[0].integer("asked_at").value_or(0), events[0].at.count());
}

/// A server that hangs says nothing for a second, and no other waits for it.
TEST_F(ServerObserverTest, OneThatHangsDelaysNobody) {
  ScriptedPostgres good{standby};
  ScriptedPostgres hung{silent};
  const auto events = watch({at("hung", hung.port()), at("good", good.port())}, 1'600ms);
  EXPECT_GE(of(events, "good").size(), 8u);
  const auto failures = of(events, "hung");
  ASSERT_FALSE(failures.empty());
  EXPECT_EQ(failures[0].flag("reachable"), false);
  EXPECT_THAT(failures[0].text("reason").value_or(""), HasSubstr("within 1 s"));
}

TEST_F(ServerObserverTest, SaysWhyAServerCannotBeReached) {
  int port = 0;
  {
    ScriptedPostgres gone{standby};
    port = gone.port();
  }
  const auto events = of(watch({at("gone", port)}, 300ms), "gone");
  ASSERT_FALSE(events.empty());
  EXPECT_EQ(events[0].flag("reachable"), false);
  EXPECT_THAT(events[0].text("reason").value_or(""), HasSubstr("refused"));
  EXPECT_LE(events.size(), 2u) << "what goes on is told twice a second at most";
}

}  // namespace
}  // namespace pgfiredrill
