#include "base/failure.h"

#include "base/error.h"

namespace pgfiredrill {
namespace {

bool is_space_or_control(unsigned char c) {
  return c <= 0x20 || c == 0x7f;
}

bool is_utf8_continuation(unsigned char c) {
  return (c & 0xc0) == 0x80;
}

}  // namespace

const char* to_string(FailureKind kind) noexcept {
  switch (kind) {
    case FailureKind::unreachable:
      return "unreachable";
    case FailureKind::timed_out:
      return "timed_out";
    case FailureKind::denied:
      return "denied";
    case FailureKind::untrusted:
      return "untrusted";
    case FailureKind::malformed:
      return "malformed";
    case FailureKind::missing:
      return "missing";
    case FailureKind::failed:
      return "failed";
  }
  return "failed";
}

std::string Failure::message() const {
  std::string text = "cannot " + what;
  if (!where.empty()) text += " on " + where;
  if (!came_back.empty()) text += ": " + came_back;
  if (!hint.empty()) {
    if (text.back() != '.') text += '.';
    text += ' ' + hint;
  }
  return text;
}

void throw_exception_from_error(const Failure& failure, const boost::source_location&) {
  throw Error{failure, ExitClass::internal_error};
}

std::string one_line(const std::string& text, std::size_t limit) {
  std::string line;
  bool pending_space = false;
  for (const char c : text) {
    if (is_space_or_control(static_cast<unsigned char>(c))) {
      pending_space = !line.empty();
      continue;
    }
    if (pending_space) line += ' ';
    pending_space = false;
    line += c;
    if (line.size() > limit + 4) break;  // longer than the cut below can need
  }
  if (line.size() <= limit) return line;
  std::size_t end = limit;
  while (end > 0 && is_utf8_continuation(static_cast<unsigned char>(line[end]))) --end;
  line.resize(end);
  return line + "...";
}

}  // namespace pgfiredrill
