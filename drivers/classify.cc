#include "drivers/classify.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace pgfiredrill {
namespace {

struct Verdict {
  ErrorClass error;
  Layer layer = Layer::unknown;
};

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

struct KnownText {
  std::string_view part;
  Trouble trouble;
};

/// PgBouncer says most things as 08P01: its texts, which are never translated, tell them apart.
constexpr std::array kPoolerTexts{
    KnownText{"server login has been failing", Trouble::login_retry},
    KnownText{"server_login_retry", Trouble::login_retry},
    KnownText{"pgbouncer cannot connect to server", Trouble::login_retry},
    KnownText{"query_wait_timeout", Trouble::query_wait_timeout},
    KnownText{"server conn crashed", Trouble::server_conn_crashed},
    KnownText{"server connection closed", Trouble::server_conn_crashed},
    KnownText{"client_login_timeout", Trouble::login_timeout},
};

/// PgBouncer's own, whatever their SQLSTATE.
constexpr std::array<std::string_view, 4> kPoolerRefusals{"no more connections allowed", "no such user",
                                                          "no such database", "pgbouncer"};

/// Whoever answers clients at this depth in place of a server that is missing.
Layer terminator_at(Depth depth) {
  return depth == Depth::server ? Layer::postgres : Layer::pooler;
}

/// The process that takes connections at this depth.
Layer listener_at(Depth depth) {
  switch (depth) {
    case Depth::balancer:
      return Layer::balancer;
    case Depth::pooler:
      return Layer::pooler;
    case Depth::server:
      return Layer::postgres;
  }
  return Layer::unknown;
}

bool is_pooler_refusal(std::string_view text) {
  return std::any_of(kPoolerRefusals.begin(), kPoolerRefusals.end(),
                     [&](std::string_view part) { return contains(text, part); });
}

/// An error that a server or pooler sent, by its SQLSTATE and text.
Verdict verdict_of_state(std::string_view state, std::string_view text, Depth depth) {
  if (depth != Depth::server) {
    for (const KnownText& known : kPoolerTexts) {
      if (contains(text, known.part)) return {known.trouble, Layer::pooler};
    }
    if (is_pooler_refusal(text)) return {ErrorClass::sqlstate(state), Layer::pooler};
  }
  const ErrorClass error = ErrorClass::sqlstate(state);
  if (state == "25006") return {error, Layer::routing};
  if (state.starts_with("08")) return {error, terminator_at(depth)};
  // Poolers authenticate their clients themselves.
  if (state.starts_with("28")) return {error, terminator_at(depth)};
  return {error, Layer::postgres};
}

/// Of libpq and of the operating system, in libpq's untranslated words.
constexpr std::array kTransportTexts{
    KnownText{"session is read-only", Trouble::read_only_session},
    KnownText{"server is in hot standby mode", Trouble::read_only_session},
    KnownText{"Connection refused", Trouble::refused},
    KnownText{"No route to host", Trouble::unreachable},
    KnownText{"Network is unreachable", Trouble::unreachable},
    KnownText{"Host is down", Trouble::unreachable},
    KnownText{"Connection timed out", Trouble::unreachable},  // TCP's own patience, not ours
    KnownText{"Connection reset by peer", Trouble::reset},
    KnownText{"Broken pipe", Trouble::reset},
    KnownText{"closed the connection unexpectedly", Trouble::closed},
    KnownText{"connection has been closed unexpectedly", Trouble::closed},
    KnownText{"unexpected eof", Trouble::closed},
    KnownText{"EOF detected", Trouble::closed},
    KnownText{"does not support SSL", Trouble::tls},
    KnownText{"certificate", Trouble::tls},
    KnownText{"SSL", Trouble::tls},
    KnownText{"received invalid response", Trouble::protocol},
    KnownText{"expected authentication request", Trouble::protocol},
    KnownText{"lost synchronization with server", Trouble::protocol},
    KnownText{"unexpected response from server", Trouble::protocol},
};

Trouble trouble_in(std::string_view text) {
  for (const KnownText& known : kTransportTexts) {
    if (contains(text, known.part)) return known.trouble;
  }
  return text.empty() ? Trouble::closed : Trouble::other;
}

/// Who ends a login without an SQLSTATE.
Layer layer_of_login(Trouble trouble, LoginStage stage, Depth depth) {
  switch (trouble) {
    case Trouble::unreachable:
      return Layer::network;
    case Trouble::read_only_session:
      return Layer::routing;
    case Trouble::tls:
      return terminator_at(depth);
    default:
      // A balancer passes bytes through: it ends a session itself only before anybody behind it has spoken,
      // which is what it does where it has no server to lead to.
      return stage < LoginStage::authenticating ? listener_at(depth) : terminator_at(depth);
  }
}

Verdict verdict_of_slow_login(LoginStage stage, Depth depth) {
  if (stage == LoginStage::connecting) return {Trouble::connect_timeout, Layer::network};
  if (stage == LoginStage::authenticating || depth != Depth::balancer)
    return {Trouble::login_timeout, terminator_at(depth)};
  return {Trouble::login_timeout, Layer::unknown};
}

/// Who ended a session in which something was asked. Through a balancer it may have been anybody.
Layer layer_of_loss(Trouble trouble, Depth depth) {
  if (trouble == Trouble::unreachable) return Layer::network;
  return depth == Depth::balancer ? Layer::unknown : terminator_at(depth);
}

Verdict verdict_of_loss(const std::string& transport_text, Depth depth) {
  const Trouble trouble = trouble_in(transport_text);
  return {trouble, layer_of_loss(trouble, depth)};
}

/// These leave it open whether the transaction was committed, also where the session goes on.
bool leaves_doubt(const ServerMessage& error) {
  return error.ends_session() || error.sqlstate.starts_with("08") || error.sqlstate.starts_with("57P0") ||
         error.sqlstate == "40003";
}

bool waited_in_vain_for_standby(const StatementEvidence& evidence) {
  return std::any_of(evidence.notices.begin(), evidence.notices.end(), [](const ServerMessage& notice) {
    return notice.source_function == "SyncRepWaitForLSN";
  });
}

/// A success of another kind that says that nothing was changed.
bool says_nothing_changed(const std::string& tag) {
  return tag == "ROLLBACK" || tag.ends_with(" 0");
}

Classification ended_badly(bool in_doubt, const Verdict& verdict) {
  return {in_doubt ? Outcome::in_doubt : Outcome::failed, verdict.error, verdict.layer};
}

Classification classify_clean_end(const StatementEvidence& evidence, const StatementTerms& terms) {
  if (evidence.error) {
    return ended_badly(terms.write && leaves_doubt(*evidence.error),
                       verdict_of_state(evidence.error->sqlstate, evidence.error->text, terms.depth));
  }
  if (evidence.command_tag != terms.command_tag) {
    const bool in_doubt = terms.write && !says_nothing_changed(evidence.command_tag);
    return ended_badly(in_doubt, {Trouble::wrong_tag, terminator_at(terms.depth)});
  }
  if (terms.misrouted) return {Outcome::failed, Trouble::misrouted, Layer::routing};
  if (!terms.write) return {.outcome = Outcome::acknowledged};
  const bool weak = terms.unsynchronised || waited_in_vain_for_standby(evidence);
  return {.outcome = weak ? Outcome::weak : Outcome::acknowledged};
}

}  // namespace

Classification classify_login(const LoginEvidence& evidence, Depth depth) {
  if (evidence.deadline_passed) return ended_badly(false, verdict_of_slow_login(evidence.stage, depth));
  if (!evidence.sqlstate.empty())
    return ended_badly(false, verdict_of_state(evidence.sqlstate, evidence.text, depth));
  const Trouble trouble = trouble_in(evidence.text);
  return ended_badly(false, {trouble, layer_of_login(trouble, evidence.stage, depth)});
}

Classification classify_statement(const StatementEvidence& evidence, const StatementTerms& terms) {
  const bool in_doubt = terms.write && evidence.sent;
  if (evidence.ended_cleanly && !evidence.deadline_passed) return classify_clean_end(evidence, terms);
  if (evidence.error) {
    return ended_badly(in_doubt,
                       verdict_of_state(evidence.error->sqlstate, evidence.error->text, terms.depth));
  }
  if (evidence.deadline_passed) return ended_badly(in_doubt, {Trouble::answer_timeout, Layer::unknown});
  return ended_badly(in_doubt, verdict_of_loss(evidence.transport_text, terms.depth));
}

Classification classify_idle_loss(const std::optional<ServerMessage>& last_words, Depth depth) {
  if (last_words && !last_words->sqlstate.empty())
    return ended_badly(false, verdict_of_state(last_words->sqlstate, last_words->text, depth));
  return ended_badly(false, verdict_of_loss("", depth));
}

}  // namespace pgfiredrill
