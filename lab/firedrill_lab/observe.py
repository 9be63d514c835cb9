"""Asking every part of the cluster how it is, from where a client stands.

Answers are plain data, so that judging them (`health`) is a function that a test can feed. A part
that does not answer is recorded with the reason, never left out.
"""

from __future__ import annotations

import csv
import dataclasses
import http.client
import io
import json
import ssl
import urllib.request
from typing import Any

from .errors import LabError
from .hosts import is_running, on_host, port_answers
from .names import DATABASE_HOSTS, HOSTS, Host, Lab, Options
from .shell import at_once

SECONDS = 4.0  # a part that needs longer than this is not well
UNITS = ("ssh", "cron", "etcd", "patroni", "pgbouncer", "haproxy", "confd")

# A crash of PostgreSQL forgets what was archived; then what lies in archive_status tells.
# Printed by the leader: what its archiver did, and what lies in the repositories.
BACKUP_SCRIPT = """
runuser -u postgres -- psql -XqAt -F ' ' -c \
  "select coalesce(last_archived_time > coalesce(last_failed_time, '-infinity'), \
                   last_failed_time is null and bool_and(name like '%.done')), failed_count \
   from pg_stat_archiver left join pg_ls_archive_statusdir() on true \
   group by last_archived_time, last_failed_time, failed_count" || echo 'f -1'
runuser -u postgres -- pgbackrest --stanza=postgres-cluster --log-level-console=off --output=json info
"""


@dataclasses.dataclass
class HostAnswers:
    """What one host said. `None` where it said nothing; the reason is in `silent`."""

    running: bool = False
    cluster: dict[str, Any] | None = None  # Patroni's GET /cluster
    config: dict[str, Any] | None = None  # Patroni's GET /config
    etcd_healthy: bool = False
    balancer: dict[str, list[str]] | None = None  # listener -> servers that are UP
    entry_open: bool = False  # port 5000 takes connections at the address clients use
    pooler_open: bool = False
    inactive_units: list[str] | None = None
    silent: dict[str, str] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass
class Answers:
    """What the whole lab said, by host name; `storage` by repository number."""

    hosts: dict[str, HostAnswers]
    storage: dict[int, bool]
    archiving: bool | None = None
    full_backups: dict[int, int] | None = None  # repository -> full backups in it


def ask(lab: Lab, options: Options) -> Answers:
    """Ask everybody at the same time."""
    hosts = dict(zip((h.name for h in HOSTS), at_once(lambda h: ask_host(lab, options, h), HOSTS)))
    s3 = next(host for host in HOSTS if not host.runs_database)
    storage = {n: _storage_answers(lab, s3, n) for n in (1, 2)} if hosts[s3.name].running else {1: False, 2: False}
    return Answers(hosts, storage)


def ask_about_backups(lab: Lab, leader: Host, answers: Answers) -> None:
    """Fill in what only the leader knows; slower than the rest, so asked when the rest is well."""
    try:
        archiver, _, report = on_host(lab, leader, BACKUP_SCRIPT, timeout=30).partition("\n")
        answers.archiving = archiver.startswith("t ")
        answers.full_backups = count_full_backups(json.loads(report))
    except (LabError, ValueError) as error:
        answers.hosts[leader.name].silent["backups"] = str(error)


def count_full_backups(report: list[dict[str, Any]]) -> dict[int, int]:
    """Full backups without error in each repository, from pgBackRest's `info`."""
    counts = {1: 0, 2: 0}
    for stanza in report:
        for backup in stanza.get("backup", []):
            if backup["type"] == "full" and not backup.get("error"):
                counts[backup["database"]["repo-key"]] += 1
    return counts


def ask_host(lab: Lab, options: Options, host: Host) -> HostAnswers:
    answers = HostAnswers(running=is_running(lab, host))
    if not answers.running or not host.runs_database:
        return answers
    address = lab.address(host)

    def attempt(what: str, act: Any) -> Any:
        try:
            return act()
        except (OSError, http.client.HTTPException, ValueError, LabError) as error:
            answers.silent[what] = str(error) or type(error).__name__
            return None

    answers.cluster = attempt("patroni", lambda: _get_json(lab, f"https://{address}:8008/cluster"))
    answers.config = attempt("patroni", lambda: _get_json(lab, f"https://{address}:8008/config"))
    answers.etcd_healthy = attempt("etcd", lambda: _etcd_health(lab, address)) is True
    answers.balancer = attempt("haproxy", lambda: _servers_up(f"http://{address}:7000/;csv"))
    answers.pooler_open = port_answers(address, 6432, SECONDS)
    answers.entry_open = port_answers(lab.vip if options.profile == "vip" else address, 5000, SECONDS)
    units = [*UNITS, *(["keepalived"] if options.profile == "vip" else [])]
    answers.inactive_units = attempt("ssh", lambda: _inactive_units(lab, host, units))
    return answers


def leader_of(answers: Answers) -> Host | None:
    """The host that most members call leader, if any does."""
    for host in DATABASE_HOSTS:
        cluster = answers.hosts[host.name].cluster
        for member in (cluster or {}).get("members", []):
            if member.get("role") == "leader":
                return next((h for h in DATABASE_HOSTS if h.hostname == member["name"]), None)
    return None


def _get_json(lab: Lab, url: str) -> Any:
    context = ssl.create_default_context(cafile=str(lab.access / "tls" / "ca.crt"))
    with urllib.request.urlopen(url, timeout=SECONDS, context=context) as response:
        return json.load(response)


def _etcd_health(lab: Lab, address: str) -> bool:
    context = ssl.create_default_context(cafile=str(lab.access / "etcd" / "ca.crt"))
    context.load_cert_chain(lab.access / "etcd" / "server.crt", lab.access / "etcd" / "server.key")
    with urllib.request.urlopen(f"https://{address}:2379/health", timeout=SECONDS, context=context) as response:
        return json.load(response).get("health") == "true"


def _servers_up(url: str) -> dict[str, list[str]]:
    with urllib.request.urlopen(url, timeout=SECONDS) as response:
        return servers_up(response.read().decode())


def servers_up(text: str) -> dict[str, list[str]]:
    """The servers that are UP in each listener, from HAProxy's statistics."""
    listeners: dict[str, list[str]] = {}
    for row in csv.DictReader(io.StringIO(text.removeprefix("# "))):
        servers = listeners.setdefault(row["pxname"], [])
        if row["svname"] not in ("FRONTEND", "BACKEND") and row["status"].startswith("UP"):
            servers.append(row["svname"])
    return listeners


def _inactive_units(lab: Lab, host: Host, units: list[str]) -> list[str]:
    states = on_host(lab, host, f"systemctl is-active {' '.join(units)} || true", timeout=SECONDS * 2).split()
    return [f"{unit} {state}" for unit, state in zip(units, states) if state != "active"]


def _storage_answers(lab: Lab, host: Host, number: int) -> bool:
    context = ssl.create_default_context(cafile=str(lab.access / "tls" / "ca.crt"))
    connection = http.client.HTTPSConnection(lab.address(host), 9000 + number, timeout=SECONDS, context=context)
    try:
        connection.request("GET", f"/repo{number}?list-type=2&max-keys=1")
        return connection.getresponse().status < 500
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
