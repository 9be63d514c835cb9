/// Who may include whom: reads every #include "room/..." of the checkout against the table in
/// docs/architecture.md.

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace pgfiredrill {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot{PGFIREDRILL_SOURCE_DIR};

using Rooms = std::set<std::string>;

/// A room may include itself and these. Keep in step with docs/architecture.md: a test below compares them.
const std::map<std::string, Rooms>& allowed() {
  static const Rooms all{"base",    "inventories",     "cluster", "record", "drivers", "observers",
                         "measure", "fault-injectors", "checks",  "suites", "report",  "calibration"};
  static const Rooms below_suites{"base",      "inventories", "cluster",         "record", "drivers",
                                  "observers", "measure",     "fault-injectors", "checks"};
  static const std::map<std::string, Rooms> table{
      {"base", {}},
      {"inventories", {"base"}},
      {"cluster", {"base", "inventories"}},
      {"record", {"base"}},
      {"drivers", {"base", "cluster", "record"}},
      {"observers", {"base", "cluster", "record"}},
      {"fault-injectors", {"base", "cluster", "record"}},
      {"measure", {"base", "record"}},
      {"checks", {"base", "cluster", "measure"}},
      {"calibration", {"base", "cluster", "record", "drivers", "measure"}},
      {"suites", below_suites},
      {"report", {"base", "measure", "record"}},
      {"cli", all},
  };
  return table;
}

std::vector<fs::path> sources_of(const std::string& room) {
  std::vector<fs::path> files;
  if (!fs::exists(kRoot / room)) return files;
  for (const auto& entry : fs::recursive_directory_iterator{kRoot / room}) {
    const auto extension = entry.path().extension();
    if (extension == ".cc" || extension == ".h") files.push_back(entry.path());
  }
  return files;
}

struct Include {
  std::string line;
  std::string path;
  bool quoted = false;
};

std::vector<Include> includes_of(const fs::path& file) {
  static const std::regex pattern{R"(^\s*#\s*include\s*([<"])([^>"]+)[>"])"};
  std::vector<Include> found;
  std::ifstream stream{file};
  std::smatch match;
  for (std::string line; std::getline(stream, line);) {
    if (std::regex_search(line, match, pattern)) found.push_back({line, match[2], match[1] == "\""});
  }
  return found;
}

std::string first_folder(const std::string& path) {
  return path.substr(0, path.find('/'));
}

TEST(Architecture, EveryIncludeIsAllowedByTheTable) {
  std::size_t checked = 0;
  for (const auto& [room, may_use] : allowed()) {
    for (const fs::path& file : sources_of(room)) {
      for (const Include& include : includes_of(file)) {
        if (!include.quoted) continue;
        ++checked;
        const std::string target = first_folder(include.path);
        EXPECT_TRUE(allowed().contains(target))
            << file << ": write first-party includes from the root, as \"room/file.h\": " << include.line;
        EXPECT_TRUE(target == room || may_use.contains(target))
            << file << ": " << room << " may not use " << target << ": " << include.line;
      }
    }
  }
  EXPECT_GT(checked, 50u) << "the test found hardly any include: is it looking at the checkout?";
}

/// Headers that cost seconds of compile time, or must be known in one place only, and the files that may
/// include them.
TEST(Architecture, HeavyLibrariesStayWhereTheyAre) {
  const std::map<std::string, Rooms> keepers{
      {"CLI", {"cli/command_line.cc"}},
      {"httplib.h", {"base/http_client.cc"}},
      {"spdlog", {"base/log.cc"}},
      {"pqxx", {"cluster/postgres_control.cc"}},
  };
  for (const auto& [room, unused] : allowed()) {
    for (const fs::path& file : sources_of(room)) {
      for (const Include& include : includes_of(file)) {
        const auto keeper = keepers.find(first_folder(include.path));
        if (keeper == keepers.end()) continue;
        EXPECT_TRUE(keeper->second.contains(fs::relative(file, kRoot).string()))
            << file << ": " << include.line;
      }
    }
  }
}

TEST(Architecture, MeasuringDoesNoInputOrOutput) {
  const std::set<std::string> forbidden{"fstream", "iostream", "filesystem", "thread",
                                        "ctime",   "cstdio",   "unistd.h"};
  for (const fs::path& file : sources_of("measure")) {
    for (const Include& include : includes_of(file)) {
      EXPECT_FALSE(forbidden.contains(include.path)) << file << ": " << include.line;
      EXPECT_NE(first_folder(include.path), "sys") << file << ": " << include.line;
    }
  }
}

/// The table that people read: `| \`room/\` | holds | may use |`.
TEST(Architecture, TheDocumentedTableIsTheTestedOne) {
  std::ifstream document{kRoot / "docs" / "architecture.md"};
  ASSERT_TRUE(document) << "docs/architecture.md is missing";
  const std::regex row{R"(^\| `([a-z-]+)/` \|[^|]*\| ([^|]*) \|)"};
  std::map<std::string, Rooms> documented;
  std::smatch match;
  for (std::string line; std::getline(document, line);) {
    if (!std::regex_search(line, match, row) || !allowed().contains(match[1])) continue;
    Rooms& rooms = documented[match[1]];
    const std::string cell = match[2];
    static const std::regex word{R"([a-z][a-z-]+)"};
    for (std::sregex_iterator it{cell.begin(), cell.end(), word}, end; it != end; ++it)
      rooms.insert(it->str());
    if (rooms.contains("nothing")) rooms.clear();
  }
  for (const auto& [room, may_use] : allowed()) EXPECT_EQ(documented[room], may_use) << room;
}

}  // namespace
}  // namespace pgfiredrill
