#pragma once

/// Asks the servers what a drill would break or lose, as a seam. Reads only.

#include <string>

#include "base/clock.h"
#include "base/cluster_description.h"
#include "base/host.h"
#include "base/http.h"
#include "cluster/cluster_probe.h"
#include "suites/preflight_facts.h"

namespace pgfiredrill {

/// Blocking; worker threads, one call at a time. What did not answer is in the facts.
class PreflightQuestions {
 public:
  virtual ~PreflightQuestions() = default;
  /// `leader` is a member's name.
  [[nodiscard]] virtual PreflightFacts ask(const std::string& leader) = 0;
  /// Of every database on the leader.
  [[nodiscard]] virtual Result<WrittenRows> count_written(const std::string& leader) = 0;
};

/// As superuser over each member's Unix socket; Patroni's files over SSH.
class SystemPreflightQuestions final : public PreflightQuestions {
 public:
  /// All must outlive it.
  SystemPreflightQuestions(const ClusterDescription& cluster, HttpClient& http, HostFinder hosts,
                           Clock& clock);

  [[nodiscard]] PreflightFacts ask(const std::string& leader) override;
  [[nodiscard]] Result<WrittenRows> count_written(const std::string& leader) override;

 private:
  const ClusterDescription& cluster_;
  HttpClient& http_;
  HostFinder hosts_;
  Clock& clock_;
};

}  // namespace pgfiredrill
