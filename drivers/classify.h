#pragma once

/// What became of an operation, what went wrong with it and who made the error, from what the session saw.
/// Pure. The rules stand in docs/measuring.md; where the evidence leaves two answers, the one that accuses
/// nobody wrongly is taken: a write that may be there is in doubt, a layer that does not show is unknown.

#include <string>

#include "base/outcome.h"
#include "cluster/session_evidence.h"
#include "record/error_class.h"
#include "record/traffic_path.h"

namespace pgfiredrill {

struct Classification {
  Outcome outcome = Outcome::failed;
  ErrorClass error;
  Layer layer = Layer::none;
  [[nodiscard]] bool operator==(const Classification&) const = default;
};

/// What a statement was meant to do, and what its answer said of the server.
struct StatementTerms {
  bool write = false;
  std::string command_tag;  ///< of success
  Depth depth = Depth::balancer;
  /// Routing is to lead to a primary, and the answer came from a server in recovery.
  bool misrouted = false;
  /// The cluster promises a synchronous standby, and the answer's settings say that there was none.
  bool unsynchronised = false;
};

/// Of a login that did not end ready: nothing was asked, so nothing can be there.
[[nodiscard]] Classification classify_login(const LoginEvidence& evidence, Depth depth);
[[nodiscard]] Classification classify_statement(const StatementEvidence& evidence,
                                                const StatementTerms& terms);
/// The server's last words before it closed an idle session, or its silence.
[[nodiscard]] Classification classify_idle_loss(const std::optional<ServerMessage>& last_words, Depth depth);

}  // namespace pgfiredrill
