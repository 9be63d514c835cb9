#include "tests/support/temporary_directory.h"

#include <cstdlib>
#include <fstream>
#include <stdexcept>

namespace pgfiredrill::testing {

TemporaryDirectory::TemporaryDirectory() {
  std::string pattern = std::filesystem::temp_directory_path() / "pgfiredrill-test-XXXXXX";
  if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error{"cannot make a temporary directory"};
  path_ = pattern;
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string TemporaryDirectory::write(const std::string& name, const std::string& text) const {
  const auto file = path_ / name;
  std::filesystem::create_directories(file.parent_path());
  std::ofstream{file, std::ios::binary} << text;
  return file.string();
}

}  // namespace pgfiredrill::testing
