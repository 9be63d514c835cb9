#pragma once

/// What became of one operation of our traffic. The rules stand in docs/measuring.md.

namespace pgfiredrill {

enum class Outcome : unsigned char {
  acknowledged,  ///< the expected command tag, then a clean end, and no notice from the wait for replication
  weak,          ///< acknowledged, but not with the replication guarantee that the cluster promises
  in_doubt,      ///< a commit was sent and its answer never came: it may or may not be there
  failed,        ///< certainly not there: an ERROR with the session alive, or nothing was sent
};

[[nodiscard]] constexpr const char* to_string(Outcome outcome) noexcept {
  switch (outcome) {
    case Outcome::acknowledged:
      return "acknowledged";
    case Outcome::weak:
      return "weak";
    case Outcome::in_doubt:
      return "in_doubt";
    case Outcome::failed:
      return "failed";
  }
  return "failed";
}

}  // namespace pgfiredrill
