#pragma once

/// How a run of the program ends, as its exit code says it.
///
/// The codes are a contract with scripts: they are listed in the README and never change meaning.

namespace pgfiredrill {

enum class ExitClass : int {
  passed = 0,
  expectation_failed = 1,
  bad_usage = 2,          ///< wrong command line or unreadable input; nothing was touched
  preflight_refused = 3,  ///< the cluster is not in a state in which a drill may start
  aborted = 4,            ///< stopped by a guard or a person, everything reverted
  revert_incomplete = 5,  ///< something that was broken on purpose may still be broken
  inconclusive = 6,       ///< not everything that was asked could be looked at or trusted
  internal_error = 70,    ///< a defect of the program itself
};

/// The more serious of two ends. Order: 5, 70, 4, 1, 6, 3, 2, 0. (`bad_usage` happens before anything is
/// touched, so it meets none of the others in practice.)
[[nodiscard]] ExitClass more_serious(ExitClass a, ExitClass b) noexcept;

}  // namespace pgfiredrill
