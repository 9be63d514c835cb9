#pragma once

/// One session as an application holds it: opened before the fault, never replaced, asked what its kind asks,
/// and waited for as long as it takes. It has no deadline of its own, as drivers have none by default: a
/// statement that is not answered stays asked.
///
/// On its loop's thread, all of it.

#include <cstdint>
#include <optional>

#include "base/clock.h"
#include "cluster/session_exchange.h"
#include "drivers/client_journal.h"
#include "drivers/client_plan.h"
#include "drivers/socket_set.h"

namespace pgfiredrill {

class ApplicationClient {
 public:
  /// `number` is its own in the run. All that is given by reference must outlive it.
  ApplicationClient(std::uint64_t number, ClientSpec spec, SocketSet& sockets, ClientJournal& journal,
                    Clock& clock);
  ~ApplicationClient();
  ApplicationClient(const ApplicationClient&) = delete;
  ApplicationClient& operator=(const ApplicationClient&) = delete;

  [[nodiscard]] const ClientSpec& spec() const noexcept { return spec_; }

  /// A session that is logged in: puts it into the state in which the fault is to find it.
  void hold(SessionExchange exchange);
  /// It could not be had.
  void give_up(const std::string& why);
  /// In that state, or given up.
  [[nodiscard]] bool prepared() const noexcept { return stage_ != Stage::preparing; }

  void fault_sent(nanoseconds at);
  void tick(nanoseconds now);
  /// Sends the COMMIT of a transaction that still stands. Once.
  void end_transaction();
  /// Nothing that `end_transaction` asked is left to be answered.
  [[nodiscard]] bool ended() const noexcept;
  /// Closes without a word to what is under way. Recorded where it had been held.
  void close();

 private:
  enum class Stage : std::uint8_t { preparing, held, gone };
  enum class Step : std::uint8_t { none, begin, first, wake, next, query, commit };

  void ask(Step step);
  void schedule(Step step, nanoseconds at);
  void on_ready();
  void on_answer();
  void on_prepared(Step step, const Classification& trouble, const std::string& text, const Answer& server);
  void lose();
  [[nodiscard]] static const char* name_of(Step step);
  [[nodiscard]] static const char* tag_of(Step step);
  [[nodiscard]] Statement statement_of(Step step) const;
  [[nodiscard]] Classification judge(Step step, const StatementEvidence& evidence,
                                     const Answer& server) const;
  void stop_listening();

  std::uint64_t number_;
  ClientSpec spec_;
  SocketSet& sockets_;
  ClientJournal& journal_;
  Clock& clock_;

  Stage stage_ = Stage::preparing;
  Step asked_ = Step::none;  ///< and not answered yet
  Step next_ = Step::none;
  nanoseconds next_at_{0};
  nanoseconds asked_at_{0};
  SessionExchange exchange_;
  std::uint64_t socket_id_ = 0;
};

}  // namespace pgfiredrill
