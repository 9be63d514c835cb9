#include "inventories/ansible_inventory.h"

#include <cstdlib>
#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <unistd.h>

#include "tests/support/fake_process_runner.h"
#include "tests/support/temporary_directory.h"

namespace pgfiredrill {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using testing::FakeProcessRunner;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Key;
using ::testing::Not;
using ::testing::Pair;
using ::testing::SizeIs;
using testing::TemporaryDirectory;

constexpr const char* kTwoServers =
    R"({"master": {"hosts": ["pg1"]}, "replica": {"hosts": ["pg2"]}, "_meta": {"hostvars": {}}})";

bool is_listing(const ProcessRequest& request) {
  return request.argv.front() == "ansible-inventory";
}

ProcessResult printed(std::string out) {
  return {.exit_status = 0, .out = std::move(out), .err = {}};
}

/// Root may read everything: a test of permissions runs as somebody else.
class AsNobody {
 public:
  AsNobody() {
    if (::geteuid() == 0) was_root_ = ::seteuid(65534) == 0;
  }
  ~AsNobody() { EXPECT_TRUE(!was_root_ || ::seteuid(0) == 0); }
  AsNobody(const AsNobody&) = delete;
  AsNobody& operator=(const AsNobody&) = delete;

 private:
  bool was_root_ = false;
};

/// An inventory that is there; what Ansible makes of it is up to the test.
class AnsibleInventory : public ::testing::Test {
 protected:
  Result<ClusterSeed> read(FakeProcessRunner& processes) {
    return read_ansible_inventory(options_, processes);
  }

  Result<ClusterSeed> read_listing(const std::string& listing) {
    FakeProcessRunner processes{[&](const ProcessRequest&) { return printed(listing); }};
    return read(processes);
  }

  Failure failure_of(const FakeProcessRunner::Answer& answer) {
    FakeProcessRunner processes{answer};
    const auto seed = read(processes);
    EXPECT_FALSE(seed);
    const Failure failure = seed ? Failure{} : seed.error();
    EXPECT_THAT(failure.message(), AllOf(HasSubstr(options_.path), Not(HasSubstr("example-"))));
    EXPECT_FALSE(failure.hint.empty());
    return failure;
  }

  TemporaryDirectory directory_;
  AnsibleInventoryOptions options_{.path = directory_.write("hosts", "[master]\npg1\n"),
                                   .vault_password_file = {}};
};

TEST_F(AnsibleInventory, IsListedInOneCallWhereNothingNeedsRendering) {
  options_.vault_password_file = "-pw";
  options_.deadline = 7s;
  FakeProcessRunner processes{[](const ProcessRequest&) { return printed(kTwoServers); }};
  ASSERT_TRUE(read(processes));
  ASSERT_THAT(processes.requests(), SizeIs(1));
  const ProcessRequest request = processes.requests().front();
  EXPECT_THAT(request.argv, ElementsAre("ansible-inventory", "--inventory=" + options_.path,
                                        "--vault-password-file=-pw", "--list"));
  EXPECT_EQ(request.deadline, 7s);
}

/// The user's ansible.cfg counts, but not where it would ask questions, write what was decrypted to a log or
/// change the form of the answer.
TEST_F(AnsibleInventory, OverrulesOnlyWhatWouldSpoilTheAnswer) {
  FakeProcessRunner processes{[](const ProcessRequest&) { return printed(kTwoServers); }};
  ASSERT_TRUE(read(processes));
  const auto environment = processes.requests().front().environment;
  for (const char* name : {"ANSIBLE_ASK_PASS", "ANSIBLE_ASK_VAULT_PASS", "ANSIBLE_BECOME_ASK_PASS",
                           "ANSIBLE_NOCOLOR", "ANSIBLE_VERBOSITY", "ANSIBLE_LOAD_CALLBACK_PLUGINS", "LC_ALL"})
    EXPECT_THAT(environment, Contains(Key(name)));
  EXPECT_THAT(environment, Contains(Pair("ANSIBLE_LOG_PATH", "/dev/null")));
  EXPECT_THAT(environment, Contains(Pair("ANSIBLE_INVENTORY_UNPARSED_FAILED", "1")));
  for (const char* name : {"ANSIBLE_CONFIG", "ANSIBLE_VAULT_PASSWORD_FILE", "ANSIBLE_INVENTORY_ENABLED"})
    EXPECT_THAT(environment, Not(Contains(Key(name))));
}

TEST_F(AnsibleInventory, RendersOnlyWhatHoldsATemplateAndOnlyForTheClustersGroups) {
  FakeProcessRunner processes{[](const ProcessRequest& request) {
    if (is_listing(request)) {
      return printed(
          R"({"master": {"hosts": ["pg1"]}, "balancers": {"hosts": ["lb1"]}, "web": {"hosts": ["w1"]},
        "_meta": {"hostvars": {"pg1": {"ansible_user": "{{ u }}", "ansible_port": 22, "unused": "{{ x }}"},
                               "lb1": {}, "w1": {"ansible_host": "{{ y }}"}}}})");
    }
    return printed(
        "pg1 | SUCCESS => {\"msg\": \"pgfiredrill {\\\"ansible_user\\\": [\\\"deploy\\\"]}\"}\n"
        "lb1 | SUCCESS => {\"msg\": \"pgfiredrill {\\\"ansible_user\\\": [\\\"somebody\\\"]}\"}\n");
  }};
  const auto seed = read(processes);
  ASSERT_TRUE(seed) << seed.error().message();
  ASSERT_THAT(processes.requests(), SizeIs(2));
  const auto argv = processes.requests().back().argv;
  EXPECT_EQ(argv.front(), "ansible");
  EXPECT_EQ(argv.back(), "master:balancers");
  EXPECT_THAT(argv, Contains(AllOf(HasSubstr("ansible_user"), Not(HasSubstr("ansible_port")),
                                   Not(HasSubstr("ansible_host")), Not(HasSubstr("unused")))));
  EXPECT_EQ(seed->hosts[0].ssh.user, "deploy");
  EXPECT_EQ(seed->hosts[1].ssh.user, "");  // lb1 has no such variable in the inventory
}

TEST_F(AnsibleInventory, KeepsOtherHostsWhereOneCannotBeRendered) {
  FakeProcessRunner processes{[](const ProcessRequest& request) {
    if (is_listing(request)) {
      return printed(
          R"({"master": {"hosts": ["pg1"]}, "replica": {"hosts": ["pg2", "pg3"]}, "_meta": {"hostvars": {
        "pg1": {"hostname": "{{ h }}", "secret_word": "example-word"}, "pg2": {"hostname": "{{ h }}"},
        "pg3": {"hostname": "node3"}}}})");
    }
    return printed(
        "pg1 | SUCCESS => {\"msg\": \"pgfiredrill {\\\"hostname\\\": [\\\"node1\\\"]}\"}\n"
        "pg2 | FAILED! => {\"msg\": \"broken by example-word\"}\n");
  }};
  const auto seed = read(processes);
  ASSERT_TRUE(seed) << seed.error().message();
  EXPECT_EQ(seed->hosts[0].hostname, "node1");
  EXPECT_EQ(seed->hosts[1].hostname, "");
  EXPECT_THAT(seed->remarks,
              ElementsAre("hostname of pg2 could not be rendered and is left out: broken by ***."));
}

TEST_F(AnsibleInventory, IsNotThere) {
  options_.path = directory_ / "nothing";
  const Failure failure = failure_of([](const ProcessRequest&) { return printed(kTwoServers); });
  EXPECT_EQ(failure.kind, FailureKind::missing);
  EXPECT_THAT(failure.came_back, HasSubstr("no such file"));
  options_.path.clear();
  EXPECT_EQ(failure_of([](const ProcessRequest&) { return printed(kTwoServers); }).kind,
            FailureKind::missing);
}

TEST_F(AnsibleInventory, CannotBeRead) {
  namespace fs = std::filesystem;
  const auto denied = [this] {
    const AsNobody nobody;
    return failure_of([](const ProcessRequest&) { return printed(kTwoServers); });
  };
  fs::permissions(directory_.path(), fs::perms{0755});
  fs::permissions(options_.path, fs::perms::none);
  EXPECT_EQ(denied().kind, FailureKind::denied);
  fs::permissions(options_.path, fs::perms{0644});
  fs::permissions(directory_.path(), fs::perms::none);
  EXPECT_EQ(denied().kind, FailureKind::denied);
  // As a directory of variables and hosts.
  options_.path = directory_.path();
  fs::permissions(directory_.path(), fs::perms{0744});
  EXPECT_EQ(denied().kind, FailureKind::denied);
  fs::permissions(directory_.path(), fs::perms{0755});
}

TEST_F(AnsibleInventory, HoldsAFileThatCannotBeRead) {
  const Failure failure = failure_of([](const ProcessRequest&) {
    return ProcessResult{
        .exit_status = 1,
        .out = {},
        .err =
            "ERROR! an error occurred while trying to read the file '/srv/group_vars/all.yml': "
            "[Errno 13] Permission denied: b'/srv/group_vars/all.yml'\n"};
  });
  EXPECT_EQ(failure.kind, FailureKind::denied);
  EXPECT_THAT(failure.came_back, HasSubstr("/srv/group_vars/all.yml"));
}

TEST_F(AnsibleInventory, NeedsAnsible) {
  const char* inherited = std::getenv("PATH");
  const std::string path = inherited != nullptr ? inherited : "";
  ::setenv("PATH", directory_.path().c_str(), 1);
  SystemProcessRunner processes;
  const auto seed = read_ansible_inventory(options_, processes);
  ::setenv("PATH", path.c_str(), 1);
  ASSERT_FALSE(seed);
  EXPECT_EQ(seed.error().kind, FailureKind::missing);
  EXPECT_THAT(seed.error().message(), AllOf(HasSubstr("ansible-inventory"), HasSubstr("install ansible-core"),
                                            HasSubstr("--patroni")));
}

TEST_F(AnsibleInventory, TakesTooLong) {
  const Failure failure = failure_of([](const ProcessRequest&) {
    return ProcessResult{.exit_status = 137, .out = "{", .err = {}, .timed_out = true};
  });
  EXPECT_EQ(failure.kind, FailureKind::timed_out);
  EXPECT_THAT(failure.came_back, HasSubstr("after 30 s"));
}

TEST_F(AnsibleInventory, IsTooLarge) {
  const Failure failure = failure_of([](const ProcessRequest&) {
    return ProcessResult{.exit_status = 137, .out = "{", .err = {}, .timed_out = false, .output_cut = true};
  });
  EXPECT_EQ(failure.kind, FailureKind::malformed);
  EXPECT_THAT(failure.came_back, HasSubstr("64 MiB"));
}

TEST_F(AnsibleInventory, MakesAnsibleFailWithoutAWord) {
  const Failure failure = failure_of([](const ProcessRequest&) {
    return ProcessResult{.exit_status = 250, .out = {}, .err = "Traceback\n  password = example-pw\n"};
  });
  EXPECT_EQ(failure.kind, FailureKind::failed);
  EXPECT_THAT(failure.message(), AllOf(HasSubstr("status 250"), HasSubstr("ansible-inventory -i")));
}

TEST_F(AnsibleInventory, MakesAnsibleFailAtRendering) {
  const Failure failure = failure_of([](const ProcessRequest& request) {
    if (is_listing(request))
      return printed(
          R"({"master": {"hosts": ["pg1"]}, "_meta": {"hostvars": {"pg1": {"hostname": "{{ h }}"}}}})");
    return ProcessResult{.exit_status = 5, .out = {}, .err = "ERROR! no such option\n"};
  });
  EXPECT_EQ(failure.kind, FailureKind::failed);
  EXPECT_THAT(failure.came_back, HasSubstr("no such option"));
}

TEST_F(AnsibleInventory, IsAnsweredByWhatIsNoListing) {
  for (const char* listing : {"example-garbage", "", "[]", "{\"master\": "}) {
    const Failure failure = failure_of([&](const ProcessRequest&) { return printed(listing); });
    EXPECT_EQ(failure.kind, FailureKind::malformed) << listing;
  }
}

TEST_F(AnsibleInventory, HasNoPostgres) {
  for (const char* listing : {"{}", R"({"balancers": {"hosts": ["lb1"]}})", R"({"master": {"hosts": []}})"}) {
    const auto seed = read_listing(listing);
    ASSERT_FALSE(seed) << listing;
    EXPECT_EQ(seed.error().kind, FailureKind::malformed);
    EXPECT_THAT(seed.error().message(),
                AllOf(HasSubstr("no PostgreSQL host"), HasSubstr("postgres_cluster")));
  }
}

/// A hostile name must not reach any command line, not even Ansible's.
TEST_F(AnsibleInventory, HasHostileNames) {
  for (const char* name : {"-oProxyCommand=id", "a b", "a\\nb", "a\\u0000b", "", "\\u001b[2J"}) {
    FakeProcessRunner processes{[&](const ProcessRequest&) {
      return printed(R"({"master": {"hosts": [")" + std::string{name} + R"("]}, "_meta": {"hostvars": {")" +
                     name + R"(": {"hostname": "{{ x }}"}}}})");
    }};
    const auto seed = read(processes);
    ASSERT_FALSE(seed) << name;
    EXPECT_EQ(seed.error().kind, FailureKind::malformed);
    EXPECT_THAT(processes.requests(), SizeIs(1));
    EXPECT_EQ(seed.error().message().find_first_of("\n\x1b"), std::string::npos);
  }
}

TEST_F(AnsibleInventory, HasAHostileNameThatIsAnAddressToo) {
  const auto seed = read_listing(R"({"master": {"hosts": ["root@pg1"]}})");
  ASSERT_FALSE(seed);
  EXPECT_THAT(seed.error().message(), HasSubstr("the address"));
}

TEST_F(AnsibleInventory, IsReadInPart) {
  FakeProcessRunner processes{[](const ProcessRequest&) {
    return ProcessResult{.exit_status = 0,
                         .out = kTwoServers,
                         .err = "[WARNING]: Unable to parse /srv/x as an inventory source\n"};
  }};
  const auto seed = read(processes);
  ASSERT_TRUE(seed);
  EXPECT_THAT(seed->remarks, ElementsAre(HasSubstr("could not read a part of the inventory")));
}

TEST_F(AnsibleInventory, NamesOneMachineTwice) {
  const auto seed = read_listing(
      R"({"master": {"hosts": ["pg1"]}, "etcd_cluster": {"hosts": ["10.77.0.11"]}, "replica": {"hosts": ["pg2"]},
          "_meta": {"hostvars": {"pg1": {"ansible_host": "10.77.0.11"}, "pg2": {"ansible_host": "10.77.0.11", "ansible_port": 2222}}}})");
  ASSERT_TRUE(seed);
  EXPECT_THAT(seed->hosts, SizeIs(3));
  EXPECT_THAT(seed->remarks, ElementsAre("pg1 and 10.77.0.11 have the same address, 10.77.0.11."));
}

}  // namespace
}  // namespace pgfiredrill
