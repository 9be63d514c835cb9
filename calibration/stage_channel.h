#pragma once

/// What the two processes of a calibration tell each other: whole messages over a pair of sockets.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/failure.h"
#include "record/descriptor.h"

namespace pgfiredrill::stage_channel {

/// Both ends have the same program behind them, so numbers go as they are.
struct Message {
  enum class Kind : char { listening = 'l', failed = 'f', go = 'g', outage = 'o' };
  Kind kind = Kind::failed;
  /// listening: the stub's port, then the lanes'; go: the instant; outage: lane, start, end.
  std::vector<std::int64_t> numbers;
  std::string text;  ///< failed: why
};

/// The ends, ours first. Fails with the system's reason.
[[nodiscard]] Result<std::pair<Descriptor, Descriptor>> make_pair();
/// False where nobody is at the other end any more.
[[nodiscard]] bool send(const Descriptor& end, const Message& message);
/// Nothing where none came within `limit`, or nobody is at the other end any more (`gone`).
struct Received {
  std::optional<Message> message;
  bool gone = false;
};
[[nodiscard]] Received receive(const Descriptor& end, nanoseconds limit);

}  // namespace pgfiredrill::stage_channel
