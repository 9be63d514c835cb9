/// That what fails on purpose fails from the first to the last instant that is told, and at no other.

#include "calibration/stage.h"

#include <cerrno>
#include <csignal>

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "base/process.h"
#include "calibration/blackhole.h"
#include "calibration/poll_loop.h"
#include "record/descriptor.h"

namespace pgfiredrill {
namespace {

using namespace std::chrono_literals;

constexpr int kProbeMilliseconds = 3000;

/// Logs in without TLS.
struct Probe {
  nanoseconds began{0};
  nanoseconds ended{0};
  bool answered = false;
};

bool wait_for(int socket, short events) {
  pollfd waited{.fd = socket, .events = events, .revents = 0};
  return ::poll(&waited, 1, kProbeMilliseconds) > 0;
}

bool log_in(int socket, const Endpoint& endpoint) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(endpoint.port));
  ::inet_pton(AF_INET, endpoint.host.c_str(), &address.sin_addr);
  if (::connect(socket, static_cast<sockaddr*>(static_cast<void*>(&address)), sizeof address) != 0 &&
      (errno != EINPROGRESS || !wait_for(socket, POLLOUT))) {
    return false;
  }
  const std::string startup{"\0\0\0\x11\0\3\0\0user\0u\0\0", 17};
  if (::send(socket, startup.data(), startup.size(), MSG_NOSIGNAL) < 0) return false;
  char first = 0;
  return wait_for(socket, POLLIN) && ::recv(socket, &first, 1, 0) == 1 && first == 'R';
}

Probe probe(const Endpoint& endpoint) {
  Probe made{.began = monotonic_now()};
  const Descriptor socket{::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
  made.answered = log_in(socket.get(), endpoint);
  made.ended = monotonic_now();
  return made;
}

struct Watched {
  TrueOutage truth;
  std::vector<Probe> probes;
};

/// Probes a lane before, in and after its one outage of 200 ms.
Watched watch_outage(StageOptions options) {
  Watched watched;
  const auto stage = Stage::start(options);
  EXPECT_TRUE(stage) << stage.error().message();
  if (!stage) return watched;
  EXPECT_TRUE((*stage)->go(monotonic_now()));
  std::optional<Stage::LaneOutage> over;
  nanoseconds end = monotonic_now() + 10s;
  while (monotonic_now() < end) {
    watched.probes.push_back(probe((*stage)->lanes()[0]));
    const auto next = (*stage)->next_outage(5ms);
    EXPECT_TRUE(next) << next.error().message();
    if (!next) break;
    if (next->has_value()) {
      over = **next;
      end = monotonic_now() + 100ms;
    }
  }
  EXPECT_TRUE(over);
  watched.truth = over.value_or(Stage::LaneOutage{}).outage;
  return watched;
}

StageOptions one_outage(OutageKind kind) {
  return {.lanes = {{.kind = kind, .plan = {{.begin = 100ms, .length = 200ms}}}}};
}

void expect_service_outside(const Watched& watched) {
  std::size_t before = 0, after = 0;
  for (const Probe& probe : watched.probes) {
    const bool outside = probe.ended <= watched.truth.start || probe.began >= watched.truth.end;
    EXPECT_TRUE(!outside || probe.answered)
        << (probe.began - watched.truth.start).count() << " ns from its start";
    before += probe.ended <= watched.truth.start ? 1 : 0;
    after += probe.began >= watched.truth.end ? 1 : 0;
  }
  EXPECT_GT(before, 0u);
  EXPECT_GT(after, 0u);
  EXPECT_GE(watched.truth.length(), 200ms);
}

void expect_no_answer_inside(const Watched& watched) {
  std::size_t inside = 0;
  for (const Probe& probe : watched.probes) {
    if (probe.began < watched.truth.start + 10ms || probe.ended > watched.truth.end) continue;
    ++inside;
    EXPECT_FALSE(probe.answered);
  }
  EXPECT_GT(inside, 3u) << "whoever is refused knows at once";
}

void expect_answers_to_wait(const Watched& watched) {
  std::size_t inside = 0;
  for (const Probe& probe : watched.probes) {
    if (probe.ended < watched.truth.start + 10ms || probe.began > watched.truth.end - 10ms) continue;
    ++inside;
    EXPECT_GE(probe.ended, watched.truth.end - 1ms);
    EXPECT_TRUE(probe.answered);
  }
  EXPECT_GT(inside, 0u);
}

TEST(Stage, RefusesForAsLongAsItSays) {
  const auto watched = watch_outage(one_outage(OutageKind::refuse));
  expect_service_outside(watched);
  expect_no_answer_inside(watched);
}

TEST(Stage, ResetsForAsLongAsItSays) {
  const auto watched = watch_outage(one_outage(OutageKind::reset));
  expect_service_outside(watched);
  expect_no_answer_inside(watched);
}

TEST(Stage, HoldsForAsLongAsItSays) {
  const auto watched = watch_outage(one_outage(OutageKind::delay));
  expect_service_outside(watched);
  expect_answers_to_wait(watched);
}

TEST(Stage, DropsForAsLongAsItSays) {
  SystemProcessRunner runner;
  const auto blackhole = Blackhole::create(runner);
  if (!blackhole) GTEST_SKIP() << blackhole.error().message();
  auto options = one_outage(OutageKind::blackhole);
  options.blackhole_name = (*blackhole)->name();
  options.blackhole_address = (*blackhole)->address();
  const auto watched = watch_outage(options);
  expect_service_outside(watched);
  expect_answers_to_wait(watched);  // TCP sends again
}

TEST(Stage, LeavesNoNamespaceBehind) {
  SystemProcessRunner runner;
  std::string name;
  {
    const auto blackhole = Blackhole::create(runner);
    if (!blackhole) GTEST_SKIP() << blackhole.error().message();
    name = (*blackhole)->name();
  }
  const auto left = runner.run({.argv = {"ip", "netns", "list"}});
  ASSERT_TRUE(left);
  EXPECT_EQ(left->out.find(name), std::string::npos);
}

/// A process that was killed leaves its namespace to the next one.
TEST(Stage, RemovesWhatAKilledProcessLeft) {
  SystemProcessRunner runner;
  const pid_t child = ::fork();
  if (child == 0) {
    const auto blackhole = Blackhole::create(runner);
    ::raise(SIGKILL);
  }
  ASSERT_GT(child, 0);
  ::waitpid(child, nullptr, 0);
  const auto blackhole = Blackhole::create(runner);
  if (!blackhole) GTEST_SKIP() << blackhole.error().message();
  const auto left = runner.run({.argv = {"ip", "netns", "list"}});
  ASSERT_TRUE(left);
  EXPECT_EQ(left->out.find("pgfd-cal-" + std::to_string(child)), std::string::npos);
}

TEST(Stage, FindsAnAddressThatNoRouteMeets) {
  EXPECT_EQ(free_link("default via 192.0.2.1 dev eth0", 0).inner, "198.18.0.2");
  EXPECT_EQ(free_link("", 64).outer, "198.18.1.1");
  EXPECT_EQ(free_link("198.18.0.0/30 dev other\nlocal 198.18.0.5 dev other", 0).inner, "198.18.0.10");
  EXPECT_EQ(free_link("198.18.0.0/16 dev other", 0).inner, "198.19.0.2");
}

TEST(Stage, SaysWhyItCannotBegin) {
  const auto stage =
      Stage::start({.lanes = {{.kind = OutageKind::blackhole}}, .blackhole_name = "not-there"});
  ASSERT_FALSE(stage);
  EXPECT_THAT(stage.error().message(), ::testing::HasSubstr("not-there"));
}

}  // namespace
}  // namespace pgfiredrill
