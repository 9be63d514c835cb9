#include "report/markdown_latency.h"

#include <fmt/format.h>

#include "report/markdown.h"
#include "report/run_words.h"

namespace pgfiredrill {
namespace {

constexpr const char* kNone = "–";

std::string milliseconds(double seconds) {
  return fmt::format("{:.{}f}", seconds * 1000, seconds < 0.01 ? 2 : seconds < 0.1 ? 1 : 0);
}

/// "1.20 / 3.40 / 12.0"
std::string cell(const std::optional<LatencyResult>& latency) {
  if (!latency) return kNone;
  return fmt::format("{} / {} / {}", milliseconds(latency->p50_s), milliseconds(latency->p99_s),
                     milliseconds(latency->max_s));
}

bool has_any(const PathLatency& latency) {
  return latency.response_before || latency.response_after;
}

std::string latency_row(const std::string& path, const PathLatency& latency) {
  if (!has_any(latency)) return {};
  return markdown::row({markdown::code(path), cell(latency.response_before), cell(latency.response_after),
                        cell(latency.service_before), cell(latency.service_after)});
}

std::string after(const std::optional<double>& seconds) {
  if (!seconds) return "not seen to come back";
  return *seconds > 0 ? "back after " + seconds_text(*seconds) : "never fell";
}

std::string share(std::size_t part, std::size_t whole) {
  if (whole == 0 || part == 0) return "0 %";
  return fmt::format("{:.2f} %", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

std::string hang(const ApplicationView& view) {
  if (!view.longest_hang_s) return kNone;
  return (view.censored ? "at least " : "") + seconds_text(*view.longest_hang_s);
}

std::string view_row(const ApplicationView& view) {
  return markdown::row({markdown::code(view.path), markdown::plain(view.policy), count_text(view.requests),
                        share(view.failed, view.requests), share(view.unfinished, view.requests),
                        hang(view)});
}

std::string layer_row(const ReconnectResult& layer) {
  const std::string least = layer.limited_by_driver ? "at least " : "";
  const std::string most = layer.limited_by_driver ? "at most " : "";
  std::string back = kNone;
  if (layer.sessions && layer.sessions_back_s) {
    back = fmt::format("{} sessions in {}{}", count_text(*layer.sessions), most,
                       seconds_text(*layer.sessions_back_s));
  }
  return markdown::row({to_string(layer.layer), markdown::code(layer.entrypoint),
                        fmt::format("{}{:.0f}", least, layer.logins_per_s), count_text(layer.concurrency),
                        count_text(layer.failed), back});
}

}  // namespace

std::string latency_markdown(const RepeatResult& repeat) {
  std::string rows;
  for (const PathResult& path : repeat.paths) rows += latency_row(path.path.id, path.latency);
  for (const LedgerLatency& ledger : repeat.ledger_latency) rows += latency_row(ledger.path, ledger.latency);
  if (rows.empty()) return {};
  return "\nMilliseconds of what succeeded, median / 99th percentile / longest; response from the due time, "
         "service from sending (after the login):\n\n" +
         markdown::table_head(
             {"path", "response before", "response after", "service before", "service after"}) +
         rows;
}

std::string return_to_normal_markdown(const RepeatResult& repeat) {
  if (!repeat.return_to_normal) return {};
  const ReturnToNormal& back = *repeat.return_to_normal;
  std::string text =
      fmt::format("\nWrites as a whole against {:.0f} a second before the fault: throughput {}",
                  back.baseline_per_s, after(back.throughput_s));
  if (back.throughput_s) {
    text += back.p95_s ? fmt::format(", responses as quick as before from {} on", seconds_text(*back.p95_s))
                       : ", responses not seen to become as quick as before";
  }
  return text + ".\n";
}

std::string applications_markdown(const RepeatResult& repeat) {
  if (repeat.applications.empty()) return {};
  std::string text =
      "\nWhat applications would have seen, by their way to retry:\n\n" +
      markdown::table_head({"path", "policy", "requests", "failed", "unfinished", "longest hang"});
  for (const ApplicationView& view : repeat.applications) text += view_row(view);
  return text;
}

std::string reconnect_markdown(const RunResult& run) {
  if (run.reconnect.empty()) return {};
  std::string text =
      "\n## Reconnect capacity\n\nLogins as fast as they went, on a healthy cluster without other traffic of "
      "ours.\n\n" +
      markdown::table_head({"layer", "entry point", "logins a second", "at once", "failed", "all back"});
  for (const ReconnectResult& layer : run.reconnect) text += layer_row(layer);
  return text;
}

}  // namespace pgfiredrill
