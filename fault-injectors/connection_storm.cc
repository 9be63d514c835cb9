#include "fault-injectors/connection_storm.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include <sys/resource.h>

#include "base/text.h"
#include "fault-injectors/aiming.h"
#include "fault-injectors/own_sessions.h"
#include "fault-injectors/storm_sessions.h"
#include "fault-injectors/watching.h"

namespace pgfiredrill::fault {
namespace {

constexpr const char* kName = "connection-storm";
constexpr const char* kSessions = "sessions";
constexpr const char* kPool = "pool";
/// For whatever else the program opens while the storm stands.
constexpr std::int64_t kFilesToSpare = 128;

Failure refuse(const std::string& came_back, const std::string& hint) {
  return {.kind = FailureKind::missing,
          .what = std::string{"prepare "} + kName,
          .where = {},
          .came_back = came_back,
          .hint = hint};
}

/// How many more files this process may open.
std::int64_t files_left() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  std::error_code error;
  std::int64_t open = 0;
  for (auto entry = std::filesystem::directory_iterator{"/proc/self/fd", error};
       !error && entry != std::filesystem::directory_iterator{}; entry.increment(error)) {
    ++open;
  }
  constexpr rlim_t kMost = 1'000'000;
  return static_cast<std::int64_t>(std::min(limit.rlim_cur, kMost)) - open - kFilesToSpare;
}

class ConnectionStorm final : public Fault {
 public:
  ConnectionStorm(const FaultSpec& spec, const Tools& tools) : tools_{tools} {
    if (spec.target != kLeader) target_ = spec.target;
    if (const std::string sessions = spec.option(kSessions); !sessions.empty()) wanted_ = sessions;
  }

  [[nodiscard]] Result<void> aim(const ClusterSnapshot& now) override {
    const auto leader = aim_at_leader(now, kName);
    if (!leader) return leader.error();
    const auto sessions = sessions_wanted();
    if (!sessions) return sessions.error();
    if (*sessions > files_left()) {
      return refuse("this process may not open " + std::to_string(*sessions) + " sessions more",
                    "Raise its limit of open files (ulimit -n), or choose fewer sessions.");
    }
    auto found = way_in(tools_, (*leader)->name, kStormApplication);
    if (!found) return found.error();
    way_in_ = std::move(*found);
    sessions_ = static_cast<int>(*sessions);
    target_ = (*leader)->name;
    return {};
  }

  [[nodiscard]] const std::string& target() const noexcept override { return target_; }

  [[nodiscard]] std::vector<std::string> describe() const override {
    return {std::to_string(sessions_) + " sessions at " + Endpoint{way_in_.host, way_in_.port}.to_string() +
            ", each sleeping in the server"};
  }

  [[nodiscard]] Result<void> inject() override {
    storm_ = std::make_unique<StormSessions>(way_in_, sessions_);
    return {};
  }

  /// All of them stand, or the ceiling is met and every one has come to its place.
  [[nodiscard]] Evidence verify(nanoseconds deadline) override {
    const nanoseconds end = tools_.clock.monotonic() + deadline;
    while (true) {
      Evidence evidence = judge();
      if (evidence.took || tools_.clock.monotonic() + kBetweenLooks >= end) return evidence;
      tools_.clock.sleep_for(kBetweenLooks);
    }
  }

  /// That sessions were lost to another fault is what one wants to see; they try again.
  [[nodiscard]] Evidence verify_held() override {
    if (storm_) last_ = told(storm_->count());
    return {.took = storm_ != nullptr, .sentence = last_};
  }

  [[nodiscard]] Result<void> revert() override {
    if (storm_) last_ = told(storm_->count());
    storm_.reset();
    return {};
  }

  [[nodiscard]] Evidence verify_reverted() override {
    const Evidence gone = sessions_are_gone(tools_, kStormApplication);
    return {.took = gone.took, .sentence = join({last_, gone.sentence}, "; ")};
  }

 private:
  /// Of a pool's own size a tenth more, so that its end shows.
  [[nodiscard]] Result<std::int64_t> sessions_wanted() const {
    if (const auto number = parse_integer(wanted_); number && *number > 0) return *number;
    const auto& pool = tools_.cluster.settings.default_pool_size.value;
    if (!pool || *pool < 1) {
      return refuse("the pooler's default_pool_size is not known",
                    "Say how many sessions there shall be (option sessions).");
    }
    return *pool + std::max<std::int64_t>(5, *pool / 10);
  }

  [[nodiscard]] Evidence judge() const {
    if (!storm_) return {.sentence = "it was not begun"};
    const StormCount count = storm_->count();
    const bool all = count.served == sessions_;
    const bool ceiling = count.served > 0 && count.begun == 0 && count.waiting + count.refused > 0;
    return {.took = all || ceiling, .sentence = told(count)};
  }

  [[nodiscard]] std::string told(const StormCount& count) const {
    std::vector<std::string> parts{std::to_string(count.served) + " of " + std::to_string(sessions_) +
                                   " sessions are served"};
    if (count.waiting > 0) parts.push_back(std::to_string(count.waiting) + " wait for a server");
    if (count.refused > 0)
      parts.push_back(std::to_string(count.refused) + " were refused or lost (" + count.refusal + ")");
    if (count.begun > 0) parts.push_back(std::to_string(count.begun) + " are not logged in yet");
    return join(parts, ", ");
  }

  Tools tools_;
  std::string wanted_ = kPool;
  std::string target_;
  ConnectParameters way_in_;
  int sessions_ = 0;
  std::unique_ptr<StormSessions> storm_;
  std::string last_;
};

}  // namespace

FaultKind connection_storm() {
  return {
      .name = kName,
      .proves =
          "when too many clients come at once, those that are connected go on and the rest wait or are told",
      .undone_by = "the sessions are closed; they end with this program too",
      .targets = {kLeader},
      .options = {{kSessions, {kPool, "200", "1000"}}},
      .holds = true,
      .on_hosts = false,
      .danger = [](const FaultSpec&) { return Danger::none; },
      .make = [](const FaultSpec& spec,
                 Tools tools) { return std::make_unique<ConnectionStorm>(spec, tools); }};
}

}  // namespace pgfiredrill::fault
