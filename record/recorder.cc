#include "record/recorder.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include <sys/stat.h>
#include <sys/statvfs.h>

#include "record/event_log.h"
#include "record/files.h"
#include "record/operation_file.h"
#include "record/segmented_file.h"

namespace pgfiredrill {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kFolderMode = 0755;
/// How often segments are looked after: a segment lasts for many of these at any rate.
constexpr std::chrono::milliseconds kTick{50};

class FileWriter final : public OperationWriter {
 public:
  explicit FileWriter(std::shared_ptr<SegmentedFile> file) : file_{std::move(file)} {}
  ~FileWriter() override { file_->close(); }
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;

  void append(const Operation& operation) noexcept override { file_->append(encode(operation)); }

 private:
  std::shared_ptr<SegmentedFile> file_;
};

class FolderRecorder final : public Recorder {
 public:
  FolderRecorder(std::string folder, std::unique_ptr<EventLog> events, Clock& clock)
      : folder_{std::move(folder)}, events_{std::move(events)}, clock_{clock}, thread_{[this] { work(); }} {}

  ~FolderRecorder() override {
    events_->stop();
    thread_.join();
  }
  FolderRecorder(const FolderRecorder&) = delete;
  FolderRecorder& operator=(const FolderRecorder&) = delete;

  Result<void> write_manifest(const RunManifest& manifest) override {
    return write_file_aside(folder_ + "/manifest.json", to_json(manifest));
  }

  Result<std::unique_ptr<OperationWriter>> open_operations(const std::string& thread) override {
    if (!is_thread_name(thread)) {
      return Failure{.kind = FailureKind::malformed,
                     .what = "create a file of operations",
                     .where = folder_,
                     .came_back = "'" + one_line(thread) + "' cannot be a part of a file's name"};
    }
    auto file = SegmentedFile::create(folder_ + "/" + operation_file_name(thread), thread);
    if (!file) return file.error();
    const std::lock_guard lock{mutex_};
    files_.push_back(*file);
    return std::unique_ptr<OperationWriter>{std::make_unique<FileWriter>(std::move(*file))};
  }

  void add(Event event) override {
    if (event.at.count() == 0) event.at = clock_.monotonic();
    if (event.wall.count() == 0) event.wall = clock_.wall();
    events_->add(to_json_line(event));
  }

  void sync() override { events_->wait_until_flushed(); }

  std::string trouble() const override {
    std::string sentences = events_->trouble();
    for (const auto& file : files()) {
      const std::string trouble = file->trouble();
      if (!sentences.empty() && !trouble.empty()) sentences += ' ';
      sentences += trouble;
    }
    return sentences;
  }

  const std::string& folder() const noexcept override { return folder_; }

 private:
  std::vector<std::shared_ptr<SegmentedFile>> files() const {
    const std::lock_guard lock{mutex_};
    return files_;
  }

  void work() {
    while (!events_->stopped()) {
      for (const auto& file : files()) file->prepare_next();
      events_->wait_for_work(kTick);
      events_->flush();
    }
    events_->flush();
  }

  const std::string folder_;
  const std::unique_ptr<EventLog> events_;
  Clock& clock_;
  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<SegmentedFile>> files_;
  std::thread thread_;  // last: it uses everything above
};

Result<void> make_record_folder(const std::string& run_folder, const std::string& folder) {
  std::error_code error;
  fs::create_directories(run_folder, error);
  if (error) return system_failure("create a run's folder", run_folder, error.value());
  if (::mkdir(folder.c_str(), kFolderMode) == 0) return sync_folder(run_folder);
  Failure failure = system_failure("create a run's record", folder, errno);
  if (errno == EEXIST) failure.hint = "Each run has a folder of its own: name another one.";
  return failure;
}

}  // namespace

Result<std::unique_ptr<Recorder>> Recorder::create(const std::string& run_folder, Clock& clock) {
  const std::string folder = run_folder + "/record";
  if (auto made = make_record_folder(run_folder, folder); !made) return made.error();
  auto events = EventLog::create(folder + "/events.jsonl");
  if (!events) return events.error();
  return std::unique_ptr<Recorder>{std::make_unique<FolderRecorder>(folder, std::move(*events), clock)};
}

std::size_t estimate_record_bytes(const RunManifest& manifest) {
  double records_per_second = 0;
  for (const TrafficPath& path : manifest.paths) {
    // A write is recorded before it is sent, and again when it is done.
    records_per_second += path.rate_hz + std::min(path.write_rate_hz, path.rate_hz);
  }
  // Traffic goes on until full health, which is rarely far; the outage itself comes on top of what is
  // observed.
  constexpr double kMostOfHealth = 60;
  double seconds = 0;
  for (const DrillPlan& drill : manifest.drills) {
    seconds += drill.repeats *
               (drill.baseline_s + drill.observe_s + std::min(drill.health_deadline_s, kMostOfHealth));
  }
  constexpr double kMost = 1e18;
  return static_cast<std::size_t>(std::min(records_per_second * seconds * kOperationBytes, kMost));
}

Result<std::size_t> free_bytes(const std::string& folder) {
  std::error_code error;
  fs::path path = fs::absolute(folder, error);
  while (!fs::exists(path, error) && path.has_relative_path()) path = path.parent_path();
  struct statvfs answer {};
  if (::statvfs(path.c_str(), &answer) != 0) {
    return system_failure("learn how much room there is", path.string(), errno);
  }
  return std::size_t{answer.f_bavail} * answer.f_frsize;
}

}  // namespace pgfiredrill
