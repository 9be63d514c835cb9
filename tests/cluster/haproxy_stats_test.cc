#include "cluster/haproxy_stats.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/fake_http_client.h"
#include "tests/support/fixture.h"

namespace pgfiredrill {
namespace {

using testing::FakeHttpClient;
using ::testing::HasSubstr;
using testing::read_fixture;

HaproxyStatsRow find_row(const std::vector<HaproxyStatsRow>& rows, const std::string& proxy,
                         const std::string& server) {
  for (const auto& row : rows) {
    if (row.proxy == proxy && row.server == server) return row;
  }
  ADD_FAILURE() << "no row " << proxy << "/" << server;
  return {};
}

Failure failure_of(const std::string& csv) {
  const auto rows = parse_haproxy_stats(csv, "pg1");
  EXPECT_FALSE(rows) << csv;
  return rows ? Failure{} : rows.error();
}

TEST(HaproxyStats, SaysWhatABalancerBelieves) {
  const auto rows = parse_haproxy_stats(read_fixture("cluster/data/haproxy_stats.csv"), "pg1").value();

  EXPECT_EQ(rows.size(), 22U);
  const auto up = find_row(rows, "master", "pgnode01");
  EXPECT_TRUE(up.is_server());
  EXPECT_TRUE(up.is_up());
  EXPECT_EQ(up.status, "UP");
  EXPECT_EQ(up.check_status, "L7OK");
  EXPECT_EQ(up.check_code, "200");
  EXPECT_GT(up.seconds_since_change.value_or(0), 0);
  EXPECT_EQ(up.current_sessions, 0);
  EXPECT_EQ(up.queued, 0);
  EXPECT_EQ(up.times_down, 1);
  EXPECT_EQ(up.address, "");  // HAProxy hides it without `stats show-legends`

  const auto down = find_row(rows, "master", "pgnode02");
  EXPECT_FALSE(down.is_up());
  EXPECT_EQ(down.check_status, "L7STS");
  EXPECT_EQ(down.check_code, "503");
  EXPECT_EQ(down.last_check, "Service Unavailable");
  EXPECT_EQ(down.failed_checks, 1);

  EXPECT_FALSE(find_row(rows, "master", "FRONTEND").is_server());
  EXPECT_FALSE(find_row(rows, "master", "BACKEND").is_server());
}

TEST(HaproxyStats, KnowsTheStatesBetween) {
  const auto rows =
      parse_haproxy_stats(read_fixture("cluster/data/haproxy_stats_between.csv"), "pg1").value();

  const auto rising = find_row(rows, "master", "pg3");
  EXPECT_EQ(rising.status, "DOWN 2/4");
  EXPECT_FALSE(rising.is_up());
  EXPECT_EQ(rising.check_status, "L4TOUT");  // without the mark of a check that runs

  const auto falling = find_row(rows, "replicas", "pg2");
  EXPECT_EQ(falling.status, "UP 1/3");
  EXPECT_TRUE(falling.is_up());
  EXPECT_EQ(falling.last_check, R"(via "agent", twice)");

  const auto unchecked = find_row(rows, "replicas", "pg3");
  EXPECT_EQ(unchecked.status, "no check");
  EXPECT_FALSE(unchecked.is_up());
  EXPECT_EQ(unchecked.times_down, std::nullopt);
  EXPECT_EQ(unchecked.address, "10.77.0.13:6432");
}

TEST(HaproxyStats, FindsColumnsByName) {
  const auto rows =
      parse_haproxy_stats("# status,svname,new_column,pxname,\r\nUP,pg1,7,master,\r\n\r\n", "pg1").value();
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].proxy, "master");
  EXPECT_EQ(rows[0].server, "pg1");
  EXPECT_EQ(rows[0].status, "UP");
  EXPECT_EQ(rows[0].queued, std::nullopt);
}

TEST(HaproxyStats, KeepsALineEndInsideQuotes) {
  const auto rows =
      parse_haproxy_stats("# pxname,svname,status,last_chk,\nmaster,pg1,UP,\"a\nb,c\",\n", "pg1").value();
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].last_check, "a\nb,c");
}

// A page that is cut short would otherwise look like a balancer with fewer servers.
TEST(HaproxyStats, RefusesAPageThatIsCutShort) {
  const std::string whole = read_fixture("cluster/data/haproxy_stats_between.csv");
  const auto rows = parse_haproxy_stats(whole, "pg1").value().size();
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const auto result = parse_haproxy_stats(whole.substr(0, length), "pg1");
    // Only at the end of a line can a cut not be seen.
    if (result) {
      EXPECT_EQ(whole[length - 1], '\n') << length;
      EXPECT_LT(result->size(), rows);
    } else {
      EXPECT_EQ(result.error().kind, FailureKind::malformed) << length;
    }
  }
}

TEST(HaproxyStats, RefusesOtherPages) {
  EXPECT_THAT(failure_of("<!DOCTYPE html><html>").message(), HasSubstr("an HTML page"));
  EXPECT_EQ(failure_of("").kind, FailureKind::malformed);
  EXPECT_EQ(failure_of("# ").kind, FailureKind::malformed);
  EXPECT_EQ(failure_of("{\"members\": []}").kind, FailureKind::malformed);
  EXPECT_THAT(failure_of("# pxname,svname,\nmaster,pg1,\n").message(), HasSubstr("no column status"));
  EXPECT_THAT(failure_of("# pxname,svname,status,\nmaster,pg1,\n").message(), HasSubstr("3 of 4 columns"));
  EXPECT_EQ(failure_of("# pxname,svname,status,\n\"master,pg1,UP,\n").kind, FailureKind::malformed);
  EXPECT_EQ(failure_of("# \n\n\n").kind, FailureKind::malformed);
  EXPECT_EQ(failure_of("# " + std::string(1'000'000, '"')).kind, FailureKind::malformed);
}

TEST(HaproxyStats, AsksForTheCsvOfTheConfiguredPage) {
  FakeHttpClient http{[](const HttpAddress&, const HttpRequest&) -> Result<HttpResponse> {
    return HttpResponse{.status = 200, .headers = {}, .body = read_fixture("cluster/data/haproxy_stats.csv")};
  }};
  const HttpAddress address{.tls = false, .host = "10.77.0.11", .port = 7000};
  EXPECT_TRUE(read_haproxy_stats(http, address, "/", "pg1"));
  EXPECT_TRUE(read_haproxy_stats(http, address, "/haproxy?stats", "pg1"));
  EXPECT_TRUE(read_haproxy_stats(http, address, "", "pg1"));
  ASSERT_EQ(http.requests().size(), 3U);
  EXPECT_EQ(http.requests()[0].path, "/;csv");
  EXPECT_EQ(http.requests()[1].path, "/haproxy?stats;csv");
  EXPECT_EQ(http.requests()[2].path, "/haproxy?stats;csv");

  // A path from a file must not become a header.
  EXPECT_EQ(read_haproxy_stats(http, address, "/\r\nHost: x", "pg1").error().kind, FailureKind::malformed);
  EXPECT_EQ(read_haproxy_stats(http, address, "stats", "pg1").error().kind, FailureKind::malformed);
  EXPECT_EQ(http.requests().size(), 3U);
}

TEST(HaproxyStats, SaysWhyThereIsNone) {
  const HttpAddress address{.tls = false, .host = "10.77.0.11", .port = 7000};
  const auto status = [&](int code) {
    FakeHttpClient http{[=](const HttpAddress&, const HttpRequest&) -> Result<HttpResponse> {
      return HttpResponse{.status = code, .headers = {}, .body = "<html>"};
    }};
    return read_haproxy_stats(http, address, "/", "pg1").error();
  };
  EXPECT_EQ(status(401).kind, FailureKind::denied);
  EXPECT_EQ(status(503).kind, FailureKind::failed);
  EXPECT_THAT(status(503).hint, HasSubstr("stats uri"));
}

}  // namespace
}  // namespace pgfiredrill
