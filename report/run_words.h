#pragma once

/// A run in sentences: what the terminal, the Markdown report and JUnit say in the same words. Plain text
/// without colours or markup; texts from the record are on one line each. Pure.

#include <cstddef>
#include <string>
#include <vector>

#include "measure/results.h"

namespace pgfiredrill {

/// "6.8 s", "0 s", "0.05 s", "184 s": as many digits as a person reads.
[[nodiscard]] std::string seconds_text(double seconds);
/// 4812 → "4,812".
[[nodiscard]] std::string count_text(std::size_t count);
/// A metric's value with its unit; bytes as "1.5 KiB".
[[nodiscard]] std::string value_text(const std::string& metric, double value);
/// "1 drill", "3 drills".
[[nodiscard]] std::string counted(std::size_t count, const std::string& thing);

/// "3 of 4 drills passed, 1 failed".
[[nodiscard]] std::string drills_sentence(const RunResult& run);
/// "writes were down 6.8 s (limit 30 s), reads 0 s; 0 of 4,812 acknowledged writes lost; fully healthy after
/// 9 s"; over several repeats each number as min / median / max.
[[nodiscard]] std::string drill_sentence(const DrillResult& drill);
[[nodiscard]] std::string repeat_sentence(const DrillResult& drill, const RepeatResult& repeat);

/// Why a drill did not pass, the expectations first: "repeat 2: outage_s (read_write, fresh) was 41.2 s,
/// limit 30 s". Each sentence once.
[[nodiscard]] std::vector<std::string> drill_reasons(const DrillResult& drill);
[[nodiscard]] std::vector<std::string> repeat_reasons(const RepeatResult& repeat);

/// Why the run ended as it did, apart from what its drills say themselves.
[[nodiscard]] std::vector<std::string> run_reasons(const RunResult& run);

/// What of the numbers cannot be trusted or is not there, and why.
[[nodiscard]] std::vector<std::string> trust_remarks(const RunResult& run);

/// What the design of the reports has room for and this version does not measure.
[[nodiscard]] const std::string& not_measured_yet();

}  // namespace pgfiredrill
