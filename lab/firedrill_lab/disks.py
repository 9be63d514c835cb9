"""A host's disks: the overlay that is its root, and a small file system of its own for the database.

The database's file system is an ext4 image on a loop device, mounted at /var/lib/postgresql inside,
so that a full or a frozen disk is real and touches nothing else. Both versions' data folders lie on
it, since pg_upgrade links files between them.
"""

from __future__ import annotations

import pathlib

from .names import Host, Lab
from .shell import run

DATA_SIZE = "6G"


class HostDisks:
    """Paths of one host's disks, below the lab's `live` folder."""

    def __init__(self, lab: Lab, host: Host) -> None:
        self.host = host
        self.folder = lab.live / host.name
        self.upper = self.folder / "upper"
        self.work = self.folder / "work"
        self.root = self.folder / "root"
        self.sys = self.folder / "sys"
        self.data = self.folder / "data"
        self.image = self.folder / "data.ext4"
        self.console = self.folder / "console.log"

    def make_folders(self) -> None:
        for folder in (self.upper, self.work, self.root, self.sys, self.data):
            folder.mkdir(parents=True, exist_ok=True)

    def make_image(self) -> None:
        """An empty file system for the database, sparse until it is written to."""
        run(["truncate", "--size", DATA_SIZE, str(self.image)])
        run(["mkfs.ext4", "-q", "-F", "-m", "0", "-J", "size=64", "-L", "pgdata", str(self.image)])

    def copy_image(self, source: pathlib.Path) -> None:
        run(["cp", "--sparse=always", "--reflink=auto", str(source), str(self.image)])

    def mount(self, lowers: list[pathlib.Path]) -> None:
        """Mount the root over `lowers` (topmost first) and the database's file system."""
        layers = ":".join(str(lower) for lower in lowers)
        options = f"lowerdir={layers},upperdir={self.upper},workdir={self.work}"
        run(["mount", "-t", "overlay", "pgfiredrill", "-o", options, str(self.root)])
        if self.host.runs_database:
            run(["mount", "-o", "loop,noatime", str(self.image), str(self.data)])


def mounts_below(folder: pathlib.Path) -> list[str]:
    """Mount points below a folder, the innermost and latest first."""
    prefix = f"{folder}/"
    points = []
    for line in pathlib.Path("/proc/self/mountinfo").read_text().splitlines():
        point = line.split()[4].encode().decode("unicode_escape")
        if point.startswith(prefix):
            points.append(point)
    return points[::-1]


def thaw_below(folder: pathlib.Path) -> None:
    """Thaw what a drill has frozen: a process that waits to write there cannot even be killed."""
    for point in mounts_below(folder):
        if point.endswith("/data"):
            run(["fsfreeze", "--unfreeze", point], check=False)


def unmount_below(folder: pathlib.Path) -> None:
    for point in mounts_below(folder):
        if run(["umount", point], check=False).returncode != 0:
            run(["umount", "--lazy", point], check=False)


def loops_below(folder: pathlib.Path) -> list[tuple[str, str]]:
    """Loop devices whose image lies below a folder, with that image."""
    found = []
    for line in run(["losetup", "--list", "--noheadings", "--raw", "-O", "NAME,BACK-FILE"]).stdout.splitlines():
        device, _, image = line.partition(" ")
        if image.startswith(f"{folder}/"):
            found.append((device, image))
    return found


def detach_loops_below(folder: pathlib.Path) -> None:
    for device, _ in loops_below(folder):
        run(["losetup", "--detach", device], check=False)
