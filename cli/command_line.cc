#include "cli/command_line.h"

#include <map>

#include <CLI/CLI.hpp>

namespace pgfiredrill {
namespace {

constexpr const char* kDescription =
    "Proves a PostgreSQL high-availability cluster (HAProxy, PgBouncer, Patroni, etcd, pgBackRest) as "
    "autobase deploys it.";

constexpr const char* kFooter = R"(
Exit codes:
  0 passed             1 an expectation failed     2 bad usage or input
  3 preflight refused  4 aborted and reverted      5 a revert is incomplete
  6 inconclusive       70 internal error)";

constexpr const char* kInspectFooter = R"(
Reads and changes nothing. Exits with 6 where some part of the cluster did not answer.

Examples:
  pgfiredrill inspect -i inventory
  pgfiredrill inspect -i inventory --vault-password-file ~/.vault --format json
  pgfiredrill inspect --patroni https://10.0.0.11:8008 --cacert ca.crt)";

void add_cluster_source(CLI::App& app, ClusterSource& source) {
  auto* inventory = app.add_option("-i,--inventory", source.inventory,
                                   "Ansible inventory of the cluster, whatever `ansible-inventory` reads")
                        ->type_name("PATH");
  app.add_option("--vault-password-file", source.vault_password_file,
                 "Password file for vault texts in the inventory")
      ->type_name("FILE")
      ->needs(inventory);
  app.add_option("--patroni", source.patroni_url, "Only Patroni's REST interface, without an inventory")
      ->type_name("URL")
      ->excludes(inventory);
  app.add_option("--cacert", source.ca_file,
                 "Authority that signs Patroni's certificates (default: what is deployed)")
      ->type_name("FILE");
}

void add_inspect(CLI::App& app, InspectCommand& inspect) {
  auto* command =
      app.add_subcommand("inspect", "Members, roles, entry points, versions, and what cannot be reached");
  add_cluster_source(*command, inspect.source);
  static const std::map<std::string, OutputFormat> formats{{"text", OutputFormat::text},
                                                           {"json", OutputFormat::json}};
  command->add_option("--format", inspect.format, "text (default) or json")
      ->type_name("FORMAT")
      ->transform(CLI::CheckedTransformer(formats).description(""));
  command->add_flag("-v,--verbose", inspect.verbose, "Say on stderr what is being done");
  command->footer(kInspectFooter);
}

UsageError usage_error(const std::string& message) {
  return {"pgfiredrill: " + message + "\nTry `pgfiredrill --help` or `pgfiredrill SUBCOMMAND --help`."};
}

}  // namespace

Command parse_command_line(int argc, const char* const* argv) {
  CLI::App app{kDescription, "pgfiredrill"};
  app.footer(kFooter);
  app.set_version_flag("--version", std::string{"pgfiredrill "} + PGFIREDRILL_VERSION);
  app.require_subcommand(1);
  InspectCommand inspect;
  add_inspect(app, inspect);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    const auto chosen = app.get_subcommands();
    return PrintCommand{chosen.empty() ? app.help() : chosen.front()->help("pgfiredrill")};
  } catch (const CLI::CallForAllHelp&) {
    return PrintCommand{app.help("", CLI::AppFormatMode::All)};
  } catch (const CLI::CallForVersion&) {
    return PrintCommand{std::string{"pgfiredrill "} + PGFIREDRILL_VERSION + "\n"};
  } catch (const CLI::ParseError& error) {
    return usage_error(error.what());
  }
  if (inspect.source.inventory.empty() && inspect.source.patroni_url.empty()) {
    return usage_error("which cluster? Give its inventory (-i PATH) or Patroni's address (--patroni URL).");
  }
  return inspect;
}

}  // namespace pgfiredrill
