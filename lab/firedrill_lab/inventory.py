"""The inventory that describes one lab.

`inventories/lab.yml` is written for the lab that `up` makes without options. For any other lab the
same text is used with the few values replaced that differ; each has to be there exactly once, so a
change of that file that would break this is noticed at once.
"""

from __future__ import annotations

import re

from .errors import LabError
from .names import DEFAULT_NAME, DEFAULT_STATE, DEFAULT_SUBNET, REPOSITORY, Lab, Options

SOURCE = REPOSITORY / "inventories" / "lab.yml"

# The floors that Patroni takes, and everything else as quick as it can sensibly be.
FAST = {
    "patroni_ttl": "20",
    "patroni_loop_wait": "1",
    "patroni_retry_timeout": "3",
    "etcd_heartbeat_interval": "100",
    "etcd_election_timeout": "1000",
    "lab_pgbouncer_server_login_retry": "1",
    "lab_haproxy_inter": "1s",
}


def render(text: str, lab: Lab, options: Options) -> str:
    """`text`, the default lab's inventory, for this lab and these options."""
    default_prefix = DEFAULT_SUBNET.rsplit(".", 1)[0] + "."
    prefix = str(lab.subnet.network_address).rsplit(".", 1)[0] + "."
    text = text.replace(default_prefix, prefix)
    text = text.replace(f"{DEFAULT_STATE}/labs/{DEFAULT_NAME}/", f"{lab.home}/")
    if options.profile == "vip":
        text = set_variable(text, "cluster_vip", f'"{lab.vip}"')
    if options.sync:
        text = set_variable(text, "synchronous_mode", "true")
    if options.fast:
        for name, value in FAST.items():
            text = set_variable(text, name, value)
    return text


def set_variable(text: str, name: str, value: str) -> str:
    """Replace the value of the one line `name: ...`, keeping its indentation."""
    changed, count = re.subn(rf"(?m)^(\s+{re.escape(name)}:) .*$", lambda m: f"{m[1]} {value}", text)
    if count != 1:
        raise LabError(f"{SOURCE.name} has {count} lines that set {name}, not one")
    return changed
