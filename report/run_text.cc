#include "report/run_text.h"

#include <algorithm>
#include <cctype>
#include <vector>

#include "report/expected_table.h"
#include "report/run_words.h"
#include "report/terminal.h"
#include "report/utf8.h"

namespace pgfiredrill {
namespace {

/// Drills' sentences begin here, behind the longest verdict.
constexpr std::size_t kVerdictColumn = 14;
constexpr std::size_t kReasonsShown = 6;
constexpr std::size_t kRemarksShown = 12;

std::string upper(std::string word) {
  std::transform(word.begin(), word.end(), word.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return word;
}

/// What passed stands back; everything else is read from afar, with or without colours.
std::string verdict_word(Verdict verdict) {
  if (verdict == Verdict::passed || verdict == Verdict::skipped) return to_string(verdict);
  return upper(to_string(verdict));
}

class RunText {
 public:
  RunText(const RunResult& run, const std::string& run_folder, const TerminalStyle& style, std::size_t width)
      : run_{run}, run_folder_{run_folder}, style_{style}, width_{std::clamp<std::size_t>(width, 60, 120)} {}

  std::string render() {
    title();
    for (const DrillResult& drill : run_.drills) add_drill(drill);
    remarks();
    findings();
    expected_and_measured();
    where_the_rest_is();
    return text_;
  }

 private:
  std::string styled(Verdict verdict, const std::string& word) const {
    if (verdict == Verdict::passed) return style_.good(word);
    return verdict == Verdict::skipped ? style_.faint(word) : style_.bad(word);
  }

  void title() {
    const ClusterSummary& cluster = run_.manifest.cluster;
    const std::string name = cluster.name.empty() ? "(a cluster without a name)" : printable(cluster.name);
    const std::string word = upper(to_string(run_.verdict));
    hang(styled(run_.verdict, word),
         style_.heading(name + ", suite " + printable(run_.manifest.suite)) + ": " + drills_sentence(run_),
         word.size() + 2);
    items(run_reasons(run_), 2, kReasonsShown);
  }

  void add_drill(const DrillResult& drill) {
    text_ += "\n";
    std::string sentence = printable(drill.plan.name);
    const std::size_t repeats = drill.repeats.size();
    if (repeats > 1) sentence += ", " + counted(repeats, "repeat");
    if (repeats > 0) sentence += ": " + drill_sentence(drill);
    hang(styled(drill.verdict, verdict_word(drill.verdict)), sentence, kVerdictColumn);
    if (drill.verdict == Verdict::passed) return;
    items(drill_reasons(drill), kVerdictColumn, kReasonsShown);
  }

  /// The word first, the sentence beside it from `column` on.
  void hang(const std::string& word, const std::string& sentence, std::size_t column) {
    const std::string wrapped = wrap_text(sentence, width_, column);
    const std::size_t gap = column - std::min(column, display_width(word));
    text_ += word + std::string(gap, ' ') + wrapped.substr(std::min(column, wrapped.size()));
  }

  /// Bullets behind `indent` spaces. One line more would only say that there is one more.
  void items(const std::vector<std::string>& sentences, std::size_t indent, std::size_t most) {
    const std::size_t count = sentences.size() <= most + 1 ? sentences.size() : most;
    for (std::size_t i = 0; i < count; ++i) item(sentences[i], indent);
    if (count < sentences.size()) {
      item(std::to_string(sentences.size() - count) + " more in report.json", indent);
    }
  }

  void item(const std::string& sentence, std::size_t indent) {
    const std::size_t hanging = indent + 2;
    const std::string wrapped = wrap_text(sentence, width_, hanging);
    text_ += std::string(indent, ' ') + "- " + wrapped.substr(std::min(hanging, wrapped.size()));
  }

  void remarks() {
    const std::vector<std::string> sentences = trust_remarks(run_);
    if (sentences.empty()) return;
    text_ += "\n" + style_.warning("What is missing or cannot be trusted") + "\n";
    items(sentences, 2, kRemarksShown);
  }

  void findings() {
    if (run_.findings.empty()) return;
    text_ += "\n" + style_.heading("Findings") + "\n";
    for (const Finding& finding : run_.findings) {
      const std::string where = finding.where.empty() ? "" : printable(finding.where) + ": ";
      item(std::string{to_string(finding.severity)} + ", " + where + printable(finding.sentence), 2);
      if (!finding.remedy.empty()) text_ += wrap_text("Remedy: " + printable(finding.remedy), width_, 4);
    }
  }

  void expected_and_measured() {
    const std::vector<ExpectedRow> rows = expected_rows(run_);
    if (rows.empty()) return;
    TextTable table{{"drill", "expected", "measured", "verdict"}};
    for (const ExpectedRow& row : rows) {
      table.add({row.drill, row.expected, row.measured, styled(row.verdict, verdict_word(row.verdict))});
    }
    text_ += "\n" + table.render(style_);
  }

  void where_the_rest_is() {
    text_ += "\n" +
             style_.faint(wrap_text("Not measured by this version: " + not_measured_yet() + ".", width_, 0));
    if (!run_folder_.empty()) {
      text_ += "Reports:        " + printable(run_folder_) + "/report.json, report.md, junit.xml\n";
    }
    // Not wrapped: it is there to be copied.
    if (!run_.manifest.repro.empty())
      text_ += "The same again: " + printable(run_.manifest.repro, 2'000) + "\n";
  }

  const RunResult& run_;
  const std::string& run_folder_;
  const TerminalStyle& style_;
  std::size_t width_;
  std::string text_;
};

}  // namespace

std::string render_run_text(const RunResult& run, const std::string& run_folder, const TerminalStyle& style,
                            std::size_t width) {
  return RunText{run, run_folder, style, width}.render();
}

}  // namespace pgfiredrill
