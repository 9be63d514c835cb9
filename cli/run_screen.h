#pragma once

/// The running suite on stdout: a screen that is drawn in place on a terminal, plain lines elsewhere.

#include <cstddef>
#include <iosfwd>
#include <string>
#include <vector>

#include "report/terminal.h"
#include "suites/run_view.h"

namespace pgfiredrill {

/// Main's. A terminal that is gone makes writes fail, which changes nothing for the run.
class RunScreen final : public RunView {
 public:
  /// `terminal_width` is 0 where `out` is no terminal.
  RunScreen(std::ostream& out, std::size_t terminal_width);
  ~RunScreen() override;

  void show(const RunProgress& progress) override;
  void begin(const RunProgress& progress) override;
  void say(const std::string& line) override;
  /// Takes the screen away; the lines that were said stay.
  void close();

 private:
  void erase();
  [[nodiscard]] static std::size_t terminal_height();

  std::ostream& out_;
  const std::size_t width_;
  const TerminalStyle style_;
  std::size_t drawn_ = 0;      ///< lines of the screen that stand now
  double next_line_at_s_ = 0;  ///< of the run's time, where there is no terminal
};

}  // namespace pgfiredrill
