#include "report/run_markdown.h"

#include <vector>

#include <fmt/core.h>

#include "report/expected_table.h"
#include "report/markdown.h"
#include "report/markdown_clients.h"
#include "report/markdown_latency.h"
#include "report/markdown_servers.h"
#include "report/run_words.h"
#include "report/utf8.h"
#include "report/xml_text.h"

namespace pgfiredrill {
namespace {

using markdown::block;
using markdown::code;
using markdown::plain;
using markdown::row;
using markdown::table_head;

constexpr std::size_t kRangesShown = 5;

const char* mark(Verdict verdict) {
  switch (verdict) {
    case Verdict::passed:
      return "✅ passed";
    case Verdict::skipped:
      return "➖ skipped";
    case Verdict::refused:
      return "⛔ refused";
    case Verdict::inconclusive:
      return "❔ inconclusive";
    case Verdict::failed:
      return "❌ failed";
    case Verdict::aborted:
      return "🛑 aborted";
  }
  return "❔ inconclusive";
}

std::string or_unknown(const std::optional<double>& seconds) {
  return seconds ? seconds_text(*seconds) : "not measured";
}

std::string or_unknown(const std::optional<std::size_t>& count) {
  return count ? count_text(*count) : "not measured";
}

class RunMarkdown {
 public:
  explicit RunMarkdown(const RunResult& run) : run_{run} {}

  std::string render() {
    title();
    expected_and_measured();
    drills();
    for (const DrillResult& drill : run_.drills) {
      if (!drill.repeats.empty()) details(drill);
    }
    text_ += reconnect_markdown(run_);
    text_ += clocks_markdown(run_);
    remarks();
    findings();
    repro();
    return std::move(text_);
  }

 private:
  void title() {
    const RunManifest& manifest = run_.manifest;
    text_ += fmt::format("# {}: {} on {}\n\n", mark(run_.verdict), plain(manifest.suite),
                         plain(manifest.cluster.name));
    text_ += fmt::format("{}. Run {}", plain(drills_sentence(run_)), code(manifest.run_id));
    if (!run_.started_at.empty()) text_ += ", started " + plain(run_.started_at);
    const auto version = [this](const char* of, const std::string& is) {
      if (!is.empty()) text_ += fmt::format(", {} {}", of, plain(is));
    };
    version("PostgreSQL", manifest.cluster.postgres_version);
    version("Patroni", manifest.cluster.patroni_version);
    version("pgfiredrill", manifest.tool_version);
    text_ += ".\n";
    bullets(run_reasons(run_));
  }

  void bullets(const std::vector<std::string>& sentences) {
    if (sentences.empty()) return;
    text_ += "\n";
    for (const std::string& sentence : sentences) text_ += "- " + plain(sentence) + "\n";
  }

  void expected_and_measured() {
    const std::vector<ExpectedRow> rows = expected_rows(run_);
    if (rows.empty()) return;
    text_ += "\n" + table_head({"drill", "expected outage", "measured", "verdict"});
    for (const ExpectedRow& each : rows) {
      text_ += row({plain(each.drill), plain(each.expected), plain(each.measured), mark(each.verdict)});
    }
  }

  void drills() {
    for (const DrillResult& drill : run_.drills) {
      text_ += fmt::format("\n**{}: {}**", plain(drill.plan.name), mark(drill.verdict));
      if (drill.repeats.size() > 1) text_ += ", " + counted(drill.repeats.size(), "repeat");
      if (!drill.repeats.empty()) text_ += ": " + plain(drill_sentence(drill));
      text_ += ".\n";
      if (!drill.plan.why.empty()) text_ += "Why it matters: " + plain(drill.plan.why) + "\n";
      if (drill.verdict != Verdict::passed) bullets(drill_reasons(drill));
    }
  }

  void reasoning(const DrillPlan& plan) {
    if (!plan.budget) return;
    text_ += "\nExpected: " + plain(plan.budget->sentence) +
             " Failover: " + to_string(plan.budget->failover) + ".\n";
    const OutageBudget& writes = plan.budget->read_write;
    if (!writes.parts.empty()) text_ += "\n" + table_head({"stage", "seconds", "setting", "read from"});
    for (const BudgetPart& part : writes.parts) {
      const std::string setting = part.setting.empty() ? "" : part.setting + " = " + part.value;
      text_ += row({plain(part.name), fmt::format("{:g} to {:g}", part.min_s, part.max_s), plain(setting),
                    plain(part.source)});
    }
    for (const std::string& setting : writes.missing) text_ += "\nNot known: " + plain(setting) + ".\n";
  }

  void details(const DrillResult& drill) {
    text_ += fmt::format("\n<details><summary>{}: paths and durability</summary>\n",
                         xml_text(printable(drill.plan.name)));
    reasoning(drill.plan);
    for (const RepeatResult& repeat : drill.repeats) {
      if (drill.repeats.size() > 1) {
        text_ += fmt::format("\nRepeat {}: {}, {}.\n", repeat.repeat + 1, mark(repeat.verdict),
                             plain(repeat_sentence(drill, repeat)));
      }
      leaders(repeat);
      paths(repeat);
      text_ += latency_markdown(repeat);
      text_ += replica_lag_markdown(repeat);
      text_ += split_brain_markdown(repeat);
      text_ += clients_markdown(repeat);
      durability(repeat);
      text_ += return_to_normal_markdown(repeat);
      text_ += applications_markdown(repeat);
    }
    text_ += "\n</details>\n";
  }

  void leaders(const RepeatResult& repeat) {
    if (repeat.old_leader.empty() || repeat.new_leader.empty()) return;
    text_ += fmt::format("\nLeader before {}, after {}.\n", code(repeat.old_leader), code(repeat.new_leader));
  }

  static std::string outage_cell(const PathResult& path) {
    const bool open = !path.windows.empty() && path.windows.back().censored;
    return (open ? "at least " : "") + or_unknown(path.outage_s);
  }

  static std::string errors_cell(const PathResult& path) {
    std::string text;
    for (const ErrorWindow& error : path.errors) {
      if (!text.empty()) text += ", ";
      text += fmt::format("{} ×{} ({})", error.error.to_string(), count_text(error.count),
                          to_string(error.layer));
    }
    return plain(text);
  }

  void paths(const RepeatResult& repeat) {
    if (repeat.paths.empty()) return;
    text_ += "\n" + table_head({"path", "longest outage", "in all", "stalled", "longest gap", "available",
                                "±", "errors"});
    for (const PathResult& path : repeat.paths) {
      text_ +=
          row({code(path.path.id) + (path.instrument.valid ? "" : " (not to be trusted)"), outage_cell(path),
               or_unknown(path.unavailable_s), or_unknown(path.stall_s), or_unknown(path.longest_gap_s),
               path.availability_pct ? fmt::format("{:.2f} %", *path.availability_pct) : "not measured",
               seconds_text(path.resolution_s), errors_cell(path)});
    }
  }

  void durability(const RepeatResult& repeat) {
    if (!repeat.durability) return;
    const Durability& writes = *repeat.durability;
    text_ += "\n" + table_head({"writes", "acknowledged", "lost", "weak", "weak lost", "in doubt",
                                "of them there", "twice", "failed", "of them there"});
    text_ += row({count_text(writes.attempted), count_text(writes.acknowledged), or_unknown(writes.lost),
                  count_text(writes.weak), or_unknown(writes.weak_lost), count_text(writes.in_doubt),
                  or_unknown(writes.in_doubt_present), or_unknown(writes.duplicated),
                  count_text(writes.failed), or_unknown(writes.unexpected)});
    for (const NodeDurability& node : writes.nodes) {
      text_ += node.read
                   ? fmt::format("\nLedger on {}: {}, {} lost.", code(node.member), counted(node.rows, "row"),
                                 count_text(node.lost))
                   : fmt::format("\nLedger on {} not read: {}.", code(node.member), plain(node.why_not));
    }
    if (!writes.nodes.empty()) text_ += "\n";
    lost_ranges(writes);
  }

  /// " (by pgnode01 on timeline 1)", as far as it is known.
  static std::string acknowledged_where(const NumberRange& range) {
    std::string members, timelines;
    for (const std::string& member : range.members) {
      if (!member.empty()) members += (members.empty() ? "by " : ", ") + plain(member);
    }
    for (const std::uint32_t timeline : range.timelines) {
      timelines += (timelines.empty() ? "on timeline " : ", ") + std::to_string(timeline);
    }
    if (members.empty() && timelines.empty()) return "";
    return fmt::format(" ({}{}{})", members, members.empty() || timelines.empty() ? "" : " ", timelines);
  }

  void lost_ranges(const Durability& writes) {
    if (writes.lost_ranges.empty()) return;
    text_ += "\nLost numbers (stream: first to last):";
    for (std::size_t i = 0; i < writes.lost_ranges.size() && i < kRangesShown; ++i) {
      const NumberRange& range = writes.lost_ranges[i];
      text_ += fmt::format("{} {}: {} to {}{}", i == 0 ? "" : ",", range.stream, range.first, range.last,
                           acknowledged_where(range));
    }
    if (writes.lost_ranges.size() > kRangesShown) {
      text_ += fmt::format(" and {} more in report.json",
                           counted(writes.lost_ranges.size() - kRangesShown, "range"));
    }
    if (writes.rpo_bytes) {
      text_ += fmt::format("; {} of WAL beyond the end of the old timeline",
                           plain(value_text("rpo_bytes", static_cast<double>(*writes.rpo_bytes))));
    }
    text_ += ".\n";
  }

  void remarks() {
    text_ += "\n## What is missing or cannot be trusted\n";
    auto sentences = trust_remarks(run_);
    sentences.push_back("not measured by this version: " + not_measured_yet());
    bullets(sentences);
  }

  void findings() {
    if (run_.findings.empty()) return;
    text_ += "\n## Findings\n\n";
    for (const Finding& finding : run_.findings) {
      text_ += fmt::format("- **{}** {}: {}", to_string(finding.severity), code(finding.where),
                           plain(finding.sentence));
      if (!finding.remedy.empty()) text_ += " Remedy: " + plain(finding.remedy);
      text_ += "\n";
    }
  }

  void repro() {
    if (run_.manifest.repro.empty()) return;
    text_ += "\nThe same again:\n\n" + block(run_.manifest.repro);
  }

  const RunResult& run_;
  std::string text_;
};

}  // namespace

std::string render_run_markdown(const RunResult& run) {
  return RunMarkdown{run}.render();
}

}  // namespace pgfiredrill
