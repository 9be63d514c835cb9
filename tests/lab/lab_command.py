"""Helpers of the lab's tests: running `lab/lab`, and looking for what it may leave behind.

The traces are looked for here without the lab's own code, so that a lab that forgets something cannot
also forget to tell.
"""

from __future__ import annotations

import os
import pathlib
import re
import subprocess
import time

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
LAB = REPOSITORY / "lab" / "lab"
STATE = pathlib.Path(os.environ.get("PGFIREDRILL_LAB_STATE", "/var/lib/pgfiredrill-lab"))


def lab(*arguments: str, timeout: float = 600, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run one command of the lab to its end."""
    return subprocess.run(
        [str(LAB), *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=timeout,
        env={**os.environ, **environment},
        check=False,
    )


def start_lab(*arguments: str) -> subprocess.Popen[str]:
    """Start one command of the lab, to be killed."""
    return subprocess.Popen([str(LAB), *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                            stderr=subprocess.DEVNULL, text=True, start_new_session=True)  # fmt: skip


def traces(name: str) -> list[str]:
    """Everything of the lab `name` that the kernel knows of."""
    found = []
    own = os.getpid()
    group = f"/pgfiredrill/{name}"
    folder = f"{STATE}/labs/{name}/"
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            groups = (process / "cgroup").read_text()
            words = (process / "cmdline").read_bytes().decode(errors="replace")
            root = os.readlink(process / "root")
        except OSError:
            continue  # it has ended
        if int(process.name) == own:
            continue
        if re.search(rf":{group}(/|$)", groups, re.M) or folder in words or root.startswith(folder):
            found.append(f"process {process.name}: {words[:80]!r}")
    found += [line for line in pathlib.Path("/proc/self/mountinfo").read_text().splitlines() if folder in line]
    for device in pathlib.Path("/sys/block").glob("loop*/loop/backing_file"):
        if device.read_text().startswith(folder):
            found.append(f"loop device {device.parts[3]}")
    links = pathlib.Path("/sys/class/net")
    found += [f"interface {x.name}" for x in links.iterdir() if x.name == f"pgf-{name}" or x.name.startswith(f"{name}-")]
    names = pathlib.Path("/run/netns")
    found += [f"namespace {x.name}" for x in names.glob(f"pgf-{name}-*")] if names.exists() else []
    found += [f"cgroup {x}" for x in pathlib.Path("/sys/fs/cgroup").glob(f"**/pgfiredrill/{name}") if x.is_dir()]
    found += [f"folder {x}" for x in pathlib.Path("/run/systemd/nspawn/propagate").glob(f"pgf-{name}-*")]
    return found


def traces_soon(name: str, seconds: float = 3.0) -> list[str]:
    """The traces that are still there after the kernel has had time to let go of what was removed."""
    end = time.monotonic() + seconds
    left = traces(name)
    while left and time.monotonic() < end:
        time.sleep(0.1)
        left = traces(name)
    return left
