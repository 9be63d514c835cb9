// Who runs this, so that another run can tell whether it still does.

#include <cerrno>
#include <csignal>
#include <fstream>
#include <optional>

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "fault-injectors/host_lock.h"

namespace pgfiredrill::fault {
namespace {

std::string user_name() {
  const passwd* user = ::getpwuid(::geteuid());
  return user == nullptr ? std::to_string(::geteuid()) : user->pw_name;
}

std::string machine_name() {
  char name[256] = {};
  return ::gethostname(name, sizeof name - 1) == 0 && *name != '\0' ? name : "unknown";
}

/// Process ids mean something within one boot and one namespace of them; empty where that is not known.
std::string boot_id() {
  std::ifstream file{"/proc/sys/kernel/random/boot_id"};
  std::string id;
  std::getline(file, id);
  struct stat processes {};
  if (id.empty() || ::stat("/proc/self/ns/pid", &processes) != 0) return {};
  return id + "/" + std::to_string(processes.st_ino);
}

/// Without the process's number: what must be equal for that number to mean anything here.
struct Owner {
  std::string machine;
  std::string boot;
  pid_t pid = 0;
};

std::optional<Owner> parse_owner(const std::string& text) {
  const auto parts = words(text);
  if (parts.size() != 5 || parts[1] != "pid" || parts[3] != "boot") return std::nullopt;
  const auto at = parts[0].rfind('@');
  const auto pid = parse_integer(parts[2]);
  if (at == std::string::npos || !pid || *pid < 1 || *pid > 1 << 22) return std::nullopt;
  return Owner{.machine = parts[0].substr(at + 1), .boot = parts[4], .pid = static_cast<pid_t>(*pid)};
}

}  // namespace

std::string this_owner() {
  const std::string boot = boot_id();
  return user_name() + "@" + machine_name() + " pid " + std::to_string(::getpid()) + " boot " +
         (boot.empty() ? "unknown" : boot);
}

bool owner_is_dead_here(const std::string& owner) {
  const auto parsed = parse_owner(owner);
  const std::string boot = boot_id();
  if (!parsed || boot.empty() || parsed->machine != machine_name() || parsed->boot != boot) return false;
  return ::kill(parsed->pid, 0) != 0 && errno == ESRCH;
}

}  // namespace pgfiredrill::fault
