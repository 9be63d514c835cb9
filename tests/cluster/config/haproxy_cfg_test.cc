#include "cluster/config/haproxy_cfg.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/fixture.h"

namespace pgfiredrill {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::read_fixture;

HaproxyCfg parse(const std::string& text) {
  auto cfg = parse_haproxy_cfg(text, "pg1:haproxy.cfg");
  if (!cfg) {
    ADD_FAILURE() << cfg.error().message();
    return {};
  }
  return *cfg;
}

/// The only listener of `text`.
HaproxyListener listener_of(const std::string& text) {
  HaproxyCfg cfg = parse(text);
  if (cfg.listeners.size() != 1) {
    ADD_FAILURE() << cfg.listeners.size() << " listeners";
    return {};
  }
  return cfg.listeners.front();
}

HaproxyServer server_of(const std::string& lines) {
  const HaproxyListener listener = listener_of("listen a\n bind :1\n" + lines);
  return listener.servers.empty() ? HaproxyServer{} : listener.servers.back();
}

Failure failure_of(const std::string& text) {
  const auto cfg = parse_haproxy_cfg(text, "pg1:haproxy.cfg");
  if (cfg) {
    ADD_FAILURE() << "was read: " << text;
    return {};
  }
  EXPECT_EQ(cfg.error().kind, FailureKind::malformed);
  EXPECT_EQ(cfg.error().where, "pg1:haproxy.cfg");
  return cfg.error();
}

TEST(HaproxyCfg, ReadsWhatIsDeployedWithoutAVirtualAddress) {
  const HaproxyCfg cfg = parse(read_fixture("cluster/data/lab/haproxy.cfg"));
  EXPECT_EQ(cfg.maxconn, 8000);
  EXPECT_EQ(cfg.admin_socket, "/run/haproxy/admin.sock");
  EXPECT_THAT(cfg.remarks, IsEmpty());
  ASSERT_EQ(cfg.listeners.size(), 5u);

  const HaproxyListener& stats = cfg.listeners[0];
  EXPECT_EQ(stats.name, "stats");
  EXPECT_EQ(stats.mode, "http");
  EXPECT_TRUE(stats.stats_enabled);
  EXPECT_EQ(stats.stats_uri, "/");
  EXPECT_EQ(stats.check_method, "");

  const HaproxyListener& master = cfg.listeners[1];
  EXPECT_EQ(master.name, "master");
  EXPECT_EQ(master.mode, "tcp");
  EXPECT_THAT(master.binds, ElementsAre(Endpoint{"10.77.0.11", 5000}));
  EXPECT_EQ(master.check_method, "OPTIONS");
  EXPECT_EQ(master.check_path, "/primary");
  EXPECT_EQ(master.maxconn, 2000);
  EXPECT_FALSE(master.stats_enabled);
  EXPECT_EQ(master.timeout_connect, milliseconds{5'000});
  EXPECT_EQ(master.timeout_client, milliseconds{3'600'000});
  EXPECT_EQ(master.timeout_server, milliseconds{3'600'000});
  EXPECT_EQ(master.timeout_check, milliseconds{15'000});
  EXPECT_EQ(master.timeout_queue, milliseconds{5'000});

  ASSERT_EQ(master.servers.size(), 3u);
  const HaproxyServer& server = master.servers[1];
  EXPECT_EQ(server.name, "pgnode02");
  EXPECT_EQ(server.address, (Endpoint{"10.77.0.12", 6432}));
  EXPECT_TRUE(server.check);
  EXPECT_FALSE(server.disabled);
  EXPECT_EQ(server.check_port, 8008);
  EXPECT_TRUE(server.check_tls);
  EXPECT_FALSE(server.check_verifies);
  EXPECT_EQ(server.inter, milliseconds{3'000});
  EXPECT_EQ(server.fastinter, milliseconds{1'000});
  EXPECT_EQ(server.downinter, std::nullopt);
  EXPECT_EQ(server.fall, 3);
  EXPECT_EQ(server.rise, 4);
  EXPECT_TRUE(server.shutdown_sessions);

  const HaproxyListener& replicas = cfg.listeners[2];
  EXPECT_EQ(replicas.check_path, "/replica?lag=100MB");
  EXPECT_EQ(replicas.balance, "roundrobin");
  EXPECT_EQ(replicas.servers.front().rise, 2);
  EXPECT_EQ(cfg.listeners[3].check_path, "/sync");
  EXPECT_EQ(cfg.listeners[4].check_path, "/async?lag=100MB");
}

TEST(HaproxyCfg, BindsTheVirtualAddressWhereThereIsOne) {
  const HaproxyCfg cfg = parse(read_fixture("cluster/data/lab/haproxy-vip.cfg"));
  ASSERT_EQ(cfg.listeners.size(), 5u);
  EXPECT_THAT(cfg.listeners[0].binds, ElementsAre(Endpoint{"10.77.0.11", 7000}));
  EXPECT_THAT(cfg.listeners[1].binds, ElementsAre(Endpoint{"10.77.0.100", 5000}));
  EXPECT_THAT(cfg.listeners[4].binds, ElementsAre(Endpoint{"10.77.0.100", 5003}));
}

TEST(HaproxyCfg, AnEmptyFileHasNoListeners) {
  EXPECT_THAT(parse("").listeners, IsEmpty());
  EXPECT_THAT(parse("# only a comment\n").listeners, IsEmpty());
}

TEST(HaproxyCfg, TakesAFrontendWithItsDefaultBackend) {
  const HaproxyListener front = listener_of(
      "defaults\n mode tcp\n timeout client 1m\n timeout server 1m\n"
      "frontend writes\n bind 10.77.0.11:5000\n timeout client 2m\n default_backend primary\n"
      "backend primary\n balance first\n timeout server 3m\n option httpchk /primary\n"
      " server pg1 10.77.0.11:6432 check port 8008\n");
  EXPECT_EQ(front.name, "writes");
  EXPECT_EQ(front.mode, "tcp");
  EXPECT_THAT(front.binds, ElementsAre(Endpoint{"10.77.0.11", 5000}));
  EXPECT_EQ(front.check_method, "OPTIONS");
  EXPECT_EQ(front.check_path, "/primary");
  EXPECT_EQ(front.balance, "first");
  EXPECT_EQ(front.timeout_client, milliseconds{120'000});
  EXPECT_EQ(front.timeout_server, milliseconds{180'000});
  ASSERT_EQ(front.servers.size(), 1u);
  EXPECT_EQ(front.servers[0].name, "pg1");
}

TEST(HaproxyCfg, TakesAnUnconditionalUseBackendAsTheDefault) {
  const std::string backends = "backend b1\n server s1 10.77.0.11:1\nbackend b2\n server s2 10.77.0.12:1\n";
  EXPECT_EQ(listener_of("frontend f\n bind :1\n use_backend b1 if x\n use_backend b2\n" + backends)
                .servers.at(0)
                .name,
            "s2");
  EXPECT_THAT(listener_of("frontend f\n bind :1\n use_backend b1 unless x\n" + backends).servers, IsEmpty());
  EXPECT_THAT(listener_of("frontend f\n bind :1\n default_backend gone\n" + backends).servers, IsEmpty());
}

TEST(HaproxyCfg, AppliesTheDefaultsThatStandBeforeASection) {
  const HaproxyCfg cfg = parse(
      "defaults\n mode tcp\n maxconn 10\n default-server inter 5s rise 3\n"
      "listen a\n bind :1\n server s h:1\n"
      "defaults\n mode http\n"
      "listen b\n bind :2\n server s h:1\n");
  ASSERT_EQ(cfg.listeners.size(), 2u);
  EXPECT_EQ(cfg.listeners[0].mode, "tcp");
  EXPECT_EQ(cfg.listeners[0].maxconn, 10);
  EXPECT_EQ(cfg.listeners[0].servers[0].inter, milliseconds{5'000});
  EXPECT_EQ(cfg.listeners[0].servers[0].rise, 3);
  EXPECT_EQ(cfg.listeners[1].mode, "http");
  EXPECT_EQ(cfg.listeners[1].maxconn, std::nullopt);  // the second defaults begin anew
  EXPECT_EQ(cfg.listeners[1].servers[0].inter, std::nullopt);
}

TEST(HaproxyCfg, FollowsNamedDefaults) {
  const HaproxyCfg cfg = parse(
      "defaults base\n mode tcp\n timeout check 7s\n"
      "defaults fast from base\n timeout connect 1s\n"
      "defaults other\n mode http\n"
      "listen a from fast\n bind :1\n"
      "listen b\n bind :2\n");
  ASSERT_EQ(cfg.listeners.size(), 2u);
  EXPECT_EQ(cfg.listeners[0].mode, "tcp");
  EXPECT_EQ(cfg.listeners[0].timeout_check, milliseconds{7'000});
  EXPECT_EQ(cfg.listeners[0].timeout_connect, milliseconds{1'000});
  EXPECT_EQ(cfg.listeners[1].mode, "http");
  EXPECT_THAT(failure_of("listen a from gone\n").came_back, HasSubstr("line 1 builds on a defaults"));
}

TEST(HaproxyCfg, TakesSeveralAddressesOfABind) {
  const HaproxyListener listener = listener_of(
      "listen a\n bind 10.77.0.11:5000,[::1]:5000,:5010-5012 ssl crt /etc/a.pem alpn h2\n"
      " bind *:5020\n bind :::5021\n bind unix@/run/a.sock\n bind /run/b.sock mode 600\n bind "
      "ipv4@0.0.0.0:5022\n");
  EXPECT_THAT(listener.binds,
              ElementsAre(Endpoint{"10.77.0.11", 5000}, Endpoint{"::1", 5000}, Endpoint{"*", 5010},
                          Endpoint{"*", 5011}, Endpoint{"*", 5012}, Endpoint{"*", 5020}, Endpoint{"::", 5021},
                          Endpoint{"0.0.0.0", 5022}));
}

TEST(HaproxyCfg, RefusesABindWithoutAPort) {
  EXPECT_THAT(failure_of("listen a\n bind 10.77.0.11\n").came_back,
              HasSubstr("line 2 has a bind without a port"));
  EXPECT_THAT(failure_of("listen a\n bind\n").came_back, HasSubstr("line 2"));
  EXPECT_THAT(failure_of("listen a\n bind :70000\n").came_back, HasSubstr("line 2"));
}

TEST(HaproxyCfg, LeavesOutABindWhosePortOnlyHaproxyKnowsAndSaysSo) {
  const HaproxyCfg cfg =
      parse("listen a\n bind \"${ADDRESS}:5000\"\n bind \":${PORT}\"\n timeout client \"${T}\"\n");
  ASSERT_EQ(cfg.listeners.size(), 1u);
  EXPECT_THAT(cfg.listeners[0].binds, ElementsAre(Endpoint{"${ADDRESS}", 5000}));
  EXPECT_EQ(cfg.listeners[0].timeout_client, std::nullopt);
  EXPECT_THAT(cfg.remarks, ElementsAre(HasSubstr("pg1:haproxy.cfg: line 3 has a bind"), HasSubstr("line 4")));
}

TEST(HaproxyCfg, AppliesDefaultServerFromItsLineOn) {
  const HaproxyListener listener = listener_of(
      "listen a\n bind :1\n server s1 h:1 check\n default-server fall 5\n server s2 h:1 check\n"
      " default-server rise 6\n server s3 h:1 fall 7 no-check\n");
  ASSERT_EQ(listener.servers.size(), 3u);
  EXPECT_EQ(listener.servers[0].fall, std::nullopt);
  EXPECT_EQ(listener.servers[1].fall, 5);
  EXPECT_EQ(listener.servers[1].rise, std::nullopt);
  EXPECT_EQ(listener.servers[2].fall, 7);
  EXPECT_EQ(listener.servers[2].rise, 6);
  EXPECT_FALSE(listener.servers[2].check);
}

TEST(HaproxyCfg, ADefaultServerMayCheckAndAServerMayNot) {
  EXPECT_TRUE(server_of(" default-server check\n server s h:1\n").check);
  EXPECT_FALSE(server_of(" default-server check\n server s h:1 no-check\n").check);
  EXPECT_TRUE(server_of(" server s h:1 check disabled\n").disabled);
  EXPECT_FALSE(server_of(" default-server disabled\n server s h:1 enabled\n").disabled);
}

TEST(HaproxyCfg, DoesNotTakeAnotherParametersValueForAParameter) {
  const HaproxyServer server =
      server_of(" server s h:1 cookie check weight 10 namespace disabled source check\n");
  EXPECT_FALSE(server.check);
  EXPECT_FALSE(server.disabled);
}

TEST(HaproxyCfg, ChecksOverTheTrafficsTlsOnlyAtTheTrafficsAddress) {
  EXPECT_TRUE(server_of(" server s h:1 check ssl\n").check_tls);
  EXPECT_FALSE(server_of(" server s h:1 check ssl port 8008\n").check_tls);
  EXPECT_FALSE(server_of(" server s h:1 check ssl addr 10.77.0.1\n").check_tls);
  EXPECT_TRUE(server_of(" server s h:1 check ssl port 8008 check-ssl\n").check_tls);
  EXPECT_FALSE(server_of(" default-server check-ssl\n server s h:1 check no-check-ssl\n").check_tls);
}

TEST(HaproxyCfg, VerifiesUnlessToldOtherwise) {
  EXPECT_TRUE(server_of(" server s h:1 check check-ssl\n").check_verifies);
  EXPECT_TRUE(server_of(" server s h:1 check check-ssl verify required ca-file /etc/ca\n").check_verifies);
  EXPECT_FALSE(server_of(" server s h:1 check check-ssl verify none\n").check_verifies);
  EXPECT_FALSE(server_of(" server s h:1 check\n").check_verifies);
  const std::string global = "global\n ssl-server-verify none\n";
  const std::string listen = "listen a\n bind :1\n server s h:1 check-ssl";
  EXPECT_FALSE(listener_of(global + listen + "\n").servers.at(0).check_verifies);
  EXPECT_TRUE(listener_of(global + listen + " verify required\n").servers.at(0).check_verifies);
}

TEST(HaproxyCfg, ReadsServerAddresses) {
  EXPECT_EQ(server_of(" server s pg1.example:6432\n").address, (Endpoint{"pg1.example", 6432}));
  EXPECT_EQ(server_of(" server s [fd00::1]:6432\n").address, (Endpoint{"fd00::1", 6432}));
  EXPECT_EQ(server_of(" server s 10.77.0.11\n").address,
            (Endpoint{"10.77.0.11", 0}));  // the client's own port
}

TEST(HaproxyCfg, RefusesTimesAndCountsThatAreNone) {
  EXPECT_THAT(failure_of("listen a\n server s h:1 inter 3x\n").came_back, HasSubstr("line 2"));
  EXPECT_THAT(failure_of("listen a\n server s h:1 inter\n").came_back, HasSubstr("line 2"));
  EXPECT_THAT(failure_of("listen a\n server s h:1 fall 0\n").came_back, HasSubstr("line 2"));
  EXPECT_THAT(failure_of("listen a\n server s h:1 rise 99999999999999999999\n").came_back,
              HasSubstr("line 2"));
  EXPECT_THAT(failure_of("listen a\n server s h:1 port 0\n").came_back, HasSubstr("line 2"));
  EXPECT_THAT(failure_of("listen a\n timeout client\n").came_back, HasSubstr("line 2"));
  EXPECT_THAT(failure_of("global\n maxconn many\n").came_back, HasSubstr("line 2"));
}

TEST(HaproxyCfg, KnowsTheFormsOfAnHttpCheck) {
  const auto check = [](const std::string& lines) {
    const HaproxyListener listener = listener_of("listen a\n bind :1\n" + lines);
    return listener.check_method + " " + listener.check_path;
  };
  EXPECT_EQ(check(" option httpchk\n"), "OPTIONS /");
  EXPECT_EQ(check(" option httpchk /primary\n"), "OPTIONS /primary");
  EXPECT_EQ(check(" option httpchk GET /primary HTTP/1.1\n"), "GET /primary");
  EXPECT_EQ(
      check(" option httpchk\n http-check send meth GET uri /replica?lag=1MB hdr Host x ver HTTP/1.1\n"),
      "GET /replica?lag=1MB");
  EXPECT_EQ(check(" http-check send meth GET uri /replica\n"), " ");  // without the option nothing is sent
  EXPECT_EQ(check(" option httpchk /primary\n no option httpchk\n"), " ");
  EXPECT_EQ(check(" option httpchk /primary\n option pgsql-check user x\n"), " ");
}

TEST(HaproxyCfg, StatisticsHaveHaproxysOwnPathUnlessSet) {
  EXPECT_EQ(listener_of("listen a\n bind :1\n stats enable\n").stats_uri, "/haproxy?stats");
  const HaproxyListener listener = listener_of("listen a\n bind :1\n stats uri /status\n");
  EXPECT_TRUE(listener.stats_enabled);  // the path alone turns them on
  EXPECT_EQ(listener.stats_uri, "/status");
}

TEST(HaproxyCfg, TakesTheFirstUnixStatsSocket) {
  EXPECT_EQ(
      parse("global\n stats socket ipv4@127.0.0.1:9999\n stats socket unix@/run/a.sock\n stats socket /b\n")
          .admin_socket,
      "/run/a.sock");
  EXPECT_EQ(parse("global\n daemon\n").admin_socket, "");
}

TEST(HaproxyCfg, PassesOverOtherSectionsAndDisabledOnes) {
  const HaproxyCfg cfg = parse(
      "peers p\n bind 10.77.0.11\n server x y inter never\n"
      "userlist u\n user a insecure-password \"a b\"\n"
      "resolvers r\n timeout retry 1s\n"
      "listen off\n bind :1\n disabled\n");
  EXPECT_THAT(cfg.listeners, IsEmpty());
}

TEST(HaproxyCfg, SaysThatItDoesNotEvaluateConditions) {
  EXPECT_THAT(parse(".if defined(X)\nlisten a\n bind :1\n.endif\n").remarks,
              ElementsAre(HasSubstr("line 1"), HasSubstr("line 4")));
}

TEST(HaproxyCfg, NamesTheLineOfAnOpenQuoteAndShowsNothingOfIt) {
  const Failure failure = failure_of("userlist u\n user a insecure-password \"sesame\n");
  EXPECT_THAT(failure.message(), HasSubstr("line 2"));
  EXPECT_THAT(failure.message(), HasSubstr("haproxy -c"));
  EXPECT_THAT(failure.message(), Not(HasSubstr("sesame")));
}

TEST(HaproxyCfg, RefusesSectionsThatAreNone) {
  EXPECT_THAT(failure_of("listen\n").came_back, HasSubstr("line 1"));
  EXPECT_THAT(failure_of("defaults\n server a b\n").came_back, HasSubstr("line 2"));
}

TEST(HaproxyCfg, BoundsWhatASmallTextCouldMultiply) {
  std::string fronts;
  for (int i = 0; i < 5'000; ++i) fronts += "frontend f\n bind :1\n default_backend b\n";
  std::string backend = "backend b\n";
  for (int i = 0; i < 5'000; ++i) backend += " server a b\n";
  failure_of(fronts + backend);  // 25 million servers

  std::string binds = "listen a\n";
  for (int i = 0; i < 5'000; ++i) binds += " bind :1-100\n";
  failure_of(binds);

  const HaproxyCfg wide = parse("listen a\n bind :1-65535\n");
  EXPECT_THAT(wide.listeners.at(0).binds, ElementsAre(Endpoint{"*", 1}));
  EXPECT_THAT(wide.remarks, ElementsAre(HasSubstr("line 2")));
}

}  // namespace
}  // namespace pgfiredrill
