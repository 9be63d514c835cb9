#pragma once

/// Where lost writes had been acknowledged: a second look at the operations, only where some are lost. Pure.

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "measure/results.h"
#include "record/event.h"
#include "record/operation.h"

namespace pgfiredrill {

class LossDetails {
 public:
  /// Ranges by ascending stream and number, as durability gives them; events of the whole run.
  LossDetails(const std::vector<NumberRange>& ranges, const std::vector<Event>& events);

  /// Operations of ledger paths, in any order.
  void on(const Operation& operation);

  /// The ranges, told more of.
  [[nodiscard]] std::vector<NumberRange> finish() const;

 private:
  struct Seen {
    std::set<std::uint16_t> nodes;
    std::set<std::uint32_t> timelines;
    std::set<std::uint64_t> positions;  ///< the lowest and the highest
  };
  [[nodiscard]] NumberRange described(const NumberRange& range, const Seen& seen) const;

  std::vector<NumberRange> ranges_;
  std::vector<Seen> seen_;  ///< of each range
  std::map<std::uint16_t, std::string> member_of_node_;
};

}  // namespace pgfiredrill
