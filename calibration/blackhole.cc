#include "calibration/blackhole.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <sstream>
#include <system_error>
#include <utility>
#include <vector>

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include "base/text.h"
#include "record/descriptor.h"

namespace pgfiredrill {
namespace {

constexpr std::string_view kTag = "pgfd-cal-";
constexpr const char* kNamespaces = "/run/netns";

constexpr const char* kRules = R"(
table inet pgfd_cal {
  set ports { type inet_service; }
  chain input { type filter hook input priority 0; tcp dport @ports drop; }
  chain output { type filter hook output priority 0; tcp sport @ports drop; }
}
)";

Failure refusal(const std::vector<std::string>& argv, const std::string& came_back) {
  return {.kind = FailureKind::failed,
          .what = "make a network namespace for dropping packets",
          .where = fmt::format("{}", fmt::join(argv, " ")),
          .came_back = one_line(came_back),
          .hint = "It needs root, and the programs ip (iproute2) and nft (nftables)."};
}

Result<std::string> run(ProcessRunner& runner, const std::vector<std::string>& argv,
                        const std::string& input = "") {
  auto result = runner.run({.argv = argv, .input = input});
  if (!result) return result.error();
  if (result->exit_status != 0) return refusal(argv, result->err);
  return result->out;
}

bool alive(std::int64_t process) {
  return ::kill(static_cast<pid_t>(process), 0) == 0 || errno != ESRCH;
}

/// Of the veth pair's ends; at most 15 characters.
std::string outer_end(std::int64_t process) {
  return fmt::format("pgfdo{}", process);
}
std::string inner_end(std::int64_t process) {
  return fmt::format("pgfdi{}", process);
}

std::string namespace_of(std::int64_t process) {
  return fmt::format("{}{}", kTag, process);
}

/// The pair by its outer end: a namespace lives for as long as somebody has a socket of it.
void remove(ProcessRunner& runner, std::int64_t process) {
  (void)run(runner, {"ip", "link", "del", outer_end(process)});
  (void)run(runner, {"ip", "netns", "del", namespace_of(process)});
}

/// What a process left that could not clean up after itself.
void remove_leftovers(ProcessRunner& runner) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator{kNamespaces, error}) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(kTag)) continue;
    const auto process = parse_integer(name.substr(kTag.size()));
    if (process && *process > 0 && !alive(*process)) remove(runner, *process);
  }
}

Result<void> lay(ProcessRunner& runner, const std::string& name, const LinkAddresses& link) {
  const std::string outer = outer_end(::getpid());
  const std::string inner = inner_end(::getpid());
  const std::vector<std::vector<std::string>> steps{
      {"ip", "netns", "add", name},
      {"ip", "link", "add", outer, "type", "veth", "peer", "name", inner, "netns", name},
      {"ip", "address", "add", link.outer + "/30", "dev", outer},
      {"ip", "link", "set", outer, "up"},
      {"ip", "-n", name, "address", "add", link.inner + "/30", "dev", inner},
      {"ip", "-n", name, "link", "set", inner, "up"},
      {"ip", "-n", name, "link", "set", "lo", "up"}};
  for (const auto& step : steps) {
    if (auto done = run(runner, step); !done) return done.error();
  }
  auto rules = run(runner, {"ip", "netns", "exec", name, "nft", "-f", "-"}, kRules);
  if (!rules) return rules.error();
  return {};
}

struct Network {
  std::uint32_t address = 0;
  int bits = 32;

  [[nodiscard]] bool meets(const Network& other) const {
    const int common = std::min(bits, other.bits);
    return common == 0 || (address ^ other.address) >> (32 - common) == 0;
  }
};

/// "10.82.0.0/24", or an address alone.
std::optional<Network> parse_network(const std::string& word) {
  const auto slash = word.find('/');
  in_addr address{};
  if (::inet_pton(AF_INET, word.substr(0, slash).c_str(), &address) != 1) return std::nullopt;
  const auto bits = slash == std::string::npos ? 32 : parse_integer(word.substr(slash + 1)).value_or(-1);
  if (bits < 0 || bits > 32) return std::nullopt;
  return Network{ntohl(address.s_addr), static_cast<int>(bits)};
}

/// Every network and address that is named; the default route is a word of its own and none of them.
std::vector<Network> networks_in(const std::string& routes) {
  std::vector<Network> networks;
  std::istringstream words{routes};
  for (std::string word; words >> word;) {
    if (const auto network = parse_network(word)) networks.push_back(*network);
  }
  return networks;
}

std::string dotted(std::uint32_t address) {
  return fmt::format("{}.{}.{}.{}", address >> 24, address >> 16 & 0xFF, address >> 8 & 0xFF, address & 0xFF);
}

}  // namespace

LinkAddresses free_link(const std::string& routes, unsigned preference) {
  constexpr std::uint32_t kFirst = 198U << 24 | 18U << 16;
  constexpr unsigned kLinks = 1U << 15;  // of /30 in a /15
  const auto taken = networks_in(routes);
  std::uint32_t network = kFirst;
  for (unsigned i = 0; i < kLinks; ++i) {
    network = kFirst + (preference + i) % kLinks * 4;
    const bool meets = std::any_of(taken.begin(), taken.end(), [&](const Network& one) {
      return one.meets({network, 30});
    });
    if (!meets) break;
  }
  return {.outer = dotted(network + 1), .inner = dotted(network + 2)};
}

Blackhole::Blackhole(ProcessRunner& runner, std::string name, std::string address)
    : runner_{runner}, name_{std::move(name)}, address_{std::move(address)} {}

Result<std::unique_ptr<Blackhole>> Blackhole::create(ProcessRunner& runner) {
  remove_leftovers(runner);
  auto routes = run(runner, {"ip", "-4", "route", "show", "table", "all"});
  if (!routes) return routes.error();
  const LinkAddresses link = free_link(*routes, static_cast<unsigned>(::getpid()));
  const std::string name = namespace_of(::getpid());
  // From the first step on, so that half of it is removed too.
  std::unique_ptr<Blackhole> blackhole{new Blackhole{runner, name, link.inner}};
  if (auto laid = lay(runner, name, link); !laid) return laid.error();
  return blackhole;
}

Blackhole::~Blackhole() {
  remove(runner_, ::getpid());
}

Result<std::unique_ptr<InsideNamespace>> InsideNamespace::enter(const std::string& name) {
  const auto failure = [&name] {
    return Failure{.kind = FailureKind::failed,
                   .what = "enter the network namespace " + name,
                   .came_back = std::strerror(errno)};
  };
  Descriptor before{::open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC)};
  const Descriptor inside{::open(fmt::format("{}/{}", kNamespaces, name).c_str(), O_RDONLY | O_CLOEXEC)};
  if (!before.open() || !inside.open() || ::setns(inside.get(), CLONE_NEWNET) != 0) return failure();
  return std::unique_ptr<InsideNamespace>{new InsideNamespace{std::move(before)}};
}

InsideNamespace::~InsideNamespace() {
  // Whatever came after it would be done in the wrong place.
  if (::setns(before_.get(), CLONE_NEWNET) != 0) std::abort();
}

}  // namespace pgfiredrill
