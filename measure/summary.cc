#include "measure/summary.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <string>

#include "measure/judge.h"
#include "measure/metric_values.h"

namespace pgfiredrill {

namespace {

constexpr std::size_t kEnoughForTails = 20;
constexpr std::size_t kResamples = 2000;

double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

/// Nearest rank: the least value that at least this share of the values does not exceed.
double quantile_of(const std::vector<double>& sorted, double share) {
  const double rank = std::ceil(share * static_cast<double>(sorted.size()));
  const auto index = static_cast<std::size_t>(std::max(rank, 1.0)) - 1;
  return sorted[std::min(index, sorted.size() - 1)];
}

/// Rows have streams of their own, so that a new metric does not move the intervals of the others.
std::uint64_t seed_of_row(std::uint64_t seed, const SummaryRow& row) {
  std::uint64_t hash = 14695981039346656037ull;
  for (const char letter : row.metric + "\n" + row.path) {
    hash = (hash ^ static_cast<unsigned char>(letter)) * 1099511628211ull;
  }
  return seed ^ hash;
}

/// `std::uniform_int_distribution` differs between libraries; the bias of a remainder of 2^64 does not show.
std::vector<double> resampled_medians(const std::vector<double>& values, std::uint64_t seed) {
  std::mt19937_64 random{seed};
  std::vector<double> medians;
  std::vector<double> sample(values.size());
  for (std::size_t i = 0; i < kResamples; ++i) {
    for (double& value : sample) value = values[random() % values.size()];
    medians.push_back(median_of(sample));
  }
  std::sort(medians.begin(), medians.end());
  return medians;
}

void add_tails(SummaryRow& row, const std::vector<double>& sorted, std::uint64_t seed) {
  if (sorted.size() < kEnoughForTails) return;
  row.p95 = quantile_of(sorted, 0.95);
  const std::vector<double> medians = resampled_medians(sorted, seed_of_row(seed, row));
  row.ci_low = quantile_of(medians, 0.025);
  row.ci_high = quantile_of(medians, 0.975);
}

void add_row(std::vector<SummaryRow>& rows, const std::string& metric, const std::string& path,
             std::vector<double> values, std::uint64_t seed) {
  if (values.empty()) return;
  std::sort(values.begin(), values.end());
  SummaryRow row{.metric = metric,
                 .path = path,
                 .n = values.size(),
                 .min = values.front(),
                 .median = median_of(values),
                 .max = values.back()};
  add_tails(row, values, seed);
  rows.push_back(row);
}

std::vector<std::string> path_ids(const std::vector<const RepeatResult*>& repeats) {
  std::vector<std::string> ids;
  for (const RepeatResult* repeat : repeats) {
    for (const PathResult& path : repeat->paths) {
      if (std::find(ids.begin(), ids.end(), path.path.id) == ids.end()) ids.push_back(path.path.id);
    }
  }
  return ids;
}

std::vector<double> values_of_path(const std::vector<const RepeatResult*>& repeats, const std::string& metric,
                                   const std::string& id) {
  std::vector<double> values;
  for (const RepeatResult* repeat : repeats) {
    for (const PathResult& path : repeat->paths) {
      if (path.path.id != id || !path.instrument.valid) continue;
      if (const auto value = path_value(path, metric)) values.push_back(*value);
    }
  }
  return values;
}

std::vector<double> values_of_repeats(const std::vector<const RepeatResult*>& repeats,
                                      const std::string& metric) {
  std::vector<double> values;
  for (const RepeatResult* repeat : repeats) {
    if (const auto value = repeat_value(*repeat, metric)) values.push_back(*value);
  }
  return values;
}

}  // namespace

std::vector<SummaryRow> summarize(const std::vector<const RepeatResult*>& repeats, std::uint64_t seed) {
  std::vector<SummaryRow> rows;
  const std::vector<std::string> ids = path_ids(repeats);
  for (const Metric& metric : metrics()) {
    if (!metric.of_paths) {
      add_row(rows, metric.name, "", values_of_repeats(repeats, metric.name), seed);
      continue;
    }
    for (const std::string& id : ids)
      add_row(rows, metric.name, id, values_of_path(repeats, metric.name, id), seed);
  }
  return rows;
}

}  // namespace pgfiredrill
