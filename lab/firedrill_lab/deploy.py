"""Running the playbook that lays the services.

The playbook runs on host s3, not on this machine: it needs an Ansible that can manage Debian 13, and
then needs nothing from here. What it reads (playbook, inventory, keys) is only lent to that host.
"""

from __future__ import annotations

import os
import pathlib
import shlex
import subprocess
import time
import uuid

from . import cgroups
from .disks import HostDisks
from .errors import LabError
from .hosts import ssh_command
from .names import HOSTS, REPOSITORY, Host, Lab, find_host
from .shell import ENVIRONMENT, Progress

PLAYBOOKS = REPOSITORY / "ansible"


def lent_to_controller(lab: Lab, host: Host) -> tuple[pathlib.Path, ...]:
    """What a host may read of this machine while the services are laid."""
    return (lab.access, PLAYBOOKS, lab.inventory) if host.name == "s3" else ()


def write_identity(lab: Lab, host: Host) -> None:
    """What makes a booted copy of the base image this host: names, addresses, keys."""
    root = HostDisks(lab, host).root
    (root / "etc/hostname").write_text(host.hostname + "\n")
    (root / "etc/machine-id").write_text(uuid.uuid4().hex + "\n")
    (root / "etc/lab-address").write_text(lab.address(host) + "\n")
    names = [f"{lab.address(h)} {h.hostname}" + (f" {h.name}" if h.name != h.hostname else "") for h in HOSTS]
    (root / "etc/hosts").write_text("127.0.0.1 localhost\n::1 localhost\n" + "\n".join(names) + "\n")
    authorized = root / "root/.ssh/authorized_keys"
    authorized.parent.mkdir(mode=0o700, exist_ok=True)
    authorized.write_text((lab.access / "id_ed25519.pub").read_text())
    authorized.chmod(0o600)
    key = root / "etc/ssh/ssh_host_ed25519_key"
    key.write_text((lab.access / "host-keys" / host.name).read_text())
    key.chmod(0o600)
    key.with_name(key.name + ".pub").write_text((lab.access / "host-keys" / f"{host.name}.pub").read_text())
    if host.runs_database:
        data = HostDisks(lab, host).data
        home = (root / "var/lib/postgresql").stat()
        os.chown(data, home.st_uid, home.st_gid)
        data.chmod(0o755)


def run_playbook(lab: Lab, progress: Progress) -> None:
    """Lay the services; raises with the end of Ansible's output where a task failed."""
    log_path = lab.home / "deploy.log"
    words = ["ansible-playbook", "-i", str(lab.inventory), "-e", f"@{lab.access}/secrets.json"]
    words += ["-e", f"lab_access={lab.access}", "lab.yml"]
    script = f"cd {shlex.quote(str(PLAYBOOKS))} && exec " + shlex.join(words)
    command = [*ssh_command(lab, find_host("s3")), script]
    with open(log_path, "w") as log:
        child = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            env=ENVIRONMENT,
            preexec_fn=cgroups.enter(lab, cgroups.TOOL),
        )
        assert child.stdout is not None
        began = time.monotonic()
        for line in child.stdout:
            if line.startswith("TASK ["):
                line = f"{line.rstrip()} at {time.monotonic() - began:.1f} s\n"
            log.write(line)
            log.flush()
            if line.startswith("TASK ["):
                progress.detail(line[len("TASK [") :].partition("]")[0])
        code = child.wait()
    cgroups.remove(lab, cgroups.TOOL)
    if code != 0:
        raise LabError(f"the playbook failed: {_why(log_path.read_text())}", f"all of it is in {log_path}")


def _why(output: str) -> str:
    """The lines of a failed run that say what failed."""
    lines = [line for line in output.splitlines() if line.strip()]
    wanted = [n for n, line in enumerate(lines) if line.startswith(("fatal:", "[ERROR]", "ERROR"))]
    start = max(0, wanted[0] - 1) if wanted else max(0, len(lines) - 10)
    return "\n".join(lines[start : start + 12])
