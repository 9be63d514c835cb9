#include "calibration/stage.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "calibration/stage_channel.h"
#include "calibration/stage_process.h"

namespace pgfiredrill {
namespace {

using stage_channel::Message;

constexpr nanoseconds kStartLimit = std::chrono::seconds{10};

Failure failure_of(const std::string& what, const std::string& came_back) {
  return {.what = what, .came_back = came_back};
}

/// In the new process. No destructor of what the old one has may run here: what they would remove is still in
/// use.
[[noreturn]] void become_stage(const StageOptions& options, const Descriptor& channel, pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);  // it had died before that
  ::prctl(PR_SET_NAME, "pgfd-stage");
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGINT, SIG_IGN);  // Ctrl-C reaches every process of the terminal: who started this one ends it
  run_stage_process(options, channel);
  ::_exit(0);
}

}  // namespace

Stage::Stage(int process, Descriptor channel) : process_{process}, channel_{std::move(channel)} {}

Stage::~Stage() {
  ::kill(process_, SIGKILL);
  ::waitpid(process_, nullptr, 0);
}

Result<std::unique_ptr<Stage>> Stage::start(const StageOptions& options) {
  auto ends = stage_channel::make_pair();
  if (!ends) return ends.error();
  const pid_t parent = ::getpid();
  const pid_t process = ::fork();
  if (process < 0) return failure_of("start a process", std::strerror(errno));
  if (process == 0) {
    ends->first = Descriptor{};
    become_stage(options, ends->second, parent);
  }
  std::unique_ptr<Stage> stage{new Stage{process, std::move(ends->first)}};
  ends->second = Descriptor{};  // so that its end shows here
  for (const StageLane& lane : options.lanes) {
    const bool dropped = lane.kind == OutageKind::blackhole;
    stage->lanes_.push_back({.host = dropped ? options.blackhole_address : "127.0.0.1"});
  }
  if (auto listening = stage->await_addresses(); !listening) return listening.error();
  return stage;
}

Result<void> Stage::await_addresses() {
  const std::string what = "start the server to calibrate against";
  const auto received = stage_channel::receive(channel_, kStartLimit);
  if (!received.message) return failure_of(what, received.gone ? "it ended" : "it did not begin to listen");
  const Message& message = *received.message;
  if (message.kind == Message::Kind::failed) return failure_of(what, message.text);
  if (message.numbers.size() != lanes_.size() + 1) return failure_of(what, "it listens elsewhere");
  server_ = {"127.0.0.1", static_cast<int>(message.numbers[0])};
  for (std::size_t i = 0; i < lanes_.size(); ++i) lanes_[i].port = static_cast<int>(message.numbers[i + 1]);
  return {};
}

Result<void> Stage::go(nanoseconds at) {
  if (stage_channel::send(channel_, {.kind = Message::Kind::go, .numbers = {at.count()}})) return {};
  return failure_of("begin with the outages", "the process that makes them has ended");
}

Result<std::optional<Stage::LaneOutage>> Stage::next_outage(nanoseconds limit) {
  const auto received = stage_channel::receive(channel_, limit);
  if (received.gone) return failure_of("make outages", "the process that makes them has ended");
  if (!received.message) return std::optional<LaneOutage>{};
  const Message& message = *received.message;
  if (message.kind == Message::Kind::failed) return failure_of("make outages", message.text);
  if (message.kind != Message::Kind::outage || message.numbers.size() != 3) {
    return failure_of("make outages", "a message that none expects came");
  }
  return std::optional{LaneOutage{
      .lane = static_cast<std::size_t>(message.numbers[0]),
      .outage = {.start = nanoseconds{message.numbers[1]}, .end = nanoseconds{message.numbers[2]}}}};
}

}  // namespace pgfiredrill
