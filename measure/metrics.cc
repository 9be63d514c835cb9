#include <algorithm>

#include "measure/judge.h"

namespace pgfiredrill {

const std::vector<Metric>& metrics() {
  static const std::vector<Metric> all{
      {"outage_s", "s", true, false, "longest outage window of a path"},
      {"unavailable_s", "s", true, false, "sum of a path's outage windows"},
      {"span_s", "s", true, false, "from a path's first outage to the end of its last"},
      {"error_s", "s", true, false, "time in which operations were answered by an error"},
      {"stall_s", "s", true, false, "time in which operations were late or could not be sent"},
      {"longest_gap_s", "s", true, false, "longest time between two successes"},
      {"partial_s", "s", true, false, "time in which only some operations succeeded"},
      {"availability_pct", "%", true, true, "share of operations that succeeded after the injection"},
      {"lost", "writes", false, false, "acknowledged writes that are not on the leader"},
      {"weak_lost", "writes", false, false, "weakly acknowledged writes that are not on the leader"},
      {"unexpected", "writes", false, false, "failed writes that are there all the same"},
      {"duplicated", "writes", false, false, "writes that are there more than once"},
      {"in_doubt", "writes", false, false, "writes whose answer never came"},
      {"rpo_bytes", "bytes", false, false, "acknowledged WAL beyond the end of the old timeline"},
      {"replica_lag_s", "s", false, false, "age of the first heartbeat that a read through a replica missed"},
      {"replica_lag_bytes", "bytes", false, false, "WAL that a replica had not replayed, at most"},
      {"throughput_back_s", "s", false, false, "from the injection until throughput was as before for good"},
      {"p95_back_s", "s", false, false,
       "from the injection until responses were as quick as before for good"},
      {"failovers", "failovers", false, false, "how often the leader's role began anew, planned or not"},
      {"full_health_s", "s", false, false, "from the injection until the cluster was fully healthy again"},
  };
  return all;
}

const Metric* find_metric(const std::string& name) {
  const auto found = std::find_if(metrics().begin(), metrics().end(),
                                  [&](const Metric& metric) { return name == metric.name; });
  return found == metrics().end() ? nullptr : &*found;
}

}  // namespace pgfiredrill
