#pragma once

/// Adds ports to a set of nftables and takes them off again, by netlink itself: starting `nft` takes longer
/// than the instants that matter here may be off.

#include <cstdint>
#include <string>

#include "base/failure.h"
#include "record/descriptor.h"

namespace pgfiredrill {

class DropSet {
 public:
  /// The set of that name (of type inet_service) in a table of the family inet, in the network namespace in
  /// which the calling thread is. Fails with the system's reason.
  [[nodiscard]] static Result<DropSet> open(std::string table, std::string set);

  /// In force when it returns. Fails with the kernel's reason.
  [[nodiscard]] Result<void> add(std::uint16_t port);
  [[nodiscard]] Result<void> remove(std::uint16_t port);

 private:
  DropSet(Descriptor socket, std::string table, std::string set);
  [[nodiscard]] Result<void> change(int message, std::uint16_t port);
  [[nodiscard]] int receive_verdict() const;

  Descriptor socket_;
  std::string table_;
  std::string set_;
  std::uint32_t sequence_ = 0;
};

}  // namespace pgfiredrill
