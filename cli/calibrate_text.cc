#include "cli/calibrate_text.h"

#include <fmt/format.h>

#include "base/failure.h"

namespace pgfiredrill {
namespace {

std::string milliseconds_text(nanoseconds duration) {
  return fmt::format("{:.1f} ms", to_seconds(duration) * 1000);
}

std::string count_text(std::size_t count) {
  return std::to_string(count);
}

std::string verdict_text(const KindVerdict& verdict, const TerminalStyle& style) {
  return verdict.holds() ? style.good("holds") : style.bad("FAILS");
}

std::string table_of(const CalibrationResult& result, const TerminalStyle& style) {
  TextTable table{{"OUTAGE", "SESSIONS", "COUNT", "ERROR P50", "P99", "MAX", "BOUND", "OUTSIDE", "MISSED",
                   "INVENTED", "VERDICT"}};
  for (const KindVerdict& verdict : result.verdicts) {
    table.add({to_string(verdict.kind), to_string(verdict.session), count_text(verdict.outages),
               milliseconds_text(verdict.error_p50), milliseconds_text(verdict.error_p99),
               milliseconds_text(verdict.error_max), milliseconds_text(verdict.bound),
               count_text(verdict.outside), count_text(verdict.missed), count_text(verdict.invented),
               verdict_text(verdict, style)});
  }
  return table.empty() ? "" : table.render(style);
}

std::string headline(const CalibrationResult& result, const TerminalStyle& style) {
  const std::string verdict = calibration_verdict(result);
  const std::string word = verdict == "passed"   ? style.good("PASSED")
                           : verdict == "failed" ? style.bad("FAILED")
                                                 : style.warning("INCONCLUSIVE");
  return fmt::format("calibrate  {}  seed {}\n\n", word, result.seed);
}

}  // namespace

const char* calibration_verdict(const CalibrationResult& result) {
  if (!result.holds()) return "failed";
  return result.not_run.empty() ? "passed" : "inconclusive";
}

std::string render_calibration_text(const CalibrationResult& result, const TerminalStyle& style,
                                    std::size_t width) {
  std::string text = headline(result, style) + table_of(result, style);
  for (const auto& [kind, reason] : result.not_run) {
    text += "\n" + style.warning(std::string{to_string(kind)} + " was not run") + "\n" +
            wrap_text(one_line(reason, 500), width, 2);
  }
  if (result.verdicts.empty()) return text;
  text +=
      "\n" + wrap_text(fmt::format("An error is how far a measured outage is off the true one. Its bound: "
                                   "the interval (fresh {:.3g} Hz, pooled {:.3g} Hz), 2 ms, and of fresh "
                                   "sessions the p99 login, of pooled ones the deadline; stalls of our own "
                                   "that were recorded beside an outage are added. Outside: not within it.",
                                   result.fresh_hz, result.pooled_hz),
                       width, 2);
  return text;
}

}  // namespace pgfiredrill
