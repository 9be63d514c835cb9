#!/bin/sh
# pgfiredrill-helper: breaks one named thing on this host, and puts it right again by a timer of systemd's if
# nobody asks for it in time. It runs as root and may be called by whoever sudo lets call it: every argument
# is checked here against fixed lists, and the environment counts for nothing.
#
#   version                               which one this is
#   arm ID SECONDS VERB ARGUMENT...       records what will be done, and starts the timer that undoes it
#   inject ID HOLD_SECONDS                does it, if the timer has at least HOLD_SECONDS + 10 left
#   check ID                              looks whether it is in force now
#   revert ID                             undoes it and sees that it is undone; again does no harm
#   forget ID                             removes the record of what is reverted
#   pending                               every record that stands: ID STATE VERB ARGUMENT...
#   holds-address ADDRESS                 exits 0 where the host has the address
#
# For each verb four functions: arm_VERB looks whether it can be done and notes what undoing it needs, do_VERB
# does it, look_VERB tells whether it is in force (in `force`, `seen`), undo_VERB undoes it. `id`, `here` (the
# record's folder), `boot` and `state` are of the record in hand.
VERSION=1

set -u
PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
LC_ALL=C
export PATH LC_ALL
umask 022
cd / || exit 30

# Only tests move it; sudo keeps the environment of its callers away.
folder=${PGFIREDRILL_FOLDER:-/var/lib/pgfiredrill}
records=$folder/breakages

refused=30 no_record=31 not_armed=32 not_taken=33 still_in_force=34 unsuitable=35 not_root=36

fail() {
  code=$1
  shift
  printf '%s\n' "$*" >&2
  exit "$code"
}

# ---- words --------------------------------------------------------------------------------------------------------

is_number() {  # VALUE LEAST MOST
  case $1 in '' | *[!0-9]* | 0?* | ??????????*) return 1 ;; esac
  [ "$1" -ge "$2" ] && [ "$1" -le "$3" ]
}

check_id() {
  case $1 in '' | [!0-9A-Za-z]* | *[!0-9A-Za-z._-]*) fail $refused "not an ID" ;; esac
  [ "${#1}" -le 120 ] || fail $refused "an ID has at most 120 characters"
}

is_unit_service() {
  case $1 in
    patroni | pgbouncer | haproxy | keepalived | etcd | confd | vip-manager) return 0 ;;
    pgbouncer-*) is_number "${1#pgbouncer-}" 2 99 ;;
    *) return 1 ;;
  esac
}

is_path() {
  case $1 in
    /*) ;;
    *) return 1 ;;
  esac
  case $1/ in *[!0-9A-Za-z/._+-]* | */../* | */./*) return 1 ;; esac
  [ "${#1}" -le 500 ]
}

is_address() {
  case $1 in
    *:*) case $1 in *[!0-9A-Fa-f:]* | *:::*) return 1 ;; esac
      [ "${#1}" -ge 2 ] && [ "${#1}" -le 39 ] && return 0
      return 1 ;;
    *[!0-9.]* | *.*.*.*.* | '') return 1 ;;
    *.*.*.*) ;;
    *) return 1 ;;
  esac
  rest=$1.
  while [ -n "$rest" ]; do
    is_number "${rest%%.*}" 0 255 || return 1
    rest=${rest#*.}
  done
}

count_is() {  # COUNT LEAST MOST VERB
  [ "$1" -ge "$2" ] && [ "$1" -le "$3" ] || fail $refused "$4 takes other arguments"
}

must_be_unit_service() {
  is_unit_service "$1" || fail $refused "no service of this name is drilled"
}

must_be_path() {
  is_path "$1" || fail $refused "not an absolute path of plain characters"
}

# Everything that can be told of the words alone.
check_words() {
  verb=$1
  shift
  case $verb in
    kill) check_kill "$@" ;;
    freeze) check_freeze "$@" ;;
    stop | crash-loop) count_is $# 1 1 "$verb" && must_be_unit_service "$1" ;;
    reload) count_is $# 1 1 "$verb" && { [ "$1" = haproxy ] || fail $refused "only haproxy is reloaded"; } ;;
    cut) check_cut "$@" ;;
    prevent-start | freeze-disk) count_is $# 1 1 "$verb" && must_be_path "$1" ;;
    fill)
      count_is $# 2 2 fill && must_be_path "$1"
      is_number "$2" 16 9999999 || fail $refused "the reserve is a number of megabytes, 16 or more" ;;
    reboot | patroni-pause) count_is $# 0 0 "$verb" ;;
    patroni-config) check_patroni_config "$@" ;;
    *) fail $refused "no such verb" ;;
  esac
}

check_kill() {
  case ${1-} in
    postmaster | postgresql) count_is $# 3 3 kill && must_be_path "$3" ;;
    *) count_is $# 2 2 kill && must_be_unit_service "$1" ;;
  esac
  case $1.$2 in
    *.KILL | postmaster.INT | postmaster.TERM) ;;
    postgresql.*) fail $refused "all of PostgreSQL is only killed with KILL" ;;
    *.INT | *.TERM) ;;
    *) fail $refused "the signal is KILL, INT or TERM" ;;
  esac
}

check_freeze() {
  case ${1-} in
    postmaster | postgresql) count_is $# 2 2 freeze && must_be_path "$2" ;;
    *) count_is $# 1 1 freeze && must_be_unit_service "$1" ;;
  esac
}

check_cut() {
  count_is $# 3 202 cut
  case $1 in drop | refuse) ;; *) fail $refused "what is cut is dropped or refused" ;; esac
  case $2 in both | in | out) ;; *) fail $refused "the direction is both, in or out" ;; esac
  shift 2
  for entry; do check_entry "$entry"; done
}

# Port 22 is the way in for whoever undoes it.
check_entry() {
  case $1 in
    vrrp/*) is_address "${1#vrrp/}" || fail $refused "not an address: vrrp/..." ;;
    remote/tcp/*/* | local/tcp/*/*)
      peer=${1#*/tcp/}
      is_address "${peer%%/*}" || fail $refused "not an address in an entry"
      is_number "${peer#*/}" 1 65535 || fail $refused "not a port in an entry"
      [ "${peer#*/}" != 22 ] || fail $refused "port 22 is never cut" ;;
    *) fail $refused "an entry is remote/tcp/ADDRESS/PORT, local/tcp/ADDRESS/PORT or vrrp/ADDRESS" ;;
  esac
}

# Scalars of the first level: nothing that nests, and nothing that says where data or members are.
check_patroni_config() {
  count_is $# 2 2 patroni-config
  case $1 in
    ttl | loop_wait | retry_timeout | maximum_lag_on_failover | maximum_lag_on_syncnode | failsafe_mode) ;;
    synchronous_mode | synchronous_mode_strict | synchronous_node_count | check_timeline | pause) ;;
    primary_start_timeout | primary_stop_timeout | master_start_timeout | master_stop_timeout) ;;
    max_timelines_history | member_slots_ttl) ;;
    *) fail $refused "this key of Patroni's configuration is not drilled" ;;
  esac
  case $2 in
    true | false | null) return ;;
    \"*\")
      plain=${2#?}
      plain=${plain%?}
      case $plain in *[!0-9A-Za-z_.,:/+-]*) ;; *) [ "${#plain}" -gt 80 ] || return 0 ;; esac ;;
    *) is_number "${2#-}" 0 999999999 && return ;;
  esac
  fail $refused "not a plain JSON scalar"
}

# ---- records ------------------------------------------------------------------------------------------------------

# What writes does so while it holds a lock of the kernel's on a file in the folder, which no death of a
# process leaves behind.
guard() {  # SECONDS
  mkdir -p "$folder" || exit $refused
  if [ -L "$folder" ] || [ ! -d "$folder" ] || [ ! -O "$folder" ] ||
    [ -n "$(find "$folder" -prune -perm /022)" ]; then
    fail $refused "$folder is not a folder that only root may write"
  fi
  mkdir -p "$records" || exit $refused
  exec 9>"$folder/guard-helper" || exit $refused
  flock -w "$1" 9 || fail $refused "another command of the helper's does not end here"
}

# Of this file only: a sync of everything would wait for a file system that is frozen.
settle() {
  sync "$1" 2>/dev/null || :
}

# Aside and by rename: who reads sees all of the old or all of the new.
put() {  # NAME, and the text on stdin
  cat >"$here/$1.new" && settle "$here/$1.new" && mv -f "$here/$1.new" "$here/$1" && settle "$here" ||
    fail $refused "$here/$1 cannot be written"
}

get() {  # NAME
  cat "$here/$1" 2>/dev/null
}

enter() {  # ID
  check_id "$1"
  id=$1 here=$records/$1
  state=$(get state) || return 1
  boot=$(get boot)
}

# Calls NAME_VERB with the record's arguments.
by_verb() {  # NAME
  called=$1
  set -f
  IFS='
'
  set -- $(get what)
  unset IFS
  set +f
  verb=$1
  shift
  case $verb in
    crash-loop) called=${called}_crash_loop ;;
    prevent-start) called=${called}_prevent_start ;;
    freeze-disk) called=${called}_freeze_disk ;;
    patroni-config) called=${called}_patroni_config ;;
    patroni-pause) called=${called}_patroni_pause ;;
    kill | freeze | stop | reload | cut | fill | reboot) called=${called}_$verb ;;
    *) fail $refused "the record of $id is none of ours" ;;
  esac
  "$called" "$@"
}

# From here on it may be in force, whatever becomes of this process.
begin() {
  echo injected | put state
}

this_boot() {
  cat /proc/sys/kernel/random/boot_id
}

is_mended() {
  case $state in reverted | expired) return 0 ;; *) return 1 ;; esac
}

survives_a_reboot() {
  case $1 in
    prevent-start | fill | patroni-config | patroni-pause) return 0 ;;
    *) return 1 ;;
  esac
}

until_so() {  # SECONDS COMMAND...
  tries=$(($1 * 10))
  shift
  while ! "$@"; do
    tries=$((tries - 1))
    [ "$tries" -gt 0 ] || return 1
    sleep 0.1
  done
}

# ---- timers -------------------------------------------------------------------------------------------------------

timer_name() {
  echo "pgfiredrill-revert-$id"
}

boot_name() {
  echo "pgfiredrill-boot-$id"
}

self() {
  own=$(readlink -f "$0") && [ -f "$own" ] && [ -O "$own" ] && [ -z "$(find "$own" -prune -perm /022)" ] ||
    fail $refused "the helper must be a file that only root may write"
}

# A timer is up to a minute late unless its accuracy is set. /bin/sh, since /run may be mounted noexec.
start_timer() {  # SECONDS
  systemd-run --quiet --collect --unit="$(timer_name)" --on-active="$1" --timer-property=AccuracySec=100ms \
    --property=Type=oneshot --property=Restart=on-failure --property=RestartSec=3 \
    /bin/sh "$own" revert "$id" timer >/dev/null && timer_waits
}

# A timer of its own that is only enabled: one with OnBootSec= in the past would fire as soon as it is started.
lay_boot_timer() {
  copy=$folder/helper-$id
  cp "$own" "$copy.new" && chmod 0755 "$copy.new" && settle "$copy.new" && mv -f "$copy.new" "$copy" || return 1
  cat >"/etc/systemd/system/$(boot_name).service" <<END || return 1
[Unit]
Description=Undo what pgfiredrill has broken ($id)
[Service]
Type=oneshot
Restart=on-failure
RestartSec=3
ExecStart=/bin/sh $copy revert $id boot
END
  cat >"/etc/systemd/system/$(boot_name).timer" <<END || return 1
[Unit]
Description=Undo what pgfiredrill has broken ($id), after a reboot
[Timer]
OnBootSec=20s
AccuracySec=100ms
[Install]
WantedBy=timers.target
END
  settle "/etc/systemd/system/$(boot_name).service"
  systemctl --quiet enable "$(boot_name).timer" 2>/dev/null && settle /etc/systemd/system
}

remove_boot_timer() {
  [ -e "/etc/systemd/system/$(boot_name).timer" ] || [ -e "$folder/helper-$id" ] || return 0
  systemctl --quiet disable --now "$(boot_name).timer" 2>/dev/null
  rm -f "/etc/systemd/system/$(boot_name).timer" "/etc/systemd/system/$(boot_name).service" "$folder/helper-$id"
  systemctl daemon-reload
}

timer_waits() {
  [ "$(systemctl show -p SubState --value "$(timer_name).timer")" = waiting ]
}

# A span as systemctl shows it ("1min 2.5s") in seconds; 0 where it is none.
seconds_of() {  # UNIT PROPERTY
  systemctl show -p "$2" --value "$1" | awk '
    BEGIN {
      size["us"] = 1e-6; size["ms"] = 1e-3; size["s"] = 1; size["min"] = 60; size["h"] = 3600; size["d"] = 86400
      size["w"] = 604800; size["month"] = 2629800; size["y"] = 31557600
    }
    {
      for (i = 1; i <= NF; ++i) {
        unit = $i
        gsub(/[0-9.]/, "", unit)
        if (!(unit in size)) { odd = 1; break }
        sum += $i * size[unit]
      }
    }
    END { printf "%.3f\n", odd ? 0 : sum }'
}

# Whole seconds until the timer fires, 0 where it does not. systemd counts without the time that the machine
# was suspended, /proc/uptime with it: after a suspend this says too little, never too much.
timer_left() {
  timer_waits || { echo 0; return; }
  at=$(seconds_of "$(timer_name).timer" NextElapseUSecMonotonic)
  awk -v at="$at" '{ left = at - $1; print left < 0 ? 0 : int(left) }' /proc/uptime
}

# A unit that reverts must not stop itself.
stop_timers() {  # timer, boot or asked
  systemctl --quiet stop "$(timer_name).timer" 2>/dev/null
  if [ "$1" != timer ]; then systemctl --quiet stop "$(timer_name).service" 2>/dev/null; fi
  systemctl --quiet reset-failed "$(timer_name).service" 2>/dev/null
  remove_boot_timer
}

# ---- processes ----------------------------------------------------------------------------------------------------

# A process is told by its number and its start, in clock ticks since boot: numbers come round again. The name
# in the second field of /proc/PID/stat may hold blanks and brackets; the start is the twentieth field behind
# its last bracket. A zombie holds nothing any more: it counts as gone.
start_of() {  # PID
  line=$(cat "/proc/$1/stat" 2>/dev/null) || return 1
  set -- ${line##*) }
  [ "$1" != Z ] && [ "$1" != X ] || return 1
  letter=$1 start=${20}
}

lives() {  # PID START
  [ "$boot" = "$(this_boot)" ] && start_of "$1" && [ "$start" = "$2" ]
}

program_of() {  # PID
  exe=$(readlink "/proc/$1/exe") || exe=
  exe=${exe% (deleted)}
  program=${exe##*/}
}

must_be_fair_game() {  # PID
  program_of "$1"
  [ "$1" -gt 1 ] && [ "$1" != $$ ] && [ -n "$program" ] || fail $unsuitable "process $1 is not to be touched"
  case $program in
    systemd* | dbus* | sshd* | init) fail $unsuitable "process $1 ($program) is never touched" ;;
  esac
}

children_of() {  # PID
  cat /proc/[0-9]*/stat 2>/dev/null |
    awk -v of="$1" '{ pid = $1; sub(/^.*\) /, ""); if ($2 == of && $1 != "Z" && $1 != "X") print pid, $20 }'
}

same_program_children() {  # PID
  program_of "$1"
  parent_exe=$exe
  children_of "$1" | while read -r child child_start; do
    program_of "$child"
    [ "$exe" != "$parent_exe" ] || echo "$child $child_start"
  done
}

data_directory() {  # PATH
  there=$(cd "$1" 2>/dev/null && pwd -P) || fail $unsuitable "there is no folder $1"
  [ -f "$there/PG_VERSION" ] || fail $unsuitable "$1 is no data directory: it has no PG_VERSION"
  [ "$(stat -c %U "$there")" = postgres ] || fail $unsuitable "$1 does not belong to postgres"
}

find_postmaster() {  # DATA_DIRECTORY
  data_directory "$1"
  pid=
  read -r pid 2>/dev/null <"$there/postmaster.pid" || [ -n "$pid" ] ||
    fail $unsuitable "there is no $1/postmaster.pid"
  is_number "$pid" 2 9999999 || fail $unsuitable "$1/postmaster.pid names no process"
  start_of "$pid" || fail $unsuitable "there is no process $pid that $1/postmaster.pid names"
  program_of "$pid"
  case $program in
    postgres | postmaster) [ "$(readlink "/proc/$pid/cwd")" != "$there" ] || return 0 ;;
  esac
  fail $unsuitable "process $pid is $exe, not the postmaster of $1"
}

main_pid() {  # SERVICE
  systemctl show -p MainPID --value "$1.service"
}

find_main_process() {  # SERVICE
  unit_runs "$1" || fail $unsuitable "$1.service is not active"
  pid=$(main_pid "$1")
  start_of "$pid" || fail $unsuitable "$1.service has no main process"
  must_be_fair_game "$pid"
}

# `pids` holds the main process first.
note_main() {  # SERVICE DATA_DIRECTORY
  case $1 in
    postmaster | postgresql) find_postmaster "$2" ;;
    *) find_main_process "$1" ;;
  esac
  echo "$pid $start" | put pids
}

# What was aimed at is still there, by number and start; the main process in pid, start.
same_main() {
  read -r pid start <"$here/pids" || fail $unsuitable "the record of $id names no process"
  main_start=$start
  lives "$pid" "$main_start" || fail $unsuitable "process $pid, which was aimed at, is gone"
}

# HAProxy's and keepalived's work is done by children of the same program; a unit's control group is no list of
# what belongs to it, PostgreSQL is in Patroni's.
note_others() {  # SERVICE
  case $1 in
    postgresql) others=$(children_of "$pid") ;;
    haproxy | keepalived) others=$(same_program_children "$pid") ;;
    *) others= ;;
  esac
  { echo "$pid $main_start"; [ -z "$others" ] || echo "$others"; } | put pids
}

signal_all() {  # SIGNAL
  while read -r one one_start; do
    if lives "$one" "$one_start"; then kill -s "$1" "$one"; fi
  done <"$here/pids"
}

all_gone() {
  while read -r one one_start; do
    if lives "$one" "$one_start"; then return 1; fi
  done <"$here/pids"
}

# ---- units --------------------------------------------------------------------------------------------------------

unit_state() {  # SERVICE
  systemctl show -p ActiveState --value "$1.service"
}

unit_runs() {
  [ "$(systemctl show -p LoadState --value "$1.service")" = loaded ] && [ "$(unit_state "$1")" = active ]
}

# With a main process: a unit that waits for its restart is "activating" too, and etcd is until it has a quorum.
unit_is_up() {
  [ "$(systemctl show -p LoadState --value "$1.service")" = loaded ] || return 1
  case $(unit_state "$1") in active | activating | reloading) [ "$(main_pid "$1")" -gt 0 ] ;; *) return 1 ;; esac
}

unit_is_down() {
  case $(unit_state "$1") in inactive | failed) return 0 ;; *) return 1 ;; esac
}

unit_has_failed() {
  [ "$(unit_state "$1")" = failed ]
}

# Above /etc, where the units of the services drilled here lie: a runtime mask below it would count for nothing.
mask_of() {
  echo "/run/systemd/system.control/$1.service"
}

is_masked() {
  [ "$(systemctl show -p LoadState --value "$1.service")" = masked ]
}

mask() {
  mkdir -p /run/systemd/system.control && ln -s /dev/null "$(mask_of "$1")" && systemctl daemon-reload
}

unmask() {
  [ "$(readlink "$(mask_of "$1")")" = /dev/null ] || return 0
  rm -f "$(mask_of "$1")"
  systemctl daemon-reload
}

bring_up() {  # SERVICE
  unit_is_up "$1" && return
  systemctl --quiet reset-failed "$1.service" 2>/dev/null
  systemctl --quiet start --no-block "$1.service" 2>/dev/null
  until_so 20 unit_is_up "$1"
}

look_up() {  # SERVICE
  if unit_is_up "$1"; then
    force=no seen="$1.service is $(unit_state "$1"), process $(main_pid "$1")"
  else
    force=yes seen="$1.service is $(unit_state "$1")"
  fi
}

# ---- kill ---------------------------------------------------------------------------------------------------------

arm_kill() {
  note_main "$1" "${3-}"
}

do_kill() {
  same_main
  note_others "$1"
  begin
  signal_all "$2"
  [ "$2" != KILL ] || until_so 5 all_gone || fail $not_taken "process $pid is still there after SIGKILL"
}

look_kill() {
  if is_mended; then
    look_left_of_kill "$1"
    return
  fi
  read -r pid start <"$here/pids"
  main_start=$start
  if lives "$pid" "$main_start" || ! all_gone; then
    force=no seen="process $pid of $1 is still there"
    return
  fi
  force=yes seen="process $pid of $1 is gone, $(runs_instead "$1" "$pid" "${3-}")"
}

look_left_of_kill() {
  force=no seen="Patroni brings PostgreSQL back"
  if is_unit_service "$1"; then look_up "$1"; fi
}

runs_instead() {  # SERVICE PID DATA_DIRECTORY
  case $1 in
    postmaster | postgresql) new=$(head -n 1 "$3/postmaster.pid" 2>/dev/null) ;;
    *) new=$(main_pid "$1") ;;
  esac
  if [ "${new:-0}" != "$2" ] && is_number "${new:-0}" 2 9999999 && [ -d "/proc/$new" ]; then
    echo "process $new runs instead"
  else
    echo "nothing runs instead"
  fi
}

undo_kill() {
  if is_unit_service "$1"; then bring_up "$1"; fi
}

# ---- freeze -------------------------------------------------------------------------------------------------------

arm_freeze() {
  note_main "$1" "${2-}"
}

# The postmaster first: then it has no more children.
do_freeze() {
  same_main
  begin
  kill -s STOP "$pid"
  until_so 3 is_stopped "$pid" "$main_start" || fail $not_taken "process $pid does not stop"
  note_others "$1"
  signal_all STOP
  until_so 5 nothing_else_runs || fail $not_taken "not every process of $1 stops"
}

is_stopped() {  # PID START
  lives "$1" "$2" && [ "$letter" = T ]
}

count_stopped() {
  stopped=0 running=0
  while read -r one one_start; do
    lives "$one" "$one_start" || continue
    if [ "$letter" = T ]; then stopped=$((stopped + 1)); else running=$((running + 1)); fi
  done <"$here/pids"
}

nothing_else_runs() {
  count_stopped
  [ "$running" = 0 ]
}

look_freeze() {
  count_stopped
  read -r pid main_start <"$here/pids"
  if is_mended; then
    force=no seen="no process of $1 is stopped"
    [ "$stopped" = 0 ] || force=yes seen="$stopped processes of $1 are still stopped"
  elif is_stopped "$pid" "$main_start" && [ "$running" = 0 ]; then
    force=yes seen="process $pid of $1 is stopped, $stopped in all"
  elif ! lives "$pid" "$main_start"; then
    force=no seen="process $pid of $1, which was aimed at, is gone"
  else
    force=no seen="$running processes of $1 run, $stopped are stopped"
  fi
}

nothing_is_stopped() {
  count_stopped
  [ "$stopped" = 0 ]
}

undo_freeze() {
  signal_all CONT
  until_so 5 nothing_is_stopped
}

# ---- stop ---------------------------------------------------------------------------------------------------------

must_run_unmasked() {
  find_main_process "$1"
  [ ! -e "$(mask_of "$1")" ] && [ ! -L "$(mask_of "$1")" ] || fail $unsuitable "$1.service is masked or controlled"
}

arm_stop() {
  must_run_unmasked "$1"
}

# Masked once it is stopped: a mask takes the unit's own way of stopping away.
do_stop() {
  must_run_unmasked "$1"
  begin
  systemctl --quiet stop --no-block "$1.service"
  until_so 30 unit_is_down "$1" || fail $not_taken "$1.service does not stop within 30 s"
  mask "$1" || fail $not_taken "$1.service cannot be masked"
  unit_is_down "$1" || fail $not_taken "$1.service was started again by somebody"
}

look_stop() {
  if is_mended; then
    look_up "$1"
  elif unit_is_down "$1" && is_masked "$1"; then
    force=yes seen="$1.service is stopped and masked"
  else
    force=no seen="$1.service is $(unit_state "$1") and $(systemctl show -p LoadState --value "$1.service")"
  fi
}

undo_stop() {
  unmask "$1"
  bring_up "$1"
}

# ---- crash-loop ---------------------------------------------------------------------------------------------------

arm_crash_loop() {
  find_main_process "$1"
  gives_up "$1" || fail $unsuitable "systemd restarts $1.service without end: its restarts are too far apart to count"
}

# Whether so many starts fall into the interval in which systemd counts them.
gives_up() {
  awk -v pause="$(seconds_of "$1.service" RestartUSec)" -v span="$(seconds_of "$1.service" StartLimitIntervalUSec)" \
    -v starts="$(systemctl show -p StartLimitBurst --value "$1.service")" 'BEGIN { exit !(starts * pause < span) }'
}

do_crash_loop() {
  find_main_process "$1"
  begin
  until_so 30 crashed_for_good "$1" || fail $not_taken "systemd still restarts $1.service after 30 s of kills"
}

crashed_for_good() {
  main=$(main_pid "$1")
  if [ "$main" -gt 1 ]; then kill -s KILL "$main" 2>/dev/null; fi
  unit_has_failed "$1"
}

look_crash_loop() {
  if is_mended; then
    look_up "$1"
  elif unit_has_failed "$1"; then
    force=yes seen="$1.service has failed: $(systemctl show -p Result --value "$1.service")"
  else
    force=no seen="$1.service is $(unit_state "$1")"
  fi
}

undo_crash_loop() {
  bring_up "$1"
}

# ---- cut ----------------------------------------------------------------------------------------------------------

table_name() {
  echo "pgfiredrill_$(echo "$id" | tr .- __)"
}

family() {  # ADDRESS
  case $1 in *:*) echo ip6 ;; *) echo ip ;; esac
}

rule() {  # in|out MATCH...
  [ "$direction" = both ] || [ "$direction" = "$1" ] || return 0
  chain=$1
  shift
  echo "add rule inet $(table_name) $chain $*"
}

# What a person is logged in by stays open, whatever the entries say.
ssh_ports() {
  { echo 22; ss -Hltnp 2>/dev/null | awk '/"sshd/ { sub(/.*:/, "", $4); print $4 }'; } | sort -un | paste -sd,
}

rules() {  # drop|refuse DIRECTION ENTRY...
  how=$1 direction=$2
  shift 2
  echo "add table inet $(table_name)"
  echo "add chain inet $(table_name) in { type filter hook input priority -150; policy accept; }"
  echo "add chain inet $(table_name) out { type filter hook output priority -150; policy accept; }"
  ports=$(ssh_ports)
  echo "add rule inet $(table_name) in tcp dport { $ports } accept"
  echo "add rule inet $(table_name) out tcp sport { $ports } accept"
  case $how in drop) verdict=drop ;; *) verdict='reject with tcp reset' ;; esac
  for entry; do entry_rules "$entry"; done
}

entry_rules() {
  peer=${1#*/tcp/}
  address=${peer%%/*} port=${peer#*/}
  case $1 in
    remote/*)
      rule out "$(family "$address") daddr $address tcp dport $port $verdict"
      rule in "$(family "$address") saddr $address tcp sport $port $verdict" ;;
    local/*)
      rule in "$(family "$address") saddr $address tcp dport $port $verdict"
      rule out "$(family "$address") daddr $address tcp sport $port $verdict" ;;
    vrrp/*)
      address=${1#vrrp/}
      rule in "$(family "$address") saddr $address meta l4proto 112 drop"
      rule out "$(family "$address") daddr $address meta l4proto 112 drop" ;;
  esac
}

has_table() {
  nft list tables inet 2>/dev/null | grep -qxF "table inet $(table_name)"
}

arm_cut() {
  command -v nft >/dev/null || fail $unsuitable "nft is not installed here"
  ! has_table || fail $unsuitable "there is a table $(table_name) already"
  rules "$@" | put rules
  said=$(nft -c -f "$here/rules" 2>&1) || fail $unsuitable "nft does not take the rules: $(echo "$said" | head -n 1)"
}

do_cut() {
  ! has_table || fail $unsuitable "there is a table $(table_name) already"
  begin
  nft -f "$here/rules" || fail $not_taken "nft did not take the rules"
  listing | put listed
}

listing() {
  nft -s list table inet "$(table_name)" 2>/dev/null
}

look_cut() {
  entries=$(($# - 2))
  if ! has_table; then
    force=no seen="there is no table $(table_name)"
  elif [ "$(listing)" = "$(get listed)" ]; then
    force=yes seen="table $(table_name) is in force, $entries entries, $1, $2"
  else
    force=no seen="somebody has changed table $(table_name)"
    if is_mended; then force=yes; fi
  fi
}

undo_cut() {
  if has_table; then nft delete table inet "$(table_name)"; fi
  ! has_table
}

# ---- disks --------------------------------------------------------------------------------------------------------

device_of() {
  stat -c %d "$1" 2>/dev/null
}

# Nothing but the cluster's data may be on it: neither what would undo it, nor what a person needs to log in.
must_be_apart() {  # FOLDER
  for other in / /var /var/lib /var/lib/etcd /var/log /var/log/postgresql /var/spool /var/spool/pgbackrest /var/tmp \
    /tmp /home /root /etc /usr /opt /run /boot "$folder"; do
    if [ "$(device_of "$1")" = "$(device_of "$other")" ]; then
      fail $unsuitable "$1 is on one file system with $other"
    fi
  done
  case $(findmnt -n -o FSTYPE -T "$1") in
    ext4 | xfs) ;;
    *) fail $unsuitable "$1 is not on ext4 or xfs" ;;
  esac
}

find_mount() {  # DATA_DIRECTORY
  data_directory "$1"
  must_be_apart "$there"
  wal=$(cd "$there/pg_wal" 2>/dev/null && pwd -P) || fail $unsuitable "$1 has no pg_wal"
  must_be_apart "$wal"
  mount=$(findmnt -n -o TARGET -T "$there")
  is_path "$mount" && [ "$(device_of "$mount")" = "$(device_of "$there")" ] ||
    fail $unsuitable "the file system of $1 is mounted at an odd place"
}

as_postgres() {
  runuser -u postgres -- "$@"
}

# ---- fill ---------------------------------------------------------------------------------------------------------

free_mb() {  # FOLDER; what others than root may use
  df --output=avail -B1M "$1" | tail -n 1 | tr -d ' '
}

arm_fill() {
  find_mount "$1"
  into=$mount
  as_postgres test -w "$into" || into=${there%/*}
  as_postgres test -w "$into" && [ "$(device_of "$into")" = "$(device_of "$there")" ] ||
    fail $unsuitable "postgres may write nowhere on $mount but inside its data directory"
  [ "$(free_mb "$into")" -gt "$2" ] || fail $unsuitable "$mount has less free than the reserve"
  filled=$into/.pgfiredrill-fill-$id
  [ ! -e "$filled" ] && [ ! -L "$filled" ] || fail $unsuitable "there is a $filled already"
  echo "$filled" | put file
}

# As postgres: root may use what a file system keeps back for it.
do_fill() {
  filled=$(get file)
  begin
  until_so 1 fill_to_reserve "$2" || fail $not_taken "$filled cannot be allocated"
}

fill_to_reserve() {
  more=$(($(free_mb "${filled%/*}") - $1))
  [ "$more" -gt 0 ] || return 0
  as_postgres fallocate -l "${more}M" "$filled" 2>/dev/null
}

look_fill() {
  filled=$(get file)
  if [ ! -e "$filled" ]; then
    force=no seen="$filled is not there"
    return
  fi
  left=$(free_mb "${filled%/*}")
  force=yes seen="$left MB are left beside $filled"
  [ "$left" -le $(($2 + 64)) ] || is_mended || force=no
}

undo_fill() {
  as_postgres rm -f "$(get file)"
  [ ! -e "$(get file)" ]
}

# ---- freeze-disk --------------------------------------------------------------------------------------------------

arm_freeze_disk() {
  find_mount "$1"
  command -v fsfreeze >/dev/null || fail $unsuitable "fsfreeze is not installed here"
  echo "$mount" | put mount
}

# Nothing tells whether a file system is frozen but a write that waits. One such write waits for as long as the
# freeze lasts: the removal of a file that is not there, which changes nothing whenever it goes through.
do_freeze_disk() {
  mount=$(get mount)
  begin
  fsfreeze -f "$mount" || fail $not_taken "fsfreeze did not freeze $mount"
  setsid unlink "$mount/.pgfiredrill-none-$id" </dev/null >/dev/null 2>&1 9>&- &
  sleep 0.2
  start_of $! && echo "$! $start" | put pids
}

probe_waits() {
  [ -e "$here/pids" ] && read -r probe probe_start <"$here/pids" && lives "$probe" "$probe_start" &&
    [ "$letter" = D ]
}

look_freeze_disk() {
  mount=$(get mount)
  if probe_waits; then
    force=yes seen="$mount is frozen: process $probe waits to write there"
  else
    force=no seen="$mount is not frozen"
  fi
}

probe_is_through() {
  ! probe_waits
}

undo_freeze_disk() {
  fsfreeze -u "$(get mount)" 2>/dev/null
  until_so 5 probe_is_through
}

# ---- prevent-start ------------------------------------------------------------------------------------------------

enter_global() {  # DATA_DIRECTORY; the folder belongs to postgres, so nothing in it is followed
  data_directory "$1"
  cd -P "$there/global" 2>/dev/null && [ "$(pwd -P)" = "$there/global" ] ||
    fail $unsuitable "$1/global is not a folder of its own"
  [ -f pg_control ] && [ ! -L pg_control ] && [ "$(stat -c %h pg_control)" = 1 ] ||
    fail $unsuitable "$1/global/pg_control is not a file of its own"
}

arm_prevent_start() {
  note_main postmaster "$1"
  enter_global "$1"
  case $(stat -c '%U %a' pg_control) in
    'postgres 600' | 'postgres 640') stat -c '%u:%g' pg_control | put owner ;;
    *) fail $unsuitable "$1/global/pg_control has an odd owner or mode" ;;
  esac
}

# With that owner and the mode it has, the server may neither read it all nor write it.
do_prevent_start() {
  same_main
  enter_global "$1"
  begin
  chown -h root:root pg_control || fail $not_taken "the owner of $1/global/pg_control cannot be changed"
  signal_all KILL
  until_so 5 all_gone || fail $not_taken "process $pid is still there after SIGKILL"
}

look_prevent_start() {
  enter_global "$1"
  owner=$(stat -c %U pg_control)
  if [ "$owner" != root ]; then
    force=no seen="$1/global/pg_control belongs to $owner"
  elif all_gone; then
    force=yes seen="$1/global/pg_control belongs to root, and the postmaster is gone"
  else
    force=no seen="$1/global/pg_control belongs to root, and the postmaster still runs"
    if is_mended; then force=yes; fi
  fi
}

undo_prevent_start() {
  enter_global "$1"
  [ "$(stat -c %u:%g pg_control)" != 0:0 ] || chown -h "$(get owner)" pg_control
}

# ---- reboot, reload -----------------------------------------------------------------------------------------------

arm_reboot() { :; }

# A second later, so that the answer gets out.
do_reboot() {
  begin
  systemd-run --quiet --collect --on-active=1 --timer-property=AccuracySec=100ms systemctl reboot ||
    fail $not_taken "systemd does not reboot"
}

look_reboot() {
  if is_mended || [ "$boot" = "$(this_boot)" ]; then
    force=no seen="the host has booted as $(this_boot), at arming $boot"
  else
    force=yes seen="the host has booted anew: $(this_boot), at arming $boot"
  fi
}

undo_reboot() { :; }

arm_reload() {
  find_main_process "$1"
}

do_reload() {
  begin
  systemctl --quiet reload "$1.service" || fail $not_taken "$1.service was not reloaded"
  date +%s | put reloaded
}

look_reload() {
  force=no seen="$1.service was not reloaded"
  [ ! -e "$here/reloaded" ] || force=yes seen="$1.service was reloaded"
  if is_mended; then look_up "$1"; fi
}

undo_reload() {
  bring_up "$1"
}

# ---- Patroni's configuration --------------------------------------------------------------------------------------

patroni_config() {
  timeout 15 runuser -u postgres -- env -i PATH="$PATH" LC_ALL=C.UTF-8 HOME=/ \
    patronictl -c /etc/patroni/patroni.yml "$@" </dev/null
}

# The value of a key as YAML in `value`, `null` where it is not there.
read_config() {  # KEY
  shown=$(patroni_config show-config 2>/dev/null) && [ -n "$shown" ] || return 1
  value=$(echo "$shown" | sed -n "s/^$1: *//p" | head -n 1)
  [ -n "$value" ] || ! echo "$shown" | grep -q "^$1:" || return 1
  value=${value:-null}
}

write_config() {  # KEY VALUE
  patroni_config edit-config --quiet --set "$1=$2" --force >/dev/null 2>&1
}

arm_patroni_config() {
  read_config "$1" || fail $unsuitable "patronictl does not show a plain value of $1"
  echo "$value" | put before
}

# What the configuration shows of it is what it must still show for the undoing to be ours.
do_patroni_config() {
  read_config "$1" || fail $unsuitable "patronictl does not show $1"
  echo "${2#\"}" | sed 's/"$//' | put ours
  # Two hosts are armed with one change: the first of them has made it, either of them undoes it.
  if [ "$value" = "$(get ours)" ] && [ "$value" != "$(get before)" ]; then
    begin
    return
  fi
  [ "$value" = "$(get before)" ] || fail $unsuitable "somebody has changed $1 since the arming"
  begin
  write_config "$1" "$2" || fail $not_taken "patronictl did not change $1"
  read_config "$1" || fail $not_taken "patronictl does not show $1"
  echo "$value" | put ours
  [ "$value" != "$(get before)" ] || fail $not_taken "$1 is still $value"
}

look_patroni_config() {
  if ! read_config "$1"; then
    force=yes seen="patronictl does not show $1"
    is_mended || force=no
  elif [ "$value" = "$(get ours)" ] && [ "$value" != "$(get before)" ]; then
    force=yes seen="$1 is $value"
  else
    force=no seen="$1 is $value, as it was"
    [ "$value" = "$(get before)" ] || seen="$1 is $value: somebody else has set it, it is left so"
  fi
}

undo_patroni_config() {
  read_config "$1" || return 1
  [ "$value" = "$(get ours)" ] || return 0
  write_config "$1" "$(get before)"
}

arm_patroni_pause() {
  arm_patroni_config pause
  case $value in null | false) ;; *) fail $unsuitable "Patroni is paused already" ;; esac
}

do_patroni_pause() { do_patroni_config pause true; }
look_patroni_pause() { look_patroni_config pause; }
undo_patroni_pause() { undo_patroni_config pause; }

# ---- commands -----------------------------------------------------------------------------------------------------

arm() {  # ID SECONDS VERB ARGUMENT...
  [ $# -ge 3 ] || fail $refused "arm takes an ID, seconds and what to do"
  check_id "$1"
  is_number "$2" 1 86400 || fail $refused "not a number of seconds up to a day"
  id=$1 seconds=$2
  shift 2
  check_words "$@"
  self
  guard 20
  [ ! -e "$records/$id" ] || fail $refused "$id is armed already"
  write_record "$@"
  if survives_a_reboot "$1" && ! lay_boot_timer || ! start_timer "$seconds"; then
    stop_timers asked
    rm -rf "${records:?}/$id"
    fail $not_armed "the timer that would undo it does not start"
  fi
  echo "armed $id for $seconds s"
}

# Made under another name: a record that is there is whole.
write_record() {  # VERB ARGUMENT...
  here=$records/.new boot=$(this_boot) state=armed
  rm -rf "$here" && mkdir "$here" || exit $refused
  trap 'rm -rf "$records/.new"' EXIT
  printf '%s\n' "$@" | put what
  by_verb arm
  this_boot | put boot
  date +%s%N | put at
  echo $(($(date +%s) + seconds)) | put until
  echo armed | put state
  mv "$here" "$records/$id" && settle "$records" || exit $refused
  here=$records/$id
}

inject() {  # ID HOLD_SECONDS
  [ $# -eq 2 ] && is_number "$2" 0 86400 || fail $refused "inject takes an ID and seconds"
  guard 20
  enter "$1" || fail $no_record "nothing is armed as $1"
  [ "$state" = armed ] || fail $not_armed "$id is $state, not armed"
  [ "$boot" = "$(this_boot)" ] || fail $not_armed "the host has been rebooted since $id was armed"
  left=$(timer_left)
  [ "$left" -ge $(($2 + 10)) ] || fail $not_armed "the timer that undoes $id has $left s left"
  by_verb 'do'
  echo "injected $id"
}

check() {  # ID
  [ $# -eq 1 ] || fail $refused "check takes an ID"
  if ! enter "$1"; then
    printf 'state absent force no\nnothing is recorded as %s\n' "$id"
    return
  fi
  force=no seen="nothing was done yet"
  [ "$state" = armed ] || by_verb look
  printf 'state %s force %s\n%s\n' "$state" "$force" "$seen"
}

revert() {  # ID [timer|boot]
  by=${2:-asked}
  case $#.$by in 1.asked | 2.timer | 2.boot) ;; *) fail $refused "revert takes an ID" ;; esac
  check_id "$1"
  guard 100
  enter "$1" || fail $no_record "nothing is recorded as $1"
  if [ "$by" = boot ] && [ "$boot" = "$(this_boot)" ]; then return; fi
  case $state in
    armed) end reverted "nothing was done" ;;
    injected) undo ;;
    *) end "$state" "it was undone before" ;;
  esac
}

undo() {
  by_verb undo
  state=reverted
  [ "$by" = asked ] || state=expired
  by_verb look
  [ "$force" = no ] || fail $still_in_force "$id is not undone: $seen"
  end "$state" "$seen"
}

# The timer is stopped last: until then it would try again.
end() {  # STATE SENTENCE
  echo "$1" | put state
  stop_timers "$by"
  printf '%s %s: %s\n' "$1" "$id" "$2"
}

forget() {  # ID
  [ $# -eq 1 ] || fail $refused "forget takes an ID"
  guard 20
  enter "$1" || fail $no_record "nothing is recorded as $1"
  is_mended || fail $still_in_force "$id is $state: revert it first"
  rm -rf "${records:?}/$id" && settle "$records"
}

pending() {
  ls "$records" 2>/dev/null | while read -r one; do
    (enter "$one" 2>/dev/null) || continue
    enter "$one"
    printf '%s %s %s %s\n' "$(get at)" "$one" "$state" "$(get what | paste -sd' ')"
  done | sort -n | cut -d' ' -f2-
}

holds_address() {  # ADDRESS
  [ $# -eq 1 ] && is_address "$1" || fail $refused "holds-address takes an address"
  ip -o addr show | awk -v of="$1" '{ sub(/\/.*/, "", $4); if ($4 == of) found = 1 } END { exit !found }'
}

main() {
  command=${1-}
  [ "$command" != version ] || { echo "pgfiredrill-helper $VERSION"; exit 0; }
  [ "$(id -u)" = 0 ] || fail $not_root "the helper runs as root only"
  case $command in
    arm | inject | check | revert | forget | pending) ;;
    holds-address) command=holds_address ;;
    *) fail $refused "no such command" ;;
  esac
  shift
  "$command" "$@"
}

main "$@"
