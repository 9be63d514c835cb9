#pragma once

/// Whole files of a run record: written so that a reader sees all of one or none of it, and read back.
/// Blocking.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "base/failure.h"

namespace pgfiredrill {

/// A system call's errno as a failure: "cannot WHAT on WHERE: No space left on device".
[[nodiscard]] Failure system_failure(const std::string& what, const std::string& where, int error);

/// Everything, through interruptions and short writes; 0 or the errno. `written` counts what went out.
[[nodiscard]] int write_all(int descriptor, std::string_view text, std::size_t& written) noexcept;

/// Makes what was created, renamed or removed in `folder` durable.
[[nodiscard]] Result<void> sync_folder(const std::string& folder);

/// Under another name first, synced, renamed, the folder synced.
[[nodiscard]] Result<void> write_file_aside(const std::string& path, std::string_view text);

/// Fails `malformed` where the file is larger than `limit` bytes.
[[nodiscard]] Result<std::string> read_whole_file(const std::string& path, std::size_t limit);

}  // namespace pgfiredrill
