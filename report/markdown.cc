#include "report/markdown.h"

#include <string_view>

#include "report/utf8.h"

namespace pgfiredrill::markdown {

std::string plain(const std::string& text) {
  constexpr std::string_view kSpecial = R"(\`*_[]#|~$@)";
  std::string escaped;
  for (const char c : printable(text, 600)) {
    if (c == '<') {
      escaped += "&lt;";
    } else if (c == '>') {
      escaped += "&gt;";
    } else if (c == '&') {
      escaped += "&amp;";
    } else {
      if (kSpecial.find(c) != std::string_view::npos) escaped += '\\';
      escaped += c;
    }
  }
  return escaped;
}

std::string code(const std::string& text) {
  std::string span = printable(text, 200);
  for (char& c : span) {
    if (c == '`') c = '\'';
    if (c == '|') c = '/';
  }
  return span.empty() ? span : "`" + span + "`";
}

std::string block(const std::string& text) {
  const std::string line = printable(text, 4'000);
  std::string fence = "```";
  while (line.find(fence) != std::string::npos) fence += '`';
  return fence + "\n" + line + "\n" + fence + "\n";
}

std::string row(const std::vector<std::string>& cells) {
  std::string line = "|";
  for (const std::string& cell : cells) line += " " + cell + " |";
  return line + "\n";
}

std::string table_head(const std::vector<std::string>& names) {
  return row(names) + row(std::vector<std::string>(names.size(), "---"));
}

}  // namespace pgfiredrill::markdown
