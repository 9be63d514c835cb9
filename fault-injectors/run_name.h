#pragma once

/// Names that become file names here and on the hosts.

#include <string>

#include "base/failure.h"

namespace pgfiredrill::fault {

/// A run's id is [0-9A-Za-z._-]+, does not begin with a dot and is no longer than a file's name may be.
[[nodiscard]] bool is_run_id(const std::string& text) noexcept;
[[nodiscard]] Result<void> check_run_id(const std::string& text);

/// Any text as one word of [0-9A-Za-z._-]: every other byte, a leading dot and the percent sign as %XX.
/// Different texts give different words.
[[nodiscard]] std::string encode_word(const std::string& text);
/// The text of such a word; fails `malformed` on anything that `encode_word` does not write.
[[nodiscard]] Result<std::string> decode_word(const std::string& word);

}  // namespace pgfiredrill::fault
