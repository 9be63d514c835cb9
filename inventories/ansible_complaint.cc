#include "inventories/ansible_complaint.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "base/text.h"

namespace pgfiredrill {
namespace {

constexpr std::size_t kLongestMessage = 200;
constexpr std::size_t kLongestRead = 16 * 1024;  ///< of stderr: the first complaint is what counts

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_name_character(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.' || c == '-';
}

bool is_path(std::string_view text) {
  return text.starts_with('/') &&
         std::all_of(text.begin(), text.end(), [](char c) { return is_name_character(c) || c == '/'; });
}

bool is_name(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_name_character);
}

/// Quoted words that Ansible did not take out of the inventory's values: files, plugins, its own classes,
/// names of variables, Jinja's tokens.
bool is_harmless_quotation(std::string_view before, std::string_view quoted, std::string_view after) {
  if (is_path(quoted) || before.ends_with("expected token ")) return true;
  return is_name(quoted) && (before.ends_with(" plugin ") || before.ends_with(" keyword ") ||
                             after.starts_with(" is undefined") || after.starts_with(" plugin"));
}

/// Behind these, Ansible repeats what it read.
std::string_view before_repetition(std::string_view text) {
  constexpr std::array<std::string_view, 7> kMarks{
      "got: ",         ", got '", "String: ", "The offending line", "had an execution error",
      "<<< caused by", "Origin:"};
  std::size_t end = text.size();
  for (const std::string_view mark : kMarks) end = std::min(end, text.find(mark));
  return trim(text.substr(0, end));
}

/// Quotations may hold quotes themselves: what is not harmless is cut up to the last quote of its kind.
std::string without_quotations(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const auto open = text.find_first_of("'\"");
    result += text.substr(0, open);
    if (open == std::string_view::npos) break;
    const char quote = text[open];
    text.remove_prefix(open + 1);
    auto close = text.find(quote);
    if (close == std::string_view::npos) return result + "...";
    if (!is_harmless_quotation(result, text.substr(0, close), text.substr(close + 1))) {
      close = text.rfind(quote);
      result += "'...'";
    } else {
      result += '\'';
      result += text.substr(0, close);
      result += '\'';
    }
    text.remove_prefix(close + 1);
  }
  return result;
}

std::string harmless(std::string_view message) {
  std::string text = without_quotations(before_repetition(message));
  while (!text.empty() && (text.back() == ',' || text.back() == ':' || text.back() == '.')) text.pop_back();
  return one_line(text, kLongestMessage);
}

/// What went wrong, without through how many of Ansible's own layers it came.
std::string_view innermost(std::string_view message) {
  constexpr std::array<std::string_view, 2> kIntroductions{"original message: ",
                                                           "Error while resolving value for 'msg': "};
  for (const std::string_view introduction : kIntroductions) {
    const auto at = message.find(introduction);
    if (at != std::string_view::npos) return message.substr(at + introduction.size());
  }
  return message;
}

/// Warnings come in lines of a fixed width: as one line, so that phrases can be found in them.
std::string unwrapped(std::string_view text) {
  return one_line(std::string{text.substr(0, kLongestRead)}, kLongestRead);
}

bool is_about_vault(std::string_view text) {
  return contains(text, "no vault secrets") || contains(text, "Decryption failed") ||
         contains(text, "undecryptable");
}

FailureKind kind_of(std::string_view text) {
  if (is_about_vault(text) || contains(text, "Permission denied") || contains(text, "is not readable"))
    return FailureKind::denied;
  if (contains(text, "vault password file") && contains(text, "was not found")) return FailureKind::missing;
  return FailureKind::failed;
}

std::string_view known_cause(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 12> kCauses{{
      {"no vault secrets found", "a part is encrypted and no vault password was given"},
      {"no vault secrets were found that could decrypt", "the vault password does not open it"},
      {"Expected key=value host variable assignment", "a word that is not key=value stands after a host"},
      {"No closing quotation", "a quote is not closed"},
      {"not valid for undefined group", "variables are set for a group that does not exist"},
      {"includes undefined group", "a child group does not exist"},
      {"Inventory script returned non-zero", "the inventory script failed"},
      {"had an execution error", "the inventory script failed"},
      {"failed to parse executable inventory script", "the inventory script's output is not JSON"},
      {"decoder for inventory script result", "the inventory script's output is not JSON"},
      {"Syntax Error while loading YAML", "it is not valid YAML"},
      {"YAML parsing failed", "it is not valid YAML"},
  }};
  for (const auto& [phrase, cause] : kCauses) {
    if (contains(text, phrase)) return cause;
  }
  return {};
}

std::string_view digits_at(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && is_digit(text[end])) ++end;
  return text.substr(at, end - at);
}

/// `line 4, column 2` of YAML's complaints.
std::string_view line_in_words(std::string_view text) {
  constexpr std::string_view kLine = "line ";
  for (auto at = text.find(", column "); at != std::string_view::npos; at = text.find(", column ", at + 1)) {
    const auto line = text.rfind(kLine, at);
    if (line == std::string_view::npos) continue;
    const auto digits = digits_at(text, line + kLine.size());
    if (!digits.empty() && line + kLine.size() + digits.size() == at) return digits;
  }
  return {};
}

/// `FILE:4: Expected…` of the INI reader's complaints; `Origin: FILE:4:2` of releases from 2.19 on.
std::string_view line_in_colons(std::string_view text) {
  for (auto at = text.find(':'); at != std::string_view::npos; at = text.find(':', at + 1)) {
    const auto digits = digits_at(text, at + 1);
    const auto end = at + 1 + digits.size();
    if (!digits.empty() && end < text.size() && text[end] == ':') return digits;
  }
  return {};
}

std::string line_of(std::string_view text) {
  auto line = line_in_words(text);
  if (line.empty()) line = line_in_colons(text);
  if (line.empty() || line.size() > 9) return {};
  return " (line " + std::string{line} + ")";
}

std::string_view first_error_line(std::string_view text) {
  constexpr std::array<std::string_view, 3> kPrefixes{"ERROR! ", "[ERROR]: ", "ERROR: "};
  for (const std::string_view line : lines(text)) {
    for (const std::string_view prefix : kPrefixes) {
      if (line.starts_with(prefix)) return line.substr(prefix.size());
    }
  }
  return {};
}

}  // namespace

AnsibleComplaint read_complaint(std::string_view stderr_text) {
  const std::string whole = unwrapped(stderr_text);
  AnsibleComplaint complaint{kind_of(whole), harmless(first_error_line(stderr_text)), is_about_vault(whole)};
  if (const std::string_view cause = known_cause(whole); !cause.empty()) {
    if (!complaint.text.empty()) complaint.text += ": ";
    complaint.text += cause;
    complaint.text += line_of(whole);
  }
  return complaint;
}

AnsibleComplaint read_message(std::string_view message) {
  const std::string whole = unwrapped(message);
  return {kind_of(whole), harmless(innermost(whole)), is_about_vault(whole)};
}

}  // namespace pgfiredrill
