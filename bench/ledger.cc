// How fast the ledger's writer is beside pgbench with the same statement, TLS and number of clients: directly
// and through HAProxy and PgBouncer. Pairs alternate, the median of their ratios counts. pgbench's `extended`
// mode sends unnamed statements, as poolers with transaction pooling want them and as the ledger does.
//
// PGFIREDRILL_BENCH_SECONDS (8) and PGFIREDRILL_BENCH_PAIRS (5) make it shorter for a look.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "bench/support/child.h"
#include "bench/support/closed_loop.h"
#include "bench/support/figure.h"
#include "bench/support/scratch_cluster.h"
#include "cluster/postgres_control.h"
#include "drivers/statements.h"

namespace pgfiredrill::bench {
namespace {

constexpr const char* kPasswordVariable = "PGPASSWORD";

int from_environment(const char* name, int otherwise) {
  const char* const text = std::getenv(name);
  return text != nullptr && std::atoi(text) > 0 ? std::atoi(text) : otherwise;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

struct Way {
  std::string name;
  int port;
  Depth depth;
};

struct Speed {
  double per_s = 0;
  double cpu_s = 0;  ///< the client's, for each transaction
};

/// The ledger's statement with pgbench's variables in the places of $1 and $2.
std::string pgbench_script(const std::string& folder) {
  std::string sql = ledger_statement(0, 0).sql;
  sql.replace(sql.find("$1"), 2, ":client_id");
  sql.replace(sql.find("$2"), 2, ":number");
  const std::string path = folder + "/ledger.sql";
  std::ofstream{path} << "\\set number :number + 1\n" << sql << ";\n";
  return path;
}

class Comparison {
 public:
  Comparison(std::string self, const ScratchCluster& cluster)
      : self_{std::move(self)},
        cluster_{cluster},
        script_{pgbench_script(cluster.folder())},
        seconds_{std::to_string(from_environment("PGFIREDRILL_BENCH_SECONDS", 8))} {}

  bool measure(const Way& way, int clients) {
    std::vector<double> throughput, cpu;
    for (int pair = 0; pair < from_environment("PGFIREDRILL_BENCH_PAIRS", 5); ++pair) {
      const auto theirs = pgbench(way, clients);
      const auto ours = ledger(way, clients);
      if (!theirs || !ours) return false;
      throughput.push_back(ours->per_s / theirs->per_s);
      cpu.push_back(ours->cpu_s / theirs->cpu_s);
      std::fprintf(stderr, "%s, %d clients: %.0f/s and %.0f/s, CPU %.1f us and %.1f us\n", way.name.c_str(),
                   clients, ours->per_s, theirs->per_s, ours->cpu_s * 1e6, theirs->cpu_s * 1e6);
      empty_ledger();
    }
    const std::string what = way.name + "-" + std::to_string(clients);
    const bool one = clients == 1;
    const bool fast = print_figure("ledger-throughput-" + what, median(throughput), Bound::at_least,
                                   one ? 0.93 : 1.0, "x pgbench");
    const bool cheap =
        print_figure("ledger-cpu-" + what, median(cpu), Bound::at_most, one ? 1.0 : 0.9, "x pgbench");
    return fast && cheap;
  }

 private:
  std::optional<Speed> pgbench(const Way& way, int clients) const {
    const std::string count = std::to_string(clients);
    const TrafficAccess& access = cluster_.access();
    const ChildEnd end =
        run_child({"pgbench", "-n",        "-M",           "extended",  "-j", "1",
                   "-c",      count,       "-T",           seconds_,    "-D", "number=0",
                   "-f",      script_,     "-h",           "127.0.0.1", "-p", std::to_string(way.port),
                   "-U",      access.user, access.database});
    double per_s = 0;
    long transactions = 0;
    const auto rate = end.out.find("tps = ");
    const auto processed = end.out.find("actually processed: ");
    if (!end.good || rate == std::string::npos || processed == std::string::npos ||
        std::sscanf(end.out.c_str() + rate, "tps = %lf", &per_s) != 1 ||
        std::sscanf(end.out.c_str() + processed, "actually processed: %ld", &transactions) != 1) {
      std::fprintf(stderr, "pgbench failed: %s\n", end.out.c_str());
      return std::nullopt;
    }
    return Speed{per_s, end.cpu_s / static_cast<double>(transactions)};
  }

  std::optional<Speed> ledger(const Way& way, int clients) const {
    const ChildEnd end =
        run_child({self_, "--drive", std::to_string(way.port),
                   way.depth == Depth::server ? "server" : "balancer", std::to_string(clients), seconds_});
    unsigned long acknowledged = 0;
    double elapsed_s = 0;
    if (!end.good || std::sscanf(end.out.c_str(), "%lu %lf", &acknowledged, &elapsed_s) != 2)
      return std::nullopt;
    return Speed{static_cast<double>(acknowledged) / elapsed_s,
                 end.cpu_s / static_cast<double>(acknowledged)};
  }

  void empty_ledger() const {
    ConnectParameters superuser = cluster_.superuser();
    superuser.database = cluster_.access().database;
    auto control = PostgresControl::connect(superuser, "the throw-away PostgreSQL", std::chrono::seconds{60});
    if (control) static_cast<void>(control->execute("empty the ledger", "TRUNCATE pgfiredrill.ledger"));
  }

  std::string self_;
  const ScratchCluster& cluster_;
  std::string script_;
  std::string seconds_;
};

int drive(const std::vector<std::string>& arguments) {
  const char* const password = std::getenv(kPasswordVariable);
  const auto end = run_closed_loop({.access = {.database = "pgfiredrill",
                                               .user = "pgfiredrill_traffic",
                                               .password = Secret{password != nullptr ? password : ""}},
                                    .port = std::stoi(arguments[0]),
                                    .depth = arguments[1] == "server" ? Depth::server : Depth::balancer,
                                    .sessions = std::stoi(arguments[2]),
                                    .duration = std::chrono::seconds{std::stoi(arguments[3])}});
  if (!end) {
    std::fprintf(stderr, "%s\n", end.error().message().c_str());
    return 1;
  }
  std::printf("%zu %.6f\n", end->acknowledged, end->elapsed_s);
  return 0;
}

int compare(const std::string& self) {
  const auto cluster = ScratchCluster::bring_up(true);
  if (!cluster) {
    std::fprintf(stderr, "%s\n", cluster.error().message().c_str());
    return 1;
  }
  ::setenv(kPasswordVariable, (*cluster)->access().password.reveal().c_str(), 1);
  ::setenv("PGSSLMODE", "require", 1);
  Comparison comparison{self, **cluster};
  bool good = true;
  for (const Way& way : {Way{"direct", (*cluster)->postgres_port(), Depth::server},
                         Way{"pooled", (*cluster)->balancer_port(), Depth::balancer}}) {
    for (const int clients : {1, 8, 32}) good = comparison.measure(way, clients) && good;
  }
  return good ? 0 : 1;
}

}  // namespace
}  // namespace pgfiredrill::bench

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() == 5 && arguments[0] == "--drive") {
    return pgfiredrill::bench::drive({arguments.begin() + 1, arguments.end()});
  }
  return pgfiredrill::bench::compare(argv[0]);
}
