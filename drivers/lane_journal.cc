#include "drivers/lane_journal.h"

#include <algorithm>
#include <utility>

namespace pgfiredrill {

std::string text_of(const StatementEvidence& evidence) {
  if (evidence.error) return evidence.error->text;
  if (!evidence.transport_text.empty()) return evidence.transport_text;
  return evidence.deadline_passed ? "no answer within the deadline" : evidence.command_tag;
}

namespace {

const char* tag_of(Purpose purpose) {
  switch (purpose) {
    case Purpose::canary:
      return kCanaryTag;
    case Purpose::ledger:
      return kLedgerTag;
    case Purpose::heartbeat:
      return kHeartbeatTag;
  }
  return kCanaryTag;
}

}  // namespace

LaneJournal::LaneJournal(const TrafficPath& path, std::uint16_t number, OperationWriter& writer,
                         const TrafficLedgers& shared)
    : path_{path}, number_{number}, writer_{writer}, shared_{shared} {}

PendingOperation LaneJournal::open(const DueOperation& due) const {
  Operation draft;
  draft.path = number_;
  draft.number = due.number;
  draft.due = due.at;
  draft.write = due.write;
  return PendingOperation{draft};
}

nanoseconds LaneJournal::deadline_of(const PendingOperation& operation) const {
  return operation.draft().due + path_.deadline;
}

nanoseconds LaneJournal::time_left(const PendingOperation& operation) const {
  return std::max(nanoseconds{0}, deadline_of(operation) - now());
}

void LaneJournal::mark_sent(PendingOperation& operation) {
  Operation& draft = operation.draft();
  draft.sent_after = now() - draft.due;
  if (!draft.write) return;
  Operation sent = draft;
  sent.kind = RecordKind::sent;
  sent.outcome = Outcome::in_doubt;
  writer_.append(sent);
}

StatementTerms LaneJournal::terms_for(const Operation& operation, const Answer& answer) const {
  return {.write = operation.write,
          .command_tag = tag_of(path_.purpose),
          .depth = path_.depth,
          .misrouted = path_.access == Access::read_write && answer.whole && answer.in_recovery,
          .unsynchronised = shared_.synchronous_promised && answer.whole &&
                            !(answer.standby_named && answer.waits_for_flush)};
}

void LaneJournal::close(PendingOperation operation, const Classification& classification) {
  Operation done = operation.settle();
  done.outcome = classification.outcome;
  done.error = classification.error;
  done.layer = classification.layer;
  done.done_after = now() - done.due;
  done.late = *done.done_after >= path_.deadline;
  writer_.append(done);
}

void LaneJournal::close_at_login(PendingOperation operation, const LoginEvidence& evidence) {
  const Classification classification = classify_login(evidence, path_.depth);
  operation.draft().at_login = true;
  shared_.samples.note(path_.id, classification, evidence.text);
  close(std::move(operation), classification);
}

void LaneJournal::close_answered(PendingOperation operation, const StatementEvidence& evidence) {
  const Answer answer = parse_answer(evidence);
  Operation& draft = operation.draft();
  if (answer.whole) {
    draft.in_recovery = answer.in_recovery;
    draft.node = shared_.servers.number_of(answer.postmaster_start);
    draft.backend_pid = answer.backend_pid;
    draft.lsn = answer.lsn;
    draft.timeline = answer.timeline;
    draft.heartbeat = answer.heartbeat;
  }
  const Classification classification = classify_statement(evidence, terms_for(draft, answer));
  if (!classification.error.none()) {
    const bool misrouted = classification.error.is(Trouble::misrouted);
    shared_.samples.note(path_.id, classification,
                         misrouted ? "a server in recovery answered" : text_of(evidence));
  }
  close(std::move(operation), classification);
}

void LaneJournal::close_dropped(PendingOperation operation, Trouble why, Layer layer) {
  operation.draft().dropped = true;
  close(std::move(operation), {Outcome::failed, why, layer});
}

void LaneJournal::close_abandoned(PendingOperation operation) {
  const Operation& draft = operation.draft();
  const bool in_doubt = draft.write && draft.sent_after.has_value();
  close(std::move(operation),
        {in_doubt ? Outcome::in_doubt : Outcome::failed, Trouble::other, Layer::instrument});
}

void LaneJournal::note_trouble(const Classification& classification, const std::string& text) {
  shared_.samples.note(path_.id, classification, text);
}

}  // namespace pgfiredrill
