#pragma once

/// Sessions held across a fault as applications hold them, on every read-write entry point: what becomes of
/// those that stood when it came. Beside traffic, which replaces what it loses.
///
/// A thread of its own, `applications`, which logs in and drives all of them; it times nothing finer than
/// 10 ms. Called from main.

#include <cstddef>
#include <memory>
#include <vector>

#include "base/clock.h"
#include "drivers/client_plan.h"
#include "drivers/traffic.h"
#include "record/recorder.h"

namespace pgfiredrill {

struct ApplicationClientsOptions {
  std::vector<ClientSpec> clients;
  TrafficAccess access;
};

class ApplicationClients {
 public:
  /// `recorder` and `clock` must outlive it.
  [[nodiscard]] static std::unique_ptr<ApplicationClients> create(ApplicationClientsOptions options,
                                                                  Recorder& recorder, Clock& clock);
  /// Closes what stands, and joins.
  virtual ~ApplicationClients() = default;

  /// Opens every session and puts it into its state. Blocking, at most `deadline`; what could not be had is a
  /// remark in the record. For each repeat anew.
  virtual void open(std::size_t drill, std::size_t repeat, nanoseconds deadline) = 0;
  virtual void fault_sent(nanoseconds at) = 0;
  /// The end of observation: commits what is still in a transaction and closes all. What is not answered by
  /// then is recorded as waiting, and nothing is cancelled. Blocking, a second at most; may be called again.
  virtual void finish() = 0;
};

}  // namespace pgfiredrill
