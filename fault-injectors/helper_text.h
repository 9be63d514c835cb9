#pragma once

namespace pgfiredrill::fault {

/// What `version` answers: raised whenever a verb, its arguments or its answers change.
inline constexpr const char* kHelperVersion = "1";

/// The program in helper/pgfiredrill-helper.sh, carried by ours.
extern const char* const kHelperText;

}  // namespace pgfiredrill::fault
