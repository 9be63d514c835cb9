// libFuzzer's way in. `cmake --preset fuzz && cmake --build --preset fuzz`, then
// `build-fuzz/tests/run_reader_fuzz -max_total_time=60 build-fuzz/corpus`.

#include <cstdint>

#include "tests/fuzz/run_reader_entry.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  pgfiredrill::testing::read_fuzzed_record(std::as_bytes(std::span{data, size}));
  return 0;
}
