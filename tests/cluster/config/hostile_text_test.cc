/// Every reader of configuration files against texts that no program wrote: none may hang, crash, or show in
/// its message what it read.

#include <chrono>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cluster/config/config_text.h"
#include "cluster/config/etcd_conf.h"
#include "cluster/config/haproxy_cfg.h"
#include "cluster/config/keepalived_conf.h"
#include "cluster/config/patroni_yml.h"
#include "cluster/config/pgbackrest_conf.h"
#include "cluster/config/pgbouncer_ini.h"
#include "cluster/config/vip_manager_yml.h"
#include "cluster/pgbackrest_info.h"
#include "tests/support/fixture.h"

namespace pgfiredrill {
namespace {

using std::chrono::steady_clock;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::read_fixture;

template <typename T>
std::optional<Failure> failure_of(const Result<T>& result) {
  return result ? std::nullopt : std::optional{result.error()};
}

struct Reader {
  const char* name;
  const char* fixture;
  const char* into_value;  ///< a text behind which a value stands
  std::function<std::optional<Failure>(const std::string&)> read;
};

std::vector<Reader> config_readers() {
  return {
      {"haproxy", "../lab/haproxy.cfg", "listen a\n bind ",
       [](const auto& t) { return failure_of(parse_haproxy_cfg(t, "file")); }},
      {"patroni", "patroni.yml", "scope: a\nname: a\netcd3:\n  hosts: ",
       [](const auto& t) { return failure_of(parse_patroni_yml(t, "file")); }},
      {"pgbouncer", "pgbouncer.ini",
       "[databases]\na = ", [](const auto& t) { return failure_of(parse_pgbouncer_ini(t, "file")); }},
      {"etcd", "etcd.conf",
       "ETCD_INITIAL_CLUSTER=", [](const auto& t) { return failure_of(parse_etcd_conf(t, "file")); }},
      {"keepalived", "keepalived.conf", "vrrp_instance a {\n virtual_ipaddress {\n ",
       [](const auto& t) { return failure_of(parse_keepalived_conf(t, "file")); }},
      {"vipmanager", "vip-manager.yml",
       "ip: ", [](const auto& t) { return failure_of(parse_vip_manager_yml(t, "file")); }},
      {"pgbackrest", "pgbackrest.conf", "[a]\ndb-include=",
       [](const auto& t) {
         return failure_of(parse_pgbackrest_conf({{"file", t}}));
       }},
  };
}

std::vector<Reader> readers() {
  std::vector<Reader> all = config_readers();
  all.push_back({"info", "pgbackrest-info.json", "[{\"name\":\"lab\",\"repo\":", [](const auto& t) {
                   return failure_of(parse_pgbackrest_info(t, "lab", "file"));
                 }});
  return all;
}

class HostileText : public ::testing::TestWithParam<Reader> {
 protected:
  /// What came of it; fails the test where it took too long or a message is not as it should be.
  static std::optional<Failure> read(const std::string& text) {
    const auto begun = steady_clock::now();
    const auto failure = GetParam().read(text);
    // Generous for sanitizers on a busy machine; what is quadratic takes minutes.
    EXPECT_LT(steady_clock::now() - begun, std::chrono::seconds{8});
    if (failure) {
      EXPECT_EQ(failure->kind, FailureKind::malformed);
      EXPECT_EQ(failure->where, "file");
      EXPECT_THAT(failure->message(), Not(HasSubstr("sesame")));
      EXPECT_LT(failure->message().size(), 300u);
    }
    return failure;
  }

  static std::string fixture() {
    return read_fixture(std::string{"cluster/data/config/"} + GetParam().fixture);
  }
};

/// What holds for configuration files and not for pgBackRest's answer: JSON knows NUL in its own way, and a
/// long history is no attack.
class HostileConfigText : public HostileText {};

std::string repeated(const std::string& part, std::size_t bytes) {
  std::string result;
  while (result.size() < bytes) result += part;
  return result;
}

constexpr std::size_t kMegabyte = 1'000'000;
/// Where many texts are tried: what is quadratic shows at this size, too.
constexpr std::size_t kLarge = 200'000;

TEST_P(HostileText, TheFixtureIsRead) {
  EXPECT_FALSE(read(fixture()));
}

TEST_P(HostileText, Nothing) {
  read("");
  read("\n");
  read(" \t\r\n ");
}

TEST_P(HostileConfigText, NulBytesAreRefusedWithTheirLine) {
  const auto failure = read(fixture() + "\n" + std::string(1, '\0') + "sesame");
  ASSERT_TRUE(failure);
  EXPECT_THAT(failure->came_back, HasSubstr("has a NUL byte"));
  EXPECT_TRUE(read(std::string(kMegabyte, '\0')));
}

TEST_P(HostileConfigText, AnythingTooLargeIsRefused) {
  const auto failure = read(std::string(kMaximumConfigBytes + 1, '#'));
  ASSERT_TRUE(failure);
  EXPECT_THAT(failure->came_back, HasSubstr("larger than"));
}

TEST_P(HostileText, AHugeLine) {
  for (const char* part :
       {"a",   "sesame ", "#", "\"", "'",  "\\", "=",  "a=",   ":",        "a: ",
        "[",   "{",       "}", "]",  "${", "$",  "''", "- ",   "? ",       "&a ",
        "*a ", "!",       "%", ",",  "|",  ">",  "\t", "a=b,", "bind :1 ", "server a b inter "}) {
    read(repeated(part, kLarge));
    read(fixture() + repeated(part, kLarge));
    read(GetParam().into_value + repeated(part, kLarge));
  }
}

TEST_P(HostileText, AMegabyteOnOneLine) {
  read(std::string(kMegabyte, 'a'));
  read(GetParam().into_value + std::string(kMegabyte, 'a'));
}

TEST_P(HostileText, VeryManyLines) {
  for (const char* line : {"\n",
                           "a\n",
                           "a: b\n",
                           "- a\n",
                           "a = b\n",
                           "[a]\n",
                           "listen a\n",
                           "defaults a\n",
                           "x {\n",
                           "}\n",
                           "\\\n",
                           "a=\\\n",
                           "? a\n",
                           "a: &a *a\n",
                           "'\n",
                           "\"\n",
                           " - \n",
                           "frontend a\ndefault_backend a\n",
                           "vrrp_instance a {\n}\n",
                           "%include a\n",
                           "a: |\n"}) {
    read(repeated(line, kLarge));
    read(fixture() + repeated(line, kLarge));
  }
}

TEST_P(HostileText, DeepIndentation) {
  std::string staircase;
  for (std::size_t depth = 0; staircase.size() < kLarge; ++depth)
    staircase += std::string(depth, ' ') + "a:\n";
  read(staircase);
}

TEST_P(HostileText, CutAnywhere) {
  const std::string whole = fixture();
  for (std::size_t length = 0; length < whole.size(); ++length) read(whole.substr(0, length));
}

TEST_P(HostileText, Binary) {
  std::mt19937 random{1};
  for (int round = 0; round < 50; ++round) {
    std::string noise(4'096, ' ');
    for (char& c : noise) c = static_cast<char>(1 + random() % 255);
    read(noise);
  }
}

TEST_P(HostileText, BytesChanged) {
  const std::string whole = fixture();
  const std::string favourites = "\"'\\{}[]#!$=:,&*|>%@`-? \t\n\r\x01\x7f\xff";
  std::mt19937 random{2};
  for (int round = 0; round < 3'000; ++round) {
    std::string text = whole;
    for (unsigned changes = 1 + random() % 4; changes > 0; --changes) {
      text[random() % text.size()] = favourites[random() % favourites.size()];
    }
    read(text);
  }
}

std::string name_of(const ::testing::TestParamInfo<Reader>& reader) {
  return reader.param.name;
}

INSTANTIATE_TEST_SUITE_P(Readers, HostileConfigText, ::testing::ValuesIn(config_readers()), name_of);
INSTANTIATE_TEST_SUITE_P(Readers, HostileText, ::testing::ValuesIn(readers()), name_of);

}  // namespace
}  // namespace pgfiredrill
