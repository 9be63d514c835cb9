#include "fault-injectors/host_scripts.h"

#include <algorithm>
#include <utility>

#include "cluster/ssh_host.h"

namespace pgfiredrill::fault {
namespace {

constexpr std::chrono::milliseconds kDeadline{8'000};

bool needs_no_quotes(const std::string& word) {
  return !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '-' ||
           c == '_' || c == '.' || c == '/' || c == ',' || c == ':' || c == '=';
  });
}

// What changes the folder does so while it holds a lock of the kernel's on a file in it, which no death of a
// script leaves behind; files come by rename, so that whoever reads sees all of the old or all of the new.
constexpr const char* kGuarded = R"sh(set -u
umask 022
dir=$1 run=$2
mkdir -p "$dir" || exit 20
if [ -L "$dir" ] || [ ! -d "$dir" ] || [ ! -O "$dir" ] || [ -n "$(find "$dir" -prune -perm /022)" ]; then
  echo "$dir is not a folder that only root may write" >&2
  exit 20
fi
mkdir -p "$dir/armed" || exit 20
exec 9>"$dir/guard" || exit 20
flock -w 5 9 || exit 21
lock_run= lock_owner= lock_until=
read_lock() {
  [ -e "$dir/lock" ] || return 1
  { IFS=' ' read -r a lock_run && IFS=' ' read -r b lock_owner && IFS=' ' read -r c lock_until; } <"$dir/lock" || exit 22
  [ "$a $b $c" = "run owner until" ] || exit 22
  case $lock_until in ''|*[!0-9]*|0*|????????????*) exit 22 ;; esac
}
settle() {
  sync "$1" 2>/dev/null || sync
}
must_be_ours() {
  read_lock || exit 12
  [ "$lock_run" = "$run" ] && [ "$lock_owner" = "$1" ] || exit 12
}
put() {
  cat >"$dir/$1.new" || exit 1
  settle "$dir/$1.new"
  mv -f "$dir/$1.new" "$dir/$1" || exit 1
  settle "$dir"
}
write_lock() {
  printf 'run %s\nowner %s\nuntil %s\n' "$run" "$1" "$(($(date +%s) + $2))" | put lock
}
)sh";

}  // namespace

std::string take_lock_script() {
  return std::string{kGuarded} + R"sh(
owner=$3 seconds=$4 heal=$5
if read_lock; then
  left=$((lock_until - $(date +%s)))
  if [ "$lock_run" = "$run" ] && [ "$lock_owner" = "$owner" ]; then :
  elif [ "$left" -gt 0 ]; then
    printf 'held %s %s %s\n' "$lock_run" "$left" "$lock_owner"
    exit 10
  fi
fi
if [ "$heal" != yes ]; then
  for record in "$dir"/armed/* "$dir"/armed/.[!.]*; do
    [ -e "$record" ] || [ -L "$record" ] || continue
    case $record in "$dir/armed/$run" | "$dir"/armed/.new) continue ;; esac
    printf 'armed %s\n' "${record##*/}"
    exit 11
  done
fi
write_lock "$owner" "$seconds"
)sh";
}

std::string renew_lock_script() {
  return std::string{kGuarded} + R"sh(
owner=$3 seconds=$4
must_be_ours "$owner"
write_lock "$owner" "$seconds"
)sh";
}

std::string release_lock_script() {
  return std::string{kGuarded} + R"sh(
owner=$3
read_lock || exit 0
[ "$lock_run" = "$run" ] || exit 0
[ -z "$owner" ] || [ "$lock_owner" = "$owner" ] || exit 0
rm -f "$dir/lock" || exit 1
settle "$dir"
)sh";
}

std::string write_armed_script() {
  return std::string{kGuarded} + R"sh(
owner=$3 text=$4
must_be_ours "$owner"
printf '%s' "$text" >"$dir/armed/.new" || exit 1
settle "$dir/armed/.new"
mv -f "$dir/armed/.new" "$dir/armed/$run" || exit 1
settle "$dir/armed"
)sh";
}

std::string remove_armed_script() {
  return std::string{kGuarded} + R"sh(
rm -f "$dir/armed/$run" || exit 1
settle "$dir/armed"
)sh";
}

std::string stamp_script() {
  return std::string{kGuarded} + R"sh(
owner=$3
must_be_ours "$owner"
printf 'run %s\nat %s\n' "$run" "$(date +%s)" | put last-disruptive
)sh";
}

std::string look_script() {
  return R"sh(set -u
dir=$1
show() {
  printf '%s\n' "$1"
  head -c 65536 "$2" | awk '{ print "|" $0 }'
}
printf 'now %s\n' "$(date +%s)"
if [ -f "$dir/lock" ]; then show lock "$dir/lock"; fi
if [ -f "$dir/last-disruptive" ]; then show last-disruptive "$dir/last-disruptive"; fi
for record in "$dir"/armed/*; do
  [ -f "$record" ] || continue
  case ${record##*/} in
    .* | *[!0-9A-Za-z._-]*) echo odd ;;
    *) show "armed ${record##*/}" "$record" ;;
  esac
done
echo end
)sh";
}

RemoteCommand host_script(const std::string& script, std::vector<std::string> arguments) {
  RemoteCommand command{.argv = {"sh", "-c", script, "pgfiredrill"}, .as_root = true, .deadline = kDeadline};
  command.argv.insert(command.argv.end(), std::make_move_iterator(arguments.begin()),
                      std::make_move_iterator(arguments.end()));
  return command;
}

std::string typed(const RemoteCommand& command) {
  std::string line = command.as_root ? "sudo" : "";
  for (const std::string& word : command.argv) {
    line += (line.empty() ? "" : " ") + (needs_no_quotes(word) ? word : shell_quote(word));
  }
  return line;
}

}  // namespace pgfiredrill::fault
