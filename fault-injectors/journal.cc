#include "fault-injectors/journal.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#include <fcntl.h>
#include <pwd.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "cluster/json_quote.h"
#include "cluster/json_value.h"
#include "fault-injectors/run_name.h"

namespace pgfiredrill::fault {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestJournal = 64u << 20;
constexpr std::size_t kLongestFolderName = 200;

Failure failure(const std::string& what, const std::string& path, int error) {
  return {.kind = error == EACCES || error == EPERM ? FailureKind::denied : FailureKind::failed,
          .what = what,
          .where = path,
          .came_back = std::strerror(error),
          .hint =
              "The journal of what is broken now must be kept before anything is broken: give a writable "
              "folder in XDG_STATE_HOME."};
}

class Descriptor {
 public:
  explicit Descriptor(int number) : number_{number} {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int number() const noexcept { return number_; }

 private:
  int number_;
};

/// Relative paths in XDG_STATE_HOME are to be ignored, says the standard that names it.
Result<std::string> state_home() {
  const char* state = std::getenv("XDG_STATE_HOME");
  if (state != nullptr && *state == '/') return std::string{state};
  const char* home = std::getenv("HOME");
  if (home == nullptr || *home != '/') {
    const passwd* user = ::getpwuid(::geteuid());
    home = user == nullptr ? nullptr : user->pw_dir;
  }
  if (home != nullptr && *home == '/') return std::string{home} + "/.local/state";
  return Failure{.kind = FailureKind::missing,
                 .what = "find the folder for the journal",
                 .where = {},
                 .came_back = "neither XDG_STATE_HOME nor HOME names one",
                 .hint = "Set XDG_STATE_HOME."};
}

/// Longer names than a file system takes keep their beginning and a number made of the whole.
std::string folder_name(const std::string& cluster_name) {
  std::string name = encode_word(cluster_name);
  if (name.empty()) return "%";
  if (name.size() <= kLongestFolderName) return name;
  std::uint64_t hash = 14695981039346656037u;  // FNV-1a
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return name.substr(0, kLongestFolderName) + "%" + std::to_string(hash);
}

Result<void> sync_folder(const std::string& path) {
  const Descriptor folder{::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (folder.number() < 0 || ::fsync(folder.number()) != 0) return failure("sync the folder", path, errno);
  return {};
}

Result<void> make_folder(const std::string& path) {
  std::error_code error;
  fs::create_directories(fs::path{path}.parent_path(), error);
  if (error) return failure("make the folder for the journal", path, error.value());
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST)
    return failure("make the folder for the journal", path, errno);
  return {};
}

std::string line_of(const char* event, const std::string& run_id, const std::string& more) {
  return std::string{R"({"event":")"} + event + R"(","run":)" + json_quote(run_id) + more + "}\n";
}

std::string line_of(const char* event, const std::string& run_id, const Debt& debt) {
  return line_of(event, run_id,
                 R"(,"kind":)" + json_quote(debt.kind) + R"(,"name":)" + json_quote(debt.name) +
                     R"(,"detail":)" + json_quote(debt.detail));
}

/// The open runs, by what the lines say one after the other.
class Reader {
 public:
  /// False where the line is none of ours.
  bool on(std::string_view line) {
    const auto document = JsonValue::parse(line);
    if (!document || !document->is_object()) return false;
    const auto event = document->at("event").text();
    const auto run = document->at("run").text();
    if (!event || !run || !is_run_id(*run)) return false;
    if (*event == "begin") return begin(*run, document->at("owner").text().value_or(""));
    if (*event == "end") return end(*run);
    const Debt debt{.kind = document->at("kind").text().value_or(""),
                    .name = document->at("name").text().value_or(""),
                    .detail = document->at("detail").text().value_or("")};
    if (debt.kind.empty()) return false;
    if (*event == "owe") return owe(*run, debt);
    if (*event == "settle") return settle(*run, debt);
    return false;
  }

  [[nodiscard]] std::vector<OpenRun> take() { return std::move(runs_); }

 private:
  OpenRun* find(const std::string& run) {
    const auto found =
        std::find_if(runs_.begin(), runs_.end(), [&](const OpenRun& open) { return open.run_id == run; });
    return found == runs_.end() ? nullptr : &*found;
  }

  bool begin(const std::string& run, const std::string& owner) {
    if (find(run) == nullptr) runs_.push_back({.run_id = run, .owner = owner});
    return true;
  }

  bool owe(const std::string& run, const Debt& debt) {
    begin(run, "");  // a debt counts, whatever became of its beginning
    auto& debts = find(run)->debts;
    if (std::find(debts.begin(), debts.end(), debt) == debts.end()) debts.push_back(debt);
    return true;
  }

  bool settle(const std::string& run, const Debt& debt) {
    if (OpenRun* open = find(run)) std::erase(open->debts, debt);
    return true;
  }

  bool end(const std::string& run) {
    std::erase_if(runs_, [&](const OpenRun& open) { return open.run_id == run; });
    return true;
  }

  std::vector<OpenRun> runs_;
};

class FileJournal final : public Journal {
 public:
  FileJournal(std::string path, int descriptor) : path_{std::move(path)}, file_{descriptor} {}

  [[nodiscard]] Result<void> begin(const std::string& run_id, const std::string& owner) override {
    return append(run_id, line_of("begin", run_id, R"(,"owner":)" + json_quote(owner)));
  }
  [[nodiscard]] Result<void> owe(const std::string& run_id, const Debt& debt) override {
    return append(run_id, line_of("owe", run_id, debt));
  }
  [[nodiscard]] Result<void> settle(const std::string& run_id, const Debt& debt) override {
    return append(run_id, line_of("settle", run_id, debt));
  }
  [[nodiscard]] Result<void> end(const std::string& run_id) override {
    return append(run_id, line_of("end", run_id, ""));
  }

  [[nodiscard]] Result<std::vector<OpenRun>> open_runs() const override {
    const auto text = read_all();
    if (!text) return text.error();
    // What is behind the last line's end was never promised to anybody.
    const std::string_view whole = std::string_view{*text}.substr(0, text->rfind('\n') + 1);
    Reader reader;
    std::size_t number = 0;
    for (const std::string_view line : lines(whole)) {
      ++number;
      if (!reader.on(line)) return unreadable(number);
    }
    return reader.take();
  }

  [[nodiscard]] const std::string& path() const noexcept override { return path_; }

 private:
  /// One line, synced, whoever else appends. A line that a killed process left half written goes first:
  /// together with this one it would be no line of either.
  Result<void> append(const std::string& run_id, const std::string& line) {
    if (const auto checked = check_run_id(run_id); !checked) return checked.error();
    const std::string what = "write the journal";
    if (::flock(file_.number(), LOCK_EX) != 0) return failure(what, path_, errno);
    auto result = append_locked(line);
    ::flock(file_.number(), LOCK_UN);
    return result;
  }

  Result<void> append_locked(const std::string& line) {
    const auto text = read_all();
    if (!text) return text.error();
    const auto whole = static_cast<off_t>(text->rfind('\n') + 1);
    const auto size = static_cast<off_t>(text->size());
    if (whole != size && ::ftruncate(file_.number(), whole) != 0)
      return failure("cut a half-written line off the journal", path_, errno);
    std::size_t written = 0;
    while (written < line.size()) {
      const auto count = ::write(file_.number(), line.data() + written, line.size() - written);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return failure("write the journal", path_, errno);
      written += static_cast<std::size_t>(count);
    }
    if (::fsync(file_.number()) != 0) return failure("sync the journal", path_, errno);
    return {};
  }

  Result<std::string> read_all() const {
    std::string text;
    char buffer[16 * 1024];
    while (true) {
      const auto count = ::pread(file_.number(), buffer, sizeof buffer, static_cast<off_t>(text.size()));
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return failure("read the journal", path_, errno);
      if (count == 0) return text;
      text.append(buffer, static_cast<std::size_t>(count));
      if (text.size() > kLongestJournal) return failure("read the journal", path_, EFBIG);
    }
  }

  Failure unreadable(std::size_t line) const {
    return {.kind = FailureKind::malformed,
            .what = "read the journal",
            .where = path_,
            .came_back = "line " + std::to_string(line) + " is none that pgfiredrill writes",
            .hint = "Look at it, undo by hand what it tells, then remove the file."};
  }

  std::string path_;
  Descriptor file_;
};

}  // namespace

Result<std::unique_ptr<Journal>> Journal::open(const std::string& cluster_name) {
  const auto home = state_home();
  if (!home) return home.error();
  const std::string folder = *home + "/pgfiredrill/" + folder_name(cluster_name);
  if (const auto made = make_folder(folder); !made) return made.error();
  const std::string path = folder + "/journal.jsonl";
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file < 0) return failure("open the journal", path, errno);
  auto journal = std::make_unique<FileJournal>(path, file);
  if (const auto synced = sync_folder(folder); !synced) return synced.error();
  return std::unique_ptr<Journal>{std::move(journal)};
}

}  // namespace pgfiredrill::fault
