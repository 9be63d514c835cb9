#pragma once

/// A recorder and writers that keep what they get.

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "record/recorder.h"

namespace pgfiredrill::testing {

class KeepingWriter final : public OperationWriter {
 public:
  explicit KeepingWriter(std::vector<Operation>& kept, std::mutex& mutex) : kept_{kept}, mutex_{mutex} {}
  void append(const Operation& operation) noexcept override {
    const std::lock_guard lock{mutex_};
    kept_.push_back(operation);
  }

 private:
  std::vector<Operation>& kept_;
  std::mutex& mutex_;
};

class KeepingRecorder final : public Recorder {
 public:
  [[nodiscard]] Result<void> write_manifest(const RunManifest&) override { return {}; }
  [[nodiscard]] Result<std::unique_ptr<OperationWriter>> open_operations(const std::string& thread) override {
    if (thread == refused_) return Failure{.what = "open the file of " + thread};
    return std::unique_ptr<OperationWriter>{std::make_unique<KeepingWriter>(operations_, mutex_)};
  }
  void add(Event event) override {
    const std::lock_guard lock{mutex_};
    events_.push_back(std::move(event));
  }
  void sync() override {}
  [[nodiscard]] std::string trouble() const override { return {}; }
  [[nodiscard]] const std::string& folder() const noexcept override { return folder_; }

  void refuse(const std::string& thread) { refused_ = thread; }
  [[nodiscard]] std::vector<Operation> operations() const {
    const std::lock_guard lock{mutex_};
    return operations_;
  }
  /// Outcomes only, in the order in which they came.
  [[nodiscard]] std::vector<Operation> done() const {
    std::vector<Operation> found;
    for (const Operation& operation : operations()) {
      if (operation.kind == RecordKind::done) found.push_back(operation);
    }
    return found;
  }
  [[nodiscard]] std::vector<Event> events(const std::string& kind) const {
    const std::lock_guard lock{mutex_};
    std::vector<Event> found;
    for (const Event& event : events_) {
      if (event.kind == kind) found.push_back(event);
    }
    return found;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<Operation> operations_;
  std::vector<Event> events_;
  std::string refused_;
  std::string folder_;
};

}  // namespace pgfiredrill::testing
