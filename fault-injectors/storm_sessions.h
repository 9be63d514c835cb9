#pragma once

/// Many sessions at once, kept busy, on threads of their own that give way to the ones that measure. A
/// session that ends is opened again a little later, as applications do.

#include <memory>
#include <string>
#include <vector>

#include "cluster/connect_parameters.h"

namespace pgfiredrill::fault {

/// What the sessions are now; together they are all that were asked for.
struct StormCount {
  int served = 0;       ///< logged in, and had an answer
  int waiting = 0;      ///< logged in, and no server has answered yet: a pooler keeps them waiting
  int refused = 0;      ///< the last login or statement was refused or lost
  int begun = 0;        ///< the login has not ended, or not begun
  std::string refusal;  ///< the latest
};

class StormSessions {
 public:
  /// Begins at once.
  StormSessions(const ConnectParameters& way_in, int sessions);
  /// Closes all of them. A server that works for one of them notices it within seconds.
  ~StormSessions();
  StormSessions(const StormSessions&) = delete;
  StormSessions& operator=(const StormSessions&) = delete;

  /// From any thread.
  [[nodiscard]] StormCount count() const;

 private:
  class Loop;
  class Tally;
  std::unique_ptr<Tally> tally_;
  std::vector<std::unique_ptr<Loop>> loops_;
};

}  // namespace pgfiredrill::fault
