#include "tests/support/fixture.h"

#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

namespace pgfiredrill::testing {

std::string fixture_path(const std::string& path) {
  return std::string{PGFIREDRILL_SOURCE_DIR} + "/tests/" + path;
}

std::string read_fixture(const std::string& path) {
  std::ifstream file{fixture_path(path), std::ios::binary};
  if (!file) {
    ADD_FAILURE() << "no such fixture: " << path;
    return {};
  }
  return {std::istreambuf_iterator<char>{file}, {}};
}

}  // namespace pgfiredrill::testing
