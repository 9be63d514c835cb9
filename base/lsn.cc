#include "base/lsn.h"

#include <charconv>

#include <fmt/format.h>

namespace pgfiredrill {

namespace {

std::optional<std::uint64_t> parse_hex(std::string_view text) {
  std::uint32_t value = 0;
  const auto [end, trouble] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (trouble != std::errc{} || end != text.data() + text.size() || text.size() > 8) return std::nullopt;
  return value;
}

}  // namespace

std::optional<std::uint64_t> parse_lsn(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos) return std::nullopt;
  const auto high = parse_hex(text.substr(0, slash));
  const auto low = parse_hex(text.substr(slash + 1));
  if (!high || !low) return std::nullopt;
  return *high << 32 | *low;
}

std::string format_lsn(std::uint64_t position) {
  return fmt::format("{:X}/{:X}", position >> 32, position & 0xffff'ffff);
}

}  // namespace pgfiredrill
