#include "measure/loss_promise.h"

#include <chrono>
#include <cstdlib>

#include <fmt/format.h>

#include "measure/failovers.h"

namespace pgfiredrill {

namespace {

/// "30 s", as the manifest writes it.
std::optional<nanoseconds> ttl_of(const std::map<std::string, std::string>& settings) {
  const auto found = settings.find("ttl");
  if (found == settings.end()) return std::nullopt;
  const long seconds = std::strtol(found->second.c_str(), nullptr, 10);
  if (seconds <= 0 || seconds > 86'400) return std::nullopt;
  return std::chrono::seconds{seconds};
}

Finding asynchronous_loss(const LossPromise& promise, const Durability& durability,
                          const std::string& label) {
  return {.id = "durability.asynchronous-loss",
          .severity = Severity::warn,
          .where = "",
          .sentence =
              "an unplanned failover lost acknowledged writes, within what asynchronous replication allows",
          .evidence = {fmt::format("{}: {} acknowledged writes, {} bytes of WAL; allowed: {}", label,
                                   durability.lost.value_or(0), durability.rpo_bytes.value_or(0),
                                   promise.sentence)},
          .remedy =
              "synchronous_mode: true in Patroni's configuration, so that an acknowledged write is on a "
              "standby; a lower maximum_lag_on_failover only narrows the loss"};
}

}  // namespace

LossPromise promise_of_losses(const std::optional<Budget>& budget,
                              const std::map<std::string, std::string>& settings,
                              const std::vector<DirectAnswer>& answers, const RepeatTimes& times) {
  const bool may_lose = budget && (budget->loss_limit_bytes || budget->loss_limit_unknown);
  if (!may_lose) return {};
  LossPromise promise{.none = false};
  const auto ttl = ttl_of(settings);
  const auto written =
      ttl && times.injected ? written_at_the_end(answers, *times.injected, *ttl) : std::nullopt;
  if (!budget->loss_limit_bytes) {
    promise.sentence = "maximum_lag_on_failover is not known";
    return promise;
  }
  promise.limit_bytes = *budget->loss_limit_bytes + written.value_or(0);
  promise.sentence =
      written ? fmt::format(
                    "{:.0f} bytes of maximum_lag_on_failover and {:.0f} written in the old leader's "
                    "last ttl",
                    *budget->loss_limit_bytes, *written)
              : fmt::format("{:.0f} bytes of maximum_lag_on_failover; what was written last was not seen",
                            *budget->loss_limit_bytes);
  return promise;
}

JudgedLoss judge_loss(const LossPromise& promise, const Durability& durability, const std::string& label) {
  if (promise.none) return {};
  if (!promise.limit_bytes || !durability.rpo_bytes) {
    const std::string why =
        promise.limit_bytes ? "how much WAL they were was not measured" : promise.sentence;
    return {.verdict = Verdict::inconclusive,
            .remark = "; whether that is within what asynchronous replication allows is not known: " + why,
            .findings = {}};
  }
  if (static_cast<double>(*durability.rpo_bytes) > *promise.limit_bytes) {
    return {.verdict = Verdict::failed,
            .remark = fmt::format("; {} bytes of WAL, more than asynchronous replication allows: {}",
                                  *durability.rpo_bytes, promise.sentence),
            .findings = {}};
  }
  return {
      .verdict = Verdict::passed, .remark = "", .findings = {asynchronous_loss(promise, durability, label)}};
}

bool is_promise_of_bytes(const Expectation& expectation) {
  return expectation.basis == kLimitPromise && expectation.metric == "rpo_bytes";
}

JudgedExpectation judge_promised_bytes(Expectation expectation, const LossPromise& promise,
                                       const ExpectationInput& input) {
  if (promise.limit_bytes) {
    expectation.limit = *promise.limit_bytes;
    expectation.reason = promise.sentence;
  }
  JudgedExpectation judged = judge_expectation(expectation, input);
  const auto& durability = input.repeat.durability;
  const bool nothing_lost = durability && durability->lost == std::size_t{0};
  if (judged.result.measured || !nothing_lost || !input.distrust.empty()) return judged;
  judged.result.passed = true;
  judged.result.why = "no acknowledged write was lost";
  judged.verdict = Verdict::passed;
  judged.reason.clear();
  return judged;
}

}  // namespace pgfiredrill
