#include "fault-injectors/postmaster_scripts.h"

namespace pgfiredrill::fault {
namespace {

// A process is told by its number and its start, in clock ticks since boot: numbers come round again. The
// name in the second field of /proc/PID/stat may hold blanks and brackets; the start is the twentieth field
// behind its last bracket. A zombie holds nothing any more: it counts as gone.
constexpr const char* kProcess = R"sh(set -u
start_of() {
  line=$(cat "/proc/$1/stat" 2>/dev/null) || return 1
  set -- ${line##*) }
  [ "$1" != Z ] && [ "$1" != X ] || return 1
  start=${20}
}
)sh";

constexpr const char* kPostmaster = R"sh(
postmaster_of() {
  exe=$(readlink "/proc/$2/exe") || { start_of "$2" || exit 10; echo "may not look at process $2" >&2; exit 12; }
  here=$(readlink "/proc/$2/cwd") || { start_of "$2" || exit 10; echo "may not look at process $2" >&2; exit 12; }
  name=${exe##*/}
  name=${name% (deleted)}
  there=$(cd "$1" && pwd -P) || exit 13
  case $name in
    postgres | postmaster) [ "$here" = "$there" ] && return ;;
  esac
  printf 'process %s is %s in %s\n' "$2" "$exe" "$here" >&2
  exit 11
}
)sh";

}  // namespace

std::string find_postmaster_script() {
  return std::string{kProcess} + kPostmaster + R"sh(
[ -e "$1/postmaster.pid" ] || { echo "there is no $1/postmaster.pid" >&2; exit 13; }
read -r pid <"$1/postmaster.pid" || exit 13
case $pid in '' | *[!0-9]* | 0* | ????????*) exit 13 ;; esac
start_of "$pid" || exit 10
postmaster_of "$1" "$pid"
printf 'pid %s start %s exe %s\n' "$pid" "$start" "$exe"
)sh";
}

std::string kill_postmaster_script() {
  return std::string{kProcess} + kPostmaster + R"sh(
start_of "$2" || exit 10
[ "$start" = "$3" ] || exit 10
postmaster_of "$1" "$2"
read -r pid <"$1/postmaster.pid" || exit 13
[ "$pid" = "$2" ] || { echo "postmaster.pid names process $pid" >&2; exit 11; }
kill -9 "$2" || exit 12
tries=0
while start_of "$2" && [ "$start" = "$3" ]; do
  tries=$((tries + 1))
  [ "$tries" -lt 30 ] || exit 9
  sleep 0.1
done
printf 'killed pid %s start %s exe %s\n' "$2" "$3" "$exe"
)sh";
}

std::string postmaster_gone_script() {
  return std::string{kProcess} + R"sh(
if start_of "$1" && [ "$start" = "$2" ]; then exit 9; fi
)sh";
}

}  // namespace pgfiredrill::fault
