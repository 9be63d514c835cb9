#pragma once

/// Background work that is done before `start` returns: tests of what waits for it are deterministic.

#include <functional>
#include <memory>

#include "suites/background.h"

namespace pgfiredrill::testing {

class InlineBackground final : public Background {
 public:
  [[nodiscard]] std::unique_ptr<BackgroundTask> start(std::function<void()> work) override {
    work();
    return std::make_unique<Done>();
  }

 private:
  class Done final : public BackgroundTask {
   public:
    [[nodiscard]] bool done() const noexcept override { return true; }
    void wait_a_tick() override {}
  };
};

}  // namespace pgfiredrill::testing
