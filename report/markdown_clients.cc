#include "report/markdown_clients.h"

#include <fmt/format.h>

#include "report/markdown.h"
#include "report/run_words.h"

namespace pgfiredrill {
namespace {

constexpr const char* kNone = "–";

std::string seconds_or_none(const std::optional<double>& seconds) {
  return seconds ? seconds_text(*seconds) : kNone;
}

/// What is of interest from a millisecond on.
std::string short_time(const std::optional<double>& seconds) {
  return seconds && *seconds < 1 ? fmt::format("{:.1f} ms", *seconds * 1e3) : seconds_or_none(seconds);
}

std::string lag_row(const ReplicaLag::Path& path) {
  return markdown::row(
      {markdown::code(path.id), count_text(path.reads), short_time(path.p95_s), short_time(path.max_s)});
}

std::string bytes_row(const ReplicaLag::Node& node) {
  const std::string bytes = value_text("replica_lag_bytes", node.max_bytes);
  return markdown::row({markdown::code(node.member), markdown::plain(bytes)});
}

std::string end_cell(const ClientResult& client) {
  if (client.end == "works") return client.after_s ? "works" : "goes on";
  return "**" + markdown::plain(client.end) + "**";
}

std::string error_cell(const ClientResult& client) {
  if (client.error.none()) return kNone;
  return markdown::plain(
      fmt::format("{} ({}): {}", client.error.to_string(), to_string(client.layer), client.text));
}

std::string read_only_cell(const ClientResult& client) {
  if (client.read_only_errors == 0) return kNone;
  const std::string until =
      client.read_only_until_s ? ", the last at " + seconds_text(*client.read_only_until_s) : "";
  return count_text(client.read_only_errors) + until;
}

std::string client_row(const ClientResult& client) {
  return markdown::row({markdown::code(client.entrypoint), markdown::plain(client.kind), end_cell(client),
                        seconds_or_none(client.after_s), short_time(client.stuck_s), read_only_cell(client),
                        error_cell(client)});
}

}  // namespace

std::string replica_lag_markdown(const RepeatResult& repeat) {
  if (!repeat.replica_lag) return {};
  std::string text;
  if (!repeat.replica_lag->paths.empty()) {
    text += "\nAge of what reads through replicas missed, after the injection:\n\n" +
            markdown::table_head({"path", "reads", "95 %", "longest"});
    for (const ReplicaLag::Path& path : repeat.replica_lag->paths) text += lag_row(path);
  }
  if (!repeat.replica_lag->nodes.empty()) {
    text += "\n" + markdown::table_head({"replica", "not replayed, at most"});
    for (const ReplicaLag::Node& node : repeat.replica_lag->nodes) text += bytes_row(node);
  }
  return text;
}

std::string clients_markdown(const RepeatResult& repeat) {
  if (repeat.clients.empty()) return {};
  std::string text =
      "\nSessions held across the fault as applications hold them; seconds after the injection:\n\n" +
      markdown::table_head(
          {"entry point", "session", "end", "at", "longest wait", "read-only answers", "error"});
  for (const ClientResult& client : repeat.clients) text += client_row(client);
  return text;
}

}  // namespace pgfiredrill
