#include "record/run_reader.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/text.h"
#include "record/files.h"
#include "record/operation_file.h"
#include "record/operation_stream.h"

namespace pgfiredrill {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestManifest = std::size_t{64} << 20;
constexpr std::size_t kLargestEvents = std::size_t{1} << 30;

std::string record_folder(const std::string& run_folder) {
  return run_folder + "/record";
}

/// Names, sorted; empty where the folder cannot be read.
std::vector<std::string> operation_files(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry{folder, error}, end; !error && entry != end; entry.increment(error)) {
    std::string name = entry->path().filename().string();
    if (is_operation_file_name(name)) names.push_back(std::move(name));
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

Result<RunReader> RunReader::open(const std::string& run_folder) {
  RunReader reader;
  reader.folder_ = record_folder(run_folder);
  const std::string manifest_path = reader.folder_ + "/manifest.json";
  const auto text = read_whole_file(manifest_path, kLargestManifest);
  if (!text) {
    Failure failure = text.error();
    failure.hint = "Name the folder of a run: the one that holds record/manifest.json.";
    return failure;
  }
  auto manifest = parse_manifest(*text, manifest_path);
  if (!manifest) return manifest.error();
  reader.manifest_ = std::move(*manifest);
  if (auto read = reader.read_events(); !read) return read.error();
  return reader;
}

/// A run that was killed early has none.
Result<void> RunReader::read_events() {
  const auto text = read_whole_file(folder_ + "/events.jsonl", kLargestEvents);
  if (!text && text.error().kind == FailureKind::missing) return {};
  if (!text) return text.error();
  for (const std::string_view line : lines(*text)) {
    if (auto event = parse_event(std::string{line})) {
      events_.push_back(std::move(*event));
    } else if (!line.empty()) {
      ++bad_event_lines_;
    }
  }
  return {};
}

bool RunReader::ended() const noexcept {
  return !events_.empty() && events_.back().kind == event::kRunEnded;
}

Result<std::vector<RecordDamage>> RunReader::operations(
    nanoseconds from, nanoseconds to, const std::function<void(const Operation&)>& sink) const {
  if (!operations_) {
    if (auto looked = look_through_operations(); !looked) return looked.error();
  }
  if (auto read = operations_->read(from, to, sink); !read) return read.error();
  return damages_;
}

/// Once: what is written to the files later is not of the record that was opened.
Result<void> RunReader::look_through_operations() const {
  auto operations = std::make_unique<OrderedOperations>();
  std::vector<RecordDamage> damages;
  for (const std::string& name : operation_files(folder_)) {
    if (auto added = operations->add_file(folder_ + "/" + name); !added) return added.error();
    const auto left = operations->bytes_left();
    if (!left) return left.error();
    if (*left > 0) damages.push_back({name, operations->good_records(), *left});
  }
  operations_ = std::move(operations);
  damages_ = std::move(damages);
  return {};
}

Result<std::vector<NumberRun>> RunReader::readback(const std::string& file) const {
  // The name comes out of the record: it must not lead elsewhere.
  if (file.empty() || file.find('/') != std::string::npos || file == "." || file == "..") {
    return Failure{.kind = FailureKind::malformed,
                   .what = "read a ledger's read-back",
                   .where = folder_,
                   .came_back = "'" + one_line(file) + "' is no name of a file in the record"};
  }
  return read_readback(folder_ + "/" + file);
}

struct OperationTail::File {
  std::string name;
  OperationStream stream;
};

OperationTail::OperationTail(std::string run_folder) : folder_{record_folder(run_folder)} {}
OperationTail::~OperationTail() = default;

void OperationTail::pick_up_new_files() {
  for (const std::string& name : operation_files(folder_)) {
    const auto known = [&name](const auto& file) { return file->name == name; };
    if (std::any_of(files_.begin(), files_.end(), known)) continue;
    auto stream = OperationStream::open(folder_ + "/" + name);
    if (stream) files_.push_back(std::make_unique<File>(File{name, std::move(*stream)}));
  }
}

void OperationTail::poll(const std::function<void(const Operation&)>& sink) {
  pick_up_new_files();
  for (const auto& file : files_) {
    // A file that cannot be read says so when the run is judged; the screen goes on with the others.
    static_cast<void>(file->stream.read(sink));
  }
}

}  // namespace pgfiredrill
