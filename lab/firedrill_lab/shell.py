"""Running other programs, and saying how far the lab has come."""

from __future__ import annotations

import ctypes
import os
import pathlib
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from .errors import LabError

Item = TypeVar("Item")
Result = TypeVar("Result")

# Programs answer in English whatever the user's language is, since some answers are parsed.
ENVIRONMENT = {**os.environ, "LC_ALL": "C.UTF-8", "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}

_LIBC = ctypes.CDLL(None)
_PR_SET_PDEATHSIG = 1


def run(
    command: Sequence[str],
    *,
    stdin: str | None = None,
    check: bool = True,
    timeout: float | None = None,
    cgroup: Callable[[], None] | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run a program to its end and return what it said; raise with that where it failed.

    The program ends when this process is killed: an ssh to a host that is gone would stay for ever.
    """

    def before() -> None:
        _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if cgroup:
            cgroup()

    try:
        done = subprocess.run(
            list(command),
            input=stdin,
            stdin=subprocess.DEVNULL if stdin is None else None,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=timeout,
            env=ENVIRONMENT,
            preexec_fn=before,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise LabError(f"{' '.join(command)}: no end after {timeout:.0f} s") from error
    if check and done.returncode != 0:
        said = (done.stderr.strip() or done.stdout.strip())[-2000:]
        raise LabError(f"{' '.join(command)}: exit {done.returncode}: {said}")
    return done


def at_once(act: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
    """Do the same to every item at the same time; the first failure is raised when all have ended."""
    with ThreadPoolExecutor(max_workers=max(1, len(items))) as pool:
        return list(pool.map(act, items))


def wait_until(done: Callable[[], bool], seconds: float, what: str, pause: float = 0.1) -> None:
    """Ask until `done` says yes; raise with `what` when it has not within `seconds`."""
    end = time.monotonic() + seconds
    while not done():
        if time.monotonic() > end:
            raise LabError(f"{what}: not within {seconds:.0f} s")
        time.sleep(pause)


def write_private(path: pathlib.Path, text: str) -> None:
    """Write a file that only root reads, and never leave half of one."""
    aside = path.with_name(path.name + ".new")
    descriptor = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(text)
    aside.rename(path)


class Progress:
    """One line for each phase with the time it took; on a terminal the current one is live."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._phase = ""
        self._phase_began = self._began
        self._live = sys.stderr.isatty()

    def phase(self, what: str) -> None:
        """Close the running phase and begin another."""
        self._close()
        self._phase = what
        self._phase_began = time.monotonic()
        if self._live:
            self.detail("")

    def detail(self, what: str) -> None:
        """What is going on inside the phase; only shown where the line can be rewritten."""
        if self._live:
            seconds = time.monotonic() - self._phase_began
            line = f"{self._phase} {seconds:4.0f} s  {what}"[:100]
            sys.stderr.write(f"\r\033[K{line}")
            sys.stderr.flush()

    def finish(self, what: str) -> None:
        self._close()
        self._phase = ""
        print(f"{what} ({time.monotonic() - self._began:.0f} s)", file=sys.stderr, flush=True)

    def abandon(self) -> None:
        """Leave the cursor on a line of its own, for an error message."""
        if self._live and self._phase:
            sys.stderr.write("\n")

    def _close(self) -> None:
        if not self._phase:
            return
        now = time.monotonic()
        if self._live:
            sys.stderr.write("\r\033[K")
        line = f"[{now - self._began:5.1f} s] {self._phase} ({now - self._phase_began:.1f} s)"
        print(line, file=sys.stderr, flush=True)
