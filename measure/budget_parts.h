#pragma once

/// Stages of an outage from a cluster's own settings. Each formula tells its reason; the whole model stands
/// in docs/measuring.md. A stage whose setting is not known is an impossible sum that says so: never a
/// release's default in its stead. Pure.

#include <optional>
#include <string>
#include <vector>

#include "base/budget.h"
#include "base/settings.h"

namespace pgfiredrill {

/// Stages that follow one another, as far as their settings are known.
struct Stages {
  std::vector<BudgetPart> parts;
  std::vector<std::string> missing;

  [[nodiscard]] bool known() const { return missing.empty(); }
  [[nodiscard]] double min_s() const;
  [[nodiscard]] double max_s() const;
};

[[nodiscard]] Stages operator+(Stages first, const Stages& second);
/// Both begin at the same time: as long as the longer one.
[[nodiscard]] Stages later_of(const Stages& a, const Stages& b);
/// The end of `course` less the time for which clients are still served.
[[nodiscard]] Stages less(Stages course, const Stages& served);
/// A stage that follows from no setting; `source` says from where.
[[nodiscard]] Stages fixed(const std::string& name, double min_s, double max_s, const std::string& source);
[[nodiscard]] Stages unknown(const std::string& setting);

class BudgetParts {
 public:
  /// Listeners as the settings name them; `settings` must outlive this.
  BudgetParts(const FailoverSettings& settings, std::string primary_listener, std::string replica_listener);

  // ---- Patroni
  /// The leader dies between two renewals of its key: it lives on for ttl - loop_wait to ttl.
  [[nodiscard]] Stages key_expires() const;
  /// A new leader of etcd gives every key its whole life again once it is elected (one to two election
  /// timeouts).
  [[nodiscard]] Stages key_lives_anew() const;
  [[nodiscard]] Stages race_and_promotion() const;
  /// A leader that gives its role away: checkpoint, stop, promotion of the candidate.
  [[nodiscard]] Stages hand_over() const;
  /// Patroni sees at its next loop that PostgreSQL is gone.
  [[nodiscard]] Stages noticed() const;
  [[nodiscard]] Stages crash_recovery() const;
  [[nodiscard]] Stages clean_restart() const;
  /// Patroni gives the key back in the loop after the one in which PostgreSQL could not be started.
  [[nodiscard]] Stages start_fails() const;
  /// A leader that lost the consensus store steps down within ttl, and takes its role again afterwards.
  [[nodiscard]] Stages consensus_back() const;

  // ---- HAProxy. Without fastinter the checks of a server in transition come each inter, as HAProxy does.
  /// The first good check comes within inter, rise - 1 more follow each fastinter.
  [[nodiscard]] Stages marked_up(bool read_write) const;
  /// A server that answers wrongly or refuses: fall - 1 more failed checks each fastinter.
  [[nodiscard]] Stages marked_down(bool read_write) const;
  /// One that does not answer at all: each check takes inter (HAProxy gives a connect, TLS included, the
  /// lesser of `timeout connect` and inter) before it fails.
  [[nodiscard]] Stages marked_down_silent(bool read_write) const;
  /// One that takes the connection, finishes TLS and then never answers: each check takes `timeout check`,
  /// without one inter, as HAProxy does.
  [[nodiscard]] Stages marked_down_hung(bool read_write) const;
  /// After a reload every server begins UP and falls with its first failed check.
  [[nodiscard]] Stages reloaded() const;

  // ---- PgBouncer
  /// After a failed login to its server it answers with that error until server_login_retry has passed.
  [[nodiscard]] Stages pooler_retries() const;

  // ---- virtual address
  /// keepalived: three advertisements missed and the skew, which is less than one.
  [[nodiscard]] Stages address_moves() const;

  // ---- systemd
  /// Restart=on-failure after 100 ms, and what a start takes.
  [[nodiscard]] Stages restarted_by_systemd() const;

 private:
  struct Checks;  // timings of a listener that are all known
  [[nodiscard]] const std::string& name_of(bool read_write) const;
  [[nodiscard]] const ListenerTimings* listener(bool read_write) const;
  /// What is not known goes into `missing`.
  [[nodiscard]] std::optional<Checks> checks(bool read_write, const char* counted,
                                             std::vector<std::string>& missing) const;
  [[nodiscard]] std::string setting(bool read_write, const char* names) const;

  const FailoverSettings& settings_;
  std::string primary_listener_;
  std::string replica_listener_;
};

}  // namespace pgfiredrill
