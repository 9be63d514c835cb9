#include "cluster/config/haproxy_words.h"

namespace pgfiredrill {
namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool begins_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

class Splitter {
 public:
  explicit Splitter(std::string_view line) : line_{line} {}

  std::optional<std::vector<HaproxyWord>> split() {
    for (at_ = 0; at_ < line_.size(); ++at_) {
      const char c = line_[at_];
      if (c == '\'' && quote_ != '"') {
        toggle('\'');
      } else if (c == '"' && quote_ != '\'') {
        toggle('"');
      } else if (quote_ == '\'') {
        append(c);
      } else if (c == '\\') {
        take_escape();
      } else if (quote_ == '"') {
        take_quoted(c);
      } else if (c == '#') {
        break;
      } else if (is_blank(c)) {
        finish();
      } else {
        append(c);
      }
    }
    if (quote_ != 0) return std::nullopt;
    finish();
    return std::move(words_);
  }

 private:
  void toggle(char quote) {
    quote_ = quote_ == 0 ? quote : '\0';
    in_word_ = true;  // "" is a word, too
  }

  void append(char c) {
    word_.text += c;
    in_word_ = true;
  }

  void take_quoted(char c) {
    const char next = at_ + 1 < line_.size() ? line_[at_ + 1] : '\0';
    if (c == '$' && (next == '{' || begins_name(next))) word_.variable = true;
    append(c);
  }

  void take_escape() {
    const char next = at_ + 1 < line_.size() ? line_[at_ + 1] : '\0';
    constexpr std::string_view kEscaped = " \\#'\"";
    if (kEscaped.find(next) != std::string_view::npos || (next == '$' && quote_ == '"')) {
      append(next);
      ++at_;
    } else if (next == 'n' || next == 'r' || next == 't') {
      append(next == 'n' ? '\n' : next == 'r' ? '\r' : '\t');
      ++at_;
    } else if (next == 'x' && at_ + 3 < line_.size() && hex_digit(line_[at_ + 2]) >= 0 &&
               hex_digit(line_[at_ + 3]) >= 0) {
      append(static_cast<char>(hex_digit(line_[at_ + 2]) * 16 + hex_digit(line_[at_ + 3])));
      at_ += 3;
    } else {
      append('\\');
    }
  }

  void finish() {
    if (!in_word_) return;
    words_.push_back(std::move(word_));
    word_ = {};
    in_word_ = false;
  }

  std::string_view line_;
  std::size_t at_ = 0;
  char quote_ = 0;
  bool in_word_ = false;
  HaproxyWord word_;
  std::vector<HaproxyWord> words_;
};

}  // namespace

std::optional<std::vector<HaproxyWord>> haproxy_words(std::string_view line) {
  return Splitter{line}.split();
}

}  // namespace pgfiredrill
