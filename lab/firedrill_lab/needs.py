"""What this machine lacks for a lab: all of it at once, before anything is touched."""

from __future__ import annotations

import os
import pathlib
import resource
import shutil

from . import cgroups, image, network
from .errors import LabError
from .names import Lab
from .shell import run

# program -> Debian package
PROGRAMS = {
    "mmdebstrap": "mmdebstrap",
    "systemd-nspawn": "systemd-container",
    "ip": "iproute2",
    "nsenter": "util-linux",
    "losetup": "util-linux",
    "mount": "mount",
    "mkfs.ext4": "e2fsprogs",
    "fsfreeze": "util-linux",
    "ssh": "openssh-client",
    "ssh-keygen": "openssh-client",
    "openssl": "openssl",
    "sysctl": "procps",
}
PATH = "/usr/sbin:/usr/bin:/sbin:/bin"
DISK_GIB = 4  # one lab with its snapshot and room for a drill; measured, see docs/lab.md
IMAGE_GIB = 3
MEMORY_GIB = 3
OPEN_FILES = 8192  # HAProxy's maxconn needs two descriptors for each connection


def lacking(lab: Lab) -> list[str]:
    """Everything that is missing, each as one line that says what to do."""
    if os.geteuid() != 0:
        return ["root: the lab boots containers and makes network namespaces; use sudo", *_programs()]
    return [*_programs(), *_kernel(), *_room(lab), *_network(lab)]


def require(lab: Lab) -> None:
    missing = lacking(lab)
    if missing:
        raise LabError("this machine lacks:\n" + "\n".join(f"  - {line}" for line in missing), code=3)


def require_root() -> None:
    if os.geteuid() != 0:
        raise LabError("this needs root", "use sudo", code=3)


def _programs() -> list[str]:
    packages = {package for program, package in PROGRAMS.items() if not shutil.which(program, path=PATH)}
    return [f"packages: apt-get install {' '.join(sorted(packages))}"] if packages else []


def _kernel() -> list[str]:
    found = []
    known = {line.split()[-1] for line in pathlib.Path("/proc/filesystems").read_text().splitlines()}
    for kind in ("overlay", "ext4"):
        if kind not in known and run(["modprobe", kind], check=False).returncode != 0:
            found.append(f"kernel: no {kind} file system")
    if not pathlib.Path("/dev/loop-control").exists():
        found.append("kernel: no loop devices (/dev/loop-control)")
    if not cgroups.trees():
        found.append("kernel: no cgroup2 file system is mounted (mount it at /sys/fs/cgroup/unified, or at /sys/fs/cgroup)")
    if not pathlib.Path("/proc/self/ns/net").exists():
        found.append("kernel: no network namespaces")
    elif shutil.which("ip", path=PATH):
        found += _virtual_links()
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if hard != resource.RLIM_INFINITY and hard < OPEN_FILES * 2:
        found.append(f"open files: the hard limit is {hard}, {OPEN_FILES * 2} are needed (ulimit -Hn)")
    return found


def _virtual_links() -> list[str]:
    """Whether bridges and cables can be made: the only sure way to know is to make one of each."""
    found = []
    probe = f"pgfp{os.getpid() % 1000000}"
    for kind in ("bridge", "veth"):
        made = run(["ip", "link", "add", probe, "type", kind], check=False)
        if made.returncode != 0:
            found.append(f"kernel: no {kind} interfaces ({made.stderr.strip()})")
        else:
            run(["ip", "link", "delete", probe], check=False)
    return found


def _room(lab: Lab) -> list[str]:
    found = []
    folder = lab.state_root
    while not folder.exists():
        folder = folder.parent
    free = shutil.disk_usage(folder).free / 2**30
    wanted = DISK_GIB + (0 if image.image_path(lab).exists() else IMAGE_GIB)
    if free < wanted:
        found.append(f"disk: {free:.1f} GiB free at {folder}, {wanted} GiB are needed (PGFIREDRILL_LAB_STATE moves it)")
    for line in pathlib.Path("/proc/meminfo").read_text().splitlines():
        if line.startswith("MemAvailable:") and int(line.split()[1]) / 2**20 < MEMORY_GIB:
            found.append(f"memory: {int(line.split()[1]) / 2**20:.1f} GiB available, {MEMORY_GIB} GiB are needed")
    return found


def _network(lab: Lab) -> list[str]:
    if not shutil.which("ip", path=PATH):
        return []
    user = network.foreign_user_of(lab)
    return [f"subnet: {lab.subnet} is taken by {user}; name another by --subnet"] if user else []
