#pragma once

/// Expected failures as values: a probe that found nobody at home, a file that did not parse.
///
/// Whatever can go wrong because of the outside world comes back as a `Result<T>`. Exceptions (`Error`) are
/// for what ends a whole task. Both carry the same `Failure`, so that every message answers the same
/// questions: what was tried, where, what came back, and what to do about it.

#include <string>

#include <boost/system/result.hpp>

namespace pgfiredrill {

/// The kind of trouble, for code that must decide; people read the sentences.
enum class FailureKind {
  unreachable,  ///< nobody answered: no route, refused, name unknown
  timed_out,    ///< somebody may be there, but no whole answer came within the deadline
  denied,       ///< authentication or permission
  untrusted,    ///< a certificate or host key did not verify
  malformed,    ///< an answer or a file came that is not what it should be
  missing,      ///< the thing is not there: a file, a program, a variable
  failed,       ///< it answered, and said no: a remote command's exit status, an HTTP status
};

[[nodiscard]] const char* to_string(FailureKind kind) noexcept;

struct Failure {
  FailureKind kind = FailureKind::failed;
  std::string what;       ///< what was tried, as an infinitive: "read /etc/patroni/patroni.yml"
  std::string where;      ///< host, address or file it was tried on; empty where `what` says it all
  std::string came_back;  ///< what came back, on one line, never with a secret in it
  std::string hint;       ///< what to do about it, as a sentence

  bool connection_usable = false;     ///< the connection it happened on may be used again
  bool transaction_in_doubt = false;  ///< a COMMIT was sent and its answer never came

  /// One line: `cannot WHAT on WHERE: CAME_BACK. HINT`
  [[nodiscard]] std::string message() const;
};

/// Either the value or why there is none. `value()` on a failure throws `Error` (internal error: look first).
template <typename T>
using Result = boost::system::result<T, Failure>;

/// Called by `Result::value()` when there is none; throws `Error`.
[[noreturn]] void throw_exception_from_error(const Failure& failure, const boost::source_location& where);

/// Makes text from elsewhere (a server, a file, a program) fit for one line of a message: line breaks and
/// control characters become spaces, runs of spaces become one, and at most `limit` bytes are kept (cut
/// between UTF-8 characters, marked with "...").
[[nodiscard]] std::string one_line(const std::string& text, std::size_t limit = 300);

}  // namespace pgfiredrill
