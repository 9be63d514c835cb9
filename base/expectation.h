#pragma once

/// What a drill promises: a limit for one metric over some of the paths.

#include <string>

namespace pgfiredrill {

/// How the values of the matched paths become the one that is compared.
enum class Fold : unsigned char { max, min, sum };

/// As suites and reports write it.
[[nodiscard]] constexpr const char* to_string(Fold fold) noexcept {
  switch (fold) {
    case Fold::max:
      return "max";
    case Fold::min:
      return "min";
    case Fold::sum:
      return "sum";
  }
  return "max";
}

/// Words that a suite may say for a limit; planning makes numbers of them.
inline constexpr const char* kLimitBudget = "budget";    ///< what the cluster's settings lead to expect
inline constexpr const char* kLimitHold = "hold";        ///< as long as the fault is held
inline constexpr const char* kLimitPromise = "promise";  ///< what the cluster promises of acknowledged writes

/// `{metric: outage_s, where: {access: read_write, session: fresh}, over: max, limit: 30}`
struct Expectation {
  std::string metric;  ///< a name of the metric enumeration in report.json's schema
  /// Which paths it is about; an empty string matches every path.
  struct Where {
    std::string entrypoint;
    std::string depth;
    std::string access;
    std::string session;
  } where;
  Fold over = Fold::max;
  double limit = 0;  ///< in the metric's own unit; the folded value may be equal
  /// What a suite said in the number's stead, which planning has put there: `budget`, `hold` or `promise`.
  std::string basis = {};
  std::string reason = {};  ///< why it is this number; empty where the suite gave it
};

}  // namespace pgfiredrill
