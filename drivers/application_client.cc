#include "drivers/application_client.h"

#include <utility>

#include "drivers/lane_journal.h"

namespace pgfiredrill {
namespace {

constexpr nanoseconds kInterval = std::chrono::seconds{1};
/// Longer than any drill is observed. It sleeps: a query that computes would outlive a dead postmaster.
constexpr const char* kLongQuery = "SELECT pg_catalog.pg_sleep(600)";

}  // namespace

ApplicationClient::ApplicationClient(std::uint64_t number, ClientSpec spec, SocketSet& sockets,
                                     ClientJournal& journal, Clock& clock)
    : number_{number}, spec_{std::move(spec)}, sockets_{sockets}, journal_{journal}, clock_{clock} {}

ApplicationClient::~ApplicationClient() {
  stop_listening();
}

void ApplicationClient::stop_listening() {
  if (socket_id_ != 0) sockets_.remove(socket_id_);
  socket_id_ = 0;
}

void ApplicationClient::hold(SessionExchange exchange) {
  exchange_ = std::move(exchange);
  ask(spec_.kind == ClientKind::in_transaction ? Step::begin : Step::first);
}

void ApplicationClient::give_up(const std::string& why) {
  journal_.not_opened(spec_, why);
  lose();
}

void ApplicationClient::lose() {
  stop_listening();
  exchange_ = SessionExchange{};
  stage_ = Stage::gone;
  asked_ = next_ = Step::none;
}

/// In the record.
const char* ApplicationClient::name_of(Step step) {
  switch (step) {
    case Step::wake:
      return "wake";
    case Step::query:
      return "query";
    case Step::commit:
      return "commit";
    case Step::none:
    case Step::begin:
    case Step::first:
    case Step::next:
      break;
  }
  return "next";
}

const char* ApplicationClient::tag_of(Step step) {
  switch (step) {
    case Step::begin:
      return "BEGIN";
    case Step::commit:
      return "COMMIT";
    case Step::none:
    case Step::first:
    case Step::wake:
    case Step::next:
    case Step::query:
      break;
  }
  return kCanaryTag;
}

Statement ApplicationClient::statement_of(Step step) const {
  const auto canary = [this](bool write) {
    return canary_statement(static_cast<std::uint16_t>(spec_.row / kRowsPerLane), spec_.row % kRowsPerLane,
                            write);
  };
  switch (step) {
    case Step::begin:
      return {.sql = "BEGIN", .values = {}};
    case Step::first:
      return canary(spec_.kind == ClientKind::in_transaction);
    case Step::query:
      return {.sql = kLongQuery, .values = {}};
    case Step::commit:
      return {.sql = "COMMIT", .values = {}};
    case Step::none:
    case Step::wake:
    case Step::next:
      break;
  }
  return canary(spec_.kind == ClientKind::idle);
}

void ApplicationClient::ask(Step step) {
  asked_ = step;
  next_ = Step::none;
  asked_at_ = clock_.monotonic();
  // Only while an answer is awaited: nobody looks at a session that lies in a pool.
  socket_id_ = sockets_.add(exchange_.socket(), [this] { on_ready(); });
  exchange_.send(statement_of(step));
  sockets_.want_write(socket_id_, exchange_.wants_write());
  // What was known as dead before has been answered already.
  on_ready();
}

void ApplicationClient::on_ready() {
  if (asked_ == Step::none) return;
  const bool over = exchange_.advance();
  sockets_.want_write(socket_id_, exchange_.wants_write());
  if (over) on_answer();
}

/// A good answer inside a transaction is no clean end for traffic, and is one here.
Classification ApplicationClient::judge(Step step, const StatementEvidence& evidence,
                                        const Answer& server) const {
  const char* tag = tag_of(step);
  const bool wants_rows = step == Step::first || step == Step::wake || step == Step::next;
  const bool heard = exchange_.good() && !evidence.error && evidence.command_tag == tag;
  if (heard && (!wants_rows || server.whole)) return {.outcome = Outcome::acknowledged};
  return classify_statement(evidence, {.command_tag = tag, .depth = spec_.path.depth});
}

void ApplicationClient::on_answer() {
  const Step step = std::exchange(asked_, Step::none);
  stop_listening();
  const StatementEvidence evidence = exchange_.take();
  const Answer server = parse_answer(evidence);
  const Classification trouble = judge(step, evidence, server);
  if (stage_ == Stage::preparing) return on_prepared(step, trouble, text_of(evidence), server);
  const bool broken = !exchange_.good();
  journal_.answered(number_, {.statement = name_of(step),
                              .took = clock_.monotonic() - asked_at_,
                              .trouble = trouble,
                              .text = text_of(evidence),
                              .broken = broken,
                              .server = server});
  if (broken) return lose();
  if (step != Step::commit && step != Step::query) schedule(Step::next, clock_.monotonic() + kInterval);
}

void ApplicationClient::on_prepared(Step step, const Classification& trouble, const std::string& text,
                                    const Answer& server) {
  if (!trouble.error.none()) return give_up(text);
  const nanoseconds now = clock_.monotonic();
  if (step == Step::begin) return schedule(Step::first, now);
  stage_ = Stage::held;
  journal_.opened(number_, spec_, server.postmaster_start);
  if (spec_.kind == ClientKind::long_query) schedule(Step::query, now);
  if (spec_.kind == ClientKind::in_transaction) schedule(Step::next, now + kInterval);
}

void ApplicationClient::schedule(Step step, nanoseconds at) {
  next_ = step;
  next_at_ = at;
}

void ApplicationClient::fault_sent(nanoseconds at) {
  if (stage_ == Stage::held && spec_.kind == ClientKind::idle) schedule(Step::wake, at + spec_.wakes_after);
}

void ApplicationClient::tick(nanoseconds now) {
  if (next_ != Step::none && now >= next_at_) ask(next_);
}

void ApplicationClient::end_transaction() {
  const bool stands = stage_ == Stage::held && asked_ == Step::none;
  if (stands && spec_.kind == ClientKind::in_transaction) ask(Step::commit);
}

bool ApplicationClient::ended() const noexcept {
  return asked_ != Step::commit;
}

void ApplicationClient::close() {
  if (stage_ == Stage::held) {
    const bool waiting = asked_ != Step::none;
    journal_.closed(number_, waiting ? std::optional{clock_.monotonic() - asked_at_} : std::nullopt);
  }
  lose();
}

}  // namespace pgfiredrill
