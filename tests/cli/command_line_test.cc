#include "cli/command_line.h"

#include <vector>

#include <gmock/gmock.h>

namespace pgfiredrill {
namespace {

using ::testing::HasSubstr;

Command parse(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "pgfiredrill");
  return parse_command_line(static_cast<int>(arguments.size()), arguments.data());
}

std::string usage_error(const std::vector<const char*>& arguments) {
  const Command command = parse(arguments);
  const auto* error = std::get_if<UsageError>(&command);
  EXPECT_NE(error, nullptr) << "no usage error";
  return error != nullptr ? error->message : std::string{};
}

std::string printed(const std::vector<const char*>& arguments) {
  const Command command = parse(arguments);
  const auto* print = std::get_if<PrintCommand>(&command);
  EXPECT_NE(print, nullptr) << "nothing to print";
  return print != nullptr ? print->text : std::string{};
}

TEST(CommandLine, ReadsInspect) {
  const Command command =
      parse({"inspect", "-i", "inventory", "--vault-password-file", "vault", "--format", "json", "-v"});
  const auto* inspect = std::get_if<InspectCommand>(&command);
  ASSERT_NE(inspect, nullptr);
  EXPECT_EQ(inspect->source.inventory, "inventory");
  EXPECT_EQ(inspect->source.vault_password_file, "vault");
  EXPECT_EQ(inspect->format, OutputFormat::json);
  EXPECT_TRUE(inspect->verbose);
}

TEST(CommandLine, ReadsPatronisAddressAlone) {
  const Command command = parse({"inspect", "--patroni", "https://pg1:8008", "--cacert", "ca.crt"});
  const auto* inspect = std::get_if<InspectCommand>(&command);
  ASSERT_NE(inspect, nullptr);
  EXPECT_EQ(inspect->source.patroni_url, "https://pg1:8008");
  EXPECT_EQ(inspect->source.ca_file, "ca.crt");
  EXPECT_EQ(inspect->format, OutputFormat::text);
}

TEST(CommandLine, WantsACluster) {
  EXPECT_THAT(usage_error({"inspect"}), HasSubstr("which cluster?"));
  EXPECT_THAT(usage_error({"inspect", "-i", ""}), HasSubstr("which cluster?"));
}

TEST(CommandLine, WantsOneClusterOnly) {
  usage_error({"inspect", "-i", "x", "--patroni", "https://pg1:8008"});
}

TEST(CommandLine, ReadsCalibrate) {
  const Command command =
      parse({"calibrate", "--outages", "50", "--kind", "blackhole", "--seed", "7", "--format", "json"});
  const auto* calibrate = std::get_if<CalibrateCommand>(&command);
  ASSERT_NE(calibrate, nullptr);
  EXPECT_EQ(calibrate->outages, 50);
  EXPECT_EQ(calibrate->kind, OutageKind::blackhole);
  EXPECT_EQ(calibrate->seed, 7u);
  EXPECT_EQ(calibrate->format, OutputFormat::json);
  usage_error({"calibrate", "--kind", "fire"});
  usage_error({"calibrate", "--outages", "0"});
}

TEST(CommandLine, ReadsRun) {
  const Command command =
      parse({"run", "smoke", "-i", "inventory", "--confirm", "postgres-cluster", "--filter", "switch*",
             "--repeat", "5", "--seed", "7", "--output", "/var/runs", "--keep-leader"});
  const auto* run = std::get_if<RunCommand>(&command);
  ASSERT_NE(run, nullptr);
  EXPECT_EQ(run->suite, "smoke");
  EXPECT_EQ(run->source.inventory, "inventory");
  EXPECT_EQ(run->confirm, "postgres-cluster");
  EXPECT_EQ(run->filter, "switch*");
  EXPECT_EQ(run->repeat, 5);
  EXPECT_EQ(run->seed, 7u);
  EXPECT_EQ(run->output, "/var/runs");
  EXPECT_TRUE(run->keep_leader);
  EXPECT_FALSE(run->dry_run);
  EXPECT_EQ(run->argv.front(), "pgfiredrill");
  EXPECT_EQ(run->argv.back(), "--keep-leader");
}

/// Nothing disruptive without the cluster's own name.
TEST(CommandLine, RunWantsTheClustersNameUnlessItOnlyLooks) {
  EXPECT_THAT(usage_error({"run", "smoke", "-i", "inventory"}), HasSubstr("--confirm"));
  EXPECT_THAT(usage_error({"run", "smoke", "-i", "inventory", "--confirm", ""}), HasSubstr("--confirm"));
  const Command command = parse({"run", "smoke", "-i", "inventory", "--dry-run"});
  EXPECT_NE(std::get_if<RunCommand>(&command), nullptr);
  usage_error({"run", "smoke", "-i", "inventory", "--dry-run", "--confirm", "c"});
}

TEST(CommandLine, FaultsWantAnInventory) {
  EXPECT_THAT(usage_error({"run", "smoke", "--patroni", "https://pg1:8008", "--confirm", "c"}),
              HasSubstr("inventory"));
  EXPECT_THAT(usage_error({"heal", "--patroni", "https://pg1:8008"}), HasSubstr("inventory"));
  EXPECT_THAT(usage_error({"heal"}), HasSubstr("inventory"));
}

TEST(CommandLine, ReadsWhatMakesARunSaferOrLessSo) {
  const Command command =
      parse({"run", "smoke", "-i", "inventory", "--override", "recent-run", "--override", "running-ddl",
             "--confirm", "c", "--accept-data-loss", "--max-outage", "30", "--abort-if", "error_s>5",
             "--abort-if", "unavailable_s>60", "--resume", "runs/latest"});
  const auto* run = std::get_if<RunCommand>(&command);
  ASSERT_NE(run, nullptr);
  EXPECT_THAT(run->overrides, ::testing::ElementsAre("recent-run", "running-ddl"));
  EXPECT_TRUE(run->accept_data_loss);
  EXPECT_EQ(run->resume, "runs/latest");
  std::map<std::string, double> limits;
  for (const GuardLimit& limit : run->guard) limits[limit.metric] = limit.limit;
  EXPECT_EQ(limits, (std::map<std::string, double>{{"outage_s", 30}, {"error_s", 5}, {"unavailable_s", 60}}));
}

TEST(CommandLine, NamesWhatCanBeOverriddenAndGuarded) {
  EXPECT_THAT(
      usage_error({"run", "smoke", "-i", "x", "--confirm", "c", "--override", "everything"}),
      ::testing::AllOf(HasSubstr("everything"), HasSubstr("unlogged-tables"), HasSubstr("slow-rebuild")));
  EXPECT_THAT(usage_error({"run", "smoke", "-i", "x", "--confirm", "c", "--abort-if", "lost>0"}),
              ::testing::AllOf(HasSubstr("only after the drill"), HasSubstr("outage_s")));
  usage_error({"run", "smoke", "-i", "x", "--confirm", "c", "--max-outage", "0"});
  usage_error({"run", "smoke", "-i", "x", "--confirm", "c", "--max-outage", "nan"});
}

TEST(CommandLine, RefusesRepeatsAndSeedsThatAreNone) {
  for (const char* repeat : {"0", "-1", "1001", "many"}) {
    usage_error({"run", "smoke", "-i", "x", "--confirm", "c", "--repeat", repeat});
  }
  usage_error({"run", "smoke", "-i", "x", "--confirm", "c", "--seed", "-1"});
  usage_error({"run", "-i", "x", "--confirm", "c"});
}

TEST(CommandLine, ReadsListReportAndHeal) {
  const Command list = parse({"list", "faults"});
  ASSERT_NE(std::get_if<ListCommand>(&list), nullptr);
  EXPECT_EQ(std::get<ListCommand>(list).topic, ListTopic::faults);
  usage_error({"list"});
  usage_error({"list", "nonsense"});
  const Command report = parse({"report", "runs/latest", "--format", "junit"});
  ASSERT_NE(std::get_if<ReportCommand>(&report), nullptr);
  EXPECT_EQ(std::get<ReportCommand>(report).run_folder, "runs/latest");
  EXPECT_EQ(std::get<ReportCommand>(report).format, ReportFormat::junit);
  const Command heal = parse({"heal", "-i", "inventory"});
  ASSERT_NE(std::get_if<HealCommand>(&heal), nullptr);
}

TEST(CommandLine, RefusesWhatItDoesNotKnow) {
  usage_error({});
  usage_error({"destroy"});
  usage_error({"inspect", "-i", "x", "--frobnicate"});
  usage_error({"inspect", "-i", "x", "stray"});
  usage_error({"inspect", "-i", "x", "--format", "xml"});
  EXPECT_THAT(usage_error({"inspect", "-i"}), HasSubstr("--help"));
}

TEST(CommandLine, PrintsHelpAndVersion) {
  EXPECT_THAT(printed({"--help"}), HasSubstr("Exit codes"));
  EXPECT_THAT(printed({"inspect", "--help"}), HasSubstr("--vault-password-file"));
  EXPECT_THAT(printed({"--version"}), ::testing::StartsWith("pgfiredrill "));
}

}  // namespace
}  // namespace pgfiredrill
