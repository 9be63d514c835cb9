#include "cluster/connect_parameters.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <set>
#include <string_view>

#include <libpq-fe.h>

#include "base/text.h"

namespace pgfiredrill {
namespace {

/// A path under which there can be no file, nor a warning that the file is of the wrong kind.
constexpr const char* kNoFile = "/dev/null/none";

/// Set to nothing, which only a connection string can do. `service` cannot be: nothing is a name to libpq,
/// and not that of a service.
constexpr std::array kSetToNothing{"host",    "hostaddr",        "user",         "password",
                                   "options", "sslcrldir",       "requirepeer",  "ssl_max_protocol_version",
                                   "gsslib",  "krbsrvname",      "require_auth", "sslpassword",
                                   "sslmode", "application_name"};

/// Settings that have an environment variable, at what libpq would take by default (or without its files).
constexpr std::array<std::pair<const char*, const char*>, 19> kFixed{{
    {"passfile", kNoFile},
    {"sslcert", kNoFile},
    {"sslkey", kNoFile},
    {"sslcrl", kNoFile},
    {"sslcertmode", "disable"},
    {"sslcompression", "0"},
    {"sslsni", "1"},
    {"sslnegotiation", "postgres"},
    {"ssl_min_protocol_version", "TLSv1.2"},
    {"channel_binding", "prefer"},
    {"gssencmode", "disable"},
    {"gssdelegation", "0"},
    {"load_balance_hosts", "disable"},
    {"min_protocol_version", "3.0"},
    {"max_protocol_version", "3.0"},
    {"client_encoding", "UTF8"},
    // A peer that vanished from the network ends a session within seconds, not after two hours.
    {"keepalives", "1"},
    {"keepalives_idle", "2"},
    {"keepalives_interval", "1"},
}};

/// Read by libpq apart from its options, so that PQconndefaults does not list them.
constexpr std::array kUnlistedVariables{"PGSERVICE",   "PGSERVICEFILE", "PGSYSCONFDIR", "PGTZ",
                                        "PGDATESTYLE", "PGGEQO",        "PGREALM",      "PGLOCALEDIR"};

using Options = std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)>;

Options libpq_options() {
  return {PQconndefaults(), &PQconninfoFree};
}

/// The libpq at run time may be newer than the one at build time, and each knows other keywords.
std::set<std::string, std::less<>> known_keywords() {
  std::set<std::string, std::less<>> keywords;
  const Options options = libpq_options();
  for (const auto* option = options.get(); option != nullptr && option->keyword != nullptr; ++option) {
    keywords.insert(option->keyword);
  }
  return keywords;
}

struct Symptom {
  const char* text;
  FailureKind kind;
  const char* hint;
};

/// SQLSTATEs of refused logins.
constexpr std::array kStates{
    Symptom{"28P01", FailureKind::denied, "Give this user's password as the cluster has it."},
    Symptom{"28000", FailureKind::denied, "pg_hba.conf does not let this user in from here in this way."},
    Symptom{"42501", FailureKind::denied, "This user may not connect to this database."},
    Symptom{"3D000", FailureKind::missing, "There is no such database."},
    Symptom{"53300", FailureKind::failed, "Every connection slot is taken: see max_connections."},
    Symptom{"57P03", FailureKind::failed,
            "The server is starting up, shutting down or recovering: try again."},
};

/// Texts of libpq itself, of the operating system and of PgBouncer, none of which is translated here. In
/// order: the more telling first.
constexpr std::array kSymptoms{
    Symptom{"certificate verify failed", FailureKind::untrusted,
            "Name the authority that signed the server's certificate, or renew the certificate."},
    Symptom{"does not match host name", FailureKind::untrusted,
            "Connect by a name or address that stands in the server's certificate."},
    Symptom{"root certificate file", FailureKind::missing,
            "Name a readable file of trusted authorities, or do not ask for verification."},
    Symptom{"server does not support SSL", FailureKind::failed,
            "The server there has no TLS: switch it on (ssl, client_tls_sslmode), or connect without."},
    Symptom{"password authentication failed", FailureKind::denied,
            "Give this user's password as the cluster has it."},
    Symptom{"SASL authentication failed", FailureKind::denied,
            "Give this user's password as the cluster has it."},
    Symptom{"no password supplied", FailureKind::denied, "The server wants a password and none was given."},
    Symptom{"no such user", FailureKind::denied, "The pooler does not know this user: see auth_query."},
    Symptom{"no pg_hba.conf entry", FailureKind::denied,
            "pg_hba.conf does not let this user in from here in this way."},
    Symptom{"not allowed", FailureKind::denied, "PgBouncer lets only admin_users and stats_users in here."},
    Symptom{"no such database", FailureKind::missing, "The pooler has no such database."},
    Symptom{"SSL required", FailureKind::denied, "The pooler takes TLS connections only."},
    Symptom{"unsupported startup parameter", FailureKind::failed,
            "The pooler refuses a start-up parameter: see ignore_startup_parameters."},
    Symptom{"server login has been failing", FailureKind::failed,
            "The pooler cannot log in to its server and waits for server_login_retry to pass."},
    Symptom{"definition of service", FailureKind::missing, "Unset PGSERVICE."},
    Symptom{"could not translate host name", FailureKind::unreachable,
            "The name does not resolve here: give an address, or correct the resolver."},
    Symptom{"Connection refused", FailureKind::unreachable,
            "Nobody listens there: is the service running, and on this address?"},
    Symptom{"No such file or directory", FailureKind::unreachable,
            "Nobody listens on this Unix socket: is the service running?"},
    Symptom{"No route to host", FailureKind::unreachable, "The host is down, or a firewall rejects."},
    Symptom{"Network is unreachable", FailureKind::unreachable, "There is no route to this network."},
    Symptom{"timeout expired", FailureKind::timed_out, "The host may be down, frozen or cut off."},
    Symptom{"Connection timed out", FailureKind::timed_out, "The host may be down, frozen or cut off."},
    Symptom{"received invalid response to SSL negotiation", FailureKind::malformed,
            "Is this a port of PostgreSQL or PgBouncer?"},
    Symptom{"expected authentication request", FailureKind::malformed,
            "Is this a port of PostgreSQL or PgBouncer?"},
    Symptom{"server closed the connection unexpectedly", FailureKind::failed,
            "A balancer without a server behind it closes like this; so does a server that stops."},
    Symptom{"SSL connection has been closed unexpectedly", FailureKind::failed,
            "A balancer without a server behind it closes like this; so does a server that stops."},
    Symptom{"Connection reset by peer", FailureKind::failed,
            "A balancer without a server behind it closes like this; so does a server that stops."},
};

bool is_state(std::string_view text) {
  return text.size() == 5 && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z');
         });
}

/// The last resort where neither table knows the text.
constexpr Symptom kUnknown{"", FailureKind::failed, "The server's own log says more."};

Symptom diagnose(std::string_view message) {
  const auto state = sqlstate_in(message);
  for (const Symptom& symptom : kStates) {
    if (state == symptom.text) return symptom;
  }
  for (const Symptom& symptom : kSymptoms) {
    if (message.find(symptom.text) != std::string_view::npos) return symptom;
  }
  return kUnknown;
}

}  // namespace

std::string without_advice(const std::string& libpq_message) {
  std::string text;
  for (const auto line : lines(libpq_message)) {
    if (line.starts_with('\t') || line.starts_with("LOCATION:")) continue;
    if (!text.empty()) text += '\n';
    text += line;
  }
  return text;
}

std::string_view sqlstate_in(std::string_view libpq_message) {
  for (auto at = libpq_message.find(":  "); at != std::string_view::npos;
       at = libpq_message.find(":  ", at + 1)) {
    const auto state = libpq_message.substr(at + 3, 5);
    if (is_state(state) && libpq_message.substr(at + 8).starts_with(": ")) return state;
  }
  return {};
}

std::vector<std::pair<std::string, std::string>> libpq_keywords(const ConnectParameters& parameters) {
  static const auto kKnown = known_keywords();
  std::string nothing = "dbname=''";
  for (const char* keyword : kSetToNothing) {
    if (kKnown.contains(keyword)) nothing += std::string{" "} + keyword + "=''";
  }
  std::vector<std::pair<std::string, std::string>> result{{"dbname", nothing}};
  for (const auto& [keyword, value] : kFixed) {
    if (kKnown.contains(keyword)) result.emplace_back(keyword, value);
  }
  result.insert(result.end(), {{"keepalives_count", "3"},
                               {"tcp_user_timeout", "5000"},
                               {"dbname", parameters.database},
                               {"host", parameters.host},
                               {"port", std::to_string(parameters.port)},
                               {"user", parameters.user},
                               {"password", parameters.password.reveal()},
                               {"sslmode", parameters.sslmode},
                               {"sslrootcert", parameters.ca_file.empty() ? kNoFile : parameters.ca_file},
                               {"connect_timeout", std::to_string(parameters.connect_timeout.count())},
                               {"application_name", parameters.application_name},
                               {"target_session_attrs", parameters.target_session_attrs}});
  return result;
}

void forget_libpq_environment() {
  // First those that could make the listing below fail.
  for (const char* variable : kUnlistedVariables) ::unsetenv(variable);
  const Options options = libpq_options();
  for (const auto* option = options.get(); option != nullptr && option->keyword != nullptr; ++option) {
    if (option->envvar != nullptr) ::unsetenv(option->envvar);
  }
}

Failure connect_failure(const std::string& libpq_message, const ConnectParameters& parameters,
                        const std::string& what, const std::string& where) {
  const std::string message = without_advice(libpq_message);
  const Symptom symptom = diagnose(message);
  return {.kind = symptom.kind,
          .what = what,
          .where = where,
          .came_back = scrub(one_line(message, 400), {parameters.password}),
          .hint = symptom.hint};
}

}  // namespace pgfiredrill
