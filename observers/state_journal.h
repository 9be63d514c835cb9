#pragma once

/// Writes `server_state` events of one server. One thread.

#include <optional>
#include <string>

#include "base/clock.h"
#include "cluster/server_question.h"
#include "observers/server_way.h"
#include "record/recorder.h"

namespace pgfiredrill {

class StateJournal {
 public:
  /// `recorder` and `clock` must outlive it.
  StateJournal(std::string member, std::string host, Recorder& recorder, Clock& clock);

  void answered(Way way, nanoseconds asked_at, const ServerSelfReport& report);
  /// The first at once, of those that go on at most two a second.
  void failed(Way way, nanoseconds asked_at, const std::string& reason);

 private:
  [[nodiscard]] Event state(Way way, nanoseconds asked_at, bool reachable) const;

  const std::string member_;
  const std::string host_;
  Recorder& recorder_;
  Clock& clock_;
  std::optional<nanoseconds> failure_told_at_;
};

}  // namespace pgfiredrill
