#include "inventories/ansible_runner.h"

#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "inventories/ansible_complaint.h"

namespace pgfiredrill {
namespace {

constexpr std::size_t kOutputLimit = 64u << 20;  ///< the variables of thousands of hosts
constexpr const char* kWhat = "read the Ansible inventory";

std::map<std::string, std::string> environment() {
  return {
      // Ansible refuses to start under a locale that is not UTF-8.
      {"LC_ALL", "C.UTF-8"},
      // The form of the answer.
      {"ANSIBLE_NOCOLOR", "1"},
      {"ANSIBLE_FORCE_COLOR", "0"},
      {"ANSIBLE_VERBOSITY", "0"},
      {"ANSIBLE_DEBUG", "0"},
      {"ANSIBLE_DEPRECATION_WARNINGS", "0"},
      {"ANSIBLE_LOAD_CALLBACK_PLUGINS", "0"},
      {"ANSIBLE_CALLBACK_RESULT_FORMAT", "json"},
      {"ANSIBLE_INVENTORY_EXPORT", "0"},
      // Else an inventory that nothing could read is an empty one.
      {"ANSIBLE_INVENTORY_UNPARSED_FAILED", "1"},
      // Questions would wait for somebody who does not see them.
      {"ANSIBLE_ASK_PASS", "0"},
      {"ANSIBLE_ASK_VAULT_PASS", "0"},
      {"ANSIBLE_BECOME_ASK_PASS", "0"},
      {"ANSIBLE_ENABLE_TASK_DEBUGGER", "0"},
      {"ANSIBLE_STRATEGY", "linear"},
      // Rendered passwords are in the answer.
      {"ANSIBLE_LOG_PATH", "/dev/null"},
  };
}

std::string joined(const std::vector<std::string>& parts, char separator) {
  std::string text;
  for (const std::string& part : parts) {
    if (!text.empty()) text += separator;
    text += part;
  }
  return text;
}

}  // namespace

Result<AnsibleListing> AnsibleRunner::list(const VariableForms& used) {
  ProcessRequest listing = request("ansible-inventory");
  listing.argv.emplace_back("--list");
  const auto result = run(listing);
  if (!result) return result.error();
  if (result->exit_status != 0) return complained(*result);
  auto parsed = parse_listing(result->out, used);
  if (!parsed) {
    Failure failure = parsed.error();
    failure.where = options_.path;
    return failure;
  }
  const bool partly_unread = result->err.find("Unable to parse") != std::string::npos;
  return AnsibleListing{std::move(*parsed), partly_unread};
}

Result<RenderedHosts> AnsibleRunner::render(const VariableForms& variables,
                                            const std::vector<std::string>& groups,
                                            const std::vector<Secret>& secrets) {
  const auto together = debug(variables, groups, secrets);
  if (!together) return together.error();
  RenderedHosts hosts;
  std::set<std::string> failed;
  for (const auto& [name, host] : *together) {
    hosts[name].values = host.values;
    if (!host.failure.empty()) failed.insert(name);
  }
  if (failed.empty()) return hosts;

  // One broken variable fails its host: ask for each alone, so that only the broken ones are lost.
  for (const auto& variable : variables) {
    const auto alone = debug({variable}, groups, secrets);
    if (!alone) return alone.error();
    for (const auto& [name, host] : *alone) {
      if (!failed.contains(name)) continue;
      hosts[name].values.insert(host.values.begin(), host.values.end());
      if (!host.failure.empty()) hosts[name].reasons[variable.first] = host.failure;
    }
  }
  return hosts;
}

Result<std::map<std::string, RenderedHost>> AnsibleRunner::debug(const VariableForms& variables,
                                                                 const std::vector<std::string>& groups,
                                                                 const std::vector<Secret>& secrets) {
  ProcessRequest debug = request("ansible");
  debug.argv.insert(debug.argv.end(),
                    {"-m", "debug", "-a", rendering_arguments(variables), joined(groups, ':')});
  const auto result = run(debug);
  if (!result) return result.error();
  auto hosts = parse_rendering(result->out);
  if (hosts.empty()) return complained(*result);
  for (auto& [name, host] : hosts) {
    if (host.failure.empty()) continue;
    const AnsibleComplaint complaint = read_message(scrub(host.failure, secrets));
    if (complaint.vault) return vault_denied();
    host.failure = complaint.text;
  }
  return hosts;
}

ProcessRequest AnsibleRunner::request(std::string program) const {
  // With "=", a path that begins with "-" stays a path.
  std::vector<std::string> argv{std::move(program), "--inventory=" + options_.path};
  if (!options_.vault_password_file.empty())
    argv.push_back("--vault-password-file=" + options_.vault_password_file);
  return {.argv = std::move(argv),
          .input = {},
          .environment = environment(),
          .deadline = options_.deadline,
          .output_limit = kOutputLimit};
}

Result<ProcessResult> AnsibleRunner::run(const ProcessRequest& request) {
  auto result = processes_.run(request);
  if (!result) return program_missing(result.error());
  const std::string& program = request.argv.front();
  if (result->timed_out) {
    return Failure{.kind = FailureKind::timed_out,
                   .what = kWhat,
                   .where = options_.path,
                   .came_back = fmt::format("{} had not ended after {} s", program,
                                            static_cast<double>(options_.deadline.count()) / 1000),
                   .hint =
                       "An inventory script, a lookup or a vault password script may be waiting for "
                       "something: run `ansible-inventory --list` by hand to see."};
  }
  if (result->output_cut) {
    return Failure{.kind = FailureKind::malformed,
                   .what = kWhat,
                   .where = options_.path,
                   .came_back = fmt::format("{} printed more than {} MiB", program, kOutputLimit >> 20),
                   .hint = "Give an inventory of this cluster alone."};
  }
  return result;
}

Failure AnsibleRunner::program_missing(const Failure& cause) const {
  return {.kind = cause.kind,
          .what = kWhat,
          .where = options_.path,
          .came_back = cause.message(),
          .hint =
              "Inventories are read by Ansible itself: install ansible-core on this machine, or use "
              "--patroni URL."};
}

Failure AnsibleRunner::complained(const ProcessResult& result) const {
  const AnsibleComplaint complaint = read_complaint(result.err);
  if (complaint.vault) return vault_denied();
  Failure failure{
      .kind = complaint.kind,
      .what = kWhat,
      .where = options_.path,
      .came_back = complaint.text,
      .hint = fmt::format("`ansible-inventory -i {} --list` shows all that Ansible says about it.",
                          one_line(options_.path))};
  if (failure.came_back.empty())
    failure.came_back = fmt::format("Ansible ended with status {}", result.exit_status);
  if (complaint.kind == FailureKind::missing) failure.hint = "Check --vault-password-file.";
  return failure;
}

Failure AnsibleRunner::vault_denied() const {
  const bool given = !options_.vault_password_file.empty();
  return {.kind = FailureKind::denied,
          .what = kWhat,
          .where = options_.path,
          .came_back = given ? "the vault password does not open a value that is needed"
                             : "a value that is needed is encrypted, and no vault password opens it",
          .hint = given ? fmt::format("Check the password in {} (--vault-password-file).",
                                      one_line(options_.vault_password_file))
                        : "Give --vault-password-file FILE, or set vault_password_file in ansible.cfg."};
}

}  // namespace pgfiredrill
