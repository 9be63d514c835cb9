#include "record/operation.h"

#include <algorithm>
#include <limits>
#include <span>

#include "record/crc32c.h"
#include "record/little_endian.h"

namespace pgfiredrill {
namespace {

/// Where each field stands. Every byte has a meaning, so that no flipped bit can go unseen.
enum Offset : std::size_t {
  kKind = 0,
  kOutcome = 1,
  kLayer = 2,
  kFlags = 3,
  kPath = 4,
  kNode = 6,
  kDue = 8,
  kLsn = 16,
  kStream = 24,
  kNumber = 26,
  kSentAfter = 32,
  kDoneAfter = 36,
  kTimeline = 40,
  kBackendPid = 44,
  kError = 48,
  kHeartbeat = 52,
  kChecksum = 56,
};
static_assert(kChecksum + sizeof(std::uint32_t) == kOperationBytes);

constexpr std::size_t kNumberBytes = 6;
constexpr std::uint64_t kNumberMask = (std::uint64_t{1} << (8 * kNumberBytes)) - 1;

enum Flag : std::uint8_t {
  kWrite = 1,
  kDropped = 2,
  kLate = 4,
  kInRecovery = 8,
  kAtLogin = 16,
  kAllFlags = 31,
};

constexpr std::uint32_t kAbsent = std::numeric_limits<std::uint32_t>::max();

std::uint8_t flags_of(const Operation& operation) {
  unsigned flags = 0;
  if (operation.write) flags |= kWrite;
  if (operation.dropped) flags |= kDropped;
  if (operation.late) flags |= kLate;
  if (operation.in_recovery) flags |= kInRecovery;
  if (operation.at_login) flags |= kAtLogin;
  return static_cast<std::uint8_t>(flags);
}

std::uint32_t pack_duration(const std::optional<nanoseconds>& duration) {
  if (!duration) return kAbsent;
  const nanoseconds::rep count = duration->count();
  const nanoseconds::rep rounded = count / 1000 + (count % 1000 >= 500 ? 1 : 0);
  return static_cast<std::uint32_t>(std::clamp<nanoseconds::rep>(rounded, 0, kAbsent - 1));
}

std::optional<nanoseconds> unpack_duration(std::uint32_t microseconds) {
  if (microseconds == kAbsent) return std::nullopt;
  return nanoseconds{nanoseconds::rep{microseconds} * 1000};
}

std::uint32_t checksum_of(const OperationBytes& bytes) {
  return crc32c(std::span{bytes}.first(kChecksum));
}

bool known_values(const std::byte* at) {
  const auto kind = std::to_integer<unsigned>(at[kKind]);
  const auto outcome = std::to_integer<unsigned>(at[kOutcome]);
  const auto layer = std::to_integer<unsigned>(at[kLayer]);
  const auto flags = std::to_integer<unsigned>(at[kFlags]);
  return (kind == static_cast<unsigned>(RecordKind::sent) ||
          kind == static_cast<unsigned>(RecordKind::done)) &&
         outcome <= static_cast<unsigned>(Outcome::failed) &&
         layer <= static_cast<unsigned>(Layer::unknown) && flags <= kAllFlags;
}

bool is_good(const OperationBytes& bytes) {
  return load_little<std::uint32_t>(bytes.data() + kChecksum) == checksum_of(bytes) &&
         known_values(bytes.data());
}

nanoseconds due_in(const std::byte* at) {
  return nanoseconds{static_cast<nanoseconds::rep>(load_little<std::uint64_t>(at + kDue))};
}

}  // namespace

OperationBytes encode(const Operation& operation) noexcept {
  OperationBytes bytes;
  std::byte* const at = bytes.data();
  at[kKind] = static_cast<std::byte>(operation.kind);
  at[kOutcome] = static_cast<std::byte>(operation.outcome);
  at[kLayer] = static_cast<std::byte>(operation.layer);
  at[kFlags] = static_cast<std::byte>(flags_of(operation));
  store_little(at + kPath, operation.path);
  store_little(at + kNode, operation.node);
  store_little(at + kDue, static_cast<std::uint64_t>(operation.due.count()));
  store_little(at + kLsn, operation.lsn);
  store_little(at + kStream, operation.stream);
  store_little(at + kNumber, operation.number & kNumberMask, kNumberBytes);
  store_little(at + kSentAfter, pack_duration(operation.sent_after));
  store_little(at + kDoneAfter, pack_duration(operation.done_after));
  store_little(at + kTimeline, operation.timeline);
  store_little(at + kBackendPid, operation.backend_pid);
  store_little(at + kError, operation.error.code());
  store_little(at + kHeartbeat, operation.heartbeat);
  store_little(at + kChecksum, checksum_of(bytes));
  return bytes;
}

std::optional<Operation> decode(const OperationBytes& bytes) noexcept {
  if (!is_good(bytes)) return std::nullopt;
  const std::byte* const at = bytes.data();
  const auto flags = std::to_integer<unsigned>(at[kFlags]);
  Operation operation;
  operation.kind = static_cast<RecordKind>(at[kKind]);
  operation.outcome = static_cast<Outcome>(at[kOutcome]);
  operation.layer = static_cast<Layer>(at[kLayer]);
  operation.write = (flags & kWrite) != 0;
  operation.dropped = (flags & kDropped) != 0;
  operation.late = (flags & kLate) != 0;
  operation.in_recovery = (flags & kInRecovery) != 0;
  operation.at_login = (flags & kAtLogin) != 0;
  operation.path = load_little<std::uint16_t>(at + kPath);
  operation.node = load_little<std::uint16_t>(at + kNode);
  operation.due = due_in(at);
  operation.lsn = load_little<std::uint64_t>(at + kLsn);
  operation.stream = load_little<std::uint16_t>(at + kStream);
  operation.number = load_little<std::uint64_t>(at + kNumber, kNumberBytes);
  operation.sent_after = unpack_duration(load_little<std::uint32_t>(at + kSentAfter));
  operation.done_after = unpack_duration(load_little<std::uint32_t>(at + kDoneAfter));
  operation.timeline = load_little<std::uint32_t>(at + kTimeline);
  operation.backend_pid = load_little<std::uint32_t>(at + kBackendPid);
  operation.heartbeat = load_little<std::uint32_t>(at + kHeartbeat);
  operation.error = ErrorClass::from_code(load_little<std::uint32_t>(at + kError));
  return operation;
}

std::optional<nanoseconds> decode_due(const OperationBytes& bytes) noexcept {
  if (!is_good(bytes)) return std::nullopt;
  return due_in(bytes.data());
}

}  // namespace pgfiredrill
