#include "report/markdown_servers.h"

#include <fmt/core.h>

#include "report/markdown.h"

namespace pgfiredrill {
namespace {

using markdown::code;
using markdown::plain;

std::string milliseconds(double seconds) {
  return fmt::format("{:.3f} ms", seconds * 1e3);
}

std::string clock_row(const ClockResult& clock) {
  if (!clock.offset_s || !clock.error_s) {
    return markdown::row({code(clock.node), "not measured: " + plain(clock.why_not), "", "", ""});
  }
  const std::string drift = clock.drift_ppm ? fmt::format("{:.1f} ppm", *clock.drift_ppm) : "none to be seen";
  return markdown::row({code(clock.node), milliseconds(*clock.offset_s), milliseconds(*clock.error_s), drift,
                        fmt::format("{}", clock.steps)});
}

}  // namespace

std::string clocks_markdown(const RunResult& run) {
  if (run.clocks.empty()) return {};
  std::string text =
      "\n## Clocks\n\n" + markdown::table_head({"node", "ahead of this machine", "±", "drift", "steps"});
  for (const ClockResult& clock : run.clocks) text += clock_row(clock);
  return text;
}

std::string split_brain_markdown(const RepeatResult& repeat) {
  if (!repeat.split_brain || repeat.split_brain->evidence.empty()) return {};
  std::string text = repeat.split_brain->proven ? "\nSplit brain, proven by acknowledged writes:\n\n"
                                                : "\nSplit brain was possible:\n\n";
  for (const std::string& sentence : repeat.split_brain->evidence) text += "- " + plain(sentence) + "\n";
  return text;
}

}  // namespace pgfiredrill
