#pragma once

/// A network namespace behind a veth pair, in which packets of chosen ports can be dropped both ways. Only
/// the kernel can lose packets: a proxy acknowledges what it is sent. Needs root.
///
/// Everything that it makes is named pgfd-cal-<process>: it touches nothing else. What a process left that is
/// no more is removed when the next one is made. The address is of 198.18.0.0/15, which is set aside for
/// measuring and routed nowhere.

#include <memory>
#include <string>
#include <utility>

#include "base/failure.h"
#include "base/process.h"
#include "record/descriptor.h"

namespace pgfiredrill {

class Blackhole {
 public:
  /// Blocking. Fails where this user may not, or a program is missing (`ip`, `nft`), with a hint.
  [[nodiscard]] static Result<std::unique_ptr<Blackhole>> create(ProcessRunner& runner);
  /// Removes it: the pair and the rules go with the namespace.
  ~Blackhole();
  Blackhole(const Blackhole&) = delete;
  Blackhole& operator=(const Blackhole&) = delete;

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  /// Of its inner end.
  [[nodiscard]] const std::string& address() const noexcept { return address_; }

 private:
  Blackhole(ProcessRunner& runner, std::string name, std::string address);

  ProcessRunner& runner_;
  std::string name_;
  std::string address_;
};

/// The names by which `DropSet` finds what a blackhole drops, in its namespace.
inline constexpr const char* kDropTable = "pgfd_cal";
inline constexpr const char* kDropPorts = "ports";

/// While it lives, what the calling thread opens belongs to the namespace.
class InsideNamespace {
 public:
  /// Fails with the system's reason.
  [[nodiscard]] static Result<std::unique_ptr<InsideNamespace>> enter(const std::string& name);
  ~InsideNamespace();
  InsideNamespace(const InsideNamespace&) = delete;
  InsideNamespace& operator=(const InsideNamespace&) = delete;

 private:
  explicit InsideNamespace(Descriptor before) : before_{std::move(before)} {}
  Descriptor before_;
};

/// A /30 of 198.18.0.0/15 that none of the routes ("ip -4 route show table all") meets, as its network's
/// first two addresses: ours, then the inner one. Pure; `preference` is where the search begins.
struct LinkAddresses {
  std::string outer;
  std::string inner;
};
[[nodiscard]] LinkAddresses free_link(const std::string& routes, unsigned preference);

}  // namespace pgfiredrill
