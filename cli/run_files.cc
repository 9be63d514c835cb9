#include "cli/run_files.h"

#include <chrono>
#include <ctime>
#include <filesystem>

#include "measure/judge.h"
#include "record/files.h"
#include "record/run_reader.h"
#include "report/run_json.h"
#include "report/run_junit.h"
#include "report/run_markdown.h"

namespace pgfiredrill {
namespace {

namespace fs = std::filesystem;

std::string compact_utc(nanoseconds wall) {
  const std::time_t seconds = std::chrono::duration_cast<std::chrono::seconds>(wall).count();
  std::tm utc{};
  ::gmtime_r(&seconds, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y%m%dT%H%M%SZ", &utc);
  return text;
}

}  // namespace

RunFolder choose_run_folder(const std::string& output, const std::string& suite, nanoseconds wall) {
  const std::string id = compact_utc(wall) + "-" + suite;
  RunFolder folder{.id = id, .path = output + "/" + id};
  std::error_code ignored;
  for (int again = 2; fs::exists(folder.path, ignored); ++again) {
    folder.id = id + "-" + std::to_string(again);
    folder.path = output + "/" + folder.id;
  }
  return folder;
}

void link_latest(const RunFolder& folder) {
  const fs::path latest = fs::path{folder.path}.parent_path() / "latest";
  const fs::path aside = latest.string() + ".new";
  std::error_code ignored;
  fs::remove(aside, ignored);
  fs::create_symlink(folder.id, aside, ignored);
  if (!fs::exists(fs::symlink_status(latest, ignored)) || fs::is_symlink(latest, ignored)) {
    fs::rename(aside, latest, ignored);
  }
}

Result<RunResult> judge_folder(const std::string& run_folder) {
  const auto reader = RunReader::open(run_folder);
  if (!reader) return reader.error();
  return judge_run(run_input(*reader));
}

Result<void> write_reports(const RunResult& result, const std::string& run_folder) {
  if (auto json = write_file_aside(run_folder + "/report.json", render_run_json(result)); !json) return json;
  if (auto junit = write_file_aside(run_folder + "/junit.xml", render_run_junit(result)); !junit)
    return junit;
  return write_file_aside(run_folder + "/report.md", render_run_markdown(result));
}

}  // namespace pgfiredrill
