#include "tests/lab/lab_program.h"

#include <cstdlib>

#include <gtest/gtest.h>

#include "tests/support/fixture.h"

namespace pgfiredrill::testing {

ProcessResult execute(std::vector<std::string> argv, std::chrono::milliseconds deadline) {
  SystemProcessRunner runner;
  auto result = runner.run({.argv = std::move(argv), .deadline = deadline});
  EXPECT_TRUE(result.has_value()) << (result ? "" : result.error().message());
  if (!result) return {.exit_status = -1};
  EXPECT_FALSE(result->timed_out) << result->out << result->err;
  return *result;
}

ProcessResult lab(std::vector<std::string> arguments) {
  if (const char* name = std::getenv("PGFIREDRILL_LAB_NAME")) {
    arguments.insert(arguments.begin() + 1, {"--name", name});
  }
  arguments.insert(arguments.begin(), fixture_path("../lab/lab"));
  return execute(std::move(arguments));
}

}  // namespace pgfiredrill::testing
