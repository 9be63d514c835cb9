#include "cluster/session_exchange.h"

#include <utility>

#include <libpq-fe.h>

#include "base/failure.h"
#include "cluster/connect_parameters.h"

namespace pgfiredrill {
namespace {

struct ClearResult {
  void operator()(PGresult* result) const noexcept { PQclear(result); }
};
using LibpqResult = std::unique_ptr<PGresult, ClearResult>;

/// More is the sign of a server gone wrong; the first ones tell why.
constexpr std::size_t kMostNotices = 16;

std::string field(const PGresult* result, int code) {
  const char* text = PQresultErrorField(result, code);
  return text != nullptr ? text : "";
}

ServerMessage message_in(const PGresult* result) {
  std::string severity = field(result, PG_DIAG_SEVERITY_NONLOCALIZED);
  if (severity.empty()) severity = field(result, PG_DIAG_SEVERITY);  // poolers send one form only
  return {.severity = std::move(severity),
          .sqlstate = field(result, PG_DIAG_SQLSTATE),
          .text = one_line(field(result, PG_DIAG_MESSAGE_PRIMARY)),
          .source_function = field(result, PG_DIAG_SOURCE_FUNCTION)};
}

void append_rows(const PGresult* result, std::vector<Row>& rows) {
  for (int row = 0; row < PQntuples(result); ++row) {
    Row& texts = rows.emplace_back();
    texts.reserve(static_cast<std::size_t>(PQnfields(result)));
    for (int column = 0; column < PQnfields(result); ++column) {
      texts.push_back(PQgetisnull(result, row, column) != 0
                          ? std::nullopt
                          : std::optional<std::string>{PQgetvalue(result, row, column)});
    }
  }
}

}  // namespace

struct SessionExchange::Heard {
  StatementEvidence evidence;
  bool in_flight = false;
  bool over = false;  ///< the exchange in flight has ended; nobody has taken it yet
  bool wants_write = false;
  std::optional<ServerMessage> last_words;
  std::vector<const char*> values;  ///< of the statement, kept for its room

  static void on_notice(void* self, const PGresult* result) {
    Heard& heard = *static_cast<Heard*>(self);
    ServerMessage message = message_in(result);
    if (!heard.in_flight) {
      heard.last_words = std::move(message);
    } else if (message.ends_session() && !heard.evidence.error) {
      heard.evidence.error = std::move(message);
    } else if (heard.evidence.notices.size() < kMostNotices) {
      heard.evidence.notices.push_back(std::move(message));
    }
  }
};

SessionExchange::SessionExchange() : heard_{std::make_unique<Heard>()} {}

SessionExchange::SessionExchange(LibpqConnection logged_in)
    : heard_{std::make_unique<Heard>()}, connection_{std::move(logged_in)} {
  PQsetNoticeReceiver(connection_.get(), &Heard::on_notice, heard_.get());
  PQsetErrorVerbosity(connection_.get(), PQERRORS_VERBOSE);
  PQsetnonblocking(connection_.get(), 1);
}

SessionExchange::SessionExchange(SessionExchange&&) noexcept = default;

SessionExchange& SessionExchange::operator=(SessionExchange&& other) noexcept {
  connection_ = std::move(other.connection_);  // first: closing may still give notices to the old listener
  heard_ = std::move(other.heard_);
  return *this;
}

SessionExchange::~SessionExchange() = default;

int SessionExchange::socket() const noexcept {
  return connection_ ? PQsocket(connection_.get()) : -1;
}

bool SessionExchange::good() const noexcept {
  return connection_ && PQstatus(connection_.get()) == CONNECTION_OK;
}

bool SessionExchange::in_flight() const noexcept {
  return heard_ && heard_->in_flight;
}

bool SessionExchange::wants_write() const noexcept {
  return heard_ && heard_->wants_write;
}

int SessionExchange::backend_pid() const noexcept {
  return connection_ ? PQbackendPID(connection_.get()) : 0;
}

std::optional<ServerMessage> SessionExchange::last_words() const {
  return heard_ ? heard_->last_words : std::nullopt;
}

void SessionExchange::note_loss() {
  StatementEvidence& evidence = heard_->evidence;
  if (evidence.transport_text.empty() && connection_) {
    evidence.transport_text = one_line(without_advice(PQerrorMessage(connection_.get())));
  }
  heard_->wants_write = false;
  heard_->over = true;
}

void SessionExchange::send(const Statement& statement) {
  heard_->evidence = {};
  heard_->in_flight = true;
  heard_->over = false;
  if (!good()) return note_loss();
  std::vector<const char*>& values = heard_->values;
  values.clear();
  for (const std::string& value : statement.values) values.push_back(value.c_str());
  // A failure half way through may have sent something: only a session known as dead sent nothing.
  heard_->evidence.sent = true;
  if (PQsendQueryParams(connection_.get(), statement.sql.c_str(), static_cast<int>(values.size()), nullptr,
                        values.data(), nullptr, nullptr, 0) != 1) {
    return note_loss();
  }
  heard_->wants_write = PQflush(connection_.get()) == 1;
}

bool SessionExchange::advance() {
  if (!connection_) return true;
  PGconn* connection = connection_.get();
  if (heard_->wants_write) heard_->wants_write = PQflush(connection) == 1;
  const bool readable = PQconsumeInput(connection) == 1;
  if (!heard_->in_flight) {
    (void)PQisBusy(connection);  // parses what came: the server's last words go to the receiver of notices
    return !readable || !good();
  }
  if (!heard_->over) collect_results();
  return heard_->over;
}

void SessionExchange::collect_results() {
  PGconn* connection = connection_.get();
  StatementEvidence& evidence = heard_->evidence;
  while (PQisBusy(connection) == 0) {
    const LibpqResult result{PQgetResult(connection)};
    if (!result) {
      evidence.ended_cleanly = good() && PQtransactionStatus(connection) == PQTRANS_IDLE;
      if (!evidence.ended_cleanly) return note_loss();
      heard_->over = true;
      return;
    }
    const ExecStatusType status = PQresultStatus(result.get());
    if (status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK) {
      evidence.command_tag = PQcmdStatus(result.get());
      append_rows(result.get(), evidence.rows);
      continue;
    }
    ServerMessage message = message_in(result.get());
    if (message.sqlstate.empty()) {
      evidence.transport_text = one_line(without_advice(PQresultErrorMessage(result.get())));  // libpq's own
    } else if (!evidence.error) {
      evidence.error = std::move(message);
    }
  }
  if (!good()) note_loss();
}

StatementEvidence SessionExchange::take() {
  heard_->in_flight = false;
  heard_->over = false;
  return std::exchange(heard_->evidence, {});
}

}  // namespace pgfiredrill
