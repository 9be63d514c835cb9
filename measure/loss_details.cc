#include "measure/loss_details.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <tuple>

#include "base/lsn.h"

namespace pgfiredrill {

namespace {

/// Sessions know a server by its postmaster's start time, members are told from each other by it.
std::map<std::uint16_t, std::string> members_of_nodes(const std::vector<Event>& events) {
  std::map<std::string, std::string> member_of_start;
  for (const Event& event : events) {
    if (event.kind != event::kServerIdentity && event.kind != event::kServerState) continue;
    const std::string start = event.text("postmaster_start").value_or("");
    if (!start.empty()) member_of_start[start] = event.text("member").value_or("");
  }
  std::map<std::uint16_t, std::string> member_of_node;
  for (const Event& event : events) {
    if (event.kind != event::kServerSeen) continue;
    const auto known = member_of_start.find(event.text("postmaster_start").value_or(""));
    const auto node = event.integer("node").value_or(0);
    if (known == member_of_start.end() || node < 1 || node > std::numeric_limits<std::uint16_t>::max())
      continue;
    member_of_node[static_cast<std::uint16_t>(node)] = known->second;
  }
  return member_of_node;
}

}  // namespace

LossDetails::LossDetails(const std::vector<NumberRange>& ranges, const std::vector<Event>& events)
    : ranges_{ranges}, seen_(ranges.size()), member_of_node_{members_of_nodes(events)} {}

void LossDetails::on(const Operation& operation) {
  if (operation.kind != RecordKind::done || operation.outcome != Outcome::acknowledged) return;
  const auto begins_later = [&](const std::tuple<std::uint16_t, std::uint64_t>& at,
                                const NumberRange& range) {
    return at < std::tie(range.stream, range.first);
  };
  const auto behind = std::upper_bound(ranges_.begin(), ranges_.end(),
                                       std::tuple{operation.stream, operation.number}, begins_later);
  if (behind == ranges_.begin()) return;
  const auto range = std::prev(behind);
  if (range->stream != operation.stream || range->last < operation.number) return;
  Seen& seen = seen_[static_cast<std::size_t>(range - ranges_.begin())];
  seen.nodes.insert(operation.node);
  if (operation.timeline != 0) seen.timelines.insert(operation.timeline);
  if (operation.lsn == 0) return;
  seen.positions.insert(operation.lsn);
  if (seen.positions.size() > 2) seen.positions.erase(std::next(seen.positions.begin()));
}

NumberRange LossDetails::described(const NumberRange& range, const Seen& seen) const {
  NumberRange told = range;
  std::set<std::string> members;
  for (const std::uint16_t node : seen.nodes) {
    const auto known = member_of_node_.find(node);
    members.insert(known == member_of_node_.end() ? "" : known->second);
  }
  told.members.assign(members.begin(), members.end());
  told.timelines.assign(seen.timelines.begin(), seen.timelines.end());
  if (seen.positions.empty()) return told;
  told.first_lsn = format_lsn(*seen.positions.begin());
  told.last_lsn = format_lsn(*seen.positions.rbegin());
  // Positions of two timelines are on two branches, and one position alone says nothing of a length.
  const std::uint64_t length = *seen.positions.rbegin() - *seen.positions.begin();
  if (seen.timelines.size() == 1 && length > 0 && length <= std::numeric_limits<std::int64_t>::max()) {
    told.wal_bytes = static_cast<std::int64_t>(length);
  }
  return told;
}

std::vector<NumberRange> LossDetails::finish() const {
  std::vector<NumberRange> told;
  told.reserve(ranges_.size());
  for (std::size_t i = 0; i < ranges_.size(); ++i) told.push_back(described(ranges_[i], seen_[i]));
  return told;
}

}  // namespace pgfiredrill
