"""Bridge, namespaces and virtual cables.

Each host has a network namespace of its own and one cable to the lab's bridge. The bridge has the
subnet's first address in the outer namespace, which is where the tester stands. Nothing routes or
translates: the lab's traffic stays on its bridge.
"""

from __future__ import annotations

import ipaddress
import json
import pathlib

from .errors import LabError
from .names import HOSTS, Host, Lab
from .shell import run

NAMESPACES = pathlib.Path("/run/netns")


def build_bridge(lab: Lab) -> None:
    commands = [
        f"link add {lab.bridge} type bridge stp_state 0 forward_delay 0 mcast_snooping 0",
        f"address add {lab.gateway}/24 dev {lab.bridge}",
        f"link set {lab.bridge} up",
    ]
    _batch([], commands)


def plug_in(lab: Lab, host: Host) -> None:
    """Give a host its namespace, as a kernel just booted has it, and its cable."""
    namespace = lab.machine(host)
    run(["ip", "netns", "add", namespace])
    cable = lab.cable(host)
    _batch(
        [],
        [
            f"link add {cable} type veth peer name eth0 netns {namespace}",
            f"link set {cable} master {lab.bridge} up",
        ],
    )
    inside = ["link set lo up", f"address add {lab.address(host)}/24 dev eth0", "link set eth0 up"]
    _batch(["-n", namespace], inside)
    # autobase sets both by sysctl; /proc/sys is read-only inside a host. HAProxy has to bind the VIP
    # before the host holds it.
    in_namespace = ["ip", "netns", "exec", namespace]
    run([*in_namespace, "sysctl", "-qw", "net.ipv4.ip_nonlocal_bind=1", "net.ipv4.ip_forward=1"])


def cut_cable(lab: Lab, host: Host) -> None:
    """Nothing that the host still sends gets out: no FIN, no RST, as when the power goes."""
    run(["ip", "link", "set", lab.cable(host), "down"], check=False)


def unplug(lab: Lab, host: Host) -> None:
    """Remove a host's namespace; its cable goes with it."""
    if (NAMESPACES / lab.machine(host)).exists():
        run(["ip", "netns", "delete", lab.machine(host)])
    if interface_exists(lab.cable(host)):
        run(["ip", "link", "delete", lab.cable(host)], check=False)


def remove_bridge(lab: Lab) -> None:
    if interface_exists(lab.bridge):
        run(["ip", "link", "delete", lab.bridge])


def interface_exists(name: str) -> bool:
    return pathlib.Path("/sys/class/net", name).exists()


def traces(lab: Lab) -> list[str]:
    """What of the lab's network exists now."""
    found = [f"interface {n}" for n in [lab.bridge, *map(lab.cable, HOSTS)] if interface_exists(n)]
    return found + [f"namespace {lab.machine(h)}" for h in HOSTS if (NAMESPACES / lab.machine(h)).exists()]


def foreign_user_of(lab: Lab) -> str | None:
    """An interface that is not ours and has an address inside the lab's subnet, if there is one."""
    for link in json.loads(run(["ip", "-j", "address"]).stdout or "[]"):
        if link.get("ifname") == lab.bridge:
            continue
        for address in link.get("addr_info", []):
            if address.get("family") != "inet":
                continue
            network = ipaddress.IPv4Network(f"{address['local']}/{address['prefixlen']}", strict=False)
            if network.overlaps(lab.subnet):
                return f"{link['ifname']} ({network})"
    return None


def _batch(options: list[str], commands: list[str]) -> None:
    try:
        run(["ip", *options, "-batch", "-"], stdin="\n".join(commands) + "\n")
    except LabError as error:
        raise LabError(error.what, "`lab down` removes what an earlier run left") from error
