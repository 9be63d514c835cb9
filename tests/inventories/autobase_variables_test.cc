#include "inventories/autobase_variables.h"

#include <string>

#include <gmock/gmock.h>

namespace pgfiredrill {
namespace {

using namespace std::string_literals;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

HostVariables with(std::initializer_list<std::pair<const char*, std::string>> texts) {
  HostVariables variables;
  for (const auto& [name, text] : texts) variables[name].text = text;
  return variables;
}

struct Described {
  HostDescription host;
  std::vector<std::string> remarks;
};

Described describe(const HostVariables& variables, std::set<HostRole> roles = {HostRole::postgres}) {
  Described described;
  described.host.name = "pg1";
  described.host.roles = std::move(roles);
  const auto done = describe_host(variables, described.host, described.remarks);
  EXPECT_TRUE(done.has_value()) << (done ? "" : done.error().message());
  return described;
}

Failure refusal(const HostVariables& variables) {
  HostDescription host;
  host.name = "pg1";
  std::vector<std::string> remarks;
  const auto done = describe_host(variables, host, remarks);
  EXPECT_FALSE(done.has_value());
  return done ? Failure{} : done.error();
}

TEST(DescribeHost, TakesTheNameWhereThereIsNoAddress) {
  const auto [host, remarks] = describe({});
  EXPECT_EQ(host.address, "pg1");
  EXPECT_EQ(host.ssh.user, "");
  EXPECT_EQ(host.ssh.port, std::nullopt);
  EXPECT_TRUE(host.ssh.become_password.empty());
  EXPECT_THAT(remarks, IsEmpty());
}

TEST(DescribeHost, TakesAddressesOfEveryFamily) {
  for (const char* address : {"10.77.0.11", "fd00::11", "fe80::1%eth0", "pg1.example", "pg_1-a.example"})
    EXPECT_EQ(describe(with({{"ansible_host", address}})).host.address, address);
}

/// An address that ssh takes for an option runs commands on this machine.
TEST(DescribeHost, RefusesAddressesThatSshWouldReadInItsOwnWay) {
  for (const std::string& address : {"-oProxyCommand=id"s, "ssh://pg1"s, "root@pg1"s, "pg1 -v"s, "pg1\n"s,
                                     "pg1\0x"s, "a\x1b[2J"s, "p;id"s, "$(id)"s, std::string(300, 'a')}) {
    const Failure failure = refusal(with({{"ansible_host", address}}));
    EXPECT_EQ(failure.kind, FailureKind::malformed) << address;
    EXPECT_EQ(failure.where, "pg1");
    EXPECT_THAT(failure.message(), AllOf(HasSubstr("the address"), HasSubstr("Correct it in the inventory")));
    EXPECT_EQ(failure.message().find_first_of("\n\x1b"), std::string::npos);
  }
}

TEST(DescribeHost, RefusesUsersThatAreOptionsOrDoNotPrint) {
  for (const std::string& user : {"-lroot"s, "a b"s, "a\tb"s, "a\0b"s})
    EXPECT_THAT(refusal(with({{"ansible_user", user}})).what, HasSubstr("the user")) << user;
  EXPECT_EQ(describe(with({{"ansible_user", "me@corp.example"}})).host.ssh.user, "me@corp.example");
}

TEST(DescribeHost, RefusesKeyFilesThatAreOptionsOrDoNotPrint) {
  for (const std::string& file : {"-x"s, "/k\n"s, "/k\0x"s})
    EXPECT_THAT(refusal(with({{"ansible_ssh_private_key_file", file}})).what, HasSubstr("private key file"))
        << file;
  EXPECT_EQ(describe(with({{"ansible_private_key_file", "~/my keys/id"}})).host.ssh.private_key_file,
            "~/my keys/id");
}

TEST(DescribeHost, PutsCommonBeforeExtraArguments) {
  EXPECT_THAT(describe(with({{"ansible_ssh_extra_args", "-C"}, {"ansible_ssh_common_args", "-J 'a b'"}}))
                  .host.ssh.arguments,
              ElementsAre("-J", "a b", "-C"));
  EXPECT_THAT(refusal(with({{"ansible_ssh_common_args", "-J 'a"}})).message(),
              AllOf(HasSubstr("ansible_ssh_common_args on pg1"), HasSubstr("not closed")));
}

TEST(DescribeHost, TakesTheBindAddressOfTheHostsMainService) {
  const auto variables = with({{"bind_address", "10.78.0.1"},
                               {"patroni_bind_address", "10.78.0.2"},
                               {"haproxy_bind_address", "10.78.0.3"},
                               {"etcd_bind_address", "10.78.0.4"}});
  using enum HostRole;
  EXPECT_EQ(describe(variables, {postgres, balancer, consensus}).host.bind_address, "10.78.0.2");
  EXPECT_EQ(describe(variables, {balancer, consensus}).host.bind_address, "10.78.0.3");
  EXPECT_EQ(describe(variables, {consensus}).host.bind_address, "10.78.0.4");
  EXPECT_EQ(describe(variables, {repository}).host.bind_address, "10.78.0.1");
  EXPECT_EQ(describe(with({{"consul_bind_address", "10.78.0.5"}}), {consensus}).host.bind_address,
            "10.78.0.5");
}

TEST(DescribeHost, TakesNoBindAddressThatIsNoneToConnectTo) {
  EXPECT_EQ(describe(with({{"bind_address", "0.0.0.0"}})).host.bind_address, "");
  EXPECT_EQ(describe(with({{"bind_address", "::"}})).host.bind_address, "");
  const auto hostile = describe(with({{"bind_address", "-o"}}));
  EXPECT_EQ(hostile.host.bind_address, "");
  EXPECT_THAT(hostile.remarks, ElementsAre(HasSubstr("bind_address")));
}

TEST(DescribeHost, RemarksValuesThatAreNoneAndGoesOn) {
  const auto [host, remarks] = describe(with({{"ansible_port", "70000"}, {"ansible_become", "maybe"}}));
  EXPECT_EQ(host.ssh.port, std::nullopt);
  EXPECT_FALSE(host.ssh.become);
  EXPECT_THAT(remarks, ElementsAre(HasSubstr("is no port"), HasSubstr("neither true nor false")));
}

TEST(DescribeHost, RemarksWaysToLogInThatAreNotUsed) {
  const auto [host, remarks] = describe(
      with({{"ansible_connection", "local"}, {"ansible_become_method", "su"}, {"ansible_password", ""}}));
  EXPECT_THAT(remarks, ElementsAre(HasSubstr("ansible_connection=local"),
                                   HasSubstr("ansible_become_method=su"), HasSubstr("login password")));
  EXPECT_THAT(describe(with({{"ansible_connection", "ansible.builtin.ssh"}})).remarks, IsEmpty());
}

TEST(DescribeHost, DoesNotGuessAnAddressThatWasNotRendered) {
  EXPECT_EQ(refusal(with({{"ansible_host", "{{ x }}"}})).kind, FailureKind::malformed);
}

TEST(DescribeHost, LeavesOutWhatWasNotRendered) {
  EXPECT_EQ(describe(with({{"ansible_user", "{{ x }}"}, {"hostname", "{% x %}"}})).host.ssh.user, "");
  EXPECT_EQ(describe(with({{"ansible_ssh_user", "{{ x }}"}, {"ansible_user", "deploy"}})).host.ssh.user,
            "deploy");
}

TEST(CheckName, RefusesOptionsAndWhatDoesNotPrint) {
  for (const std::string& name : {""s, "-oProxyCommand=id"s, "a b"s, "a\nb"s, "a\0b"s, std::string(256, 'a')})
    EXPECT_FALSE(check_name(name)) << name;
  EXPECT_TRUE(check_name("pg1.example"));
}

class ReadSettings : public ::testing::Test {
 protected:
  void host(const std::string& name, HostVariables variables) {
    hosts_.emplace_back().name = name;
    listing_.host_variables[name] = std::move(variables);
  }
  InventorySettings read() { return read_settings(hosts_, listing_, remarks_); }

  std::vector<HostDescription> hosts_;
  InventoryListing listing_;
  std::vector<std::string> remarks_;
};

TEST_F(ReadSettings, TakeEachFromTheFirstHostThatHasIt) {
  host("pg1", with({{"patroni_cluster_name", "shop"}}));
  host("pg2", with({{"patroni_cluster_name", "shop"}, {"postgresql_port", "5433"}}));
  EXPECT_EQ(read().cluster_name, "shop");
  EXPECT_EQ(read().postgresql_port, 5433);
  EXPECT_THAT(remarks_, IsEmpty());
}

TEST_F(ReadSettings, RemarkWhereHostsDifferOnce) {
  for (const char* name : {"shop", "other", "third"}) host(name, with({{"patroni_cluster_name", name}}));
  EXPECT_EQ(read().cluster_name, "shop");
  EXPECT_THAT(remarks_, ElementsAre("patroni_cluster_name is not the same on all hosts of the inventory."));
}

TEST_F(ReadSettings, SayWhetherPatroniHasTlsOnlyWhereTheInventoryDoes) {
  EXPECT_EQ(read().patroni_tls, std::nullopt);
  host("pg1", with({{"tls_cert_generate", "true"}}));  // https only since some release
  EXPECT_EQ(read().patroni_tls, std::nullopt);
  host("pg2", with({{"tls_cert_generate", "false"}}));
  EXPECT_EQ(read().patroni_tls, false);
}

TEST_F(ReadSettings, TakePatronisProtocolBeforeTheCertificates) {
  host("pg1", with({{"patroni_restapi_protocol", "https"}, {"tls_cert_generate", "false"}}));
  EXPECT_EQ(read().patroni_tls, true);
}

TEST_F(ReadSettings, LeaveOutPortsThatAreNone) {
  HostVariables variables = with({{"pgbouncer_listen_port", "-1"}});
  variables["haproxy_listen_port"].entries = {
      {"master", "5000"}, {"replicas", "x"}, {"stats", "99999999999999999999"}};
  host("pg1", variables);
  const InventorySettings settings = read();
  EXPECT_EQ(settings.pgbouncer_port, std::nullopt);
  EXPECT_EQ(settings.haproxy_ports, (std::map<std::string, int>{{"master", 5000}}));
  EXPECT_THAT(remarks_, SizeIs(3));
}

TEST_F(ReadSettings, RefuseNamesThatDoNotPrint) {
  host("pg1", with({{"patroni_cluster_name", "a\nb"}, {"cluster_vip", "-x"}}));
  EXPECT_EQ(read().cluster_name, "");
  EXPECT_THAT(remarks_, SizeIs(2));
}

TEST(HostsByRole, WorkWithoutTheParentGroup) {
  InventoryListing listing;
  listing.groups = {{"master", {{"pg1"}, {}}}, {"replica", {{"pg2"}, {}}}, {"web", {{"w1"}, {}}}};
  const auto hosts = hosts_by_role(listing);
  ASSERT_THAT(hosts, SizeIs(2));
  EXPECT_EQ(hosts[0].name, "pg1");
  EXPECT_TRUE(hosts[0].inventory_master);
  EXPECT_FALSE(hosts[1].inventory_master);
}

TEST(HostsByRole, WorkWithoutMasterAndReplica) {
  InventoryListing listing;
  listing.groups = {{"postgres_cluster", {{"pg1", "pg2"}, {}}}};
  EXPECT_THAT(hosts_by_role(listing), SizeIs(2));
}

}  // namespace
}  // namespace pgfiredrill
