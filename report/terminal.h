#pragma once

/// Text for terminals and plain lines: style and tables. Pure: whoever calls says whether colours are wanted
/// and writes the text.

#include <string>
#include <vector>

namespace pgfiredrill {

/// Emphasis that never carries meaning alone: whatever is coloured also says it in words.
class TerminalStyle {
 public:
  explicit TerminalStyle(bool colours) : colours_{colours} {}

  [[nodiscard]] std::string heading(const std::string& text) const { return wrap("1", text); }
  [[nodiscard]] std::string good(const std::string& text) const { return wrap("32", text); }
  [[nodiscard]] std::string warning(const std::string& text) const { return wrap("33", text); }
  [[nodiscard]] std::string bad(const std::string& text) const { return wrap("31;1", text); }
  [[nodiscard]] std::string faint(const std::string& text) const { return wrap("2", text); }

 private:
  [[nodiscard]] std::string wrap(const char* code, const std::string& text) const;

  bool colours_;
};

/// Columns as wide as their widest cell; cells may be styled.
class TextTable {
 public:
  explicit TextTable(std::vector<std::string> header) : header_{std::move(header)} {}

  /// As many cells as the header has.
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  [[nodiscard]] bool empty() const noexcept { return rows_.empty(); }
  /// Each line indented by two, without spaces at its end; columns that are empty in every row are left out.
  [[nodiscard]] std::string render(const TerminalStyle& style) const;

 private:
  std::vector<std::string> header_;
  std::vector<std::vector<std::string>> rows_;
};

/// Terminal columns of a UTF-8 text: bytes that go on a character and colour codes count nothing.
[[nodiscard]] std::size_t display_width(const std::string& text);

/// `text` in lines of at most `width` columns, broken between words, each indented by `indent` spaces.
[[nodiscard]] std::string wrap_text(const std::string& text, std::size_t width, std::size_t indent);

/// 1536 → "1.5 KiB".
[[nodiscard]] std::string bytes_text(long long bytes);

}  // namespace pgfiredrill
