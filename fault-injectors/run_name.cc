#include "fault-injectors/run_name.h"

#include <algorithm>

namespace pgfiredrill::fault {
namespace {

constexpr std::size_t kLongestRunId = 128;
constexpr const char* kHexDigits = "0123456789ABCDEF";

bool is_plain(char c) noexcept {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '.' || c == '_' ||
         c == '-';
}

int hex_value(char c) noexcept {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

Failure no_word(const std::string& word) {
  return {.kind = FailureKind::malformed,
          .what = "read the word '" + one_line(word, 60) + "'",
          .where = {},
          .came_back = "it is not what pgfiredrill writes",
          .hint = {}};
}

}  // namespace

bool is_run_id(const std::string& text) noexcept {
  return !text.empty() && text.size() <= kLongestRunId && text.front() != '.' &&
         std::all_of(text.begin(), text.end(), is_plain);
}

Result<void> check_run_id(const std::string& text) {
  if (is_run_id(text)) return {};
  return Failure{.kind = FailureKind::malformed,
                 .what = "take '" + one_line(text, 60) + "' for the id of a run",
                 .where = {},
                 .came_back = "an id is letters, digits, '.', '_' and '-', and does not begin with a dot",
                 .hint = {}};
}

std::string encode_word(const std::string& text) {
  std::string word;
  for (const char c : text) {
    if (is_plain(c) && (c != '.' || !word.empty())) {
      word += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    word += '%';
    word += kHexDigits[byte >> 4];
    word += kHexDigits[byte & 15];
  }
  return word;
}

Result<std::string> decode_word(const std::string& word) {
  std::string text;
  for (std::size_t i = 0; i < word.size(); ++i) {
    if (word[i] != '%') {
      text += word[i];
      continue;
    }
    if (i + 2 >= word.size()) return no_word(word);
    const int high = hex_value(word[i + 1]);
    const int low = hex_value(word[i + 2]);
    if (high < 0 || low < 0) return no_word(word);
    text += static_cast<char>(high * 16 + low);
    i += 2;
  }
  if (encode_word(text) != word) return no_word(word);
  return text;
}

}  // namespace pgfiredrill::fault
