#include "report/hgrm.h"

#include <gmock/gmock.h>

namespace pgfiredrill {
namespace {

using std::chrono::milliseconds;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

TEST(Hgrm, IsTheFormThatHdrHistogramsToolsRead) {
  LatencyHistogram histogram;
  histogram.record(milliseconds{1});
  histogram.record(milliseconds{2});
  EXPECT_EQ(render_hgrm(histogram),
            "       Value     Percentile TotalCount 1/(1-Percentile)\n"
            "\n"
            "       1.000 0.000000000000          1           1.00\n"
            "       1.000 0.100000000000          1           1.11\n"
            "       1.000 0.200000000000          1           1.25\n"
            "       1.000 0.300000000000          1           1.43\n"
            "       1.000 0.400000000000          1           1.67\n"
            "       1.000 0.500000000000          1           2.00\n"
            "       2.000 0.550000000000          2           2.22\n"
            "       2.000 1.000000000000          2\n"
            "#[Mean    =        1.500, StdDeviation   =        0.500]\n"
            "#[Max     =        2.000, Total count    =            2]\n"
            "#[Buckets =           22, SubBuckets     =         2048]\n");
}

TEST(Hgrm, PercentilesAndCountsGrowToTheWhole) {
  LatencyHistogram histogram;
  for (int i = 1; i <= 10'000; ++i) histogram.record(std::chrono::microseconds{i * i});
  const auto lines = lines_of(render_hgrm(histogram));
  double last_value = -1, last_percentile = -1;
  unsigned long last_count = 0;
  std::size_t data = 0;
  for (const std::string& line : lines) {
    double value = 0, percentile = 0;
    unsigned long count = 0;
    if (std::sscanf(line.c_str(), "%lf %lf %lu", &value, &percentile, &count) != 3) continue;
    EXPECT_GE(value, last_value);
    EXPECT_GT(percentile, last_percentile);
    EXPECT_GE(count, last_count);
    EXPECT_GE(static_cast<double>(count), percentile * 10'000 - 0.001) << line;
    last_value = value, last_percentile = percentile, last_count = count;
    ++data;
  }
  EXPECT_GT(data, 50u);
  EXPECT_DOUBLE_EQ(last_percentile, 1);
  EXPECT_EQ(last_count, 10'000u);
  EXPECT_DOUBLE_EQ(last_value, 100'000);
}

TEST(Hgrm, NothingCountedHasNoLine) {
  const std::string text = render_hgrm(LatencyHistogram{});
  EXPECT_THAT(text, StartsWith("       Value     Percentile TotalCount 1/(1-Percentile)\n\n#[Mean"));
  EXPECT_THAT(text, HasSubstr("Total count    =            0]"));
  EXPECT_THAT(text, EndsWith("]\n"));
}

}  // namespace
}  // namespace pgfiredrill
