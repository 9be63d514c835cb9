#pragma once

/// Requests to stop: Ctrl-C, SIGTERM, and the terminal that is gone.

namespace pgfiredrill {

/// From here on these signals are counted instead of ending the program. Once, on main.
void count_interrupts();

/// How many have come.
[[nodiscard]] int interrupts() noexcept;

}  // namespace pgfiredrill
