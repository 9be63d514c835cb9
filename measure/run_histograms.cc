#include "measure/run_histograms.h"

#include <map>

#include "measure/repeat_facts.h"
#include "measure/repeat_traffic.h"

namespace pgfiredrill {

namespace {

using Folds = std::map<std::size_t, PathLatencyFold>;

Folds folds_of(const RunManifest& manifest, const RepeatTimes& times) {
  Folds folds;
  for (std::size_t i = 0; i < manifest.paths.size(); ++i) {
    if (manifest.paths[i].purpose == Purpose::heartbeat) continue;
    folds.emplace(i, PathLatencyFold{manifest.paths[i], times});
  }
  return folds;
}

}  // namespace

Result<void> for_each_path(const RunInput& input, const std::function<void(const RunHistograms&)>& see) {
  for (const RepeatFacts& facts : repeats_of(input.events)) {
    if (facts.drill >= input.manifest.drills.size()) continue;
    Folds folds = folds_of(input.manifest, times_of(input, facts));
    const auto read = input.operations(facts.from, facts.to, [&](const Operation& operation) {
      const auto fold = folds.find(operation.path);
      if (fold != folds.end()) fold->second.on(operation);
    });
    if (!read) return read.error();
    for (const auto& [path, fold] : folds) {
      see({.drill = input.manifest.drills[facts.drill].name,
           .repeat = facts.repeat,
           .path = input.manifest.paths[path].id,
           .histograms = fold.histograms()});
    }
  }
  return {};
}

}  // namespace pgfiredrill
