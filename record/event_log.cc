#include "record/event_log.h"

#include <cerrno>
#include <optional>

#include <fcntl.h>
#include <unistd.h>

#include "record/files.h"

namespace pgfiredrill {
namespace {

constexpr mode_t kMode = 0644;

}  // namespace

EventLog::EventLog(std::string path, Descriptor descriptor)
    : path_{std::move(path)}, descriptor_{std::move(descriptor)} {}

Result<std::unique_ptr<EventLog>> EventLog::create(const std::string& path) {
  Descriptor descriptor{::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, kMode)};
  if (!descriptor.open()) return system_failure("create the file of events", path, errno);
  return std::unique_ptr<EventLog>{new EventLog{path, std::move(descriptor)}};
}

void EventLog::add(const std::string& line) {
  const std::lock_guard lock{mutex_};
  queue_ += line;
  queue_ += '\n';
  ++added_;
  changed_.notify_all();
}

void EventLog::wait_for_work(std::chrono::milliseconds deadline) {
  std::unique_lock lock{mutex_};
  changed_.wait_for(lock, deadline, [this] { return stopped_ || tried_ != added_; });
}

void EventLog::stop() {
  const std::lock_guard lock{mutex_};
  stopped_ = true;
  changed_.notify_all();
}

bool EventLog::stopped() const {
  const std::lock_guard lock{mutex_};
  return stopped_;
}

void EventLog::flush() {
  std::uint64_t added = 0;
  {
    const std::lock_guard lock{mutex_};
    unwritten_ += queue_;
    queue_.clear();
    added = added_;
  }
  const std::optional<std::string> trouble =
      unwritten_.empty() ? std::nullopt : std::optional{write_and_sync()};
  const std::lock_guard lock{mutex_};
  if (trouble) trouble_ = *trouble;
  tried_ = added;
  changed_.notify_all();
}

std::string EventLog::write_and_sync() {
  std::size_t written = 0;
  const int error = write_all(descriptor_.get(), unwritten_, written);
  unwritten_.erase(0, written);
  if (error != 0) return system_failure("write events", path_, error).message();
  if (::fdatasync(descriptor_.get()) != 0) return system_failure("sync events", path_, errno).message();
  return {};
}

void EventLog::wait_until_flushed() {
  std::unique_lock lock{mutex_};
  changed_.wait(lock, [this, due = added_] { return tried_ >= due; });
}

std::string EventLog::trouble() const {
  const std::lock_guard lock{mutex_};
  return trouble_;
}

}  // namespace pgfiredrill
