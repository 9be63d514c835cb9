#pragma once

/// A Host that is none: a function of the test answers each command.

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/host.h"

namespace pgfiredrill::testing {

class FakeHost final : public Host {
 public:
  using Answer = std::function<Result<RemoteResult>(const RemoteCommand&)>;

  FakeHost(std::string name, Answer answer) : name_{std::move(name)}, answer_{std::move(answer)} {}

  [[nodiscard]] const std::string& name() const noexcept override { return name_; }

  [[nodiscard]] Result<RemoteResult> run(const RemoteCommand& command) override {
    {
      const std::lock_guard lock{mutex_};
      commands_.push_back(command);
    }
    return answer_(command);
  }

  [[nodiscard]] Result<void> log_in_anew() override { return new_login; }

  [[nodiscard]] Result<std::unique_ptr<ForwardedSocket>> forward_postgres_socket(
      const std::string& remote_directory, int) override {
    return Failure{
        .what = "forward " + remote_directory, .where = name_, .came_back = "a fake host has no sockets"};
  }

  Result<void> new_login;  ///< what `log_in_anew` says

  [[nodiscard]] std::vector<RemoteCommand> commands() const {
    const std::lock_guard lock{mutex_};
    return commands_;
  }

 private:
  std::string name_;
  Answer answer_;
  mutable std::mutex mutex_;
  std::vector<RemoteCommand> commands_;
};

}  // namespace pgfiredrill::testing
