#pragma once

/// A Host that is this machine: commands run here, as whoever runs the test.

#include <memory>
#include <string>
#include <utility>

#include "base/host.h"
#include "base/process.h"

namespace pgfiredrill::testing {

class LocalHost final : public Host {
 public:
  explicit LocalHost(std::string name) : name_{std::move(name)} {}

  [[nodiscard]] const std::string& name() const noexcept override { return name_; }

  [[nodiscard]] Result<RemoteResult> run(const RemoteCommand& command) override {
    const auto result =
        processes_.run({.argv = command.argv, .input = command.input, .deadline = command.deadline});
    if (!result) return result.error();
    return RemoteResult{.exit_status = result->exit_status, .out = result->out, .err = result->err};
  }

  [[nodiscard]] Result<void> log_in_anew() override { return {}; }

  [[nodiscard]] Result<std::unique_ptr<ForwardedSocket>> forward_postgres_socket(
      const std::string& remote_directory, int) override {
    return Failure{
        .what = "forward " + remote_directory, .where = name_, .came_back = "there is no PostgreSQL here"};
  }

 private:
  std::string name_;
  SystemProcessRunner processes_;
};

}  // namespace pgfiredrill::testing
