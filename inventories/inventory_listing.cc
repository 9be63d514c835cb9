#include "inventories/inventory_listing.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"

namespace pgfiredrill {
namespace {

using nlohmann::json;

constexpr const char* kVaultKey = "__ansible_vault";
constexpr std::string_view kMarker = "pgfiredrill ";
constexpr std::string_view kUndefined = "pgfiredrill:undefined";
/// Shorter ones would blacken words of the message and protect nothing.
constexpr std::size_t kShortestSecret = 4;

bool holds_template(std::string_view text) {
  return text.find("{{") != std::string_view::npos || text.find("{%") != std::string_view::npos;
}

json parse_or_discarded(std::string_view text) {
  return json::parse(text, nullptr, /*allow_exceptions=*/false);
}

/// What `dump` throws on (bytes that are not UTF-8) cannot be in a parsed text.
std::string scalar_text(const json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number() || value.is_boolean()) return value.dump();
  return {};
}

InventoryVariable to_variable(const json& value) {
  if (!value.is_object()) return {.text = scalar_text(value), .entries = {}, .vault = false};
  if (value.contains(kVaultKey)) return {.text = {}, .entries = {}, .vault = true};
  InventoryVariable variable;
  for (const auto& [name, entry] : value.items()) variable.entries[name] = scalar_text(entry);
  return variable;
}

bool names_a_secret(const std::string& variable) {
  const std::string name = lower(variable);
  constexpr std::string_view kWords[]{"pass", "secret", "token", "credential", "key"};
  return std::any_of(std::begin(kWords), std::end(kWords),
                     [&](std::string_view word) { return name.find(word) != std::string::npos; });
}

std::vector<std::string> strings_of(const json& group, const char* member) {
  std::vector<std::string> result;
  const auto found = group.find(member);
  if (found == group.end() || !found->is_array()) return result;
  for (const json& entry : *found) {
    if (entry.is_string()) result.push_back(entry.get<std::string>());
  }
  return result;
}

class ListingReader {
 public:
  explicit ListingReader(const VariableForms& used) : used_{used} {}

  InventoryListing read(const json& document) {
    for (const auto& [name, value] : document.items()) {
      if (!value.is_object()) continue;
      if (name == "_meta") {
        read_variables(value);
      } else {
        listing_.groups[name] = {strings_of(value, "hosts"), strings_of(value, "children")};
      }
    }
    for (const std::string& secret : secrets_) listing_.secrets.emplace_back(secret);
    return std::move(listing_);
  }

 private:
  void read_variables(const json& meta) {
    const auto hosts = meta.find("hostvars");
    if (hosts == meta.end() || !hosts->is_object()) return;
    for (const auto& [host, variables] : hosts->items()) {
      if (!variables.is_object()) continue;
      HostVariables& kept = listing_.host_variables[host];
      for (const auto& [name, value] : variables.items()) {
        const auto use = used_.find(name);
        if (use != used_.end()) keep(kept[name], value, use->second);
        remember_secret(name, value);
      }
    }
  }

  static void keep(InventoryVariable& variable, const json& value, VariableForm form) {
    if (form != VariableForm::presence) variable = to_variable(value);
  }

  void remember_secret(const std::string& name, const json& value) {
    if (!value.is_string() || !names_a_secret(name)) return;
    const auto& text = value.get_ref<const std::string&>();
    if (text.size() >= kShortestSecret) secrets_.insert(text);
  }

  const VariableForms& used_;
  InventoryListing listing_;
  std::set<std::string> secrets_;
};

Failure not_a_listing(const char* came_back) {
  return {.kind = FailureKind::malformed,
          .what = "read the answer of ansible-inventory",
          .where = {},
          .came_back = came_back,
          .hint =
              "Run `ansible-inventory --list` on the inventory: it must print a JSON object and nothing "
              "else."};
}

/// One `HOST | STATUS => {…}` of the callback `minimal`; the JSON goes on to where the next one begins.
struct HostBlock {
  std::string host;
  std::string_view body;
};

/// Whether a block begins on this line, and where its JSON does.
bool begins_block(std::string_view line, HostBlock& block) {
  const auto bar = line.find(" | ");
  const auto arrow = line.find(" => ");
  if (bar == std::string_view::npos || bar == 0 || arrow == std::string_view::npos || arrow < bar)
    return false;
  if (line.front() == ' ' || line.substr(bar + 3, arrow - bar - 3).find(' ') != std::string_view::npos)
    return false;
  block = {std::string{line.substr(0, bar)}, line.substr(arrow + 4)};
  return true;
}

std::vector<HostBlock> split_blocks(std::string_view output) {
  std::vector<HostBlock> blocks;
  for (const std::string_view line : lines(output)) {
    HostBlock block;
    if (begins_block(line, block)) {
      blocks.push_back(std::move(block));
    } else if (!blocks.empty()) {
      std::string_view& body = blocks.back().body;
      body = {body.data(), static_cast<std::size_t>(line.data() + line.size() - body.data())};
    }
  }
  return blocks;
}

std::string message_of(const json& result) {
  const auto message = result.is_object() ? result.find("msg") : result.end();
  if (!result.is_object() || message == result.end() || !message->is_string()) return {};
  return message->get<std::string>();
}

/// Each value came as a list of one, so that a dictionary and a text take the same way.
HostVariables rendered_values(const json& rendered) {
  HostVariables values;
  for (const auto& [name, list] : rendered.items()) {
    if (!list.is_array() || list.empty()) continue;
    if (list.front().is_string() && list.front().get_ref<const std::string&>() == kUndefined) continue;
    InventoryVariable value = to_variable(list.front());
    // Jinja's none as a text; older releases give an empty one.
    if (value.text == "None") value.text.clear();
    if (!value.vault) values[name] = std::move(value);
  }
  return values;
}

RenderedHost read_block(const HostBlock& block) {
  const std::string message = message_of(parse_or_discarded(block.body));
  if (!message.starts_with(kMarker)) {
    return {.values = {}, .failure = message.empty() ? std::string{"Ansible gave no reason"} : message};
  }
  const json rendered = parse_or_discarded(std::string_view{message}.substr(kMarker.size()));
  if (!rendered.is_object()) return {.values = {}, .failure = "Ansible's answer is not JSON"};
  return {.values = rendered_values(rendered), .failure = {}};
}

/// A list of the value alone. A text is made one in Ansible, where that also decrypts it.
std::string rendering_expression(const std::string& variable, VariableForm form) {
  // Releases from 2.19 on resolve a value only where it is used: the lookup's own default comes too early.
  std::string expression =
      fmt::format("query('vars', '{0}', default='{1}') | map('default', '{1}')", variable, kUndefined);
  if (form == VariableForm::text) expression += " | map('string')";
  return expression + " | list";
}

}  // namespace

bool InventoryVariable::needs_rendering() const {
  return vault || holds_template(text) || std::any_of(entries.begin(), entries.end(), [](const auto& entry) {
           return holds_template(entry.second);
         });
}

std::vector<std::string> InventoryListing::hosts_of(const std::string& group) const {
  std::vector<std::string> hosts;
  std::set<std::string> seen_hosts;
  std::set<std::string> seen_groups;
  std::vector<std::string> to_visit{group};
  while (!to_visit.empty()) {
    const std::string name = std::move(to_visit.back());
    to_visit.pop_back();
    const auto found = groups.find(name);
    if (found == groups.end() || !seen_groups.insert(name).second) continue;
    for (const std::string& host : found->second.hosts) {
      if (seen_hosts.insert(host).second) hosts.push_back(host);
    }
    const auto& children = found->second.children;
    to_visit.insert(to_visit.end(), children.rbegin(), children.rend());
  }
  return hosts;
}

Result<InventoryListing> parse_listing(const std::string& text, const VariableForms& used) {
  const json document = parse_or_discarded(text);
  if (document.is_discarded()) return not_a_listing("text that is not JSON");
  if (!document.is_object()) return not_a_listing("JSON that is not an object");
  return ListingReader{used}.read(document);
}

std::string rendering_arguments(const VariableForms& variables) {
  std::string pairs;
  for (const auto& [variable, form] : variables) {
    if (!pairs.empty()) pairs += ", ";
    pairs += fmt::format("'{}': {}", variable, rendering_expression(variable, form));
  }
  // Behind the marker it is a text whatever is in it: a text that looks like a dictionary would become one.
  return json{{"msg", fmt::format("{}{{{{ {{{}}} | to_json }}}}", kMarker, pairs)}}.dump();
}

std::map<std::string, RenderedHost> parse_rendering(std::string_view output) {
  std::map<std::string, RenderedHost> hosts;
  for (const HostBlock& block : split_blocks(output)) hosts.insert_or_assign(block.host, read_block(block));
  return hosts;
}

}  // namespace pgfiredrill
