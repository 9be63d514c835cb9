#include "cli/power_command.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace pgfiredrill {
namespace {

/// Management controllers take their time, and some of these commands wait until the machine is off.
constexpr std::chrono::milliseconds kDeadline{120'000};
constexpr const char* kAction = "{action}";
constexpr const char* kHost = "{host}";

Failure malformed(const std::string& came_back) {
  return {.kind = FailureKind::malformed,
          .what = "read the command of --power",
          .came_back = came_back,
          .hint = "As in --power 'ipmitool -H {host}-ipmi chassis power {action}'."};
}

bool mentions(const std::vector<std::string>& words, const std::string& placeholder) {
  return std::any_of(words.begin(), words.end(),
                     [&](const std::string& word) { return word.find(placeholder) != std::string::npos; });
}

/// In one pass over the word as it was given: what is put in is not looked at again.
std::string filled_in(const std::string& word, const std::string& action, const std::string& host) {
  std::string filled;
  for (std::size_t at = 0; at < word.size();) {
    if (word.compare(at, std::string{kAction}.size(), kAction) == 0) {
      filled += action;
      at += std::string{kAction}.size();
    } else if (word.compare(at, std::string{kHost}.size(), kHost) == 0) {
      filled += host;
      at += std::string{kHost}.size();
    } else {
      filled += word[at++];
    }
  }
  return filled;
}

Result<void> switch_power(ProcessRunner& processes, const std::vector<std::string>& words,
                          const std::string& host, bool on) {
  const std::string action = on ? "on" : "off";
  ProcessRequest request{.argv = {}, .deadline = kDeadline};
  for (const std::string& word : words) request.argv.push_back(filled_in(word, action, host));
  const auto result = processes.run(request);
  if (!result) return result.error();
  if (result->exit_status == 0 && !result->timed_out) return {};
  const std::string printed = result->err.empty() ? result->out : result->err;
  return Failure{.kind = result->timed_out ? FailureKind::timed_out : FailureKind::failed,
                 .what = "switch the host " + action + " by --power",
                 .where = host,
                 .came_back = (result->timed_out ? std::string{"it did not end within 120 s"}
                                                 : "exit status " + std::to_string(result->exit_status)) +
                              (printed.empty() ? "" : " (" + one_line(printed) + ")"),
                 .hint = "Try the command by hand."};
}

class Splitter {
 public:
  explicit Splitter(const std::string& text) : text_{text} {}

  Result<std::vector<std::string>> split() {
    for (; at_ < text_.size(); ++at_) {
      if (auto step = take(text_[at_]); !step) return step.error();
    }
    if (quote_ != '\0') return malformed("a quote does not end");
    finish_word();
    return std::move(words_);
  }

 private:
  Result<void> take(char c) {
    if (c == '\\' && quote_ != '\'') return take_next();
    if (quote_ != '\0') {
      if (c == quote_) {
        quote_ = '\0';
      } else {
        word_ += c;
      }
    } else if (c == '\'' || c == '"') {
      quote_ = c;
      in_word_ = true;
    } else if (c == ' ' || c == '\t' || c == '\n') {
      finish_word();
    } else {
      word_ += c;
      in_word_ = true;
    }
    return {};
  }

  Result<void> take_next() {
    if (at_ + 1 >= text_.size()) return malformed("it ends with a backslash");
    word_ += text_[++at_];
    in_word_ = true;
    return {};
  }

  void finish_word() {
    if (in_word_) words_.push_back(std::move(word_));
    word_.clear();
    in_word_ = false;
  }

  const std::string& text_;
  std::size_t at_ = 0;
  char quote_ = '\0';
  bool in_word_ = false;  ///< an empty pair of quotes is a word too
  std::string word_;
  std::vector<std::string> words_;
};

}  // namespace

Result<std::vector<std::string>> split_command(const std::string& text) {
  return Splitter{text}.split();
}

Result<fault::PowerSwitch> power_switch(const std::string& command, ProcessRunner& processes) {
  if (command.empty()) return fault::PowerSwitch{};
  auto words = split_command(command);
  if (!words) return words.error();
  if (words->empty() || words->front().empty()) return malformed("there is no command in it");
  for (const char* placeholder : {kAction, kHost}) {
    if (!mentions(*words, placeholder)) return malformed(std::string{"it has no "} + placeholder);
  }
  return fault::PowerSwitch{[&processes, words = std::move(*words)](const std::string& host, bool on) {
    return switch_power(processes, words, host, on);
  }};
}

}  // namespace pgfiredrill
