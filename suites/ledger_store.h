#pragma once

/// The traffic's database on the cluster's servers, as a seam: made, fenced, read back and dropped through
/// each member's own socket.

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "base/cluster_description.h"
#include "base/failure.h"
#include "cluster/cluster_probe.h"
#include "cluster/superuser_session.h"
#include "drivers/traffic_schema.h"

namespace pgfiredrill {

/// `member` is a Patroni member's name. Blocking; worker threads; thread-safe.
class LedgerStore {
 public:
  virtual ~LedgerStore() = default;
  [[nodiscard]] virtual Result<std::optional<std::string>> find_foreign(const std::string& member) = 0;
  [[nodiscard]] virtual Result<void> create(const std::string& member, const TrafficAccess& access,
                                            int lanes) = 0;
  [[nodiscard]] virtual Result<void> drop(const std::string& member) = 0;
  [[nodiscard]] virtual Result<void> end_sessions(const std::string& member, nanoseconds deadline) = 0;
  [[nodiscard]] virtual Result<Fence> fence(const std::string& member) = 0;
  [[nodiscard]] virtual Result<LedgerReadback> read(const std::string& member, const Fence& fence,
                                                    std::uint16_t first_stream, std::uint16_t last_stream,
                                                    nanoseconds deadline) = 0;
};

/// To a member's own PostgreSQL, as superuser. Blocking; worker threads only.
[[nodiscard]] Result<SuperuserRoute> open_route_to(const ClusterDescription& cluster, const HostFinder& hosts,
                                                   const std::string& member);

class SystemLedgerStore final : public LedgerStore {
 public:
  /// `cluster` must outlive it.
  SystemLedgerStore(const ClusterDescription& cluster, HostFinder hosts);

  [[nodiscard]] Result<std::optional<std::string>> find_foreign(const std::string& member) override;
  [[nodiscard]] Result<void> create(const std::string& member, const TrafficAccess& access,
                                    int lanes) override;
  [[nodiscard]] Result<void> drop(const std::string& member) override;
  [[nodiscard]] Result<void> end_sessions(const std::string& member, nanoseconds deadline) override;
  [[nodiscard]] Result<Fence> fence(const std::string& member) override;
  [[nodiscard]] Result<LedgerReadback> read(const std::string& member, const Fence& fence,
                                            std::uint16_t first_stream, std::uint16_t last_stream,
                                            nanoseconds deadline) override;

 private:
  /// A route is opened for each call: a forwarded socket does not survive every fault, a call does not last.
  [[nodiscard]] Result<SuperuserRoute> route(const std::string& member) const;

  const ClusterDescription& cluster_;
  HostFinder hosts_;
};

}  // namespace pgfiredrill
