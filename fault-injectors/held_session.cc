#include "fault-injectors/held_session.h"

#include <utility>

#include "base/text.h"
#include "fault-injectors/aiming.h"
#include "fault-injectors/own_sessions.h"
#include "fault-injectors/watching.h"

namespace pgfiredrill::fault {
namespace {

constexpr std::chrono::milliseconds kStatementTimeout{3'000};

}  // namespace

HeldSession::HeldSession(const FaultSpec& spec, Tools tools, std::vector<std::string> statements,
                         std::string question)
    : tools_{std::move(tools)}, statements_{std::move(statements)}, question_{std::move(question)} {
  if (spec.target != kLeader) target_ = spec.target;
}

Result<void> HeldSession::aim(const ClusterSnapshot& now) {
  const auto leader = aim_at_leader(now, "a session that is held");
  if (!leader) return leader.error();
  auto found = way_in(tools_, (*leader)->name, kHeldApplication);
  if (!found) return found.error();
  way_in_ = std::move(*found);
  target_ = (*leader)->name;
  return {};
}

std::vector<std::string> HeldSession::describe() const {
  const std::string place = Endpoint{way_in_.host, way_in_.port}.to_string();
  std::vector<std::string> lines;
  for (const std::string& statement : statements_) lines.push_back("at " + place + ": " + statement);
  lines.push_back("at " + place + ": ROLLBACK");
  return lines;
}

Result<void> HeldSession::inject() {
  auto session =
      PostgresControl::connect(way_in_, Endpoint{way_in_.host, way_in_.port}.to_string(), kStatementTimeout);
  if (!session) return session.error();
  for (const std::string& statement : statements_) {
    if (const auto done = session->execute("hold a session", statement); !done) return done.error();
  }
  session_.emplace(std::move(*session));
  return {};
}

Evidence HeldSession::verify(nanoseconds deadline) {
  return watch(tools_, deadline, [this](const ClusterSnapshot&) {
    const auto count = count_on(tools_, target_, question_, kHeldApplication);
    if (!count) return Evidence{.sentence = count.error().message()};
    return Evidence{.took = *count > 0,
                    .sentence = target_ + (*count > 0 ? " holds it" : " has no such session")};
  });
}

Evidence HeldSession::verify_held() {
  note_fate();
  return {.took = true, .sentence = fate_};
}

void HeldSession::note_fate() {
  if (!session_) return;
  const auto answer = session_->execute("ask whether the session stands", "SELECT 1");
  fate_ =
      answer ? "the session stood until it was ended" : "the session was lost: " + answer.error().came_back;
  if (!answer) session_.reset();
}

Result<void> HeldSession::revert() {
  note_fate();
  if (!session_) return {};
  // Where it fails the session is closed all the same, and the server rolls back.
  (void)session_->execute("end the session that was held", "ROLLBACK");
  session_.reset();
  return {};
}

Evidence HeldSession::verify_reverted() {
  const Evidence gone = sessions_are_gone(tools_, kHeldApplication);
  return {.took = gone.took, .sentence = join({fate_, gone.sentence}, "; ")};
}

}  // namespace pgfiredrill::fault
