#pragma once

/// TCP sockets of the process that plays the other side: never blocking, without Nagle's delay.

#include <optional>

#include "base/cluster_description.h"
#include "record/descriptor.h"

namespace pgfiredrill {

/// Listens on `address` (numeric). Port 0: a free one below those that the system gives to outgoing
/// connections, so that it can be had again after it was closed, and no client ever connects to itself
/// there. Fails with the system's reason.
[[nodiscard]] Result<Descriptor> listen_on(const Endpoint& address);
/// Of a listening socket.
[[nodiscard]] int port_of(const Descriptor& listener);
/// Nothing where nobody waits.
[[nodiscard]] std::optional<Descriptor> accept_from(int listener);
/// Nothing where nobody listens there.
[[nodiscard]] std::optional<Descriptor> connect_to(const Endpoint& address);
/// Closes so that the other end sees a reset.
void reset_connection(Descriptor& socket);

}  // namespace pgfiredrill
