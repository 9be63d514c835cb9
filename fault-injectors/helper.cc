#include "fault-injectors/helper.h"

#include <utility>

#include "base/text.h"
#include "fault-injectors/helper_text.h"

namespace pgfiredrill::fault {
namespace {

/// Stopping a unit of systemd takes as long as the unit likes, up to its own limit.
constexpr std::chrono::milliseconds kDeadline{40'000};
constexpr std::chrono::milliseconds kLayDeadline{10'000};
constexpr const char* kLayHint =
    "Lay the helper with the role pgfiredrill_access (ansible/access.yml), or run with --with-sudo.";
/// What a shell says of a program that is not there, and of one that it may not run; dash says it its own way
/// of a script that is not there.
constexpr int kNoSuchProgram = 127;
constexpr int kNoProgram = 126;
constexpr int kNoSuchScript = 2;

/// By rename: whoever calls it sees all of it.
constexpr const char* kLay = R"sh(set -u
umask 022
mkdir -p /run/pgfiredrill || exit 1
[ ! -L /run/pgfiredrill ] && [ -O /run/pgfiredrill ] || { echo "/run/pgfiredrill is not ours" >&2; exit 1; }
chmod 0755 /run/pgfiredrill
cat >/run/pgfiredrill/helper.new.$$ && chmod 0755 /run/pgfiredrill/helper.new.$$ &&
  mv -f /run/pgfiredrill/helper.new.$$ /run/pgfiredrill/helper
)sh";

bool is_not_there(const RemoteResult& result) {
  return result.exit_status == kNoSuchProgram || result.exit_status == kNoProgram ||
         result.exit_status == kNoSuchScript;
}

FailureKind kind_of(int exit_status) {
  switch (exit_status) {
    case kNoRecord:
      return FailureKind::missing;
    case kHelperNotRoot:
      return FailureKind::denied;
    default:
      return FailureKind::failed;
  }
}

Failure odd_answer(const Host& host, const std::string& what, const std::string& out) {
  return {.kind = FailureKind::malformed,
          .what = what,
          .where = host.name(),
          .came_back = "an answer of another shape: " + one_line(out, 120),
          .hint = kLayHint};
}

bool is_state(const std::string& word) {
  return word == "armed" || word == "injected" || word == "reverted" || word == "expired" || word == "absent";
}

}  // namespace

const char* Helper::text() noexcept {
  return kHelperText;
}

RemoteCommand Helper::command(std::vector<std::string> said) const {
  RemoteCommand command{.argv = {kInstalledHelper}, .deadline = kDeadline};
  if (laid_) command.argv = {"sh", kLaidHelper};  // /run may be mounted noexec
  command.argv.insert(command.argv.end(), std::make_move_iterator(said.begin()),
                      std::make_move_iterator(said.end()));
  return command;
}

Result<void> Helper::lay(Host& host) const {
  const auto result =
      host.run({.argv = {"sh", "-c", kLay, "pgfiredrill"}, .input = text(), .deadline = kLayDeadline});
  if (!result) return result.error();
  if (result->exit_status == 0) return {};
  return Failure{.kind = FailureKind::failed,
                 .what = std::string{"lay the helper at "} + kLaidHelper,
                 .where = host.name(),
                 .came_back = one_line(result->err),
                 .hint = "This needs root on the host and room in /run."};
}

Result<void> Helper::prepare(Host& host) const {
  if (laid_) {
    if (auto laid = lay(host); !laid) return laid;
  }
  const auto result = host.run(command({"version"}));
  if (!result) return result.error();
  const std::string expected = std::string{"pgfiredrill-helper "} + kHelperVersion;
  if (result->exit_status == 0 && trim(result->out) == expected) return {};
  const std::string came_back = is_not_there(*result)      ? "it is not there"
                                : result->exit_status == 0 ? "it is " + one_line(result->out, 80)
                                                           : one_line(result->err);
  return Failure{.kind = is_not_there(*result) ? FailureKind::missing : FailureKind::malformed,
                 .what = "call the helper, " + expected,
                 .where = host.name(),
                 .came_back = came_back,
                 .hint = kLayHint};
}

Result<RemoteResult> Helper::run(Host& host, std::vector<std::string> said) const {
  const RemoteCommand asked = command(std::move(said));
  auto result = host.run(asked);
  if (!laid_ || !result || !is_not_there(*result)) return result;
  if (const auto laid = lay(host); !laid) return laid.error();  // a reboot empties /run
  return host.run(asked);
}

Result<std::string> Helper::call(Host& host, const std::string& what, std::vector<std::string> said) const {
  const auto result = run(host, std::move(said));
  if (!result) return result.error();
  if (result->exit_status == 0) return result->out;
  return Failure{.kind = kind_of(result->exit_status),
                 .what = what,
                 .where = host.name(),
                 .came_back = result->err.empty() ? "exit status " + std::to_string(result->exit_status)
                                                  : one_line(result->err),
                 .hint = is_not_there(*result) ? kLayHint : "",
                 .transaction_in_doubt = result->exit_status == kNotTaken};
}

/// Two lines: `state STATE force yes|no`, and a sentence.
Result<HelperState> Helper::check(Host& host, const std::string& id) const {
  const std::string what = "check " + id;
  const auto out = call(host, what, {"check", id});
  if (!out) return out.error();
  const std::size_t end = out->find('\n');
  const auto first = words(std::string_view{*out}.substr(0, end));
  if (first.size() != 4 || first[0] != "state" || !is_state(first[1]) || first[2] != "force" ||
      (first[3] != "yes" && first[3] != "no")) {
    return odd_answer(host, what, *out);
  }
  return HelperState{.state = first[1],
                     .in_force = first[3] == "yes",
                     .sentence = end == std::string::npos ? "" : one_line(out->substr(end + 1))};
}

Result<std::vector<Helper::Pending>> Helper::pending(Host& host) const {
  const std::string what = "read what is armed or broken";
  const auto out = call(host, what, {"pending"});
  if (!out) return out.error();
  std::vector<Pending> all;
  for (const std::string_view line : lines(*out)) {
    const auto parts = words(line);
    if (parts.size() < 3 || !is_state(parts[1])) return odd_answer(host, what, std::string{line});
    all.push_back({.id = parts[0], .state = parts[1], .words = join({parts.begin() + 2, parts.end()}, " ")});
  }
  return all;
}

}  // namespace pgfiredrill::fault
