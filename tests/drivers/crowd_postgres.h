#pragma once

/// A server that talks to many clients at the same time and answers each statement as a test scripts it.

#include <functional>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace pgfiredrill::testing {

/// The row that a canary or ledger statement gets from a healthy primary.
[[nodiscard]] std::string wire_answer(const std::string& tag, bool in_recovery = false,
                                      const std::string& standby_names = "");
/// The same with the newest heartbeat, as a canary gets it.
[[nodiscard]] std::string wire_canary_answer(const std::string& heartbeat, bool in_recovery = false);

class CrowdPostgres {
 public:
  /// Nothing: silence. Called on many threads.
  using Answer = std::function<std::optional<std::string>(const std::string& sql)>;
  explicit CrowdPostgres(Answer answer);
  ~CrowdPostgres();
  CrowdPostgres(const CrowdPostgres&) = delete;
  CrowdPostgres& operator=(const CrowdPostgres&) = delete;

  [[nodiscard]] int port() const noexcept { return port_; }
  /// Cuts every session that stands.
  void cut_all();

 private:
  void accept_all();
  void serve(int socket);

  Answer answer_;
  int listener_ = -1;
  int port_ = 0;
  std::mutex mutex_;
  std::list<int> sockets_;  ///< of clients that are served
  std::list<std::thread> threads_;
  std::thread acceptor_;
};

}  // namespace pgfiredrill::testing
