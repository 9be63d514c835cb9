"""Booting, stopping and reaching the containers that are the lab's hosts."""

from __future__ import annotations

import os
import pathlib
import shlex
import shutil
import socket
import subprocess

from . import cgroups, network
from .disks import HostDisks, thaw_below
from .errors import LabError
from .names import Host, Lab
from .shell import ENVIRONMENT, run, wait_until

# What a host needs to have firewall rules, traffic shaping and a VIP in its own namespace.
GRANTED = "CAP_NET_ADMIN,CAP_NET_RAW"
# Never inside: loading modules, the clock and raw devices of the machine that carries the lab.
DROPPED = "CAP_SYS_MODULE,CAP_SYS_TIME,CAP_SYS_RAWIO,CAP_SYS_RESOURCE,CAP_SYS_PACCT"
# systemd-nspawn ends with 133 when the host inside reboots, and leaves the restart to its caller. The
# groups to start it in are the first argument; the caller itself must not stand in them.
KEEPER = """
groups=$1
shift
while :; do
    (for group in $groups; do echo 0 > "$group/cgroup.procs"; done; exec "$@")
    [ $? = 133 ] || exit
done
"""
PROPAGATE = pathlib.Path("/run/systemd/nspawn/propagate")


def boot(lab: Lab, host: Host, extra_binds: tuple[pathlib.Path, ...] = ()) -> None:
    """Boot a host whose disks are mounted and whose cable is in; returns when it takes SSH."""
    disks = HostDisks(lab, host)
    namespace = lab.machine(host)
    # /sys/class/net shows the namespace that mounted it: the host's own has to be mounted for it.
    if not os.path.ismount(disks.sys):
        run(["nsenter", f"--net={network.NAMESPACES / namespace}", "mount", "-t", "sysfs", "sysfs", str(disks.sys)])
    command = ["systemd-nspawn", "--quiet", "--boot", f"--directory={disks.root}", f"--machine={namespace}"]
    command += [f"--hostname={host.hostname}", "--keep-unit", "--register=no", "--console=pipe"]
    command += [f"--network-namespace-path={network.NAMESPACES / namespace}", f"--capability={GRANTED}"]
    command += [f"--drop-capability={DROPPED}"]
    command += ["--resolv-conf=off", "--timezone=off", "--link-journal=no"]
    for part in ("class/net", "devices/virtual/net"):
        command += [f"--bind-ro={disks.sys / part}:/sys/{part}"]
    if host.runs_database:
        command += [f"--bind={disks.data}:/var/lib/postgresql"]
    command += [f"--bind-ro={path}" for path in extra_binds]
    groups = " ".join(map(str, cgroups.make(lab, host.name)))
    with open(disks.console, "ab") as console:
        subprocess.Popen(
            ["sh", "-c", KEEPER, "keeper", groups, *command],
            stdin=subprocess.DEVNULL,
            stdout=console,
            stderr=console,
            start_new_session=True,
            preexec_fn=cgroups.enter(lab, f"{host.name}/keeper"),
            env={**ENVIRONMENT, "UNIFIED_CGROUP_HIERARCHY": "1"},
        )
    try:
        wait_until(lambda: port_answers(lab.address(host), 22), 60, f"{host.name} does not take SSH")
    except LabError as error:
        raise LabError(error.what, f"its console is {disks.console}") from error


def is_running(lab: Lab, host: Host) -> bool:
    return bool(cgroups.processes(lab, host.name))


def kill(lab: Lab, host: Host) -> None:
    """End all of a host at once, as a power cut does (but the page cache stays)."""
    thaw_below(HostDisks(lab, host).folder)
    cgroups.kill(lab, host.name)
    shutil.rmtree(PROPAGATE / lab.machine(host), ignore_errors=True)


def port_answers(address: str, port: int, seconds: float = 1.0) -> bool:
    try:
        with socket.create_connection((address, port), timeout=seconds):
            return True
    except OSError:
        return False


def ssh_command(lab: Lab, host: Host) -> list[str]:
    """The start of an ssh command line to a host as root, with the lab's key and known hosts only."""
    return [
        "ssh",
        "-F", "none",
        "-i", str(lab.access / "id_ed25519"),
        "-o", f"UserKnownHostsFile={lab.access / 'known_hosts'}",
        "-o", "GlobalKnownHostsFile=none",
        "-o", "StrictHostKeyChecking=yes",
        "-o", "IdentitiesOnly=yes",
        "-o", "BatchMode=yes",
        "-o", "ConnectTimeout=5",
        "-o", "ServerAliveInterval=5",
        "-o", "LogLevel=ERROR",
        f"root@{lab.address(host)}",
    ]  # fmt: skip


def on_host(
    lab: Lab, host: Host, script: str, *, check: bool = True, timeout: float = 60, stdin: str | None = None
) -> str:
    """Run a shell script on a host as root; returns what it printed."""
    command = [*ssh_command(lab, host), "sh -c " + shlex.quote(script)]
    try:
        return run(command, check=check, timeout=timeout, stdin=stdin).stdout
    except LabError as error:
        said = error.what.rsplit(": ", 1)[-1]
        first = script.strip().splitlines()[0]
        raise LabError(f"{host.name}: `{first}` failed: {said}") from error
