#include "cli/latency_files.h"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <optional>

#include "measure/judge.h"
#include "measure/run_histograms.h"
#include "record/files.h"
#include "record/run_reader.h"
#include "report/hgrm.h"

namespace pgfiredrill {
namespace {

constexpr std::size_t kLongestPart = 100;

/// Names come from the record; nothing in them leads out of the folder.
std::string file_name_part(const std::string& text) {
  std::string name = text.substr(0, kLongestPart);
  for (char& c : name) {
    const bool fits = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      c == '.' || c == '-' || c == '+';
    if (!fits) c = '_';
  }
  return name;
}

/// They can be made again at any time: not synced.
Result<void> write_file(const std::string& path, const std::string& text) {
  std::ofstream file{path, std::ios::binary | std::ios::trunc};
  file << text;
  file.close();
  if (!file) return system_failure("write the latencies", path, errno);
  return {};
}

class LatencyFiles {
 public:
  explicit LatencyFiles(const std::string& folder) : folder_{folder} {}

  void add(const RunHistograms& of_path) {
    const std::string stem = file_name_part(of_path.drill) + "-" + std::to_string(of_path.repeat + 1) + "-" +
                             file_name_part(of_path.path) + "-";
    write(stem + "response-before", of_path.histograms.response_before);
    write(stem + "response-after", of_path.histograms.response_after);
    write(stem + "service-before", of_path.histograms.service_before);
    write(stem + "service-after", of_path.histograms.service_after);
  }

  [[nodiscard]] const std::optional<Failure>& trouble() const { return trouble_; }

 private:
  void write(const std::string& name, const LatencyHistogram& histogram) {
    if (histogram.count() == 0 || trouble_) return;
    const auto written = write_file(folder_ + "/" + name + ".hgrm", render_hgrm(histogram));
    if (!written) trouble_ = written.error();
  }

  const std::string& folder_;
  std::optional<Failure> trouble_;
};

}  // namespace

Result<std::string> write_latency_files(const std::string& run_folder) {
  const auto reader = RunReader::open(run_folder);
  if (!reader) return reader.error();
  const std::string folder = run_folder + "/latency";
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return system_failure("make the folder", folder, error.value());
  LatencyFiles files{folder};
  const auto read = for_each_path(run_input(*reader), [&](const RunHistograms& one) { files.add(one); });
  if (!read) return read.error();
  if (files.trouble()) return *files.trouble();
  return folder;
}

}  // namespace pgfiredrill
