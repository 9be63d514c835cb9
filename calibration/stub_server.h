#pragma once

/// A server that answers canaries and ledger writes as a healthy primary does, with TLS and without a
/// password, in microseconds: what the instrument is held against. Everything on its loop's thread.

#include <cstdint>
#include <map>
#include <memory>

#include "calibration/poll_loop.h"
#include "calibration/stub_identity.h"
#include "record/descriptor.h"

namespace pgfiredrill {

class StubServer {
 public:
  StubServer(PollLoop& loop, TlsContext tls);
  ~StubServer();
  StubServer(const StubServer&) = delete;
  StubServer& operator=(const StubServer&) = delete;

  /// Serves whoever connects there, until the server's end.
  void serve(Descriptor listener);

 private:
  class Session;
  void accept_all(int listener);
  void end(std::uint32_t session);

  PollLoop& loop_;
  TlsContext tls_;
  std::uint32_t last_session_ = 0;
  std::map<std::uint32_t, std::unique_ptr<Session>> sessions_;
  std::map<std::uint64_t, Descriptor> listeners_;  ///< by what the loop knows them as
};

}  // namespace pgfiredrill
