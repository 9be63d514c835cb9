"""The command line of the lab.

Exit codes: 0 done (or healthy), 1 failed (or not healthy), 2 bad usage, 3 this machine lacks something.
"""

from __future__ import annotations

import argparse
import fcntl
import json
import os
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from . import access, deploy, disks, health, hosts, image, inventory, needs, network, observe, snapshot, teardown
from .cgroups import processes
from .disks import HostDisks
from .errors import LabError, UsageError
from .names import DEFAULT_NAME, DEFAULT_SUBNET, DEFAULT_STATE, MIRROR_VARIABLE, STATE_VARIABLE
from .names import HOSTS, REPOSITORY, Host, Lab, Options, find_host, parse_lab
from .shell import Progress, run, write_private

HEALTHY_SECONDS = 120.0  # how long a cluster that was just started may take
UP_HINT = "`lab/lab up` starts it"


def main(arguments: Sequence[str]) -> int:
    """Run one command; returns its exit code."""
    parser = _parser()
    chosen = parser.parse_args(arguments)
    try:
        return int(chosen.act(chosen) or 0)
    except LabError as error:
        print(f"lab: {error.what}", file=sys.stderr)
        if error.hint:
            print(f"  {error.hint}", file=sys.stderr)
        return error.code
    except BrokenPipeError:
        # The reader has seen enough (`lab status | head`); nothing is left to flush at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        print("\nlab: interrupted; `lab/lab up` goes on, `lab/lab down` removes what there is", file=sys.stderr)
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="lab",
        description="A PostgreSQL high-availability cluster on this one machine: three database hosts and one "
        "with object storage, as booted containers. docs/lab.md says what is real about it and what is not.",
        epilog=f"Exit codes: 0 done or healthy, 1 failed or not healthy, 2 bad usage, 3 this machine lacks something. "
        f"{STATE_VARIABLE} moves the lab's folder (default {DEFAULT_STATE}).",
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def command(name: str, act, text: str) -> argparse.ArgumentParser:
        sub = commands.add_parser(name, help=text, description=text)
        sub.add_argument("--name", default=DEFAULT_NAME, help="which lab, where several stand (default %(default)s)")
        sub.set_defaults(act=act)
        return sub

    up = command("up", _up, "make the lab, or finish making it, and wait until it is healthy")
    up.add_argument("--subnet", help=f"a private /24 of its own (default: its last one, or {DEFAULT_SUBNET})")
    up.add_argument("--profile", choices=("balancers", "vip"), default="balancers",
                    help="balancers: HAProxy on each host's address; vip: keepalived and one address (default %(default)s)")  # fmt: skip
    up.add_argument("--fast", action="store_true", help="short timings everywhere: failovers in seconds, unlike production")
    up.add_argument("--sync", action="store_true", help="synchronous replication")
    up.add_argument("--mirror", metavar="URL", help=f"Debian mirror for the base image (default: apt's own; also {MIRROR_VARIABLE})")
    command("reset", _reset, "throw away what happened to the cluster and start again from the pristine snapshot")
    status = command("status", _status, "say whether every part of the lab is healthy")
    status.add_argument("--wait", nargs="?", type=float, const=HEALTHY_SECONDS, metavar="SECONDS",
                        help="wait until all is healthy, 120 s unless told (write --wait=SECONDS)")  # fmt: skip
    ssh = command("ssh", _ssh, "a shell on a host as root, or one command there")
    ssh.add_argument("host", help="pg1, pg2, pg3 or s3")
    ssh.add_argument("words", nargs=argparse.REMAINDER, metavar="-- COMMAND", help="what to run instead of a shell")
    for name, act, text in (
        ("power-off", _power_off, "lose hosts as when the power goes: cable first, then every process"),
        ("power-on", _power_on, "boot hosts that are off"),
    ):
        command(name, act, text).add_argument("hosts", nargs="+", metavar="HOST", help="pg1, pg2, pg3 or s3")
    down = command("down", _down, "remove all that runs; the base image and the pristine snapshot stay for the next `up`")
    down.add_argument("--purge", action="store_true", help="remove the lab's snapshot, keys and logs too")
    return parser


# ---------------------------------------------------------------- commands


def _up(chosen: argparse.Namespace) -> int:
    options = Options(chosen.profile, chosen.fast, chosen.sync)
    lab = parse_lab(chosen.name, chosen.subnet or DEFAULT_SUBNET)
    known = _known(lab)
    if known and not chosen.subnet:
        lab = parse_lab(chosen.name, known["subnet"])  # where it was the last time
    if not snapshot.stands(lab) or os.geteuid() != 0:
        needs.require(lab)
    with _only_command(lab):
        standing = snapshot.stands(lab)
        if standing and known:
            made_with = Options(**known["options"])
            if made_with != options or known["subnet"] != str(lab.subnet):
                raise UsageError(
                    f"lab {lab.name!r} stands with {made_with.words()} --subnet {known['subnet']}, "
                    f"not {options.words()} --subnet {lab.subnet}",
                    "`lab/lab down` first, or another --name and --subnet beside it",
                )
        progress = Progress()
        try:
            if standing and known:
                _finish(lab, options, progress, known)
            else:
                _make(lab, options, progress, chosen.mirror)
        except LabError:
            progress.abandon()
            raise
        progress.finish(f"lab {lab.name!r} is healthy")
        _print_entrances(lab, options)
    return 0


def _finish(lab: Lab, options: Options, progress: Progress, known: dict) -> None:
    """The lab stands already: boot what is off, and see that it is well."""
    if known["fingerprint"] != snapshot.fingerprint(lab, options):
        print("note: the lab's sources have changed since it was made; `down` and `up` apply them", file=sys.stderr)
    for host in HOSTS:
        if not hosts.is_running(lab, host):
            progress.phase(f"boot {host.name}")
            _boot_again(lab, host)
    progress.phase("wait until healthy")
    _wait_healthy(lab, options, progress, HEALTHY_SECONDS)


def _make(lab: Lab, options: Options, progress: Progress, mirror: str | None) -> None:
    """Nothing whole stands: remove what there is and make the lab, from its snapshot if there is one."""
    progress.phase("remove what an earlier run left")
    teardown.stop(lab)
    lab.home.mkdir(parents=True, exist_ok=True)
    mark = snapshot.fingerprint(lab, options)
    snapshot.record(lab, options, mark)
    progress.phase("base image" if image.image_path(lab).is_dir() else "base image, made once")
    base = image.ensure_image(lab, mirror)
    if not snapshot.is_complete(lab, mark):
        _deploy(lab, options, progress, base, mark)
    progress.phase("boot from the snapshot")
    snapshot.start_pristine(lab, base)
    progress.phase("wait until healthy")
    _wait_healthy(lab, options, progress, HEALTHY_SECONDS)


def _deploy(lab: Lab, options: Options, progress: Progress, base, mark: str) -> None:
    teardown.remove_folder(lab.pristine)
    progress.phase("keys and certificates")
    access.ensure_access(lab)
    write_private(lab.inventory, inventory.render(inventory.SOURCE.read_text(), lab, options))
    progress.phase("boot four bare hosts")
    snapshot.start_bare(lab, base)
    progress.phase("lay the services")
    deploy.run_playbook(lab, progress)
    progress.phase("wait until healthy")
    leader = _wait_healthy(lab, options, progress, HEALTHY_SECONDS)
    progress.phase("take the pristine snapshot")
    snapshot.stop_for_snapshot(lab, leader)
    _stop_keeping_disks(lab)
    snapshot.keep(lab, mark)
    teardown.remove_folder(lab.live)


def _stop_keeping_disks(lab: Lab) -> None:
    disks.unmount_below(lab.home)
    disks.detach_loops_below(lab.home)
    for host in HOSTS:
        network.unplug(lab, host)
    network.remove_bridge(lab)


def _reset(chosen: argparse.Namespace) -> int:
    lab, options, known = _standing(chosen.name)
    with _only_command(lab):
        if not snapshot.is_complete(lab):
            raise LabError(f"lab {lab.name!r} has no snapshot to go back to", UP_HINT)
        base = image.image_path(lab)
        if not base.is_dir():
            raise LabError("the base image that the snapshot needs is gone", "`lab/lab down --purge`, then `up`")
        progress = Progress()
        progress.phase("stop")
        teardown.stop(lab)
        progress.phase("boot from the snapshot")
        snapshot.start_pristine(lab, base)
        progress.phase("wait until healthy")
        try:
            _wait_healthy(lab, options, progress, HEALTHY_SECONDS)
        except LabError:
            progress.abandon()
            raise
        progress.finish(f"lab {lab.name!r} is pristine and healthy")
    return 0


def _status(chosen: argparse.Namespace) -> int:
    lab, options, _ = _standing(chosen.name)
    end = time.monotonic() + (chosen.wait or 0)
    lines = _look(lab, options)
    while not health.healthy(lines) and time.monotonic() < end:
        time.sleep(1)
        lines = _look(lab, options)
    well = health.healthy(lines)
    print(f"lab {lab.name!r}, {options.words()}: {'healthy' if well else 'NOT healthy'}")
    for line in lines:
        print(f"  {'ok ' if line.well else 'BAD'} {line.part}: {line.text}")
    _print_entrances(lab, options)
    return 0 if well else 1


def _ssh(chosen: argparse.Namespace) -> int:
    host = find_host(chosen.host)
    lab, _, _ = _standing(chosen.name)
    command = hosts.ssh_command(lab, host)
    words = chosen.words[1:] if chosen.words[:1] == ["--"] else chosen.words
    if not words and sys.stdin.isatty():
        command.insert(1, "-t")
    os.execvp("ssh", [*command, *words])


def _power_off(chosen: argparse.Namespace) -> int:
    chosen_hosts = [find_host(name) for name in chosen.hosts]
    lab, _, _ = _standing(chosen.name)
    with _only_command(lab):
        for host in chosen_hosts:
            network.cut_cable(lab, host)
            hosts.kill(lab, host)
    return 0


def _power_on(chosen: argparse.Namespace) -> int:
    chosen_hosts = [find_host(name) for name in chosen.hosts]
    lab, _, _ = _standing(chosen.name)
    with _only_command(lab):
        for host in chosen_hosts:
            if not hosts.is_running(lab, host):
                _boot_again(lab, host)
    return 0


def _down(chosen: argparse.Namespace) -> int:
    needs.require_root()
    lab = parse_lab(chosen.name, DEFAULT_SUBNET)
    with _only_command(lab):
        teardown.stop(lab)
        left = teardown.traces(lab)
        if left:
            raise LabError("could not remove:\n" + "\n".join(f"  {trace}" for trace in left))
        if chosen.purge:
            teardown.purge(lab)
    return 0


# ---------------------------------------------------------------- what they share


def _boot_again(lab: Lab, host: Host) -> None:
    """Boot a host that is off. Its kernel state (firewall rules, added addresses) is new, as after power."""
    shown = HostDisks(lab, host).sys
    if os.path.ismount(shown):
        run(["umount", str(shown)])  # it shows the namespace that goes away now
    network.unplug(lab, host)
    network.plug_in(lab, host)
    hosts.boot(lab, host)


def _look(lab: Lab, options: Options) -> list[health.Line]:
    answers = observe.ask(lab, options)
    leader = observe.leader_of(answers)
    if leader is not None and answers.hosts[leader.name].running:
        observe.ask_about_backups(lab, leader, answers)
    return health.judge(answers, options)


def _wait_healthy(lab: Lab, options: Options, progress: Progress, seconds: float) -> Host:
    """Wait until all is well; returns the leader's host."""
    end = time.monotonic() + seconds
    while True:
        answers = observe.ask(lab, options)
        leader = observe.leader_of(answers)
        if leader is not None and health.members_well(answers, options):
            observe.ask_about_backups(lab, leader, answers)
        lines = health.judge(answers, options)
        if leader is not None and health.healthy(lines):
            return leader
        bad = "; ".join(f"{line.part}: {line.text}" for line in lines if not line.well)
        progress.detail(bad)
        if time.monotonic() > end:
            raise LabError(f"not healthy within {seconds:.0f} s: {bad}", "`lab/lab status` and docs/lab.md say where to look")
        time.sleep(0.5)


def _known(lab: Lab) -> dict | None:
    """What `up` recorded of this lab, if it did."""
    try:
        return json.loads((lab.home / "lab.json").read_text())
    except FileNotFoundError:
        return None
    except ValueError as error:
        raise LabError(f"{lab.home / 'lab.json'} is no record of a lab: {error}", "`lab/lab down --purge` removes it") from error


def _standing(name: str) -> tuple[Lab, Options, dict]:
    """The lab of this name as `up` made it; raises where it does not stand."""
    needs.require_root()
    lab = parse_lab(name, DEFAULT_SUBNET)
    known = _known(lab)
    if known is None or not (processes(lab) or snapshot.stands(lab)):
        raise LabError(f"lab {name!r} does not stand", UP_HINT)
    return parse_lab(name, known["subnet"]), Options(**known["options"]), known


@contextmanager
def _only_command(lab: Lab) -> Iterator[None]:
    """Hold the lab's lock: two commands that change the same lab at once would undo each other."""
    folder = lab.state_root / "labs"
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / f"{lab.name}.lock", "a+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            lock.seek(0)
            raise LabError(
                f"another command is at work on lab {lab.name!r} (process {lock.read().strip() or 'unknown'})",
                "wait for it, or end that process and run `lab/lab down`",
            ) from error
        lock.seek(0)
        lock.truncate()
        lock.write(f"{os.getpid()}\n")
        lock.flush()
        yield


def _print_entrances(lab: Lab, options: Options) -> None:
    """What a client needs to get in."""
    default = lab == parse_lab(DEFAULT_NAME, DEFAULT_SUBNET, DEFAULT_STATE) and options == Options()
    listed = REPOSITORY / "inventories" / "lab.yml" if default else lab.inventory
    where = lab.vip if options.profile == "vip" else "|".join(lab.address(h) for h in HOSTS if h.runs_database)
    print(f"  inventory: {listed}")
    print(f"  entry points: {where} ports 5000-5003; CA {lab.access}/tls/ca.crt")
    print(f"  passwords: {lab.access}/secrets.json; SSH key {lab.access}/id_ed25519")
