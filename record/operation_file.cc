#include "record/operation_file.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <string_view>

#include "record/crc32c.h"
#include "record/little_endian.h"
#include "record/operation.h"

namespace pgfiredrill {
namespace {

constexpr std::string_view kMagic = "PGFDOPS1";
constexpr std::string_view kPrefix = "ops-";
constexpr std::string_view kSuffix = ".bin";
constexpr std::uint32_t kVersion = 2;

constexpr std::size_t kVersionAt = 8;
constexpr std::size_t kRecordBytesAt = 12;
constexpr std::size_t kThreadAt = 16;
constexpr std::size_t kChecksumAt = 60;
constexpr std::size_t kLongestThread = kChecksumAt - kThreadAt;

std::uint32_t checksum_of(const OperationHeaderBytes& bytes) {
  return crc32c(std::span{bytes}.first(kChecksumAt));
}

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

}  // namespace

bool OperationHeader::readable() const noexcept {
  return version == kVersion && record_bytes == kOperationBytes;
}

bool is_thread_name(const std::string& thread) noexcept {
  return !thread.empty() && thread.size() <= kLongestThread &&
         std::all_of(thread.begin(), thread.end(), is_name_character);
}

std::string operation_file_name(const std::string& thread) {
  return std::string{kPrefix} + thread + std::string{kSuffix};
}

bool is_operation_file_name(const std::string& name) noexcept {
  return name.size() > kPrefix.size() + kSuffix.size() && name.starts_with(kPrefix) &&
         name.ends_with(kSuffix);
}

OperationHeaderBytes encode_operation_header(const std::string& thread) noexcept {
  OperationHeaderBytes bytes{};
  std::memcpy(bytes.data(), kMagic.data(), kMagic.size());
  store_little(bytes.data() + kVersionAt, kVersion);
  store_little(bytes.data() + kRecordBytesAt, std::uint32_t{kOperationBytes});
  std::memcpy(bytes.data() + kThreadAt, thread.data(), std::min(thread.size(), kLongestThread));
  store_little(bytes.data() + kChecksumAt, checksum_of(bytes));
  return bytes;
}

std::optional<OperationHeader> decode_operation_header(const OperationHeaderBytes& bytes) noexcept {
  if (std::memcmp(bytes.data(), kMagic.data(), kMagic.size()) != 0 ||
      load_little<std::uint32_t>(bytes.data() + kChecksumAt) != checksum_of(bytes)) {
    return std::nullopt;
  }
  const char* const thread = reinterpret_cast<const char*>(bytes.data() + kThreadAt);
  return OperationHeader{.version = load_little<std::uint32_t>(bytes.data() + kVersionAt),
                         .record_bytes = load_little<std::uint32_t>(bytes.data() + kRecordBytesAt),
                         .thread = {thread, ::strnlen(thread, kLongestThread)}};
}

}  // namespace pgfiredrill
