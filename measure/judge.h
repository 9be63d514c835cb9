#pragma once

/// From a run record to every number and the verdict. Pure: what it reads comes through the functions given.

#include <functional>
#include <vector>

#include "base/failure.h"
#include "measure/results.h"
#include "record/event.h"
#include "record/manifest.h"
#include "record/operation.h"
#include "record/readback.h"
#include "record/run_reader.h"

namespace pgfiredrill {

struct RunInput {
  const RunManifest& manifest;
  const std::vector<Event>& events;
  bool ended = true;
  /// As `RunReader::operations`: in the order of due time.
  std::function<Result<std::vector<RecordDamage>>(nanoseconds from, nanoseconds to,
                                                  const std::function<void(const Operation&)>& sink)>
      operations;
  std::function<Result<std::vector<NumberRun>>(const std::string& file)> readback;
};

/// The input of a record that is there; `reader` must outlive it.
[[nodiscard]] RunInput run_input(const RunReader& reader);

/// Judges a run, a killed or running one as far as it goes (what is missing is not measured, with the
/// reason).
[[nodiscard]] RunResult judge_run(const RunInput& input);

/// Every metric that an expectation may name: the enumeration of report.json's schema.
struct Metric {
  const char* name;
  const char* unit;       ///< "s", "%", "writes", "bytes", "failovers"
  bool of_paths;          ///< else of the whole repeat: `where` is empty
  bool higher_is_better;  ///< then the limit is the least that passes
  const char* meaning;    ///< one line for people
};
[[nodiscard]] const std::vector<Metric>& metrics();
[[nodiscard]] const Metric* find_metric(const std::string& name);

}  // namespace pgfiredrill
