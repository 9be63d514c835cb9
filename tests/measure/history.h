#pragma once

/// Histories of operations, written as text: one letter for each due time.

#include <cstdint>
#include <string>
#include <vector>

#include "record/operation.h"
#include "record/traffic_path.h"

namespace pgfiredrill::testing {

inline nanoseconds at_s(double seconds) {
  return nanoseconds{static_cast<nanoseconds::rep>(seconds * 1e6 + (seconds < 0 ? -0.5 : 0.5)) * 1000};
}

inline TrafficPath canary(double rate_hz = 20, int servers_behind = 1) {
  TrafficPath path;
  path.id = "pg1:5000/read_write/fresh";
  path.entrypoint = "pg1:5000";
  path.addresses = {{"10.0.0.1", 5000}};
  path.session = SessionKind::fresh;
  path.rate_hz = rate_hz;
  path.servers_behind = servers_behind;
  return path;
}

/// + success, l good but late, x error, r answered by a standby, w 25006, o login refused as read-only,
/// t given up on at the deadline, - dropped for want of a connection, d dropped because we were late,
/// s sent and never done
inline Operation operation(char letter, nanoseconds due, std::uint64_t number, std::uint16_t path = 0) {
  Operation op;
  op.outcome = letter == '+' || letter == 'l' ? Outcome::acknowledged : Outcome::failed;
  op.kind = letter == 's' ? RecordKind::sent : RecordKind::done;
  op.layer = letter == '+' || letter == 'l' ? Layer::none : Layer::pooler;
  op.path = path;
  op.number = number;
  op.due = due;
  op.sent_after = at_s(0.0001);
  op.done_after = at_s(letter == 'l' ? 1.5 : letter == 't' ? 1.0 : 0.002);
  if (letter == 'l') op.late = true;
  if (letter == 'x') op.error = ErrorClass::sqlstate("08P01");
  if (letter == 'w') op.error = ErrorClass::sqlstate("25006");
  if (letter == 'o') op.error = Trouble::read_only_session;
  if (letter == 't') op.error = Trouble::answer_timeout;
  if (letter == 'r') {
    op.in_recovery = true;
    op.error = Trouble::misrouted;
    op.layer = Layer::routing;
  }
  if (letter == '-' || letter == 'd') {
    op.dropped = true;
    op.error = letter == '-' ? Trouble::no_connection : Trouble::late_dispatch;
    op.sent_after.reset();
    op.done_after = at_s(1.0);
  }
  if (letter == 's') op.done_after.reset();
  return op;
}

/// Operations due every `step_s` from `from_s` on; spaces in `letters` are for the eye.
inline std::vector<Operation> history(const std::string& letters, double step_s, double from_s = 0,
                                      std::uint16_t path = 0) {
  std::vector<Operation> operations;
  for (const char letter : letters) {
    if (letter == ' ') continue;
    const auto number = static_cast<double>(operations.size());
    operations.push_back(operation(letter, at_s(from_s + number * step_s), operations.size() + 1, path));
  }
  return operations;
}

/// `letter` n times.
inline std::string times(std::size_t n, char letter = '+') {
  return std::string(n, letter);
}

}  // namespace pgfiredrill::testing
