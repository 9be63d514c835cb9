#include "fault-injectors/host_state.h"

#include <optional>
#include <utility>

#include "base/text.h"
#include "fault-injectors/run_name.h"

namespace pgfiredrill::fault {
namespace {

constexpr const char* kHeading = "pgfiredrill-armed 1";
constexpr std::int64_t kLatestInstant = 1'000'000'000'000;  // in seconds; keeps differences from overflowing

using Lines = std::vector<std::string_view>;

Failure malformed(const std::string& what, const std::string& host, const std::string& came_back) {
  return {.kind = FailureKind::malformed,
          .what = what,
          .where = host,
          .came_back = came_back,
          .hint = "Look at " + std::string{kHostFolder} +
                  " on that host; `pgfiredrill heal` removes only what "
                  "it understands."};
}

/// What is behind `key` and a space; absent where the line begins otherwise.
std::optional<std::string> after(std::string_view line, std::string_view key) {
  if (!line.starts_with(key) || line.size() <= key.size() || line[key.size()] != ' ') return std::nullopt;
  return std::string{line.substr(key.size() + 1)};
}

bool is_printable(const std::string& text) {
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') return false;
  }
  return true;
}

/// An empty text is a lone percent sign, which `encode_word` never writes.
std::string written(const std::string& text) {
  return text.empty() ? "%" : encode_word(text);
}

Result<std::string> read_word(const std::string& word) {
  if (word == "%") return std::string{};
  return decode_word(word);
}

std::optional<Debt> read_debt(const std::string& text) {
  const auto parts = words(text);
  if (parts.size() != 3) return std::nullopt;
  const auto kind = read_word(parts[0]);
  const auto name = read_word(parts[1]);
  const auto detail = read_word(parts[2]);
  if (!kind || !name || !detail) return std::nullopt;
  return Debt{.kind = *kind, .name = *name, .detail = *detail};
}

Result<OpenRun> read_armed(const Lines& text, const std::string& run_id, const std::string& host) {
  const auto bad = [&](const std::string& came_back) {
    return malformed("read the record of run " + run_id, host, came_back);
  };
  if (text.size() < 4 || text[0] != kHeading)
    return bad("it does not begin with '" + std::string{kHeading} + "'");
  if (text.back() != "end") return bad("it is cut short");
  OpenRun run;
  run.run_id = after(text[1], "run").value_or("");
  run.owner = after(text[2], "owner").value_or("");
  if (run.run_id != run_id) return bad("it is another run's");
  if (run.owner.empty() || !is_printable(run.owner)) return bad("it names no owner");
  for (std::size_t i = 3; i + 1 < text.size(); ++i) {
    const auto words = after(text[i], "debt");
    auto debt = words ? read_debt(*words) : std::nullopt;
    if (!debt) return bad("line " + std::to_string(i + 1) + " is no debt");
    run.debts.push_back(std::move(*debt));
  }
  return run;
}

class StateReader {
 public:
  StateReader(const std::string& output, const std::string& host) : lines_{lines(output)} {
    state_.host = host;
  }

  Result<HostState> read() {
    if (lines_.empty() || lines_.back() != "end") return bad("half an answer");
    const auto now = after(lines_.front(), "now");
    const auto seconds = now ? parse_integer(*now) : std::nullopt;
    if (!seconds || *seconds < 0 || *seconds > kLatestInstant) return bad("no time of day");
    now_ = *seconds;
    for (std::size_t i = 1; i + 1 < lines_.size();) {
      const std::string head{lines_[i++]};
      Lines text;
      while (i + 1 < lines_.size() && lines_[i].starts_with('|')) text.push_back(lines_[i++].substr(1));
      if (auto read = read_file(head, text); !read) return read.error();
    }
    return std::move(state_);
  }

 private:
  Result<void> read_file(const std::string& head, const Lines& text) {
    if (head == "lock") return read_lock(text);
    if (head == "last-disruptive") return read_stamp(text);
    if (head == "odd") return bad("a file in armed/ whose name is no run's");
    const auto run_id = after(head, "armed");
    if (!run_id || !is_run_id(*run_id)) return bad("a line of another kind: " + one_line(head, 60));
    auto run = read_armed(text, *run_id, state_.host);
    if (!run) return run.error();
    state_.armed.push_back(std::move(*run));
    return {};
  }

  Result<void> read_lock(const Lines& text) {
    if (text.size() != 3) return bad("a lock of another shape");
    const auto run = after(text[0], "run");
    const auto owner = after(text[1], "owner");
    const auto until = after(text[2], "until");
    const std::int64_t seconds = until ? parse_integer(*until).value_or(-1) : -1;
    if (!run || !is_run_id(*run) || !owner || !is_printable(*owner) || seconds < 0 ||
        seconds > kLatestInstant) {
      return bad("a lock of another shape");
    }
    state_.lock_run = *run;
    state_.lock_owner = *owner;
    state_.lock_left = std::chrono::seconds{seconds - now_};
    return {};
  }

  /// One that nobody of ours wrote says nothing, and is written anew by the next run: no reason to stop.
  Result<void> read_stamp(const Lines& text) {
    const auto run = text.size() == 2 ? after(text[0], "run") : std::nullopt;
    const auto at = text.size() == 2 ? after(text[1], "at") : std::nullopt;
    const std::int64_t seconds = at ? parse_integer(*at).value_or(-1) : -1;
    if (!run || !is_run_id(*run) || seconds < 0 || seconds > kLatestInstant) return {};
    state_.broken_by = *run;
    state_.broken_ago = std::chrono::seconds{now_ - seconds};
    return {};
  }

  Failure bad(const std::string& came_back) const {
    return malformed("read what runs have left in " + std::string{kHostFolder}, state_.host, came_back);
  }

  Lines lines_;
  HostState state_;
  std::int64_t now_ = 0;
};

}  // namespace

std::string armed_text(const OpenRun& run) {
  std::string text = std::string{kHeading} + "\nrun " + run.run_id + "\nowner " + run.owner + "\n";
  for (const Debt& debt : run.debts) {
    text += "debt " + written(debt.kind) + " " + written(debt.name) + " " + written(debt.detail) + "\n";
  }
  return text + "end\n";
}

Result<OpenRun> parse_armed(const std::string& text, const std::string& run_id, const std::string& host) {
  return read_armed(lines(text), run_id, host);
}

Result<HostState> parse_host_state(const std::string& output, const std::string& host) {
  return StateReader{output, host}.read();
}

}  // namespace pgfiredrill::fault
