"""What a lab is called and where everything of it lives. Pure: nothing here touches the machine.

Every name that the kernel sees (bridge, cable, namespace, cgroup, machine) is derived from the lab's
name, so that `down` finds all of it without any record of what an earlier, perhaps killed, `up` did.
"""

from __future__ import annotations

import dataclasses
import ipaddress
import os
import pathlib
import re

from .errors import UsageError

DEFAULT_NAME = "lab"
DEFAULT_SUBNET = "10.77.0.0/24"
DEFAULT_STATE = "/var/lib/pgfiredrill-lab"
STATE_VARIABLE = "PGFIREDRILL_LAB_STATE"
MIRROR_VARIABLE = "PGFIREDRILL_LAB_MIRROR"
SCOPE = "postgres-cluster"
REPOSITORY = pathlib.Path(__file__).resolve().parents[2]

# The kernel allows 15 characters in an interface name, "-pg1" and "pgf-" take four of them.
_NAME = re.compile(r"[a-z][a-z0-9]{0,9}")


@dataclasses.dataclass(frozen=True)
class Host:
    """One container: `name` in the lab's commands, `hostname` inside, `octet` of its address."""

    name: str
    hostname: str
    octet: int

    @property
    def runs_database(self) -> bool:
        return self.name != "s3"


HOSTS = (
    Host("pg1", "pgnode01", 11),
    Host("pg2", "pgnode02", 12),
    Host("pg3", "pgnode03", 13),
    Host("s3", "s3", 14),
)
DATABASE_HOSTS = tuple(host for host in HOSTS if host.runs_database)


def find_host(name: str) -> Host:
    """The host called `name` in commands; its hostname is taken too, since people copy those."""
    for host in HOSTS:
        if name in (host.name, host.hostname):
            return host
    raise UsageError(f"there is no host {name!r}", "the hosts are " + ", ".join(h.name for h in HOSTS))


@dataclasses.dataclass(frozen=True)
class Options:
    """What `up` may vary. Two labs with equal options and equal sources are the same cluster."""

    profile: str = "balancers"
    fast: bool = False
    sync: bool = False

    def words(self) -> str:
        """The options as a user would type them."""
        parts = [f"--profile {self.profile}"]
        parts += ["--fast"] if self.fast else []
        parts += ["--sync"] if self.sync else []
        return " ".join(parts)


@dataclasses.dataclass(frozen=True)
class Lab:
    """One lab's names and paths."""

    name: str
    subnet: ipaddress.IPv4Network
    state_root: pathlib.Path

    @property
    def bridge(self) -> str:
        return f"pgf-{self.name}"

    def cable(self, host: Host) -> str:
        """The bridge's end of a host's cable."""
        return f"{self.name}-{host.name}"

    def machine(self, host: Host) -> str:
        """The container's name for systemd, and the name of its network namespace."""
        return f"pgf-{self.name}-{host.name}"

    def address(self, host: Host) -> str:
        return str(self.subnet[host.octet])

    @property
    def gateway(self) -> str:
        """The bridge's own address: where the tester stands."""
        return str(self.subnet[1])

    @property
    def vip(self) -> str:
        return str(self.subnet[100])

    @property
    def home(self) -> pathlib.Path:
        return self.state_root / "labs" / self.name

    @property
    def access(self) -> pathlib.Path:
        """SSH key, known hosts and the certificates that a client needs."""
        return self.home / "access"

    @property
    def pristine(self) -> pathlib.Path:
        return self.home / "pristine"

    @property
    def live(self) -> pathlib.Path:
        return self.home / "live"

    @property
    def inventory(self) -> pathlib.Path:
        return self.home / "inventory.yml"


def parse_lab(name: str, subnet: str, state_root: str | None = None) -> Lab:
    """Check what was asked for; says what is wrong with it and what would be right."""
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"{name!r} cannot be a lab's name",
            "use 1 to 10 lower-case letters and digits, a letter first (it becomes part of interface names)",
        )
    try:
        network = ipaddress.IPv4Network(subnet)
    except ValueError as error:
        raise UsageError(f"{subnet!r} is no IPv4 subnet: {error}", f"for example {DEFAULT_SUBNET}") from error
    if network.prefixlen != 24:
        raise UsageError(f"{subnet} is not a /24", f"for example {DEFAULT_SUBNET}")
    if not network.is_private or network.is_loopback or network.is_link_local:
        raise UsageError(f"{subnet} is not a private subnet", f"for example {DEFAULT_SUBNET}")
    root = state_root or os.environ.get(STATE_VARIABLE) or DEFAULT_STATE
    return Lab(name, network, pathlib.Path(root).absolute())
