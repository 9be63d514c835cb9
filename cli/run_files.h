#pragma once

/// A run's folder: `<output>/<UTC time>-<suite>/` with `record/`, and what is made from it.

#include <string>

#include "base/clock.h"
#include "base/failure.h"
#include "measure/results.h"

namespace pgfiredrill {

struct RunFolder {
  std::string id;    ///< `20261130T184500Z-smoke`
  std::string path;  ///< `<output>/<id>`; only its name is free, nothing was made
};

[[nodiscard]] RunFolder choose_run_folder(const std::string& output, const std::string& suite,
                                          nanoseconds wall);

/// `<output>/latest` leads to the run; that this cannot be done is no failure of the run.
void link_latest(const RunFolder& folder);

/// Reads the record and judges it. Fails where there is no manifest.
[[nodiscard]] Result<RunResult> judge_folder(const std::string& run_folder);

/// report.json, junit.xml, report.md, each written aside and renamed.
[[nodiscard]] Result<void> write_reports(const RunResult& result, const std::string& run_folder);

}  // namespace pgfiredrill
