#pragma once

/// Splits a text into words as a POSIX shell would, and nothing more: no variable, pattern or command in it
/// is expanded. For the options of ssh that inventories give as one text.

#include <string>
#include <string_view>
#include <vector>

#include "base/failure.h"

namespace pgfiredrill {

/// Spaces outside quotes separate; '…' keeps everything, "…" everything but \" and \\, and a backslash
/// outside quotes keeps the next character. Empty words are left out, as Ansible does. Fails `malformed` on a
/// quote that is not closed, a backslash at the end and control characters; the message does not show the
/// text.
[[nodiscard]] Result<std::vector<std::string>> shell_words(std::string_view text);

}  // namespace pgfiredrill
