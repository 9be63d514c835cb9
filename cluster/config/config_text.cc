#include "cluster/config/config_text.h"

#include <algorithm>

namespace pgfiredrill {

Failure malformed_file(const ConfigFile& file, const std::string& why) {
  return {.kind = FailureKind::malformed,
          .what = std::string{"read "} + file.name,
          .where = file.where,
          .came_back = why,
          .hint = file.hint};
}

Failure malformed_line(const ConfigFile& file, std::size_t line, const std::string& why) {
  return malformed_file(file, "line " + std::to_string(line) + " " + why);
}

std::optional<Failure> refuse_unreadable(const ConfigFile& file, const std::string& text) {
  if (text.size() > kMaximumConfigBytes) {
    return malformed_file(file, "it is larger than " + std::to_string(kMaximumConfigBytes >> 20) + " MiB");
  }
  const auto nul = text.find('\0');
  if (nul == std::string::npos) return std::nullopt;
  const auto newlines =
      std::count(text.begin(), text.begin() + static_cast<std::string::difference_type>(nul), '\n');
  return malformed_line(file, static_cast<std::size_t>(newlines) + 1, "has a NUL byte");
}

}  // namespace pgfiredrill
