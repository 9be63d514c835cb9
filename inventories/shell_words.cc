#include "inventories/shell_words.h"

#include <cstddef>

namespace pgfiredrill {
namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte == 0x7f;
}

Failure malformed(const char* came_back) {
  return {.kind = FailureKind::malformed,
          .what = "split the text into words",
          .where = {},
          .came_back = came_back,
          .hint = {}};
}

/// The word that begins where the splitter stands.
class Splitter {
 public:
  explicit Splitter(std::string_view text) : text_{text} {}

  Result<std::vector<std::string>> all_words() {
    std::vector<std::string> words;
    while (skip_blanks()) {
      if (const char* trouble = read_word()) return malformed(trouble);
      if (!word_.empty()) words.push_back(std::move(word_));
      word_.clear();
    }
    return words;
  }

 private:
  bool skip_blanks() {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
    return at_ < text_.size();
  }

  const char* read_word() {
    while (at_ < text_.size() && !is_blank(text_[at_])) {
      const char c = text_[at_++];
      const char* trouble = nullptr;
      if (c == '\'') {
        trouble = read_single_quoted();
      } else if (c == '"') {
        trouble = read_double_quoted();
      } else if (c == '\\') {
        trouble = read_escaped();
      } else {
        trouble = take(c);
      }
      if (trouble != nullptr) return trouble;
    }
    return nullptr;
  }

  const char* read_single_quoted() {
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (c == '\'') return nullptr;
      if (const char* trouble = take(c)) return trouble;
    }
    return "a single quote is not closed";
  }

  const char* read_double_quoted() {
    while (at_ < text_.size()) {
      char c = text_[at_++];
      if (c == '"') return nullptr;
      const bool escapes = c == '\\' && at_ < text_.size() && (text_[at_] == '"' || text_[at_] == '\\');
      if (escapes) c = text_[at_++];
      if (const char* trouble = take(c)) return trouble;
    }
    return "a double quote is not closed";
  }

  const char* read_escaped() {
    if (at_ == text_.size()) return "it ends with a backslash";
    return take(text_[at_++]);
  }

  const char* take(char c) {
    if (is_control(c)) return "there is a control character in it";
    word_ += c;
    return nullptr;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string word_;
};

}  // namespace

Result<std::vector<std::string>> shell_words(std::string_view text) {
  return Splitter{text}.all_words();
}

}  // namespace pgfiredrill
