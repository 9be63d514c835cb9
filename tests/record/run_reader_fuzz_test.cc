#include <random>
#include <string>

#include <gtest/gtest.h>

#include "tests/fuzz/run_reader_entry.h"

namespace pgfiredrill::testing {
namespace {

void mutate(std::string& bytes, std::mt19937_64& random) {
  if (bytes.size() < 2) return;
  const std::size_t at = 1 + random() % (bytes.size() - 1);  // the first byte names the file
  switch (random() % 6) {
    case 0:
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8));
      break;
    case 1:
      bytes[at] = static_cast<char>(random());
      break;
    case 2:
      bytes.resize(at);
      break;
    case 3:
      bytes.erase(at, random() % 70);
      break;
    case 4:
      bytes.insert(at, bytes.substr(1 + random() % (bytes.size() - 1), random() % 70));
      break;
    default:
      for (std::size_t i = at; i < bytes.size() && i < at + 8; ++i)
        bytes[i] = random() % 2 == 0 ? '\xff' : '\0';
      break;
  }
}

/// The fuzzer's target where there is no fuzzer: seeded, so that a failure can be had again.
TEST(RunReaderFuzz, KeepsItsPromisesWhateverTheFilesHold) {
  for (unsigned file = 0; file < kFuzzedFiles; ++file) {
    for (std::uint64_t seed = 1; seed <= 150; ++seed) {
      SCOPED_TRACE(::testing::Message() << "file " << file << ", seed " << seed);
      std::mt19937_64 random{seed * kFuzzedFiles + file};
      std::string bytes = good_input(static_cast<FuzzedFile>(file));
      for (std::uint64_t times = random() % 6; times > 0; --times) mutate(bytes, random);
      read_fuzzed_record(std::as_bytes(std::span{bytes}));
    }
  }
}

}  // namespace
}  // namespace pgfiredrill::testing
