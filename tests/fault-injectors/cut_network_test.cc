/// What is cut off from whom, and that nobody is locked out by it.

#include <gmock/gmock.h>

#include "fault-injectors/addresses.h"
#include "fault-injectors/cut_entries.h"
#include "tests/fault-injectors/fake_helper.h"

namespace pgfiredrill::fault {
namespace {

using namespace std::chrono_literals;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::HostDrill;
using ::testing::IsEmpty;
using ::testing::Not;

const Victim kLeaderHost{.host = "pg1", .member = "pgnode01", .consensus = "etcd1"};
const Failure kLockedOut{.kind = FailureKind::timed_out, .what = "log in"};

std::vector<std::string> entries(HostDrill& drill, const std::string& from) {
  const auto listed = cut_entries(from, kLeaderHost, drill.tools());
  EXPECT_TRUE(listed) << listed.error().message();
  return listed ? *listed : std::vector<std::string>{};
}

std::string refusal(HostDrill& drill, const std::string& from) {
  const auto listed = cut_entries(from, kLeaderHost, drill.tools());
  return listed ? "it was listed" : listed.error().message();
}

TEST(CutEntries, OfPeersAreTheirServicesAndOurs) {
  HostDrill drill;
  EXPECT_THAT(
      entries(drill, kFromPeers),
      ElementsAre("local/tcp/127.0.0.2/2379", "local/tcp/127.0.0.2/2380", "local/tcp/127.0.0.2/5432",
                  "local/tcp/127.0.0.2/6432", "local/tcp/127.0.0.2/8008", "remote/tcp/127.0.0.2/2379",
                  "remote/tcp/127.0.0.2/2380", "remote/tcp/127.0.0.2/5432", "remote/tcp/127.0.0.2/6432",
                  "remote/tcp/127.0.0.2/8008", "vrrp/127.0.0.2", "vrrp/224.0.0.18"));
}

TEST(CutEntries, OfPeersWithoutKeepalivedHaveNoVrrp) {
  HostDrill drill;
  drill.drill.cluster.virtual_addresses.clear();
  EXPECT_THAT(entries(drill, kFromPeers), Not(Contains(HasSubstr("vrrp"))));
}

// A client of the store falls back to the member on its own host, by loopback or by the host's address.
TEST(CutEntries, OfTheConsensusStoreIncludeLoopbackAndTheHostItself) {
  HostDrill drill;
  drill.drill.cluster.consensus[0].endpoint = "https://127.0.0.21:2379";
  EXPECT_THAT(entries(drill, kFromConsensus),
              ElementsAre("remote/tcp/127.0.0.1/2379", "remote/tcp/127.0.0.2/2379",
                          "remote/tcp/127.0.0.21/2379", "remote/tcp/::1/2379"));
}

TEST(CutEntries, OfBalancersAreThoseThatAskOurServices) {
  HostDrill drill;
  const auto listed = entries(drill, kFromBalancers);
  for (const char* entry :
       {"local/tcp/127.0.0.1/6432", "local/tcp/127.0.0.2/5432", "local/tcp/127.0.0.2/8008"})
    EXPECT_THAT(listed, Contains(entry));
  EXPECT_THAT(listed, Not(Contains(HasSubstr("5000")))) << "that is for clients";
}

// The address that this machine has on the way to 127.0.0.1 is 127.0.0.1.
TEST(CutEntries, OfTheTesterAreClientsPortsAndNeverSsh) {
  HostDrill drill;
  drill.drill.cluster.entry_points.push_back({.host = "pg1", .address = {.host = "127.0.0.1", .port = 22}});
  EXPECT_THAT(entries(drill, kFromTester),
              ElementsAre("local/tcp/127.0.0.1/5000", "local/tcp/127.0.0.1/5432", "local/tcp/127.0.0.1/6432",
                          "local/tcp/127.0.0.1/8008"));
}

TEST(CutEntries, OfPatroniAreItsRestOnly) {
  HostDrill drill;
  EXPECT_THAT(entries(drill, kFromPatroni),
              ElementsAre("local/tcp/127.0.0.1/8008", "local/tcp/127.0.0.2/8008"));
}

TEST(CutEntries, OfARepositoryAreItsEndpointAsTheHostResolvesIt) {
  HostDrill drill;
  EXPECT_THAT(entries(drill, kFromRepository1), ElementsAre("remote/tcp/127.0.0.9/9001"));
  EXPECT_THAT(entries(drill, kFromRepository2), ElementsAre("remote/tcp/127.0.0.9/443"));
  EXPECT_THAT(drill.pg1.commands().back().argv, ElementsAre("getent", "ahosts", "s3.example"));
  EXPECT_FALSE(drill.pg1.commands().back().as_root);
}

TEST(CutEntries, OfARepositoryThatCannotBeToldApartAreRefused) {
  HostDrill drill;
  drill.on_pg1.getent.clear();
  EXPECT_THAT(refusal(drill, kFromRepository2), HasSubstr("its resolver knows none"));
  drill.drill.cluster.repositories[1].location = "s3://two/data at $(reboot)";
  EXPECT_THAT(refusal(drill, kFromRepository2), HasSubstr("cannot"));
  drill.drill.cluster.repositories[1].location = "posix /var/lib/pgbackrest on backup1";
  EXPECT_THAT(refusal(drill, kFromRepository2), HasSubstr("SSH"));
  drill.drill.cluster.repositories.pop_back();
  EXPECT_THAT(refusal(drill, kFromRepository2), HasSubstr("none of that number"));
}

TEST(CutEntries, OfNobodyAreRefused) {
  HostDrill drill;
  drill.drill.cluster.consensus.clear();
  EXPECT_THAT(refusal(drill, kFromConsensus), HasSubstr("the cluster has none"));
  drill.drill.cluster.statistics.clear();
  EXPECT_THAT(refusal(drill, kFromBalancers), HasSubstr("the cluster has none"));
  EXPECT_THAT(refusal(drill, "everything"), HasSubstr("no one"));
}

// A filter with a name in it would ask a name server that may be cut off.
TEST(CutEntries, OfHostsThatOnlyHaveNamesAreRefused) {
  HostDrill drill;
  drill.drill.cluster.hosts[1].address = "pg2.example";
  drill.drill.cluster.members[1].postgres.host = "pg2.example";
  drill.drill.cluster.statistics.clear();
  EXPECT_THAT(refusal(drill, kFromPeers), HasSubstr("only names"));
}

TEST(CutEntries, OfMoreThanTheHelperTakesAreRefused) {
  HostDrill drill;
  for (int i = 1; i <= 30; ++i) {
    const std::string name = "far" + std::to_string(i);
    drill.drill.cluster.members.push_back(
        {.name = name, .host = name, .postgres = {.host = "127.0.1." + std::to_string(i), .port = 5432}});
  }
  EXPECT_THAT(refusal(drill, kFromPeers), HasSubstr("too many"));
}

TEST(Addresses, AreLiteralsThatNameOneHost) {
  EXPECT_TRUE(is_address("10.0.0.1"));
  EXPECT_TRUE(is_address("fe80::1"));
  for (const char* other : {"", "pg1", "10.0.0", "10.0.0.1/24", "10.0.0.1 ", "1.2.3.4;reboot"})
    EXPECT_FALSE(is_address(other)) << other;
  ClusterDescription cluster;
  cluster.hosts = {{.name = "pg1", .address = "pg1.example", .bind_address = "0.0.0.0"}};
  EXPECT_FALSE(addresses_of(cluster, "pg1"));
  EXPECT_FALSE(own_address_towards("pg1.example"));
}

TEST(CutNetwork, SaysHowAndInWhichDirection) {
  HostDrill drill;
  const auto fault =
      drill.aimed({.kind = "cut-network",
                   .options = {{"from", "repository1"}, {"direction", "out"}, {"action", "refuse"}}});
  ASSERT_TRUE(fault->arm());
  EXPECT_THAT(drill.on_pg1.broken(), ElementsAre("cut refuse out remote/tcp/127.0.0.9/9001"));
}

TEST(CutNetwork, IsUndoneAtOnceWhereWeAreLockedOut) {
  HostDrill drill;
  const auto fault =
      drill.aimed({.kind = "cut-network", .target = "all", .options = {{"from", "consensus"}}});
  ASSERT_TRUE(fault->arm());
  drill.pg2.new_login = kLockedOut;
  const auto injected = fault->inject();
  ASSERT_FALSE(injected);
  EXPECT_FALSE(injected.error().transaction_in_doubt) << "nothing of it is in force";
  EXPECT_THAT(injected.error().message(), HasSubstr("undone at once"));
  EXPECT_THAT(drill.on_pg1.pending(), IsEmpty());
  EXPECT_THAT(drill.on_pg2.pending(), IsEmpty());
}

TEST(CutNetwork, IsInDoubtWhereItCannotBeUndoneAtOnce) {
  HostDrill drill;
  const auto fault = drill.aimed({.kind = "cut-network", .options = {{"from", "consensus"}}});
  ASSERT_TRUE(fault->arm());
  drill.pg1.new_login = kLockedOut;
  drill.on_pg1.refuses["revert"] = kStillInForce;
  const auto injected = fault->inject();
  ASSERT_FALSE(injected);
  EXPECT_TRUE(injected.error().transaction_in_doubt);
  EXPECT_THAT(injected.error().message(), HasSubstr("timer"));
}

TEST(CutNetwork, RefusesThePortByWhichWeLogIn) {
  HostDrill drill;
  drill.drill.cluster.hosts[0].ssh.port = 6432;
  EXPECT_THAT(drill.refusal({.kind = "cut-network", .options = {{"from", "tester"}}}),
              HasSubstr("port 6432"));
}

// Behind a translated address the host sees somebody else than we think.
TEST(CutNetwork, FromTheTesterIsProvenByWhatTheTesterSees) {
  HostDrill drill;
  const auto fault = drill.aimed({.kind = "cut-network", .options = {{"from", "tester"}}});
  ASSERT_TRUE(fault->arm());
  ASSERT_TRUE(fault->inject());
  const Evidence seen = fault->verify(3s);
  EXPECT_FALSE(seen.took);
  EXPECT_THAT(seen.sentence, HasSubstr("another address"));
  drill.rest_answers = false;
  EXPECT_TRUE(fault->verify(3s).took);
}

TEST(CutNetwork, FromPeersIsProvenByTheHost) {
  HostDrill drill;
  const auto fault = drill.aimed({.kind = "cut-network"});
  ASSERT_TRUE(fault->arm());
  ASSERT_TRUE(fault->inject());
  EXPECT_TRUE(fault->verify(3s).took);
  drill.on_pg1.in_force = false;
  EXPECT_FALSE(fault->verify(3s).took);
}

TEST(HoldReceive, CutsEveryReplicaOffFromTheLeadersWal) {
  HostDrill drill;
  const auto fault = drill.aimed({.kind = "hold-receive"});
  ASSERT_TRUE(fault->arm());
  EXPECT_THAT(drill.on_pg1.broken(), IsEmpty()) << "the leader may be lost while it is held";
  EXPECT_THAT(drill.on_pg2.broken(), ElementsAre("cut drop both remote/tcp/127.0.0.1/5432"));
}

TEST(HoldReceive, IsProvenByTheLagThatPatroniGoesBy) {
  HostDrill drill;
  drill.drill.cluster.settings.maximum_lag_on_failover_bytes.value = 1000;
  const auto fault = drill.aimed({.kind = "hold-receive"});
  ASSERT_TRUE(fault->arm());
  ASSERT_TRUE(fault->inject());
  auto& lag = drill.drill.probe.now.members[1].lag_bytes;
  lag = 1000;
  EXPECT_FALSE(fault->verify(3s).took) << "it may still be promoted";
  lag.reset();
  EXPECT_FALSE(fault->verify(3s).took);
  lag = 1001;
  const Evidence held = fault->verify(3s);
  EXPECT_TRUE(held.took);
  EXPECT_THAT(held.sentence, HasSubstr("pgnode02 lags by 1001 B"));
}

TEST(HoldReceive, NeedsAReplica) {
  HostDrill drill;
  drill.drill.probe.now.members.pop_back();
  EXPECT_THAT(drill.refusal({.kind = "hold-receive"}), HasSubstr("no replica"));
}

}  // namespace
}  // namespace pgfiredrill::fault
