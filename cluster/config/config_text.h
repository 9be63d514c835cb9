#pragma once

/// What the readers of configuration files share: how they fail, and what no configuration file may contain.

#include <cstddef>
#include <optional>
#include <string>

#include "base/failure.h"

namespace pgfiredrill {

/// A file that is being read, as messages name it.
struct ConfigFile {
  const char* name;   ///< "the HAProxy configuration"
  std::string where;  ///< "pg1:/etc/haproxy/haproxy.cfg"
  const char* hint;   ///< what to do about a malformed one
};

/// `why` is a clause about the file that shows none of its content.
[[nodiscard]] Failure malformed_file(const ConfigFile& file, const std::string& why);
/// `why` follows "line N"; lines count from 1.
[[nodiscard]] Failure malformed_line(const ConfigFile& file, std::size_t line, const std::string& why);

/// No deployed configuration comes near this; what is larger is something else.
inline constexpr std::size_t kMaximumConfigBytes = std::size_t{2} << 20;

/// A failure where the text is too large, or holds a NUL byte: the programs that own these files would read
/// only up to it, so what stands behind it is not in force.
[[nodiscard]] std::optional<Failure> refuse_unreadable(const ConfigFile& file, const std::string& text);

}  // namespace pgfiredrill
