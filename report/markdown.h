#pragma once

/// Pieces of Markdown in which whatever a server, a file or a person wrote stays text.

#include <string>
#include <vector>

namespace pgfiredrill::markdown {

/// Running text: nothing in it is markup, a link, an HTML element or the end of a table's cell.
[[nodiscard]] std::string plain(const std::string& text);
/// A name as it is; a code span cannot hold a backtick, and in tables no bar.
[[nodiscard]] std::string code(const std::string& text);
/// A block of lines to copy, fenced by more backticks than it holds.
[[nodiscard]] std::string block(const std::string& text);

/// Cells are Markdown already.
[[nodiscard]] std::string row(const std::vector<std::string>& cells);
[[nodiscard]] std::string table_head(const std::vector<std::string>& names);

}  // namespace pgfiredrill::markdown
