#pragma once

/// A ProcessRunner that runs nothing: a function of the test answers each request.

#include <functional>
#include <mutex>
#include <utility>
#include <vector>

#include "base/process.h"

namespace pgfiredrill::testing {

class FakeProcessRunner final : public ProcessRunner {
 public:
  using Answer = std::function<Result<ProcessResult>(const ProcessRequest&)>;

  explicit FakeProcessRunner(Answer answer) : answer_{std::move(answer)} {}

  [[nodiscard]] Result<ProcessResult> run(const ProcessRequest& request) override {
    {
      const std::lock_guard lock{mutex_};
      requests_.push_back(request);
    }
    return answer_(request);
  }

  /// What was asked so far, in order.
  [[nodiscard]] std::vector<ProcessRequest> requests() const {
    const std::lock_guard lock{mutex_};
    return requests_;
  }

 private:
  Answer answer_;
  mutable std::mutex mutex_;
  std::vector<ProcessRequest> requests_;
};

}  // namespace pgfiredrill::testing
