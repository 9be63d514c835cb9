#pragma once

/// Watches every member's own PostgreSQL while a run goes on: each is asked ten times a second on one thread,
/// what it says and that it says nothing are `server_state` events.

#include <memory>
#include <vector>

#include "base/cluster_description.h"
#include "observers/server_lane.h"
#include "record/recorder.h"

namespace pgfiredrill {

/// Every member at its own address, with `login`'s user, password and database.
[[nodiscard]] std::vector<ObservedServer> servers_to_observe(const ClusterDescription& cluster,
                                                             const ConnectParameters& login);

class ServerObserver {
 public:
  /// Begins at once. `open_route` may be empty: then SSH is no way. `recorder` and `clock` must outlive it.
  [[nodiscard]] static std::unique_ptr<ServerObserver> start(std::vector<ObservedServer> servers,
                                                             OpenRoute open_route, Recorder& recorder,
                                                             Clock& clock);
  /// Ends its sessions and its thread. Blocking where SSH is under way.
  virtual ~ServerObserver() = default;
};

}  // namespace pgfiredrill
