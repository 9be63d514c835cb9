#include "bench/support/scratch_cluster.h"

#include <cstdio>
#include <cstdlib>
#include <sstream>

#include <unistd.h>

#include "drivers/traffic_schema.h"

namespace pgfiredrill::bench {
namespace {

constexpr int kLanes = 4;

/// What the script printed.
Result<std::string> script(const std::string& verb, const std::string& folder) {
  const std::string command = "bench/support/scratch_postgres.py " + verb + " " + folder;
  FILE* const pipe = ::popen(command.c_str(), "r");
  std::string text;
  for (int c = pipe != nullptr ? std::fgetc(pipe) : EOF; c != EOF; c = std::fgetc(pipe))
    text += static_cast<char>(c);
  if (pipe == nullptr || ::pclose(pipe) != 0) {
    return Failure{.kind = FailureKind::failed,
                   .what = verb + " a throw-away PostgreSQL",
                   .where = folder,
                   .came_back = "the script failed",
                   .hint = "Its reason stands above."};
  }
  return text;
}

}  // namespace

Result<std::unique_ptr<ScratchCluster>> ScratchCluster::bring_up(bool with_front) {
  std::unique_ptr<ScratchCluster> cluster{new ScratchCluster};
  cluster->folder_ = "/var/tmp/pgfiredrill-bench-" + std::to_string(::getpid());
  if (auto started = cluster->start_postgres(); !started) return started.error();
  if (!with_front) return cluster;
  if (auto started = cluster->start_front(); !started) return started.error();
  return cluster;
}

Result<void> ScratchCluster::start_postgres() {
  const auto printed = script("up", folder_);
  if (!printed) return printed.error();
  std::istringstream words{*printed};
  std::string socket_folder;
  words >> socket_folder >> postgres_port_;
  access_ = make_traffic_access();
  return create_traffic_schema(superuser(), access_, kLanes);
}

Result<void> ScratchCluster::start_front() {
  ::setenv("SCRATCH_USER", access_.user.c_str(), 1);
  ::setenv("SCRATCH_PASSWORD", access_.password.reveal().c_str(), 1);
  ::setenv("SCRATCH_DATABASE", access_.database.c_str(), 1);
  const auto printed = script("front", folder_);
  ::unsetenv("SCRATCH_PASSWORD");
  if (!printed) return printed.error();
  balancer_port_ = std::atoi(printed->c_str());
  return {};
}

ScratchCluster::~ScratchCluster() {
  static_cast<void>(script("down", folder_));
}

ConnectParameters ScratchCluster::superuser() const {
  ConnectParameters parameters;
  parameters.host = folder_;
  parameters.port = postgres_port_;
  parameters.database = "postgres";
  parameters.user = "postgres";
  parameters.sslmode = "disable";
  return parameters;
}

}  // namespace pgfiredrill::bench
