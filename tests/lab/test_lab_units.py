"""The lab's pure logic, without root and without a lab: names, options, inventory, judging.

Run: python3 -m unittest discover -s tests/lab -p test_lab_units.py
"""

from __future__ import annotations

import contextlib
import copy
import io
import os
import pathlib
import re
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "lab"))

from firedrill_lab import access, cli, deploy, health, image, inventory, names, network, observe, snapshot  # noqa: E402
from firedrill_lab.errors import LabError, UsageError  # noqa: E402

LAB = names.parse_lab("lab", "10.77.0.0/24", "/var/lib/pgfiredrill-lab")
OTHER = names.parse_lab("labtest", "10.78.0.0/24", "/srv/labs")


class TestNames(unittest.TestCase):
    def test_addresses_are_the_documented_ones(self) -> None:
        self.assertEqual(LAB.gateway, "10.77.0.1")
        self.assertEqual([LAB.address(h) for h in names.HOSTS], [f"10.77.0.{n}" for n in (11, 12, 13, 14)])
        self.assertEqual(LAB.vip, "10.77.0.100")

    def test_interface_names_fit_the_kernel(self) -> None:
        longest = names.parse_lab("a234567890", "10.77.0.0/24", "/tmp")
        for name in [longest.bridge, *map(longest.cable, names.HOSTS)]:
            self.assertLessEqual(len(name), 15, name)

    def test_two_labs_share_no_name(self) -> None:
        for of in (lambda lab: {lab.bridge, str(lab.home)}, lambda lab: {lab.machine(h) for h in names.HOSTS}):
            self.assertFalse(of(LAB) & of(names.parse_lab("lab2", "10.77.0.0/24", "/var/lib/pgfiredrill-lab")))

    def test_bad_names_are_usage_errors(self) -> None:
        for name in ("", "Lab", "a b", "1lab", "lab-one", "../x", "a2345678901", "läb"):
            with self.subTest(name=name), self.assertRaises(UsageError) as caught:
                names.parse_lab(name, "10.77.0.0/24")
            self.assertTrue(caught.exception.hint)

    def test_bad_subnets_are_usage_errors(self) -> None:
        for subnet in ("", "x", "10.77.0.0", "10.77.0.1/24", "10.77.0.0/16", "8.8.8.0/24", "127.0.0.0/24", "169.254.1.0/24", "fd00::/64"):
            with self.subTest(subnet=subnet), self.assertRaises(UsageError):
                names.parse_lab("lab", subnet)

    def test_state_root_is_argument_then_environment_then_default(self) -> None:
        before = os.environ.pop(names.STATE_VARIABLE, None)
        try:
            self.assertEqual(str(names.parse_lab("lab", "10.77.0.0/24").state_root), names.DEFAULT_STATE)
            os.environ[names.STATE_VARIABLE] = "/elsewhere"
            self.assertEqual(str(names.parse_lab("lab", "10.77.0.0/24").state_root), "/elsewhere")
            self.assertEqual(str(names.parse_lab("lab", "10.77.0.0/24", "/here").state_root), "/here")
        finally:
            os.environ.pop(names.STATE_VARIABLE, None)
            if before is not None:
                os.environ[names.STATE_VARIABLE] = before

    def test_hosts_are_found_by_both_names(self) -> None:
        self.assertIs(names.find_host("pg2"), names.find_host("pgnode02"))
        with self.assertRaises(UsageError):
            names.find_host("pg4")


class TestCommandLine(unittest.TestCase):
    def run_main(self, *arguments: str) -> tuple[int, str]:
        said = io.StringIO()
        with contextlib.redirect_stderr(said), contextlib.redirect_stdout(said):
            try:
                code = cli.main(arguments)
            except SystemExit as leaving:
                code = leaving.code
        return code, said.getvalue()

    def test_bad_usage_is_2_and_names_what_is_wrong(self) -> None:
        for arguments, word in (
            ([], "COMMAND"),
            (["fly"], "fly"),
            (["up", "--profile", "none"], "none"),
            (["up", "--subnet", "10.0.0.0/8"], "/24"),
            (["up", "--name", "No"], "No"),
            (["power-off"], "HOST"),
            (["power-off", "pg9"], "pg9"),
            (["ssh", "pg9"], "pg9"),
            (["status", "--wait=soon"], "soon"),
        ):
            with self.subTest(arguments=arguments):
                code, said = self.run_main(*arguments)
                self.assertEqual(code, 2, said)
                self.assertIn(word, said)

    def test_wait_is_optional_and_takes_seconds(self) -> None:
        parser = cli._parser()
        self.assertIsNone(parser.parse_args(["status"]).wait)
        self.assertEqual(parser.parse_args(["status", "--wait"]).wait, cli.HEALTHY_SECONDS)
        self.assertEqual(parser.parse_args(["status", "--wait=7.5"]).wait, 7.5)

    def test_ssh_leaves_the_remote_words_alone(self) -> None:
        chosen = cli._parser().parse_args(["ssh", "pg1", "--", "ls", "--name", "-x"])
        self.assertEqual((chosen.host, chosen.name), ("pg1", "lab"))
        self.assertEqual([word for word in chosen.words if word != "--"], ["ls", "--name", "-x"])

    def test_help_names_every_command(self) -> None:
        code, said = self.run_main("--help")
        self.assertEqual(code, 0)
        for word in ("up", "reset", "status", "ssh", "power-off", "power-on", "down", names.STATE_VARIABLE):
            self.assertIn(word, said)


class TestInventory(unittest.TestCase):
    def setUp(self) -> None:
        self.text = inventory.SOURCE.read_text()

    def test_the_default_lab_is_the_file_as_it_stands(self) -> None:
        self.assertEqual(inventory.render(self.text, LAB, names.Options()), self.text)

    def test_another_lab_has_nothing_of_the_default_left(self) -> None:
        text = inventory.render(self.text, OTHER, names.Options())
        self.assertNotIn("10.77.", text)
        self.assertNotIn("/var/lib/pgfiredrill-lab", text)
        self.assertIn("10.78.0.12:", text)
        self.assertIn("ansible_ssh_private_key_file: /srv/labs/labs/labtest/access/id_ed25519", text)

    def test_options_change_their_variables_only(self) -> None:
        text = inventory.render(self.text, LAB, names.Options("vip", fast=True, sync=True))
        for line in ('cluster_vip: "10.77.0.100"', "synchronous_mode: true", "patroni_ttl: 20", "patroni_loop_wait: 1",
                     "patroni_retry_timeout: 3", "etcd_heartbeat_interval: 100", "etcd_election_timeout: 1000",
                     "lab_pgbouncer_server_login_retry: 1", "lab_haproxy_inter: 1s", "synchronous_mode_strict: false"):  # fmt: skip
            self.assertRegex(text, rf"(?m)^ +{re.escape(line)}$")
        changed = [a for a, b in zip(self.text.splitlines(), text.splitlines()) if a != b]
        self.assertEqual(len(changed), len(inventory.FAST) + 2)

    def test_fast_keeps_patronis_own_rule(self) -> None:
        fast = {name: int(value) for name, value in inventory.FAST.items() if name.startswith("patroni_")}
        self.assertGreaterEqual(fast["patroni_ttl"], fast["patroni_loop_wait"] + 2 * fast["patroni_retry_timeout"])

    def test_a_variable_that_is_gone_or_doubled_is_noticed(self) -> None:
        for text in ("all:\n  vars:\n", "    a: 1\n    a: 2\n"):
            with self.assertRaises(LabError):
                inventory.set_variable(text, "a", "3")


def well(leader: str = "pgnode01", timeline: int = 2) -> observe.Answers:
    """What a healthy lab says."""
    members = [
        {
            "name": host.hostname,
            "role": "leader" if host.hostname == leader else "replica",
            "state": "running" if host.hostname == leader else "streaming",
            "timeline": timeline,
            "lag": 0,
        }
        for host in names.DATABASE_HOSTS
    ]
    replicas = [host.hostname for host in names.DATABASE_HOSTS if host.hostname != leader]
    hosts = {"s3": observe.HostAnswers(running=True)}
    for host in names.DATABASE_HOSTS:
        hosts[host.name] = observe.HostAnswers(
            running=True,
            cluster={"members": copy.deepcopy(members)},
            config={"ttl": 30},
            etcd_healthy=True,
            balancer={"master": [leader], "replicas": replicas, "replicas_sync": [], "replicas_async": replicas},
            entry_open=True,
            pooler_open=True,
            inactive_units=[],
        )
    return observe.Answers(hosts, {1: True, 2: True}, archiving=True, full_backups={1: 1, 2: 1})


def wrong_parts(answers: observe.Answers, options: names.Options = names.Options()) -> list[str]:
    return [line.part for line in health.judge(answers, options) if not line.well]


class TestHealth(unittest.TestCase):
    def test_a_healthy_lab_is_healthy_whoever_leads(self) -> None:
        for leader in ("pgnode01", "pgnode03"):
            lines = health.judge(well(leader), names.Options())
            self.assertTrue(health.healthy(lines), lines)
            self.assertIn(leader, next(line.text for line in lines if line.part == "cluster"))

    def test_every_single_defect_is_seen_in_its_part(self) -> None:
        def member(answers: observe.Answers, n: int) -> list[dict]:
            return [answers.hosts[f"pg{k}"].cluster["members"][n] for k in (1, 2, 3)]

        def for_all(answers: observe.Answers, n: int, **fields) -> None:
            for entry in member(answers, n):
                entry.update(fields)

        def without_member(answers: observe.Answers) -> None:
            for k in (1, 2, 3):
                del answers.hosts[f"pg{k}"].cluster["members"][2]

        defects = {
            "hosts": [lambda a: setattr(a.hosts["s3"], "running", False)],
            "etcd": [lambda a: setattr(a.hosts["pg2"], "etcd_healthy", False)],
            "cluster": [
                lambda a: for_all(a, 1, state="running"),
                lambda a: for_all(a, 1, timeline=1),
                lambda a: for_all(a, 1, pending_restart=True),
                lambda a: for_all(a, 0, state="starting"),
                lambda a: setattr(a.hosts["pg3"], "cluster", None),
                lambda a: [a.hosts[f"pg{k}"].cluster.update(pause=True) for k in (1, 2, 3)],
                without_member,
            ],
            "balancers": [
                lambda a: setattr(a.hosts["pg1"], "balancer", None),
                lambda a: a.hosts["pg1"].balancer.update(master=[]),
                lambda a: a.hosts["pg1"].balancer.update(master=["pgnode01", "pgnode02"]),
                lambda a: a.hosts["pg2"].balancer.update(master=["pgnode02"]),
                lambda a: a.hosts["pg3"].balancer.update(replicas=["pgnode02"]),
            ],
            "entry points": [
                lambda a: setattr(a.hosts["pg1"], "entry_open", False),
                lambda a: setattr(a.hosts["pg1"], "pooler_open", False),
            ],
            "units": [
                lambda a: setattr(a.hosts["pg1"], "inactive_units", ["confd failed"]),
                lambda a: setattr(a.hosts["pg1"], "inactive_units", None),
            ],
            "backups": [
                lambda a: a.storage.update({2: False}),
                lambda a: a.full_backups.update({1: 0}),
                lambda a: setattr(a, "archiving", False),
                lambda a: setattr(a, "full_backups", None),
            ],
        }
        for part, planted in defects.items():
            for number, plant in enumerate(planted):
                with self.subTest(part=part, number=number):
                    answers = well()
                    plant(answers)
                    self.assertEqual(wrong_parts(answers), [part])

    def test_no_leader_and_two_leaders_are_not_healthy(self) -> None:
        leaderless = well()
        for k in (1, 2, 3):
            leaderless.hosts[f"pg{k}"].cluster["members"][0]["role"] = "replica"
        self.assertIn("cluster", wrong_parts(leaderless))
        self.assertIsNone(observe.leader_of(leaderless))
        torn = well()
        torn.hosts["pg3"].cluster = well("pgnode02").hosts["pg3"].cluster
        self.assertIn("cluster", wrong_parts(torn))

    def test_nobody_answers(self) -> None:
        silent = observe.Answers({host.name: observe.HostAnswers() for host in names.HOSTS}, {1: False, 2: False})
        self.assertEqual(len(wrong_parts(silent)), len(health.judge(silent, names.Options())))

    def test_synchronous_mode_wants_a_synchronous_standby(self) -> None:
        options = names.Options(sync=True)
        answers = well()
        for k in (1, 2, 3):
            answers.hosts[f"pg{k}"].config["synchronous_mode"] = True
        self.assertEqual(wrong_parts(answers, options), ["cluster", "balancers"])
        for k in (1, 2, 3):
            answers.hosts[f"pg{k}"].cluster["members"][1]["role"] = "sync_standby"
            answers.hosts[f"pg{k}"].balancer["replicas_sync"] = ["pgnode02"]
        self.assertEqual(wrong_parts(answers, options), [])

    def test_backups_are_not_asked_for_before_the_rest_is_well(self) -> None:
        answers = well()
        answers.full_backups = None
        self.assertTrue(health.members_well(answers, names.Options()))
        answers.hosts["pg1"].etcd_healthy = False
        self.assertFalse(health.members_well(answers, names.Options()))


class TestReadingAnswers(unittest.TestCase):
    def test_haproxy_statistics(self) -> None:
        text = (
            "# pxname,svname,status,\nmaster,FRONTEND,OPEN,\nmaster,pgnode01,UP,\nmaster,pgnode02,DOWN,\n"
            "master,BACKEND,UP,\nreplicas,pgnode02,UP 1/2,\nreplicas,pgnode03,no check,\nreplicas_sync,BACKEND,DOWN,\n"
        )
        self.assertEqual(
            observe.servers_up(text), {"master": ["pgnode01"], "replicas": ["pgnode02"], "replicas_sync": []}
        )

    def test_full_backups_are_counted_for_each_repository(self) -> None:
        def backup(kind: str, repository: int, error: bool = False) -> dict:
            return {"type": kind, "database": {"id": 1, "repo-key": repository}, "error": error}

        report = [{"backup": [backup("full", 1), backup("diff", 1), backup("full", 2, error=True), backup("full", 1)]}]
        self.assertEqual(observe.count_full_backups(report), {1: 2, 2: 0})
        self.assertEqual(observe.count_full_backups([]), {1: 0, 2: 0})

    def test_why_a_playbook_failed(self) -> None:
        output = "PLAY [x]\n\nTASK [fine]\nok: [a]\nTASK [bad] at 3 s\nfatal: [a]: FAILED! => no\nPLAY RECAP\n"
        self.assertIn("TASK [bad]", deploy._why(output))
        self.assertIn("FAILED", deploy._why(output))
        self.assertEqual(deploy._why("one\ntwo\n"), "one\ntwo")


class TestSources(unittest.TestCase):
    def test_fingerprint_follows_options_subnet_and_place(self) -> None:
        marks = {
            snapshot.fingerprint(lab, options)
            for lab in (LAB, OTHER)
            for options in (names.Options(), names.Options(fast=True), names.Options("vip"), names.Options(sync=True))
        }
        self.assertEqual(len(marks), 8)
        self.assertEqual(snapshot.fingerprint(LAB, names.Options()), snapshot.fingerprint(LAB, names.Options()))

    def test_no_mirror_is_named_in_the_sources(self) -> None:
        for folder in ("lab", "ansible"):
            for path in (REPOSITORY / folder).rglob("*"):
                if path.is_file():
                    self.assertNotRegex(path.read_text(), r"https?://[a-z.]*debian\.org", str(path))

    def test_mirror_is_argument_before_environment(self) -> None:
        before = os.environ.pop(names.MIRROR_VARIABLE, None)
        try:
            os.environ[names.MIRROR_VARIABLE] = "http://from.environment"
            self.assertEqual(image.mirror_url(None), "http://from.environment")
            self.assertEqual(image.mirror_url("http://asked"), "http://asked")
        finally:
            os.environ.pop(names.MIRROR_VARIABLE, None)
            if before is not None:
                os.environ[names.MIRROR_VARIABLE] = before

    def test_a_half_written_snapshot_is_none(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            lab = names.parse_lab("lab", "10.77.0.0/24", folder)
            self.assertFalse(snapshot.is_complete(lab))
            lab.pristine.mkdir(parents=True)
            self.assertFalse(snapshot.is_complete(lab))
            (lab.pristine / snapshot.COMPLETE).write_text("mark\n")
            self.assertTrue(snapshot.is_complete(lab))
            self.assertTrue(snapshot.is_complete(lab, "mark"))
            self.assertFalse(snapshot.is_complete(lab, "other"))

    def test_private_keys_stay_private(self) -> None:
        for source, place, _, mode in access.PLACES + access.PLACES_ON_FIRST_HOST:
            if source.endswith(".key"):
                self.assertEqual(mode & 0o077, 0, place)

    def test_namespaces_are_where_ip_puts_them(self) -> None:
        self.assertEqual(str(network.NAMESPACES), "/run/netns")


if __name__ == "__main__":
    unittest.main()
