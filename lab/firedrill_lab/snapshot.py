"""Starting hosts, keeping the pristine cluster, and starting again from it.

A snapshot is, for each host, the overlay's upper folder (from then on a second read-only layer above
the base) and its data file system. It is taken from a cluster that was stopped so that starting it
again finds the same leader: Patroni is frozen, not stopped, so the leader's key stays in etcd; the
leader's PostgreSQL stops first, and waits until the replicas have its last record.
"""

from __future__ import annotations

import hashlib
import json
import pathlib
from collections.abc import Callable

from . import access, deploy, image, network
from .disks import HostDisks
from .hosts import boot, kill, on_host
from .names import DATABASE_HOSTS, HOSTS, REPOSITORY, Host, Lab, Options
from .shell import at_once, run, write_private
from .teardown import remove_folder

COMPLETE = "complete"  # in the snapshot's folder: whose snapshot this is; written last
BOOTED = "booted"  # in the live folder: every host has been booted from the snapshot; written last

FREEZE_PATRONI = """
systemctl stop cron confd
kill -STOP $(systemctl show --property MainPID --value patroni)
"""
STOP_POSTGRESQL = """
runuser -u postgres -- /usr/lib/postgresql/17/bin/pg_ctl -D /var/lib/postgresql/17/main -m fast -w -t 50 stop
"""


def fingerprint(lab: Lab, options: Options) -> str:
    """Equal where `up` would make the same cluster: same sources, options, subnet."""
    digest = hashlib.sha256(f"{image.recipe_hash()} {options} {lab.subnet} {lab.home}".encode())
    playbooks = deploy.PLAYBOOKS
    files = [playbooks / "ansible.cfg", playbooks / "lab.yml", REPOSITORY / "inventories" / "lab.yml"]
    files += [file for role in playbooks.glob("roles/lab_*") for file in role.rglob("*")]
    files += [pathlib.Path(module.__file__ or "") for module in (access, deploy)]
    for path in sorted(path for path in files if path.is_file()):
        digest.update(str(path.relative_to(REPOSITORY)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def is_complete(lab: Lab, wanted: str | None = None) -> bool:
    """Whether there is a snapshot, of the wanted fingerprint where one is named."""
    try:
        kept = (lab.pristine / COMPLETE).read_text().strip()
    except FileNotFoundError:
        return False
    return wanted is None or kept == wanted


def start_hosts(lab: Lab, prepare: Callable[[Host], None], lend_to: bool = False) -> None:
    """Build the network and boot all hosts; `prepare` mounts a host's disks."""
    network.build_bridge(lab)

    def start(host: Host) -> None:
        HostDisks(lab, host).make_folders()
        prepare(host)
        network.plug_in(lab, host)
        boot(lab, host, deploy.lent_to_controller(lab, host) if lend_to else ())

    at_once(start, HOSTS)


def start_bare(lab: Lab, base: pathlib.Path) -> None:
    """Boot hosts that hold the base image and nothing else."""

    def prepare(host: Host) -> None:
        disks = HostDisks(lab, host)
        if host.runs_database:
            disks.make_image()
        disks.mount([base])
        deploy.write_identity(lab, host)

    start_hosts(lab, prepare, lend_to=True)


def start_pristine(lab: Lab, base: pathlib.Path) -> None:
    """Boot the hosts from the snapshot."""

    def prepare(host: Host) -> None:
        disks = HostDisks(lab, host)
        if host.runs_database:
            disks.copy_image(lab.pristine / host.name / "data.ext4")
        disks.mount([lab.pristine / host.name / "layer", base])

    start_hosts(lab, prepare)
    (lab.live / BOOTED).touch()


def stands(lab: Lab) -> bool:
    """Whether the whole lab was booted, even if hosts have lost their power since.

    The bridge is asked for too: it does not outlive a reboot of this machine, the mark does.
    """
    return (lab.live / BOOTED).exists() and network.interface_exists(lab.bridge)


def stop_for_snapshot(lab: Lab, leader: Host) -> None:
    """Stop the cluster so that it comes up again with the same leader; the hosts end here."""
    replicas = [host for host in DATABASE_HOSTS if host != leader]
    at_once(lambda host: on_host(lab, host, FREEZE_PATRONI), DATABASE_HOSTS)
    on_host(lab, leader, STOP_POSTGRESQL)
    at_once(lambda host: on_host(lab, host, STOP_POSTGRESQL), replicas)
    at_once(lambda host: on_host(lab, host, "systemctl stop etcd"), DATABASE_HOSTS)
    at_once(lambda host: kill(lab, host), HOSTS)


def keep(lab: Lab, mark: str) -> None:
    """Make the snapshot out of the stopped and unmounted hosts in the lab's `live` folder."""
    remove_folder(lab.pristine)
    for host in HOSTS:
        disks, kept = HostDisks(lab, host), lab.pristine / host.name
        kept.mkdir(parents=True)
        disks.upper.rename(kept / "layer")
        if host.runs_database:
            disks.image.rename(kept / "data.ext4")
    run(["sync", "--file-system", str(lab.pristine)])
    write_private(lab.pristine / COMPLETE, mark + "\n")


def record(lab: Lab, options: Options, mark: str) -> None:
    """Note what stands, for the commands that come after `up`."""
    known = {"subnet": str(lab.subnet), "options": vars(options), "fingerprint": mark}
    write_private(lab.home / "lab.json", json.dumps(known, indent=2) + "\n")
