"""Keys, certificates and passwords of one lab, made once and kept, readable by root only.

    id_ed25519, known_hosts     SSH to every host as root
    tls/                        private CA and the one certificate that the database hosts share
    etcd/                       etcd's own CA and certificate, which is its clients' too
    s3/                         certificate of the object storage, from the first CA
    host-keys/                  what the hosts' sshd answer with
    files-<host>.tar            the database hosts' certificates where they belong, with owners and modes
    secrets.json                passwords, named as the playbook's variables
"""

from __future__ import annotations

import io
import json
import pathlib
import secrets
import shutil
import tarfile
import tempfile

from .names import DATABASE_HOSTS, HOSTS, Host, Lab, find_host
from .shell import at_once, run, write_private

DAYS = "3650"

# (file of ours, place on a database host, owner there, mode), as autobase lays them
PLACES = (
    ("tls/ca.crt", "etc/tls/ca.crt", "postgres", 0o644),
    ("tls/server.crt", "etc/tls/server.crt", "postgres", 0o644),
    ("tls/server.key", "etc/tls/server.key", "postgres", 0o400),
    ("etcd/ca.crt", "etc/etcd/tls/ca.crt", "etcd", 0o644),
    ("etcd/server.crt", "etc/etcd/tls/server.crt", "etcd", 0o644),
    ("etcd/server.key", "etc/etcd/tls/server.key", "etcd", 0o400),
    ("etcd/ca.crt", "etc/patroni/tls/etcd/ca.crt", "postgres", 0o644),
    ("etcd/server.crt", "etc/patroni/tls/etcd/server.crt", "postgres", 0o644),
    ("etcd/server.key", "etc/patroni/tls/etcd/server.key", "postgres", 0o400),
    ("etcd/ca.crt", "etc/confd/tls/etcd/ca.crt", "root", 0o644),
    ("etcd/server.crt", "etc/confd/tls/etcd/server.crt", "root", 0o644),
    ("etcd/server.key", "etc/confd/tls/etcd/server.key", "root", 0o400),
)
PLACES_ON_FIRST_HOST = (
    ("tls/ca.key", "etc/tls/ca.key", "root", 0o600),
    ("etcd/ca.key", "etc/etcd/tls/ca.key", "root", 0o600),
)


def ensure_access(lab: Lab) -> None:
    """Make what is missing; what is there stays as it is, so that a client's copies stay good."""
    lab.access.mkdir(parents=True, exist_ok=True)
    lab.access.chmod(0o700)
    if not (lab.access / "secrets.json").exists():
        write_private(lab.access / "secrets.json", json.dumps(_new_secrets(), indent=2) + "\n")
    _ensure_ssh_keys(lab)
    _forget_other_addresses(lab)
    _ensure_certificates(lab)
    for host in DATABASE_HOSTS:
        _pack(lab, host, PLACES if host != DATABASE_HOSTS[0] else PLACES + PLACES_ON_FIRST_HOST)


def _new_secrets() -> dict[str, str]:
    names = ["patroni_superuser_password", "patroni_replication_password", "patroni_restapi_password"]
    names += ["pgbouncer_auth_password", "lab_app_password"]
    names += [f"lab_repo{n}_{part}" for n in (1, 2) for part in ("key", "key_secret")]
    return {name: secrets.token_hex(16) for name in names}


def _ensure_ssh_keys(lab: Lab) -> None:
    keys = [lab.access / "id_ed25519"]
    keys += [lab.access / "host-keys" / host.name for host in HOSTS]
    (lab.access / "host-keys").mkdir(exist_ok=True)
    for key in keys:
        if not key.with_suffix(".pub").exists():
            key.unlink(missing_ok=True)
            run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", f"pgfiredrill lab {lab.name}", "-f", str(key)])
    lines = []
    for host in HOSTS:
        kind, key_text, *_ = (lab.access / "host-keys" / f"{host.name}.pub").read_text().split()
        lines.append(f"{host.hostname},{lab.address(host)} {kind} {key_text}\n")
    write_private(lab.access / "known_hosts", "".join(lines))


def _forget_other_addresses(lab: Lab) -> None:
    """Certificates name addresses: a lab that has moved to another subnet needs new ones."""
    made_for = lab.access / "subnet"
    if not made_for.exists() or made_for.read_text() != f"{lab.subnet}\n":
        for name in ("tls", "etcd", "s3"):
            shutil.rmtree(lab.access / name, ignore_errors=True)
        made_for.write_text(f"{lab.subnet}\n")


def _ensure_certificates(lab: Lab) -> None:
    at_once(lambda name: _make_authority(lab.access / name, name), ["tls", "etcd"])
    names = [*(host.hostname for host in DATABASE_HOSTS), *map(lab.address, DATABASE_HOSTS)]
    local = ["localhost", "127.0.0.1"]
    s3 = find_host("s3")
    jobs = [
        (lab.access / "tls", lab.access / "tls", [*names, *local]),
        (lab.access / "etcd", lab.access / "etcd", [*names, *local]),
        (lab.access / "tls", lab.access / "s3", [s3.hostname, lab.address(s3), *local]),
    ]
    at_once(lambda job: _make_certificate(*job), jobs)


def _make_authority(folder: pathlib.Path, name: str) -> None:
    folder.mkdir(exist_ok=True)
    if (folder / "ca.crt").exists():
        return
    command = ["openssl", "req", "-x509", "-newkey", "rsa:4096", "-nodes", "-sha256", "-days", DAYS]
    command += ["-subj", f"/CN=pgfiredrill lab {name} CA", "-keyout", str(folder / "ca.key")]
    command += ["-addext", "keyUsage=critical,keyCertSign,cRLSign", "-out", str(folder / "ca.new")]
    run(command)
    (folder / "ca.new").rename(folder / "ca.crt")


def _make_certificate(authority: pathlib.Path, folder: pathlib.Path, names: list[str]) -> None:
    folder.mkdir(exist_ok=True)
    if (folder / "server.crt").exists():
        return
    sans = ",".join(("IP:" if name[0].isdigit() else "DNS:") + name for name in names)
    extensions = f"subjectAltName={sans}\nextendedKeyUsage=serverAuth,clientAuth\n"
    extensions += "keyUsage=critical,digitalSignature,keyEncipherment\nbasicConstraints=CA:FALSE\n"
    with tempfile.TemporaryDirectory() as scratch:
        request, extension_file = f"{scratch}/request", f"{scratch}/extensions"
        pathlib.Path(extension_file).write_text(extensions)
        command = ["openssl", "req", "-new", "-newkey", "rsa:4096", "-nodes", "-subj", f"/CN={names[0]}"]
        run([*command, "-keyout", str(folder / "server.key"), "-out", request])
        command = ["openssl", "x509", "-req", "-sha256", "-days", DAYS, "-in", request, "-extfile", extension_file]
        command += ["-CA", str(authority / "ca.crt"), "-CAkey", str(authority / "ca.key")]
        # A serial of our own: two certificates are signed at once, a serial file would be shared.
        command += ["-set_serial", f"0x{secrets.token_hex(8)}", "-out", str(folder / "server.new")]
        run(command)
    (folder / "server.new").rename(folder / "server.crt")


def _pack(lab: Lab, host: Host, places: tuple[tuple[str, str, str, int], ...]) -> None:
    """One archive for a host: a copy for each file would be the longest part of the playbook."""
    with tarfile.open(lab.access / f"files-{host.hostname}.tar", "w") as archive:
        for source, place, owner, mode in places:
            content = (lab.access / source).read_bytes()
            entry = tarfile.TarInfo(place)
            entry.size, entry.mode, entry.uname, entry.gname = len(content), mode, owner, owner
            archive.addfile(entry, io.BytesIO(content))
