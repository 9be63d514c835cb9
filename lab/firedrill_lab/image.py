"""The read-only Debian base that all hosts of all labs share.

It holds what is the same everywhere: packages, users, switched-off units. Its folder is named by a
hash of its recipe, so a changed recipe makes another base beside the old one, and a half-made one is
never mistaken for a whole one (it gets its name only when it is whole).
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import pathlib
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

from . import cgroups, disks
from .errors import LabError
from .names import MIRROR_VARIABLE, Lab
from .shell import run

SUITE = "trixie"
# The older suite only fills in what the newer one no longer has: PostgreSQL 15, for upgrade drills.
OLD_SUITE = "bookworm"

PACKAGES = (
    # the host itself
    "systemd systemd-sysv dbus libpam-systemd iproute2 openssh-server cron rsyslog sudo nftables locales "
    "ca-certificates python3 python3-apt logrotate procps psmisc curl acl rsync openssl chrony "
    # the cluster
    "postgresql-17 postgresql-15 patroni python3-etcd python3-dnspython python3-psycopg2 etcd-server etcd-client pgbouncer haproxy keepalived "
    "pgbackrest fio "
    # host s3: object storage, and the Ansible that lays the services (Debian 12's cannot manage Debian 13)
    "python3-moto python3-flask python3-flask-cors ansible-core"
).split()

# Run before the packages: no cluster is made on installation, no daemon starts inside the image.
BEFORE_PACKAGES = r"""
set -e
mkdir -p "$1/etc/postgresql-common" "$1/usr/sbin"
printf 'create_main_cluster = false\n' > "$1/etc/postgresql-common/createcluster.conf"
printf '#!/bin/sh\nexit 101\n' > "$1/usr/sbin/policy-rc.d"
chmod 755 "$1/usr/sbin/policy-rc.d"
"""

# Run after the packages. Debian's own configuration of 17/main stays and its data go, which is how a
# database host looks just before Patroni makes the cluster. Units that only fetch from the internet
# are masked. A container's kernel state outlives a reboot inside it, a machine's does not: the last
# unit takes that difference away.
AFTER_PACKAGES = r"""
set -e
rm -f "$1/usr/sbin/policy-rc.d" "$1"/etc/ssh/ssh_host_* "$1/etc/hostname" "$1/etc/resolv.conf"
: > "$1/etc/machine-id"
: > "$1/etc/resolv.conf"
printf 'en_US.UTF-8 UTF-8\n' > "$1/etc/locale.gen"
chroot "$1" locale-gen >/dev/null
chroot "$1" pg_createcluster --locale en_US.UTF-8 --encoding UTF8 --start-conf=disabled 17 main >/dev/null
rm -rf "$1/var/lib/postgresql/17" "$1/var/lib/postgresql/15" "$1"/var/log/postgresql/*
chroot "$1" systemctl --quiet disable etcd haproxy keepalived patroni pgbouncer rsync e2scrub_reap \
    e2scrub_all.timer 2>/dev/null || true
chroot "$1" systemctl --quiet mask apt-daily.service apt-daily.timer apt-daily-upgrade.service \
    apt-daily-upgrade.timer unattended-upgrades.service systemd-networkd-wait-online.service
chroot "$1" usermod --home /var/lib/etcd etcd 2>/dev/null || true
printf 'postgres ALL=(ALL) NOPASSWD:ALL\n' > "$1/etc/sudoers.d/postgres"
chmod 440 "$1/etc/sudoers.d/postgres"
cat > "$1/usr/local/sbin/lab-fresh-kernel" <<'SCRIPT'
#!/bin/sh
# What a real machine's kernel forgets at boot: firewall rules, traffic shaping, added addresses.
nft flush ruleset
tc qdisc del dev eth0 root 2>/dev/null
own=$(cat /etc/lab-address)
ip -o -4 address show dev eth0 | while read -r _ _ _ address _; do
    [ "${address%/*}" = "$own" ] || ip address del "$address" dev eth0
done
exit 0
SCRIPT
chmod 755 "$1/usr/local/sbin/lab-fresh-kernel"
cat > "$1/etc/systemd/system/lab-fresh-kernel.service" <<'UNIT'
[Unit]
Description=Forget what a real kernel forgets at boot
DefaultDependencies=no
Before=network-pre.target basic.target
Wants=network-pre.target

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/usr/local/sbin/lab-fresh-kernel

[Install]
WantedBy=sysinit.target
UNIT
chroot "$1" systemctl --quiet enable lab-fresh-kernel.service
"""


def recipe_hash() -> str:
    """Changes when anything that makes the image changes."""
    recipe = "\n".join([SUITE, OLD_SUITE, *PACKAGES, BEFORE_PACKAGES, AFTER_PACKAGES])
    return hashlib.sha256(recipe.encode()).hexdigest()[:16]


def image_path(lab: Lab) -> pathlib.Path:
    return lab.state_root / "base" / recipe_hash()


def mirror_url(asked: str | None) -> str:
    """The Debian mirror to take packages from: asked for, or the one this machine's apt uses."""
    url = asked or os.environ.get(MIRROR_VARIABLE)
    if url:
        return url
    if shutil.which("apt-get"):
        listed = run(
            ["apt-get", "indextargets", "--format", "$(ORIGIN)|$(LABEL)|$(REPO_URI)", "Created-By: Packages"],
            check=False,
        )
        for line in listed.stdout.splitlines():
            origin, label, uri = line.split("|", 2)
            if (origin, label) == ("Debian", "Debian"):
                return uri
    raise LabError(
        "no Debian mirror is known here",
        f"run `apt-get update` once, or name one by --mirror URL or {MIRROR_VARIABLE}",
        code=3,
    )


def ensure_image(lab: Lab, mirror: str | None) -> pathlib.Path:
    """The base image, made now where it is not there yet. Labs that start at once share the making."""
    path = image_path(lab)
    if path.is_dir():
        return path
    with _only_builder(path.parent):
        if not path.is_dir():
            _remove_unfinished(path.parent)
            _build(lab, path, mirror_url(mirror))
    return path


def _build(lab: Lab, path: pathlib.Path, mirror: str) -> None:
    unfinished = path.with_name(path.name + ".unfinished")
    command = ["mmdebstrap", "--quiet", "--variant=minbase", "--format=directory", "--mode=root"]
    command += ["--aptopt=APT::Install-Recommends \"false\"", "--aptopt=Acquire::Languages \"none\""]
    command += ["--dpkgopt=force-unsafe-io"]
    for folder in ("man", "doc", "locale"):
        command += [f"--dpkgopt=path-exclude=/usr/share/{folder}/*"]
    command += [f"--essential-hook={BEFORE_PACKAGES}", f"--customize-hook={AFTER_PACKAGES}"]
    command += ["--include=" + ",".join(PACKAGES), SUITE, str(unfinished)]
    command += [f"deb {mirror} {suite} main" for suite in (SUITE, OLD_SUITE)]
    try:
        run(command, cgroup=cgroups.enter(lab, cgroups.TOOL))
    except LabError as error:
        hint = f"is {mirror} a Debian mirror that has {SUITE} and {OLD_SUITE}? --mirror URL names another"
        raise LabError(error.what, hint) from error
    finally:
        cgroups.kill(lab, cgroups.TOOL)
    unfinished.rename(path)


def _remove_unfinished(folder: pathlib.Path) -> None:
    for path in folder.glob("*.unfinished"):
        disks.unmount_below(path)
        shutil.rmtree(path)


@contextmanager
def _only_builder(folder: pathlib.Path) -> Iterator[None]:
    """Hold the builders' lock; the kernel frees it when this process ends, however it ends."""
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
