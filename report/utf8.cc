#include "report/utf8.h"

#include "base/failure.h"

namespace pgfiredrill {
namespace {

std::size_t length_of(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead <= 0xdf) return 2;
  if (lead >= 0xe0 && lead <= 0xef) return 3;
  if (lead >= 0xf0 && lead <= 0xf4) return 4;
  return 0;
}

/// Some terminals obey these as they obey an escape.
bool is_c1_control(std::uint32_t code) {
  return code >= 0x80 && code < 0xa0;
}

}  // namespace

Utf8Character first_character(std::string_view text) noexcept {
  const auto byte = [&text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::size_t length = length_of(byte(0));
  if (length == 0 || length > text.size()) return {};
  constexpr unsigned char kLeadBits[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
  std::uint32_t code = byte(0) & kLeadBits[length];
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3f);
  }
  constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  if (code < kLeast[length] || surrogate || code > 0x10ffff) return {};
  return {code, length, true};
}

std::string printable(const std::string& text, std::size_t limit) {
  const std::string line = one_line(text, limit);
  std::string kept;
  for (std::string_view rest = line; !rest.empty();) {
    const Utf8Character character = first_character(rest);
    if (!character.valid) {
      kept += kReplacementCharacter;
    } else if (!is_c1_control(character.code)) {
      kept += rest.substr(0, character.bytes);
    }
    rest.remove_prefix(character.bytes);
  }
  return kept;
}

}  // namespace pgfiredrill
