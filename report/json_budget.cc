#include "report/json_budget.h"

#include <nlohmann/json.hpp>

#include "report/json_values.h"

namespace pgfiredrill {

namespace {

using nlohmann::ordered_json;

ordered_json outage_json(const OutageBudget& outage) {
  const auto part_json = [](const BudgetPart& part) {
    return ordered_json{
        {"name", part.name},       {"min_s", or_null(part.min_s)}, {"max_s", or_null(part.max_s)},
        {"setting", part.setting}, {"value", part.value},          {"source", part.source}};
  };
  return {{"min_s", or_null(outage.min_s)},
          {"max_s", or_null(outage.max_s)},
          {"parts", array_of(outage.parts, part_json)},
          {"missing", outage.missing}};
}

}  // namespace

ordered_json budget_json(const std::optional<Budget>& budget) {
  if (!budget) return nullptr;
  ordered_json json = outage_json(budget->read_write);
  json["read_only"] = outage_json(budget->read_only);
  json["with_watchdog"] = budget->with_watchdog ? outage_json(*budget->with_watchdog) : ordered_json(nullptr);
  json["failover"] = to_string(budget->failover);
  json["loss_limit_bytes"] = or_null(budget->loss_limit_bytes);
  json["sentence"] = budget->sentence;
  return json;
}

}  // namespace pgfiredrill
