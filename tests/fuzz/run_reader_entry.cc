#include "tests/fuzz/run_reader_entry.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <tuple>
#include <vector>

#include "record/crc32c.h"
#include "record/little_endian.h"
#include "record/operation_file.h"
#include "record/run_reader.h"
#include "tests/record/sample_record.h"
#include "tests/support/temporary_directory.h"

namespace pgfiredrill::testing {
namespace {

constexpr const char* kOperations = "ops-traffic.bin";
constexpr const char* kReadback = "readback-0-0-pgnode01.bin";
constexpr std::size_t kCheckedBytes = kOperationBytes - sizeof(std::uint32_t);

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span{text});
}

std::string with_checksum(const std::string& text) {
  std::array<std::byte, sizeof(std::uint32_t)> checksum;
  store_little(checksum.data(), crc32c(bytes_of(text)));
  return text + text_of(checksum);
}

std::string good_operations() {
  std::string text = text_of(encode_operation_header("traffic"));
  for (std::uint64_t number = 1; number <= 40; ++number) text += text_of(encode(sample_operation(number)));
  return text;
}

std::string good_events() {
  return to_json_line({.kind = event::kRunStarted, .at = nanoseconds{1}}) + "\n" +
         to_json_line({.kind = event::kFence,
                       .fields = {{"lsn", std::string{"0/3000000"}}, {"timeline", std::int64_t{1}}}}) +
         "\n" + to_json_line({.kind = event::kRunEnded, .at = nanoseconds{2}}) + "\n";
}

/// Magic, number of runs, then 24 bytes a run.
std::string good_readback_body() {
  std::string text = "PGFDRBK1";
  std::array<std::byte, 8> count{};
  store_little(count.data(), std::uint64_t{1});
  text += text_of(count);
  std::array<std::byte, 24> run{};
  store_little(run.data(), std::uint16_t{1});
  store_little(run.data() + 4, std::uint32_t{1});
  store_little(run.data() + 16, std::uint64_t{4811});
  return text + text_of(run);
}

std::string checked_operations(std::string_view bytes) {
  std::string text = text_of(encode_operation_header("traffic"));
  for (std::size_t at = 0; at + kCheckedBytes <= bytes.size(); at += kCheckedBytes) {
    text += with_checksum(std::string{bytes.substr(at, kCheckedBytes)});
  }
  return text;
}

class FuzzedRecord {
 public:
  explicit FuzzedRecord(std::span<const std::byte> bytes) {
    std::filesystem::create_directory(directory_ / "record");
    write("manifest.json", to_json(sample_manifest()));
    write("events.jsonl", good_events());
    write(kOperations, good_operations());
    write(kReadback, with_checksum(good_readback_body()));
    if (bytes.empty()) return;
    const std::string content = text_of(bytes.subspan(1));
    switch (static_cast<FuzzedFile>(std::to_integer<unsigned>(bytes[0]) % kFuzzedFiles)) {
      case FuzzedFile::operations:
        write(kOperations, content);
        break;
      case FuzzedFile::events:
        write("events.jsonl", content);
        break;
      case FuzzedFile::manifest:
        write("manifest.json", content);
        break;
      case FuzzedFile::readback:
        write(kReadback, content);
        break;
      case FuzzedFile::checked_operations:
        write(kOperations, checked_operations(content));
        break;
      case FuzzedFile::checked_readback:
        write(kReadback, with_checksum(content));
        break;
    }
  }

  [[nodiscard]] std::string folder() const { return directory_.path().string(); }

 private:
  void write(const std::string& name, const std::string& text) { directory_.write("record/" + name, text); }

  TemporaryDirectory directory_;
};

void promise(bool kept, const char* what) {
  if (kept) return;
  std::fprintf(stderr, "the reader of run records broke its promise: %s\n", what);
  std::abort();
}

std::vector<Operation> read_span(const RunReader& reader, nanoseconds from, nanoseconds to) {
  std::vector<Operation> operations;
  (void)reader.operations(from, to, [&](const Operation& operation) { operations.push_back(operation); });
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const Operation& one = operations[i];
    promise(one.due >= from && one.due < to, "an operation of another span");
    if (i == 0) continue;
    const Operation& before = operations[i - 1];
    promise(std::tie(before.due, before.path, before.kind) <= std::tie(one.due, one.path, one.kind),
            "operations out of order");
  }
  return operations;
}

}  // namespace

void read_fuzzed_record(std::span<const std::byte> bytes) {
  const FuzzedRecord record{bytes};
  const auto reader = RunReader::open(record.folder());
  if (!reader) return;
  const auto all = read_span(*reader, nanoseconds::min(), nanoseconds::max());
  promise(read_span(*reader, nanoseconds::min(), nanoseconds::max()) == all,
          "other operations the second time");
  if (!all.empty()) (void)read_span(*reader, all[all.size() / 3].due, all[all.size() / 2].due);
  (void)reader->readback(kReadback);
  OperationTail tail{record.folder()};
  tail.poll([](const Operation&) {});
}

std::string good_input(FuzzedFile file) {
  const std::string name(1, static_cast<char>(file));
  switch (file) {
    case FuzzedFile::operations:
      return name + good_operations();
    case FuzzedFile::events:
      return name + good_events();
    case FuzzedFile::manifest:
      return name + to_json(sample_manifest());
    case FuzzedFile::readback:
      return name + with_checksum(good_readback_body());
    case FuzzedFile::checked_operations: {
      std::string text = name;
      for (std::uint64_t number = 1; number <= 8; ++number) {
        text += text_of(encode(sample_operation(number))).substr(0, kCheckedBytes);
      }
      return text;
    }
    case FuzzedFile::checked_readback:
      return name + good_readback_body();
  }
  return name;
}

}  // namespace pgfiredrill::testing
