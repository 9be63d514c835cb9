#include "report/terminal.h"

#include <algorithm>

#include <fmt/core.h>

namespace pgfiredrill {
namespace {

/// Where a colour code that begins at `at` ends.
std::size_t end_of_code(const std::string& text, std::size_t at) {
  const auto end = text.find('m', at);
  return end == std::string::npos ? text.size() : end + 1;
}

std::string without_trailing_spaces(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

}  // namespace

std::string TerminalStyle::wrap(const char* code, const std::string& text) const {
  if (!colours_ || text.empty()) return text;
  return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
}

std::size_t display_width(const std::string& text) {
  std::size_t width = 0;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == '\x1b') {
      i = end_of_code(text, i);
      continue;
    }
    if ((static_cast<unsigned char>(text[i]) & 0xc0) != 0x80) ++width;
    ++i;
  }
  return width;
}

std::string TextTable::render(const TerminalStyle& style) const {
  std::vector<std::size_t> widths(header_.size(), 0);
  for (std::size_t column = 0; column < header_.size(); ++column) {
    for (const auto& row : rows_) widths[column] = std::max(widths[column], display_width(row[column]));
    if (widths[column] > 0) widths[column] = std::max(widths[column], display_width(header_[column]));
  }
  const auto line = [&](const std::vector<std::string>& cells, bool faint) {
    std::string text = "  ";
    for (std::size_t column = 0; column < cells.size(); ++column) {
      if (widths[column] == 0) continue;
      text += faint ? style.faint(cells[column]) : cells[column];
      text.append(widths[column] - display_width(cells[column]) + 2, ' ');
    }
    return without_trailing_spaces(std::move(text)) + "\n";
  };
  std::string text = line(header_, true);
  for (const auto& row : rows_) text += line(row, false);
  return text;
}

std::string wrap_text(const std::string& text, std::size_t width, std::size_t indent) {
  std::string result;
  std::string line(indent, ' ');
  std::size_t used = 0;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    at = end + 1;
    if (word.empty()) continue;
    if (used > 0 && used + 1 + display_width(word) + indent > width) {
      result += line + "\n";
      line.assign(indent, ' ');
      used = 0;
    }
    if (used > 0) {
      line += ' ';
      ++used;
    }
    line += word;
    used += display_width(word);
  }
  return used > 0 ? result + line + "\n" : result;
}

std::string bytes_text(long long bytes) {
  if (bytes < 1024) return fmt::format("{} B", bytes);
  double value = static_cast<double>(bytes);
  const char* const units[] = {"KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  value /= 1024;
  while (value >= 1024 && unit + 1 < std::size(units)) {
    value /= 1024;
    ++unit;
  }
  return value < 10 ? fmt::format("{:.1f} {}", value, units[unit])
                    : fmt::format("{:.0f} {}", value, units[unit]);
}

}  // namespace pgfiredrill
