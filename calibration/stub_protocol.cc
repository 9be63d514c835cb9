#include "calibration/stub_protocol.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <utility>

namespace pgfiredrill {
namespace {

constexpr std::uint32_t kVersion3 = 196'608;
constexpr std::uint32_t kTlsRequest = 80'877'103;
constexpr std::uint32_t kGssRequest = 80'877'104;
constexpr std::size_t kLongestMessage = std::size_t{1} << 20;

constexpr std::array<std::string_view, 7> kColumns{
    "in_recovery", "start", "pid", "lsn", "timeline", "standby_names", "synchronous_commit"};

void append_number(std::string& text, std::uint32_t value, int bytes) {
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) text += static_cast<char>(value >> shift);
}

std::uint32_t number_at(std::string_view text, std::size_t at) {
  std::uint32_t value = 0;
  for (const char byte : text.substr(at, 4)) value = value << 8 | static_cast<unsigned char>(byte);
  return value;
}

std::string message(char type, std::string_view body) {
  std::string whole{type};
  append_number(whole, static_cast<std::uint32_t>(body.size() + 4), 4);
  return whole.append(body);
}

std::string text_z(std::string_view text) {
  return std::string{text} + '\0';
}

std::string parameter(std::string_view name, std::string_view value) {
  return message('S', text_z(name) + text_z(value));
}

std::string ready_for_query() {
  return message('Z', "I");
}

std::string row_description() {
  constexpr std::uint32_t kText = 25;
  std::string body;
  append_number(body, kColumns.size(), 2);
  for (const std::string_view column : kColumns) {
    body += text_z(column);
    append_number(body, 0, 4);      // of no table
    append_number(body, 0, 2);      // nor column of one
    append_number(body, kText, 4);  // type
    append_number(body, 0xFFFF, 2);
    append_number(body, 0xFFFFFFFF, 4);
    append_number(body, 0, 2);  // as text
  }
  return message('T', body);
}

/// What drivers/statements.h reads of an answer: a primary that promises nothing about standbys.
std::string data_row(std::uint32_t backend_pid) {
  const std::array<std::string, kColumns.size()> values{
      "f", "1767225600000000", std::to_string(backend_pid), "0/3000060", "00000001", "", "on"};
  std::string body;
  append_number(body, static_cast<std::uint32_t>(values.size()), 2);
  for (const std::string& value : values) {
    append_number(body, static_cast<std::uint32_t>(value.size()), 4);
    body += value;
  }
  return message('D', body);
}

std::string greeting(std::uint32_t backend_pid) {
  std::string key;
  append_number(key, backend_pid, 4);
  append_number(key, 0, 4);
  return message('R', std::string(4, '\0')) + parameter("server_version", "17.0") +
         parameter("server_encoding", "UTF8") + parameter("client_encoding", "UTF8") +
         parameter("standard_conforming_strings", "on") + parameter("integer_datetimes", "on") +
         parameter("in_hot_standby", "off") + parameter("default_transaction_read_only", "off") +
         message('K', key) + ready_for_query();
}

/// The length word of a message that begins at `at`; nothing where it has not come whole.
std::optional<std::size_t> length_at(std::string_view received, std::size_t at) {
  if (received.size() < at + 4) return std::nullopt;
  return number_at(received, at);
}

}  // namespace

StubProtocol::StubProtocol(std::uint32_t backend_pid)
    : backend_pid_{backend_pid}, row_{data_row(backend_pid)} {}

StubProtocol::Next StubProtocol::advance(std::string& received, std::string& answer) {
  std::size_t taken = 0;
  auto next = Next::go_on;
  while (next == Next::go_on) {
    const std::string_view left = std::string_view{received}.substr(taken);
    const std::size_t head = started_ ? 1 : 0;
    const auto length = length_at(left, head);
    if (!length) break;
    if (*length < 4 || *length > kLongestMessage) return Next::close;
    if (left.size() < head + *length) break;
    const std::string_view body = left.substr(head + 4, *length - 4);
    next = started_ ? on_message(left.front(), body, answer) : on_startup(body, answer);
    taken += head + *length;
  }
  received.erase(0, taken);
  return next;
}

StubProtocol::Next StubProtocol::on_startup(std::string_view packet, std::string& answer) {
  if (packet.size() < 4) return Next::close;
  switch (number_at(packet, 0)) {
    case kTlsRequest:
      answer += 'S';
      return Next::start_tls;
    case kGssRequest:
      answer += 'N';
      return Next::go_on;
    case kVersion3:
      started_ = true;
      answer += greeting(backend_pid_);
      return Next::go_on;
    default:
      return Next::close;
  }
}

void StubProtocol::note_sql(std::string_view sql) {
  insert_ = sql.starts_with("INSERT");
}

void StubProtocol::append_answer(std::string& answer) const {
  static const std::string kInserted = message('C', text_z("INSERT 0 1"));
  static const std::string kSelected = message('C', text_z("SELECT 1"));
  answer.append(row_).append(insert_ ? kInserted : kSelected);
}

StubProtocol::Next StubProtocol::on_message(char type, std::string_view body, std::string& answer) {
  static const std::string kParsed = message('1', "");
  static const std::string kBound = message('2', "");
  static const std::string kDescribed = row_description();
  static const std::string kReady = ready_for_query();
  switch (type) {
    case 'P':  // the statement's name, then its text
      note_sql(body.substr(std::min(body.size(), body.find('\0') + 1)));
      answer += kParsed;
      return Next::go_on;
    case 'B':
      answer += kBound;
      return Next::go_on;
    case 'D':
      answer += kDescribed;
      return Next::go_on;
    case 'E':
      append_answer(answer);
      return Next::go_on;
    case 'S':
      answer += kReady;
      return Next::go_on;
    case 'Q':
      note_sql(body);
      answer += kDescribed;
      append_answer(answer);
      answer += kReady;
      return Next::go_on;
    default:
      return Next::close;
  }
}

}  // namespace pgfiredrill
