#!/usr/bin/python3
"""A PostgreSQL that is thrown away after a measurement, with TLS, and HAProxy and PgBouncer before it.

    scratch_postgres.py up FOLDER       a cluster in FOLDER, which must not be there; prints its socket's folder and port
    scratch_postgres.py front FOLDER    PgBouncer and HAProxy before it; prints HAProxy's port. In the environment:
                                        SCRATCH_USER, SCRATCH_PASSWORD, SCRATCH_DATABASE
    scratch_postgres.py down FOLDER     stops what runs there and removes it

Everything listens on loopback, on ports that are free. As root, the servers run as user postgres. Disks are not what is
measured: nothing is synced.
"""

import os
import pwd
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

POSTGRES_CONF = """
listen_addresses = '127.0.0.1'
port = {port}
unix_socket_directories = '{folder}'
ssl = on
ssl_cert_file = '{folder}/server.crt'
ssl_key_file = '{folder}/server.key'
password_encryption = 'scram-sha-256'
max_connections = 200
shared_buffers = '256MB'
max_wal_size = '8GB'
checkpoint_timeout = '1h'
fsync = off
logging_collector = off
"""
HBA = """
local all all trust
hostssl all all 127.0.0.1/32 scram-sha-256
"""
PGBOUNCER_INI = """
[databases]
{database} = host={folder} port={postgres} dbname={database} user={user}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = {folder}/userlist.txt
pool_mode = transaction
default_pool_size = 100
max_client_conn = 500
client_tls_sslmode = require
client_tls_cert_file = {folder}/server.crt
client_tls_key_file = {folder}/server.key
pidfile = {folder}/pgbouncer.pid
logfile = {folder}/pgbouncer.log
"""
HAPROXY_CFG = """
global
  pidfile {folder}/haproxy.pid
defaults
  mode tcp
  timeout connect 5s
  timeout client 1h
  timeout server 1h
listen postgres
  bind 127.0.0.1:{port}
  server pgbouncer 127.0.0.1:{pgbouncer}
"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def binary(name):
    found = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))
    if not found:
        sys.exit(f"scratch_postgres: {name} is not installed (package postgresql)")
    return str(found[-1])


def as_postgres(*command):
    """The servers refuse to run as root."""
    return ["runuser", "-u", "postgres", "--", *command] if os.geteuid() == 0 else list(command)


def run(*command, **options):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, **options)
    if done.returncode != 0:
        sys.exit(f"scratch_postgres: {' '.join(command[:6])} ended with {done.returncode}: {done.stderr[-500:]}")


def own(*paths):
    if os.geteuid() == 0:
        owner = pwd.getpwnam("postgres")
        for path in paths:
            os.chown(path, owner.pw_uid, owner.pw_gid)


def write(path, text):
    path.write_text(text, encoding="ascii")
    path.chmod(0o600)
    own(path)


def wait_for(port):
    for _ in range(200):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    sys.exit(f"scratch_postgres: nothing listens on port {port}")


def make_certificate(folder):
    run("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
        "-keyout", str(folder / "server.key"), "-out", str(folder / "server.crt"))
    (folder / "server.key").chmod(0o600)
    own(folder / "server.key", folder / "server.crt")


def sweep(folder):
    """What a measurement that was killed has left: its folder ends in the number of a process that is gone."""
    stem, _, own_pid = folder.name.rpartition("-")
    for other in folder.parent.glob(f"{stem}-*"):
        pid = other.name.rpartition("-")[2]
        if pid.isdigit() and pid != own_pid and not Path("/proc", pid).exists():
            down(other)


def up(folder):
    sweep(folder)
    folder.mkdir(mode=0o700)
    own(folder)
    make_certificate(folder)
    data = folder / "data"
    run(*as_postgres(binary("initdb"), "-D", str(data), "-U", "postgres", "--auth=trust", "-E", "UTF8",
                     "--locale=C.UTF-8", "--no-sync"), cwd="/")
    port = free_port()
    write(data / "postgresql.auto.conf", POSTGRES_CONF.format(port=port, folder=folder))
    write(data / "pg_hba.conf", HBA)
    run(*as_postgres(binary("pg_ctl"), "-D", str(data), "-l", str(folder / "postgres.log"), "-w", "-s", "start"),
        cwd="/")
    (folder / "port").write_text(str(port), encoding="ascii")
    print(folder, port)


def front(folder):
    user, password = os.environ["SCRATCH_USER"], os.environ["SCRATCH_PASSWORD"]
    pgbouncer, haproxy = free_port(), free_port()
    write(folder / "userlist.txt", f'"{user}" "{password}"\n')
    write(folder / "pgbouncer.ini",
          PGBOUNCER_INI.format(folder=folder, port=pgbouncer, postgres=(folder / "port").read_text(encoding="ascii"),
                               user=user, database=os.environ["SCRATCH_DATABASE"]))
    write(folder / "haproxy.cfg", HAPROXY_CFG.format(folder=folder, port=haproxy, pgbouncer=pgbouncer))
    run(*as_postgres("pgbouncer", "-q", "-d", str(folder / "pgbouncer.ini")), cwd="/")
    wait_for(pgbouncer)
    run(*as_postgres("/usr/sbin/haproxy", "-q", "-D", "-f", str(folder / "haproxy.cfg")), cwd="/")
    wait_for(haproxy)
    print(haproxy)


def down(folder):
    for name in ("haproxy.pid", "pgbouncer.pid"):
        if (folder / name).exists():
            for pid in (folder / name).read_text(encoding="ascii").split():
                subprocess.run(["kill", pid], check=False)
    if (folder / "data").exists():
        subprocess.run(as_postgres(binary("pg_ctl"), "-D", str(folder / "data"), "-m", "immediate", "-s", "stop"), cwd="/",
                       check=False)
    shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    verbs = {"up": up, "front": front, "down": down}
    if len(sys.argv) != 3 or sys.argv[1] not in verbs:
        sys.exit(__doc__)
    verbs[sys.argv[1]](Path(sys.argv[2]))
