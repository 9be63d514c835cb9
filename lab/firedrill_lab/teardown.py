"""Removing every trace of a lab, whatever state it was left in.

Nothing here trusts a record: processes are found by cgroup, mounts and loop devices by path, network
parts by name. So it also cleans up after an `up` that was killed at any point.
"""

from __future__ import annotations

import pathlib
import shutil

from . import cgroups, disks, hosts, network
from .names import HOSTS, Lab
from .shell import at_once


def traces(lab: Lab) -> list[str]:
    """Everything of this lab that exists now outside its folder; empty after `down`."""
    found = [f"process {pid}" for pid in cgroups.processes(lab)]
    found += [f"cgroup {group}" for tree in cgroups.trees() if (group := tree / "pgfiredrill" / lab.name).exists()]
    found += [f"mount {point}" for point in disks.mounts_below(lab.home)]
    found += [f"loop device {device} on {image}" for device, image in disks.loops_below(lab.home)]
    found += network.traces(lab)
    machines = (hosts.PROPAGATE / lab.machine(host) for host in HOSTS)
    return found + [f"folder {folder}" for folder in machines if folder.exists()]


def stop(lab: Lab) -> None:
    """Remove all that runs and all that is mounted; the lab's folder stays."""
    at_once(lambda host: network.cut_cable(lab, host), HOSTS)
    disks.thaw_below(lab.home)
    cgroups.kill(lab)
    for host in HOSTS:
        hosts.kill(lab, host)
    disks.unmount_below(lab.home)
    disks.detach_loops_below(lab.home)
    at_once(lambda host: network.unplug(lab, host), HOSTS)
    network.remove_bridge(lab)
    remove_folder(lab.live)


def purge(lab: Lab) -> None:
    """Remove the lab's folder too: snapshot, keys, logs. Call it after `stop`."""
    remove_folder(lab.home)


def remove_folder(folder: pathlib.Path) -> None:
    """Remove a folder, but never through a mount that is still there."""
    if folder.exists():
        assert not disks.mounts_below(folder), f"still mounted below {folder}"
        shutil.rmtree(folder)
