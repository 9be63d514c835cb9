#pragma once

/// What a healthy primary says, as bytes: the half of PostgreSQL's protocol (version 3) that canaries and the
/// ledger meet. Pure: knows no socket.

#include <cstdint>
#include <string>
#include <string_view>

namespace pgfiredrill {

class StubProtocol {
 public:
  /// `backend_pid` is what every answer names.
  explicit StubProtocol(std::uint32_t backend_pid);

  enum class Next : std::uint8_t {
    go_on,      ///< more may come
    start_tls,  ///< the answer goes out in the clear, then TLS begins
    close,      ///< the client said goodbye, or something that is no PostgreSQL
  };
  /// Takes whole messages off the front of `received` and appends what goes back to `answer`. Stops behind a
  /// request for TLS.
  [[nodiscard]] Next advance(std::string& received, std::string& answer);

 private:
  [[nodiscard]] Next on_startup(std::string_view packet, std::string& answer);
  [[nodiscard]] Next on_message(char type, std::string_view body, std::string& answer);
  void note_sql(std::string_view sql);
  void append_answer(std::string& answer) const;

  bool started_ = false;
  bool insert_ = false;  ///< the statement that was parsed last
  std::uint32_t backend_pid_;
  std::string row_;
};

}  // namespace pgfiredrill
