#include "cli/run_screen.h"

#include <ostream>

#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/style.h"
#include "report/live_screen.h"

namespace pgfiredrill {
namespace {

/// Where lines stay, one in this many seconds tells enough.
constexpr double kLineEvery = 5;
constexpr std::size_t kUsualHeight = 24;

}  // namespace

RunScreen::RunScreen(std::ostream& out, std::size_t terminal_width)
    : out_{out}, width_{terminal_width}, style_{colours_wanted(terminal_width)} {}

RunScreen::~RunScreen() {
  close();
}

void RunScreen::show(const RunProgress& progress) {
  if (width_ == 0) {
    if (progress.elapsed_s < next_line_at_s_) return;
    next_line_at_s_ = progress.elapsed_s + kLineEvery;
    out_ << render_live_line(progress) << std::endl;
    return;
  }
  // One row is left for the cursor, so that the terminal does not scroll.
  const auto lines = render_live_screen(progress, style_, width_, terminal_height() - 1);
  std::string frame = drawn_ > 0 ? "\033[" + std::to_string(drawn_) + "A" : "";
  for (const std::string& line : lines) frame += "\r" + line + "\033[K\n";
  frame += "\033[J";
  drawn_ = lines.size();
  out_ << frame << std::flush;
}

void RunScreen::begin(const RunProgress& progress) {
  next_line_at_s_ = 0;
  if (width_ == 0) show(progress);
}

void RunScreen::say(const std::string& line) {
  erase();
  out_ << line << std::endl;
}

void RunScreen::close() {
  erase();
}

void RunScreen::erase() {
  if (drawn_ == 0) return;
  out_ << "\033[" << drawn_ << "A\r\033[J" << std::flush;
  drawn_ = 0;
}

std::size_t RunScreen::terminal_height() {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row < 3) return kUsualHeight;
  return size.ws_row;
}

}  // namespace pgfiredrill
