#include "drivers/connector.h"

#include <utility>

#include "drivers/lane_journal.h"
#include "drivers/statements.h"

namespace pgfiredrill {

using std::chrono::steady_clock;

std::vector<ConnectParameters> login_targets(const TrafficPath& path, const std::string& database,
                                             const std::string& user, const Secret& password,
                                             const std::string& sslmode) {
  std::vector<ConnectParameters> targets;
  for (const Endpoint& address : path.addresses) {
    targets.push_back({.host = address.host,
                       .port = address.port,
                       .database = database,
                       .user = user,
                       .password = password,
                       .sslmode = sslmode,
                       .target_session_attrs = path.target_session_attrs});
  }
  return targets;
}

struct Connector::Opening {
  OpenRequest request;
  std::function<void(OpenedSession)> handler;
  steady_clock::time_point deadline;
  std::unique_ptr<LoginWalk> walk;
  std::unique_ptr<PostgresSession> session;
};

Connector::~Connector() {
  loop_.stop();
  openings_.clear();
}

void Connector::open(OpenRequest request, std::function<void(OpenedSession)> handler) {
  auto opening = std::make_shared<Opening>();
  opening->deadline = steady_clock::now() + request.limit;
  opening->request = std::move(request);
  opening->handler = std::move(handler);
  loop_.post([this, opening] {
    const auto id = ++last_id_;
    openings_[id] = opening;
    opening->walk = std::make_unique<LoginWalk>(loop_.context(), opening->request.targets);
    opening->walk->start(opening->deadline - steady_clock::now(),
                         [this, id](LoginEnd end) { on_login(id, std::move(end)); });
  });
}

void Connector::on_login(std::uint64_t id, LoginEnd end) {
  const auto opening = openings_.at(id);
  if (!end.session) {
    return finish(
        id, {.trouble = classify_login(end.evidence, opening->request.depth), .text = end.evidence.text});
  }
  opening->session = std::move(end.session);
  if (!opening->request.probe) return finish(id, {.ready = true, .exchange = opening->session->detach()});
  opening->session->execute(canary_statement(0, 0, false), opening->deadline - steady_clock::now(),
                            [this, id](const StatementEvidence& evidence) { on_probe(id, evidence); });
}

void Connector::on_probe(std::uint64_t id, const StatementEvidence& evidence) {
  const auto opening = openings_.at(id);
  const Answer answer = parse_answer(evidence);
  const auto classification =
      classify_statement(evidence, {.command_tag = kCanaryTag,
                                    .depth = opening->request.depth,
                                    .misrouted = opening->request.read_write && answer.in_recovery});
  // Being led to the wrong server is trouble of the path; the session itself is good.
  const bool usable = evidence.ended_cleanly && !evidence.error && !evidence.deadline_passed;
  OpenedSession opened{.ready = usable, .trouble = classification, .text = text_of(evidence)};
  if (usable) opened.exchange = opening->session->detach();
  finish(id, std::move(opened));
}

void Connector::finish(std::uint64_t id, OpenedSession opened) {
  const auto opening = openings_.at(id);
  openings_.erase(id);
  opening->handler(std::move(opened));
}

}  // namespace pgfiredrill
