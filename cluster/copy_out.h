#pragma once

/// A table's rows as PostgreSQL streams them, without holding them: COPY … TO STDOUT over a session of its
/// own. Blocking; worker threads only.

#include <chrono>
#include <cstddef>
#include <functional>
#include <span>
#include <string>

#include "base/failure.h"
#include "cluster/connect_parameters.h"

namespace pgfiredrill {

/// Logs in, hands over what `sql` (a COPY … TO STDOUT) gives, and ends the session. `on_bytes` gets it piece
/// by piece as it came, and returns false where it wants no more, which is no failure. The whole of the copy
/// may take `limit`: then the server ends it, or a second later this side, whatever is silent. The
/// transaction could not write if it wanted to. `what` and `where` stand in failures.
[[nodiscard]] Result<void> copy_out(const ConnectParameters& parameters, const std::string& what,
                                    const std::string& where, const std::string& sql,
                                    std::chrono::milliseconds limit,
                                    const std::function<bool(std::span<const std::byte>)>& on_bytes);

}  // namespace pgfiredrill
