#include "report/xml_text.h"

#include <cstdint>

#include "report/utf8.h"

namespace pgfiredrill {
namespace {

/// C0 and C1 controls and the two characters that XML does not know.
bool is_removed(std::uint32_t code) {
  const bool kept = code == '\t' || code == '\n' || code == '\r';
  return (code < 0x20 && !kept) || (code >= 0x7f && code < 0xa0) || code == 0xfffe || code == 0xffff;
}

std::string_view reference_for(std::uint32_t code) {
  switch (code) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    case '\t':
      return "&#9;";
    case '\n':
      return "&#10;";
    case '\r':
      return "&#13;";
    default:
      return {};
  }
}

}  // namespace

std::string xml_text(std::string_view text) {
  std::string escaped;
  while (!text.empty()) {
    const Utf8Character character = first_character(text);
    const std::string_view reference = reference_for(character.code);
    if (!character.valid) {
      escaped += kReplacementCharacter;
    } else if (!reference.empty()) {
      escaped += reference;
    } else if (!is_removed(character.code)) {
      escaped += text.substr(0, character.bytes);
    }
    text.remove_prefix(character.bytes);
  }
  return escaped;
}

}  // namespace pgfiredrill
