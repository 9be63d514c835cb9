#pragma once

/// Files that tests read: recorded answers and configuration files under tests/.

#include <string>

namespace pgfiredrill::testing {

/// The text of `tests/<path>`; fails the test (and gives an empty text) where there is none.
[[nodiscard]] std::string read_fixture(const std::string& path);

/// The path of `tests/<path>` on this machine.
[[nodiscard]] std::string fixture_path(const std::string& path);

}  // namespace pgfiredrill::testing
