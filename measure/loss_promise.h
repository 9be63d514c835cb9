#pragma once

/// What a cluster promises of acknowledged writes under such a fault, and whether it was kept. Pure.
///
/// Asynchronous replication promises nothing when a leader is lost but a limit: Patroni promotes no replica
/// that lags more than maximum_lag_on_failover behind the position that the leader published last, at most
/// ttl before its end. So an unplanned failover may lose that much and what was written in the last ttl.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/budget.h"
#include "base/finding.h"
#include "base/verdict.h"
#include "measure/expectations.h"
#include "measure/repeat_times.h"
#include "measure/results.h"
#include "measure/server_states.h"

namespace pgfiredrill {

struct LossPromise {
  bool none = true;  ///< no acknowledged write may be lost
  std::optional<double> limit_bytes;
  std::string sentence;  ///< of what the limit is made, or why there is none
};

/// `settings` as the manifest has them.
[[nodiscard]] LossPromise promise_of_losses(const std::optional<Budget>& budget,
                                            const std::map<std::string, std::string>& settings,
                                            const std::vector<DirectAnswer>& answers,
                                            const RepeatTimes& times);

struct JudgedLoss {
  Verdict verdict = Verdict::failed;
  std::string remark;  ///< follows the sentence that tells the loss
  std::vector<Finding> findings;
};

/// Of a repeat that lost acknowledged writes.
[[nodiscard]] JudgedLoss judge_loss(const LossPromise& promise, const Durability& durability,
                                    const std::string& label);

[[nodiscard]] bool is_promise_of_bytes(const Expectation& expectation);
/// With the limit that this repeat's WAL leads to. Passes without a number where nothing was lost.
[[nodiscard]] JudgedExpectation judge_promised_bytes(Expectation expectation, const LossPromise& promise,
                                                     const ExpectationInput& input);

}  // namespace pgfiredrill
