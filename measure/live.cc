#include "measure/live.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "measure/due_order.h"
#include "measure/operation_rules.h"
#include "measure/path_windows.h"
#include "measure/plausible_instant.h"

namespace pgfiredrill {

namespace {

/// An operation is recorded at its deadline at the latest; this is for the way from there to here.
constexpr nanoseconds kOnTheWay{250'000'000};

class PathView {
 public:
  explicit PathView(const TrafficPath& path)
      : path_{path}, order_{deadline_of(path) + kOnTheWay}, windows_{path.servers_behind} {}

  void add(const Operation& operation) { order_.add(operation); }

  void mark() {
    order_.skip_waiting();
    windows_ = PathWindows{path_.servers_behind};
    errors_.clear();
    last_error_ = {};
    successes_ = failures_ = answered_by_error_ = stalled_ = 0;
  }

  LivePath look(nanoseconds now) {
    for (const Operation& operation : order_.take(now)) fold(operation);
    LivePath live{.id = path_.id,
                  .health = health(),
                  .error_s = to_seconds(interval_of(path_)) * static_cast<double>(answered_by_error_),
                  .stall_s = to_seconds(interval_of(path_)) * static_cast<double>(stalled_),
                  .last_error = describe_error(),
                  .successes = successes_,
                  .failures = failures_};
    for (const OutageWindow& window : windows_.closed()) {
      live.longest_s = std::max(live.longest_s, to_seconds(window.length()));
      live.unavailable_s += to_seconds(window.length());
    }
    if (const auto& open = windows_.open()) {
      live.down_s = std::max(0.0, to_seconds(now - open->start));
      live.longest_s = std::max(live.longest_s, live.down_s);
      live.unavailable_s += live.down_s;
    }
    return live;
  }

 private:
  void fold(const Operation& operation) {
    const bool success = is_success(operation, path_);
    windows_.on(operation.due, success);
    seen_ = true;
    ++(success ? successes_ : failures_);
    if (is_error(operation, path_)) ++answered_by_error_;
    if (is_stall(operation, path_)) ++stalled_;
    const ErrorClass error = error_of(operation, path_);
    if (success || error.none()) return;
    ++errors_[error];
    last_error_ = error;
  }

  PathHealth health() const {
    if (const auto& open = windows_.open()) {
      return open->first_success ? PathHealth::partial : PathHealth::down;
    }
    return seen_ ? PathHealth::up : PathHealth::starting;
  }

  std::string describe_error() const {
    if (last_error_.none()) return "";
    return fmt::format("{} x{}", last_error_.to_string(), errors_.at(last_error_));
  }

  TrafficPath path_;
  DueOrder order_;
  PathWindows windows_;
  std::map<ErrorClass, std::size_t> errors_;
  ErrorClass last_error_;
  std::size_t successes_ = 0;
  std::size_t failures_ = 0;
  std::size_t answered_by_error_ = 0;
  std::size_t stalled_ = 0;
  bool seen_ = false;  ///< since the run began: a mark does not make a path start again
};

}  // namespace

struct LiveView::State {
  std::vector<PathView> views;
  std::map<std::uint16_t, std::size_t> view_of_path;
  nanoseconds latest_due{0};
  nanoseconds marked{-1};  ///< what was due until here does not count
};

LiveView::LiveView(const RunManifest& manifest) : state_{std::make_unique<State>()} {
  for (std::size_t i = 0; i < manifest.paths.size() && i <= UINT16_MAX; ++i) {
    if (manifest.paths[i].purpose != Purpose::canary) continue;
    state_->view_of_path[static_cast<std::uint16_t>(i)] = state_->views.size();
    state_->views.emplace_back(manifest.paths[i]);
  }
}

LiveView::~LiveView() = default;
LiveView::LiveView(LiveView&&) noexcept = default;

void LiveView::on(const Operation& operation) {
  if (operation.kind != RecordKind::done || !plausible_instant(operation.due)) return;
  const auto view = state_->view_of_path.find(operation.path);
  if (view == state_->view_of_path.end() || operation.due <= state_->marked) return;
  state_->latest_due = std::max(state_->latest_due, operation.due);
  state_->views[view->second].add(operation);
}

void LiveView::mark() {
  state_->marked = state_->latest_due;
  for (PathView& view : state_->views) view.mark();
}

std::vector<LivePath> LiveView::look(nanoseconds now) {
  std::vector<LivePath> paths;
  for (PathView& view : state_->views) paths.push_back(view.look(now));
  return paths;
}

}  // namespace pgfiredrill
