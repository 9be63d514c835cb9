#pragma once

/// What a direct session asks a server about itself, in one statement that writes nothing: the function that
/// answers it (an ordinary role may not read all of this), the statement, and what the answer says. Pure.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cluster/session_evidence.h"
#include "cluster/session_exchange.h"

namespace pgfiredrill {

/// By this name a session of ours shows that it only asks this question.
inline constexpr const char* kObserverApplication = "pgfiredrill observer";

/// Makes the function, in a database that has the schema `pgfiredrill`, for nobody but `role`. To be run by a
/// superuser.
[[nodiscard]] std::vector<std::string> server_question_schema(const std::string& role);

[[nodiscard]] Statement server_question();

struct ServerSelfReport {
  bool in_recovery = false;
  std::string postmaster_start;  ///< microseconds since 1970, as text
  std::uint32_t timeline = 0;    ///< 0: a standby that receives nothing
  std::string lsn;               ///< the insert position, in recovery the replayed one; empty: none yet
  std::string receive_lsn;       ///< in recovery, where it received anything
  std::string clock;             ///< microseconds since 1970 by the server's clock, as text
};

/// Absent where the answer is not one whole row of that form.
[[nodiscard]] std::optional<ServerSelfReport> parse_self_report(const StatementEvidence& evidence);

}  // namespace pgfiredrill
