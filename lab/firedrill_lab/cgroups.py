"""Which processes belong to which host, and how to end all of them at once.

Every host, and the work that `up` starts outside the hosts, has a cgroup of its own below
`pgfiredrill/<lab>/`. The kernel then answers "is anything of this lab left?" and kills a whole host
in one step, with no window in which a child could escape. On the old layout systemd-nspawn also
wants a group in the name=systemd hierarchy; on the new one there is only one tree.
"""

from __future__ import annotations

import os
import pathlib
import time
from collections.abc import Callable

from .errors import LabError
from .names import Lab

TOOL = "tool"  # the group of what `up` runs outside the hosts, such as the image's builder


def trees() -> list[pathlib.Path]:
    """The hierarchies to use, the unified one first; empty where the machine has none."""
    unified: list[pathlib.Path] = []
    named: list[pathlib.Path] = []
    for line in pathlib.Path("/proc/self/mounts").read_text().splitlines():
        _, path, kind, options, *_ = line.split()
        if kind == "cgroup2":
            unified.append(pathlib.Path(path))
        elif kind == "cgroup" and "name=systemd" in options.split(","):
            named.append(pathlib.Path(path))
    return unified[:1] + named[:1] if unified else []


def _groups(lab: Lab, member: str | None) -> list[pathlib.Path]:
    return [tree / "pgfiredrill" / lab.name / (member or "") for tree in trees()]


def make(lab: Lab, member: str) -> list[pathlib.Path]:
    """Make a host's groups, one in each tree."""
    groups = _groups(lab, member)
    for group in groups:
        group.mkdir(parents=True, exist_ok=True)
    return groups


def enter(lab: Lab, member: str) -> Callable[[], None]:
    """What a child has to do before it becomes another program, so that it stands in the group."""
    files = [str(group / "cgroup.procs") for group in make(lab, member)]

    def step() -> None:
        for file in files:
            descriptor = os.open(file, os.O_WRONLY)
            os.write(descriptor, b"0")
            os.close(descriptor)

    return step


def processes(lab: Lab, member: str | None = None) -> list[int]:
    """Every process of one host, or of the whole lab."""
    found: set[int] = set()
    for group in _groups(lab, member):
        for file in group.rglob("cgroup.procs"):
            try:
                found.update(int(pid) for pid in file.read_text().split())
            except OSError:
                continue  # the group went away while it was read
    return sorted(found)


def first_process(lab: Lab, member: str) -> int | None:
    """Process 1 of a host, by the number it has out here."""
    for group in _groups(lab, member)[:1]:
        file = group / "payload" / "init.scope" / "cgroup.procs"
        try:
            pids = [int(pid) for pid in file.read_text().split()]
        except OSError:
            return None
        return min(pids) if pids else None
    return None


def kill(lab: Lab, member: str | None = None, seconds: float = 20.0) -> None:
    """End every process of one host, or of the whole lab, and remove the groups."""
    end = time.monotonic() + seconds
    groups = _groups(lab, member)
    while processes(lab, member):
        for group in groups[:1]:
            try:
                (group / "cgroup.kill").write_text("1")
            except OSError:
                pass
        for pid in processes(lab, member):
            try:
                os.kill(pid, 9)
            except ProcessLookupError:
                pass
        if time.monotonic() > end:
            raise LabError(
                f"processes {processes(lab, member)} of lab {lab.name!r} do not end",
                "one that waits for a frozen file system ends only after the thaw",
            )
        time.sleep(0.05)
    remove(lab, member)


def remove(lab: Lab, member: str | None = None) -> None:
    """Remove the empty groups of one host, or of the whole lab."""
    for group in _groups(lab, member):
        folders = sorted((path for path in group.rglob("*") if path.is_dir()), reverse=True)
        for folder in [*folders, group]:
            _remove_group(folder)
        if member is None:
            _remove_group(group.parent, must=False)  # held by another lab's groups


def _remove_group(folder: pathlib.Path, must: bool = True) -> None:
    """rmdir, patiently: the kernel lets go of a group a moment after its last process has ended."""
    for _ in range(40 if must else 1):
        try:
            folder.rmdir()
            return
        except FileNotFoundError:
            return
        except OSError:
            time.sleep(0.05)
