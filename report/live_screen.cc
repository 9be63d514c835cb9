#include "report/live_screen.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include <fmt/core.h>

#include "report/run_words.h"
#include "report/utf8.h"

namespace pgfiredrill {
namespace {

constexpr std::size_t kNarrowest = 20;
/// In a line for logs: what is worst says enough.
constexpr std::size_t kPathsInLine = 3;

/// The first `width` columns.
std::string cut(const std::string& text, std::size_t width) {
  if (display_width(text) <= width) return text;
  std::string kept;
  std::size_t used = 0;
  for (const char c : text) {
    const bool begins = (static_cast<unsigned char>(c) & 0xc0) != 0x80;
    if (begins && used == width) break;
    if (begins) ++used;
    kept += c;
  }
  return kept;
}

std::string padded(const std::string& text, std::size_t width) {
  return text + std::string(width - std::min(width, display_width(text)), ' ');
}

/// Always with one digit: a number that changes its width ten times a second is hard to read.
std::string live_seconds(double seconds) {
  return fmt::format("{:.1f} s", std::isfinite(seconds) ? seconds : 0);
}

/// "03:12", "1:03:12".
std::string clock_text(double seconds) {
  const auto whole = static_cast<long long>(std::isfinite(seconds) ? std::clamp(seconds, 0.0, 1e9) : 0);
  const long long hours = whole / 3600;
  const std::string rest = fmt::format("{:02}:{:02}", whole / 60 % 60, whole % 60);
  return hours > 0 ? fmt::format("{}:{}", hours, rest) : rest;
}

/// "drill 2 of 5, kill-postmaster, repeat 1 of 3"
std::string drill_text(const RunProgress& screen) {
  if (screen.drill_number == 0) return {};
  std::string text =
      fmt::format("drill {} of {}, {}", screen.drill_number, screen.drill_count, printable(screen.drill));
  if (screen.repeats > 1) text += fmt::format(", repeat {} of {}", screen.repeat, screen.repeats);
  return text;
}

// ---- paths

/// `pg1:5000/read_write/fresh` → "pg1:5000" and "RW fresh".
std::string entrypoint_of(const LivePath& path) {
  return printable(path.id.substr(0, path.id.find('/')));
}

std::string way_of(const LivePath& path) {
  const auto slash = path.id.find('/');
  std::string way = slash == std::string::npos ? std::string{} : printable(path.id.substr(slash + 1));
  for (const auto& [access, initials] : {std::pair{"read_write", "RW"}, std::pair{"read_only", "RO"}}) {
    const std::string word = access;
    if (way.starts_with(word)) way = initials + way.substr(word.size());
  }
  std::replace(way.begin(), way.end(), '/', ' ');
  return way;
}

std::string state_text(const LivePath& path) {
  switch (path.health) {
    case PathHealth::starting:
      return "starting";
    case PathHealth::up:
      return "up";
    case PathHealth::down:
      return "DOWN " + live_seconds(path.down_s);
    case PathHealth::partial:
      return "partial " + live_seconds(path.down_s);
  }
  return "starting";
}

std::string styled_state(const LivePath& path, const std::string& text, const TerminalStyle& style) {
  switch (path.health) {
    case PathHealth::starting:
      return style.faint(text);
    case PathHealth::up:
      return style.good(text);
    case PathHealth::down:
      return style.bad(text);
    case PathHealth::partial:
      return style.warning(text);
  }
  return text;
}

/// What a person must see first.
int urgency(const LivePath& path) {
  switch (path.health) {
    case PathHealth::down:
      return 0;
    case PathHealth::partial:
      return 1;
    case PathHealth::starting:
      return 2;
    case PathHealth::up:
      return 3;
  }
  return 3;
}

using Paths = std::vector<const LivePath*>;

/// The most urgent first, among them the longest outage; else in the order in which they came.
Paths by_urgency(const std::vector<LivePath>& all) {
  Paths paths;
  for (const LivePath& path : all) paths.push_back(&path);
  std::stable_sort(paths.begin(), paths.end(), [](const LivePath* a, const LivePath* b) {
    const auto key = [](const LivePath& path) {
      return std::tuple{urgency(path), -path.down_s, -path.longest_s};
    };
    return key(*a) < key(*b);
  });
  return paths;
}

/// "12 more up", "2 more DOWN, 3 more starting".
std::string rest_text(const Paths& paths) {
  static constexpr const char* kWords[] = {"DOWN", "partial", "starting", "up"};
  std::map<int, std::size_t> counts;
  for (const LivePath* path : paths) ++counts[urgency(*path)];
  std::string text;
  for (const auto& [word, count] : counts)
    text += fmt::format("{}{} more {}", text.empty() ? "" : ", ", count, kWords[word]);
  return text;
}

// ---- the screen

class Screen {
 public:
  Screen(const RunProgress& screen, const TerminalStyle& style, std::size_t width, std::size_t height)
      : screen_{screen}, style_{style}, width_{std::max(width, kNarrowest)}, height_{height} {}

  std::vector<std::string> render() {
    title();
    stage();
    topology();
    paths();
    notice();
    if (lines_.size() > height_) lines_.resize(height_);
    return std::move(lines_);
  }

 private:
  void add(const std::string& line) { lines_.push_back(cut(line, width_)); }

  void title() {
    std::string right = clock_text(screen_.elapsed_s);
    if (screen_.since_injection_s) right = "t+" + live_seconds(*screen_.since_injection_s) + "  " + right;
    right = cut(right, width_ - 1);
    const std::size_t left = width_ - right.size();
    const std::string name = cut(printable(screen_.suite) + " on " + printable(screen_.cluster), left - 1);
    lines_.push_back(style_.heading(padded(name, left)) + right);
  }

  void stage() {
    std::string what = drill_text(screen_);
    if (!screen_.stage.empty())
      what += (what.empty() ? "" : ": ") + printable(screen_.stage) + " " + live_seconds(screen_.stage_s);
    if (!screen_.stage.empty() && screen_.stage_of_s) what += " of " + live_seconds(*screen_.stage_of_s);
    add(what);
  }

  void topology() {
    if (!screen_.topology.empty()) add(printable(screen_.topology));
    if (screen_.gaps.empty()) return;
    std::string gaps;
    for (const std::string& gap : screen_.gaps) gaps += (gaps.empty() ? "" : "; ") + printable(gap);
    const std::string line = cut("not fully healthy: " + gaps, width_);
    lines_.push_back(style_.warning(line));
  }

  std::size_t lines_for_paths() const {
    const std::size_t taken = lines_.size() + (screen_.notice.empty() ? 0 : 2);
    return height_ > taken ? height_ - taken : 0;
  }

  void paths() {
    if (screen_.paths.empty()) return;
    add("");
    const Paths urgent = by_urgency(screen_.paths);
    const std::size_t room = lines_for_paths();
    const bool all_fit = urgent.size() <= room;
    // One line says how many are left out.
    const auto count = static_cast<std::ptrdiff_t>(all_fit ? urgent.size() : room > 0 ? room - 1 : 0);
    const Paths listed{urgent.begin(), urgent.begin() + count};
    list(listed);
    if (!all_fit) add("  " + rest_text({urgent.begin() + count, urgent.end()}));
  }

  /// In their own order again, so that nothing jumps about while states change.
  void list(const Paths& listed) {
    std::string entrypoint;
    const std::size_t first = column(listed, entrypoint_of);
    const std::size_t second = column(listed, way_of);
    for (const LivePath& path : screen_.paths) {
      if (std::find(listed.begin(), listed.end(), &path) == listed.end()) continue;
      const std::string of_path = entrypoint_of(path);
      const std::string prefix = "  " + padded(of_path == entrypoint ? "" : cut(of_path, first), first) +
                                 "  " + padded(cut(way_of(path), second), second) + "  ";
      entrypoint = of_path;
      add_path(prefix, path);
    }
  }

  /// No wider than a third of what there is: the state must be seen.
  std::size_t column(const Paths& listed, std::string (*text)(const LivePath&)) const {
    std::size_t widest = 0;
    for (const LivePath* path : listed) widest = std::max(widest, display_width(text(*path)));
    return std::min(widest, width_ / 3);
  }

  void add_path(const std::string& prefix, const LivePath& path) {
    constexpr std::size_t kStateColumn = 16;
    const std::string left = cut(prefix, width_);
    const std::string state = cut(state_text(path), width_ - display_width(left));
    std::string details;
    if (path.longest_s > 0 && path.health != PathHealth::down)
      details = "was down " + live_seconds(path.longest_s);
    if (!path.last_error.empty()) details += (details.empty() ? "" : "  ") + printable(path.last_error);
    const std::size_t used = display_width(left) + display_width(state);
    std::string line = left + styled_state(path, state, style_);
    if (!details.empty() && used < width_) {
      const std::size_t gap = kStateColumn - std::min(kStateColumn, display_width(state)) + 1;
      line += cut(std::string(gap, ' ') + details, width_ - used);
    }
    lines_.push_back(line);
  }

  void notice() {
    if (screen_.notice.empty()) return;
    add("");
    lines_.push_back(style_.warning(cut("! " + printable(screen_.notice), width_)));
  }

  const RunProgress& screen_;
  const TerminalStyle& style_;
  const std::size_t width_;
  const std::size_t height_;
  std::vector<std::string> lines_;
};

}  // namespace

std::vector<std::string> render_live_screen(const RunProgress& screen, const TerminalStyle& style,
                                            std::size_t width, std::size_t height) {
  return Screen{screen, style, width, height}.render();
}

std::string render_live_line(const RunProgress& screen) {
  std::string line = screen.since_injection_s ? fmt::format("t+{:.1f}s", *screen.since_injection_s)
                                              : clock_text(screen.elapsed_s);
  if (!screen.stage.empty()) line += " " + printable(screen.stage);
  const Paths urgent = by_urgency(screen.paths);
  std::string paths;
  std::size_t listed = 0;
  for (; listed < urgent.size() && listed < kPathsInLine && urgency(*urgent[listed]) < 2; ++listed) {
    const LivePath& path = *urgent[listed];
    paths += fmt::format("{}{} {} {}", listed == 0 ? "" : ", ", entrypoint_of(path), way_of(path),
                         state_text(path));
    if (!path.last_error.empty()) paths += " (" + printable(path.last_error) + ")";
  }
  const Paths rest{urgent.begin() + static_cast<std::ptrdiff_t>(listed), urgent.end()};
  if (!rest.empty()) {
    const bool all_up = listed == 0 && urgency(*rest.front()) == 3;
    paths += (paths.empty() ? "" : ", ");
    paths += all_up ? "all " + counted(rest.size(), "path") + " up" : rest_text(rest);
  }
  if (!paths.empty()) line += "  " + paths;
  if (!screen.notice.empty()) line += "  ! " + printable(screen.notice);
  return line;
}

}  // namespace pgfiredrill
