#pragma once

/// Reads a run record of which one file is whatever bytes come. For libFuzzer, and for a bounded number of
/// mutations among the unit tests.

#include <cstddef>
#include <span>
#include <string>

namespace pgfiredrill::testing {

/// Which file the bytes are, by the first of them.
enum class FuzzedFile : unsigned char {
  operations,  ///< as they are
  events,
  manifest,
  readback,
  checked_operations,  ///< every record gets the checksum that fits, so that what is behind it is reached
  checked_readback,
};
inline constexpr unsigned kFuzzedFiles = 6;

/// Ends the program where the reader breaks a promise: operations out of order, of another span, or others at
/// the second reading. Everything else (a failure, damage) is for the reader to say.
void read_fuzzed_record(std::span<const std::byte> bytes);

/// A first byte that names the file, and a good file's bytes.
[[nodiscard]] std::string good_input(FuzzedFile file);

}  // namespace pgfiredrill::testing
