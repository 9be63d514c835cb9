"""Judging what the parts of the cluster said. Pure: answers in, findings out.

Healthy means what a drill's steady state means: one leader, all members streaming on its timeline,
a quorum with nobody missing, every balancer agreeing with Patroni, every entry point open, backups
in both repositories and archiving in order.
"""

from __future__ import annotations

import dataclasses

from .names import DATABASE_HOSTS, Options
from .observe import Answers, leader_of


@dataclasses.dataclass(frozen=True)
class Line:
    """One line of `status`: a part of the cluster, whether it is well, and what to say about it."""

    part: str
    well: bool
    text: str


def judge(answers: Answers, options: Options) -> list[Line]:
    """A line for each part, in the order in which they depend on each other."""
    lines = [_hosts(answers), _etcd(answers), _cluster(answers), _balancers(answers, options)]
    return [*lines, _entries(answers), _units(answers), _backups(answers)]


def healthy(lines: list[Line]) -> bool:
    return all(line.well for line in lines)


def members_well(answers: Answers, options: Options) -> bool:
    """Everything but the backups: when this holds it is worth asking about them."""
    return all(line.well for line in judge(answers, options) if line.part != "backups")


def _hosts(answers: Answers) -> Line:
    off = [name for name, host in answers.hosts.items() if not host.running]
    count = len(answers.hosts)
    return Line("hosts", not off, f"{count - len(off)} of {count} running" + _list("off", off))


def _etcd(answers: Answers) -> Line:
    bad = [h.name for h in DATABASE_HOSTS if not answers.hosts[h.name].etcd_healthy]
    return Line("etcd", not bad, f"{3 - len(bad)} of 3 healthy" + _list("not", bad))


def _cluster(answers: Answers) -> Line:
    leader = leader_of(answers)
    views = [answers.hosts[h.name].cluster for h in DATABASE_HOSTS]
    if leader is None:
        return Line("cluster", False, "no leader")
    troubles = [f"{h.name}'s Patroni is silent" for h, view in zip(DATABASE_HOSTS, views) if view is None]
    view = next(view for view in views if view is not None and _leader_name(view))
    if len({_leader_name(v) for v in views if v is not None}) > 1:
        troubles.append("members name different leaders")
    members = {member["name"]: member for member in view["members"]}
    timeline = members[leader.hostname].get("timeline")
    for host in DATABASE_HOSTS:
        member = members.get(host.hostname)
        wanted = "running" if host == leader else "streaming"
        if member is None:
            troubles.append(f"{host.name} is no member")
        elif member["state"] != wanted:
            troubles.append(f"{host.name} is {member['state']}")
        elif member.get("timeline") != timeline:
            troubles.append(f"{host.name} is on timeline {member.get('timeline')}")
        elif member.get("pending_restart"):
            troubles.append(f"{host.name} waits for a restart")
    if view.get("pause"):
        troubles.append("Patroni is paused")
    synchronous = [m["name"] for m in view["members"] if m["role"] in ("sync_standby", "quorum_standby")]
    config = next((answers.hosts[h.name].config for h in DATABASE_HOSTS if answers.hosts[h.name].config), None)
    if config and config.get("synchronous_mode") and not synchronous:
        troubles.append("no synchronous standby")
    text = f"leader {leader.name} ({leader.hostname}), timeline {timeline}, " + (
        "; ".join(troubles) if troubles else "2 replicas streaming"
    )
    return Line("cluster", not troubles, text + _list("synchronous", synchronous))


def _leader_name(view: dict) -> str | None:
    return next((member["name"] for member in view["members"] if member["role"] == "leader"), None)


def _balancers(answers: Answers, options: Options) -> Line:
    leader = leader_of(answers)
    troubles = []
    everyone = {host.hostname for host in DATABASE_HOSTS}
    for host in DATABASE_HOSTS:
        up = answers.hosts[host.name].balancer
        if up is None:
            troubles.append(f"{host.name}'s is silent")
            continue
        if leader is None or up.get("master") != [leader.hostname]:
            troubles.append(f"{host.name} has master {_names(up.get('master', []))}")
        elif set(up.get("replicas", [])) != everyone - {leader.hostname}:
            troubles.append(f"{host.name} has replicas {_names(up.get('replicas', []))}")
        elif options.sync and not up.get("replicas_sync"):
            troubles.append(f"{host.name} has no synchronous replica")
    return Line("balancers", not troubles, "; ".join(troubles) or "3 of 3 agree with Patroni")


def _entries(answers: Answers) -> Line:
    hosts = [(h.name, answers.hosts[h.name]) for h in DATABASE_HOSTS]
    shut = [f"{name}:5000" for name, host in hosts if not host.entry_open]
    shut += [f"{name}:6432" for name, host in hosts if not host.pooler_open]
    return Line("entry points", not shut, "all open" if not shut else f"shut: {', '.join(shut)}")


def _units(answers: Answers) -> Line:
    troubles = []
    for host in DATABASE_HOSTS:
        units = answers.hosts[host.name].inactive_units
        if units is None:
            troubles.append(f"{host.name} does not take SSH")
        elif units:
            troubles.append(f"{host.name}: {', '.join(units)}")
    return Line("units", not troubles, "; ".join(troubles) or "all active")


def _backups(answers: Answers) -> Line:
    troubles = [f"repository {n} does not answer" for n, well in answers.storage.items() if not well]
    if answers.full_backups is None:
        troubles.append("not asked: no healthy leader")
    else:
        troubles += [f"no full backup in repository {n}" for n, count in answers.full_backups.items() if not count]
        if answers.archiving is False:
            troubles.append("archiving fails or has not begun")
    return Line("backups", not troubles, "; ".join(troubles) or "full backups in 2 of 2 repositories, archiving")


def _names(names: list[str]) -> str:
    return ", ".join(names) or "none"


def _list(word: str, names: list[str]) -> str:
    return f", {word}: {', '.join(names)}" if names else ""
