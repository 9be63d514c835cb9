#pragma once

/// What each server held after the fence of one repeat, as far as it can be believed.

#include <vector>

#include "measure/durability.h"
#include "measure/judge.h"
#include "measure/repeat_facts.h"

namespace pgfiredrill {

/// One for each member of the cluster and each read-back of the record. A replica that had not replayed up to
/// the fence on the fence's timeline was not read: what it lacked may still have come.
[[nodiscard]] std::vector<ServerReadback> readbacks_of(const RunInput& input, const RepeatFacts& facts);

}  // namespace pgfiredrill
