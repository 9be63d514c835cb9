#include "tests/support/scripted_postgres.h"

#include <cstdint>
#include <utility>

#include <sys/socket.h>

namespace pgfiredrill::testing {
namespace {

std::string int32(std::size_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 0xff);
  return bytes;
}

std::string int16(std::size_t value) {
  return int32(value).substr(2);
}

std::string zero_terminated(const std::string& text) {
  return text + '\0';
}

std::string message(char type, const std::string& body) {
  return std::string(1, type) + int32(body.size() + 4) + body;
}

std::string ready() {
  return message('Z', "I");
}

bool send_all(int socket, const std::string& bytes) {
  return ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size());
}

std::optional<std::string> receive(int socket, std::size_t size) {
  std::string bytes(size, '\0');
  if (size > 0 && ::recv(socket, bytes.data(), size, MSG_WAITALL) != static_cast<ssize_t>(size)) {
    return std::nullopt;
  }
  return bytes;
}

std::optional<std::size_t> receive_length(int socket) {
  const auto bytes = receive(socket, 4);
  if (!bytes) return std::nullopt;
  std::size_t value = 0;
  for (const char c : *bytes) value = value << 8 | static_cast<unsigned char>(c);
  return value - 4;
}

/// The first text of a message's body that is not empty: a Query's statement, a Parse's behind its name.
std::string first_text(const std::string& body) {
  const auto start = body.find_first_not_of('\0');
  return start == std::string::npos ? "" : body.c_str() + start;
}

bool ends_the_session(const std::string& bytes) {
  return bytes.find("SFATAL") != std::string::npos;
}

void drain(int socket) {
  while (receive(socket, 1)) {
  }
}

}  // namespace

std::string wire_rows(const std::vector<std::string>& columns,
                      const std::vector<std::vector<std::optional<std::string>>>& rows) {
  std::string description = int16(columns.size());
  for (const std::string& column : columns) {
    // No table, type text, any length, text format.
    description += zero_terminated(column) + int32(0) + int16(0) + int32(25) + int16(0xffff) +
                   int32(0xffffffff) + int16(0);
  }
  std::string bytes = message('T', description);
  for (const auto& row : rows) {
    std::string data = int16(row.size());
    for (const auto& value : row) data += value ? int32(value->size()) + *value : int32(0xffffffff);
    bytes += message('D', data);
  }
  return bytes + wire_done("SELECT " + std::to_string(rows.size()));
}

std::string wire_copy_out(std::size_t columns, const std::vector<std::string>& pieces) {
  std::string response = std::string(1, '\1') + int16(columns);
  for (std::size_t i = 0; i < columns; ++i) response += int16(1);
  std::string bytes = message('H', response);
  for (const std::string& piece : pieces) bytes += message('d', piece);
  return bytes + message('c', "");
}

std::string wire_done(const std::string& tag) {
  return message('C', zero_terminated(tag));
}

std::string wire_error(const std::string& state, const std::string& text, const std::string& severity) {
  return message('E', "S" + zero_terminated(severity) + "C" + zero_terminated(state) + "M" +
                          zero_terminated(text) + std::string(1, '\0'));
}

ScriptedPostgres::ScriptedPostgres(Answer answer, std::string version)
    : answer_{std::move(answer)}, version_{std::move(version)}, server_{[this](int socket) {
        serve(socket);
      }} {}

std::vector<std::string> ScriptedPostgres::statements() const {
  const std::lock_guard lock{mutex_};
  return statements_;
}

std::optional<std::string> ScriptedPostgres::answer(const std::string& sql) {
  {
    const std::lock_guard lock{mutex_};
    statements_.push_back(sql);
  }
  return answer_(sql);
}

void ScriptedPostgres::log_in(int socket) const {
  const auto length = receive_length(socket);
  if (!length || !receive(socket, *length)) return;
  std::string bytes = message('R', int32(0));
  for (const auto& [name, value] : {std::pair{"server_version", version_.c_str()},
                                    {"client_encoding", "UTF8"},
                                    {"standard_conforming_strings", "on"}}) {
    bytes += message('S', zero_terminated(name) + zero_terminated(value));
  }
  send_all(socket, bytes + ready());
}

void ScriptedPostgres::serve(int socket) {
  log_in(socket);
  std::string parsed;
  while (const auto type = receive(socket, 1)) {
    const auto length = receive_length(socket);
    const auto body = length ? receive(socket, *length) : std::nullopt;
    if (!body || *type == "X") return;
    if (*type == "P") parsed = first_text(*body);
    if (*type != "Q" && *type != "S") continue;
    const auto bytes = answer(*type == "Q" ? first_text(*body) : parsed);
    if (!bytes) return drain(socket);
    if (ends_the_session(*bytes)) {
      send_all(socket, *bytes);
      return;
    }
    const std::string before = *type == "S" ? message('1', "") + message('2', "") : "";
    if (!send_all(socket, before + *bytes + ready())) return;
  }
}

}  // namespace pgfiredrill::testing
