#pragma once

/// The one exception family of the program: it ends a task, and the command line turns it into an exit code.
///
/// Never thrown across an Asio handler, a coroutine's entry or a thread; outcomes of operations and failed
/// probes are values instead (`Result`, `Outcome`).

#include <exception>
#include <string>

#include "base/exit_class.h"
#include "base/failure.h"

namespace pgfiredrill {

class Error : public std::exception {
 public:
  Error(Failure failure, ExitClass exit_class);

  /// The whole message on one line, as `Failure::message()` makes it.
  [[nodiscard]] const char* what() const noexcept override { return message_.c_str(); }
  [[nodiscard]] const Failure& failure() const noexcept { return failure_; }
  [[nodiscard]] ExitClass exit_class() const noexcept { return exit_class_; }

 private:
  Failure failure_;
  ExitClass exit_class_;
  std::string message_;
};

}  // namespace pgfiredrill
