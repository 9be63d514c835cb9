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
