#pragma once

/// Answers of direct sessions as histories need them.

#include <string>

#include "history.h"
#include "measure/server_states.h"

namespace pgfiredrill::testing {

inline DirectAnswer answer_of(const std::string& member, double asked_s, double took_s, bool in_recovery,
                              const std::string& postmaster = "1") {
  DirectAnswer answer;
  answer.member = member;
  answer.asked_at = at_s(asked_s);
  answer.at = at_s(asked_s + took_s);
  answer.in_recovery = in_recovery;
  answer.postmaster_start = postmaster;
  return answer;
}

}  // namespace pgfiredrill::testing
