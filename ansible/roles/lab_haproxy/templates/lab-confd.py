#!/usr/bin/python3
"""Keeps HAProxy's servers equal to the members that Patroni has registered in etcd.

Watches the members' keys; when the set of members or their addresses differ from what was rendered
last, writes the configuration anew, has it checked, and reloads HAProxy. So a member whose key
expired leaves the balancers, and a reload happens in the middle of a failover, as with confd.

Usage: confd /etc/confd/confd.toml
"""

import base64
import http.client
import json
import os
import pathlib
import ssl
import subprocess
import sys
import time
import tomllib
import urllib.parse

PATIENCE_S = 20.0  # a watch that says nothing for longer is asked anew; Patroni writes every loop_wait


def b64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


class Members:
    """The members' keys in etcd, from whichever node answers."""

    def __init__(self, settings: dict) -> None:
        self.nodes = [urllib.parse.urlsplit(node).netloc for node in settings["nodes"]]
        self.tls = ssl.create_default_context(cafile=settings["client_cakeys"])
        self.tls.load_cert_chain(settings["client_cert"], settings["client_key"])
        prefix = settings["prefix"]
        self.keys = {"key": b64(prefix), "range_end": b64(prefix[:-1] + chr(ord(prefix[-1]) + 1))}

    def connect(self) -> http.client.HTTPSConnection:
        self.nodes.append(self.nodes.pop(0))
        return http.client.HTTPSConnection(self.nodes[0], timeout=PATIENCE_S, context=self.tls)

    def read(self, connection: http.client.HTTPSConnection) -> dict[str, str]:
        """Server lines by member name."""
        connection.request("POST", "/v3/kv/range", json.dumps(self.keys))
        response = connection.getresponse()
        body = response.read()
        if response.status != 200:
            raise OSError(f"etcd answered {response.status}: {body[:200]!r}")
        found = {}
        for pair in json.loads(body).get("kvs", []):
            name = base64.b64decode(pair["key"]).decode().rsplit("/", 1)[-1]
            member = json.loads(base64.b64decode(pair["value"]))
            address = urllib.parse.urlsplit(member["conn_url"]).hostname
            check_port = urllib.parse.urlsplit(member["api_url"]).port
            found[name] = f"{address} {check_port}"
        return found

    def wait_for_change(self, connection: http.client.HTTPSConnection) -> None:
        """Return after the next event below the prefix."""
        connection.request("POST", "/v3/watch", json.dumps({"create_request": self.keys}))
        response = connection.getresponse()
        while True:
            line = response.readline()
            if not line:
                raise OSError("etcd closed the watch")
            if b'"events"' in line:
                return


def render(settings: dict, members: dict[str, str]) -> None:
    lines = []
    for name, where in sorted(members.items()):
        address, check_port = where.split()
        lines.append(f"  server {name} {address}:{settings['port']} check port {check_port}\n")
    text = pathlib.Path(settings["src"]).read_text().replace("@servers@\n", "".join(lines))
    target = pathlib.Path(settings["dest"])
    if target.read_text() == text:
        return
    aside = target.with_name("." + target.name)
    aside.write_text(text)
    subprocess.run([*settings["check_cmd"].split(), str(aside)], check=True)
    was = target.stat()
    os.chown(aside, was.st_uid, was.st_gid)
    os.chmod(aside, was.st_mode & 0o777)
    aside.rename(target)
    print(f"members are now {', '.join(sorted(members)) or 'none'}", flush=True)
    subprocess.run(settings["reload_cmd"].split(), check=True)


def main() -> None:
    settings = tomllib.loads(pathlib.Path(sys.argv[1]).read_text())
    members = Members(settings)
    while True:
        try:
            render(settings, members.read(members.connect()))
            members.wait_for_change(members.connect())
        except (OSError, ValueError, KeyError, http.client.HTTPException, subprocess.SubprocessError) as error:
            if not isinstance(error, TimeoutError):
                print(f"trying again: {error}", file=sys.stderr, flush=True)
            time.sleep(1)


main()
