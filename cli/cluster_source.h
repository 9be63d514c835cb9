#pragma once

/// From what the user named to a discovered cluster and the ways to reach it; shared by every subcommand that
/// looks at one.

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/cluster_description.h"
#include "base/exit_class.h"
#include "base/host.h"
#include "base/http.h"
#include "base/log.h"
#include "base/process.h"
#include "cli/command_line.h"

namespace pgfiredrill {

/// Lives as long as anything is done with the cluster.
class ClusterConnection {
 public:
  /// Throws `Error` with `bad_usage` where the inventory or a named file cannot be read. What cannot be
  /// reached on the cluster stands in the description.
  ClusterConnection(const ClusterSource& source, Clock& clock, Log& log);

  [[nodiscard]] const ClusterDescription& description() const noexcept { return description_; }
  /// The name comes from patroni.yml or REST: throws `Error` with `exit` where none was learnt, for what
  /// needs it.
  void require_name(ExitClass exit) const;
  [[nodiscard]] HttpClient& http() noexcept { return http_; }
  /// By its name in the inventory; one that is not in it is a defect of the program.
  [[nodiscard]] Host& host(const std::string& name) const { return *hosts_.at(name); }
  /// On which a run takes its lock.
  [[nodiscard]] std::vector<Host*> hosts_to_lock() const;

 private:
  SystemProcessRunner processes_;
  SystemHttpClient http_;
  ClusterDescription description_;
  std::map<std::string, std::unique_ptr<Host>> hosts_;
};

}  // namespace pgfiredrill
