"""The lab itself, on a real machine as root. Every class uses labs of its own, never the default one.

Run one class: python3 -m unittest discover -s tests/lab -p test_lab.py -k TestStandingLab
Times on two busy cores, with the base image there: TestLacking 4 s, TestStandingLab 7.5 min (5 where a
snapshot of it is left), TestKilled 5 min, TestTwoLabs 6 min.

PGFIREDRILL_TEST_SEED repeats the random moments at which TestKilled kills.
"""

from __future__ import annotations

import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from lab_command import LAB, lab, start_lab, traces, traces_soon  # noqa: E402

NAME, SUBNET = "labtest", "10.78.0.0/24"
SECOND, SECOND_SUBNET = "labtwo", "10.79.0.0/24"
KILLED, KILLED_SUBNET = "labkill", "10.80.0.0/24"


def setUpModule() -> None:
    if os.geteuid() != 0:
        reason = "SKIPPED: the lab's tests need root (they boot containers); nothing of the lab was tested"
        print(f"\n{'=' * len(reason)}\n{reason}\n{'=' * len(reason)}", file=sys.stderr)
        raise unittest.SkipTest(reason)


class LabTest(unittest.TestCase):
    def run_lab(self, *arguments: str, expect: int = 0, timeout: float = 600) -> str:
        """Run a command of the lab, check its exit code, return all it said."""
        done = lab(*arguments, timeout=timeout)
        said = done.stdout + done.stderr
        self.assertEqual(done.returncode, expect, f"lab {' '.join(arguments)}: {said}")
        return said

    def on(self, host: str, command: str, expect: int = 0, name: str = NAME) -> str:
        return self.run_lab("ssh", "--name", name, host, "--", command, expect=expect)


class TestLacking(LabTest):
    """What is missing is said all at once, and nothing is touched."""

    def test_without_root(self) -> None:
        done = subprocess.run(["setpriv", "--reuid=65534", "--clear-groups", str(LAB), "up", "--name", "labnone"],
                              capture_output=True, text=True, check=False)  # fmt: skip
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("root", done.stderr)
        self.assertEqual(traces("labnone"), [])

    def test_several_things_at_once(self) -> None:
        """A state folder without room, and a subnet that an interface has already."""
        bridge = "labtaken"
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["ip", "link", "add", bridge, "type", "bridge"], check=True)
            subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", folder], check=True)
            try:
                subprocess.run(["ip", "address", "add", "10.81.0.7/24", "dev", bridge], check=True)
                done = lab("up", "--name", "labnone", "--subnet", "10.81.0.0/24", PGFIREDRILL_LAB_STATE=folder)
            finally:
                subprocess.run(["umount", folder], check=True)
                subprocess.run(["ip", "link", "delete", bridge], check=True)
        self.assertEqual(done.returncode, 3, done.stderr)
        for word in ("disk", "subnet", bridge):
            self.assertIn(word, done.stderr)
        self.assertEqual(traces("labnone"), [])

    def test_commands_on_a_lab_that_does_not_stand(self) -> None:
        for arguments in (["status"], ["reset"], ["ssh", "pg1"], ["power-off", "pg1"], ["power-on", "pg1"]):
            with self.subTest(arguments=arguments):
                self.assertIn("does not stand", self.run_lab(arguments[0], "--name", "labnone", *arguments[1:], expect=1))
        self.run_lab("down", "--name", "labnone")


class TestStandingLab(LabTest):
    """One lab for all of these tests; each leaves it healthy."""

    @classmethod
    def setUpClass(cls) -> None:
        done = lab("up", "--name", NAME, "--subnet", SUBNET, "--fast", timeout=900)
        if done.returncode != 0:
            lab("down", "--name", NAME)
            raise AssertionError(done.stderr)

    @classmethod
    def tearDownClass(cls) -> None:
        lab("down", "--name", NAME)

    def wait_healthy(self) -> str:
        return self.run_lab("status", "--name", NAME, "--wait=120")

    def leader(self) -> str:
        found = re.search(r"leader (pg\d)", self.run_lab("status", "--name", NAME))
        assert found
        return found[1]

    def test_up_again_changes_nothing(self) -> None:
        before = self.on("pg1", "cat /proc/sys/kernel/random/boot_id")
        began = time.monotonic()
        self.run_lab("up", "--name", NAME, "--subnet", SUBNET, "--fast")
        self.assertLess(time.monotonic() - began, 20)
        self.assertEqual(self.on("pg1", "cat /proc/sys/kernel/random/boot_id"), before)

    def test_up_with_other_options_is_refused(self) -> None:
        said = self.run_lab("up", "--name", NAME, "--subnet", SUBNET, "--sync", expect=2)
        self.assertIn("down", said)
        self.run_lab("up", "--name", NAME, "--subnet", SECOND_SUBNET, "--fast", expect=2)
        self.wait_healthy()

    def test_ssh_passes_output_and_exit_code(self) -> None:
        self.assertEqual(self.on("pg2", "hostname"), "pgnode02\n")
        self.assertEqual(self.on("pgnode03", "hostname"), "pgnode03\n")
        self.on("s3", "exit 7", expect=7)

    def test_a_stopped_unit_is_unhealthy(self) -> None:
        self.on("pg2", "systemctl stop confd")
        said = self.run_lab("status", "--name", NAME, expect=1)
        self.assertRegex(said, r"BAD units: pg2: confd inactive")
        self.on("pg2", "systemctl start confd")
        self.wait_healthy()

    def test_power_off_loses_the_leader_and_power_on_heals(self) -> None:
        lost = self.leader()
        self.run_lab("power-off", "--name", NAME, lost)
        said = self.run_lab("status", "--name", NAME, expect=1)
        self.assertIn(f"off: {lost}", said)
        end = time.monotonic() + 60
        while (found := re.search(r"leader (pg\d)", lab("status", "--name", NAME).stdout)) is None or found[1] == lost:
            self.assertLess(time.monotonic(), end, "nobody took over")
            time.sleep(1)
        self.run_lab("power-on", "--name", NAME, lost)
        self.wait_healthy()

    def test_a_lab_without_any_power_comes_back(self) -> None:
        self.run_lab("power-off", "--name", NAME, "pg1", "pg2", "pg3", "s3")
        self.assertIn("0 of 4 running", self.run_lab("status", "--name", NAME, expect=1))
        self.run_lab("power-on", "--name", NAME, "s3")
        self.run_lab("up", "--name", NAME, "--subnet", SUBNET, "--fast")
        self.run_lab("status", "--name", NAME)

    def test_storage_outlives_a_power_cut(self) -> None:
        self.run_lab("power-off", "--name", NAME, "s3")
        self.run_lab("power-on", "--name", NAME, "s3")
        self.assertIn("full backups in 2 of 2 repositories", self.wait_healthy())

    def test_a_reboot_forgets_firewall_rules_and_addresses(self) -> None:
        before = self.on("pg3", "cat /proc/sys/kernel/random/boot_id")
        self.on("pg3", "nft add table inet planted; ip address add 10.78.0.77/24 dev eth0")
        lab("ssh", "--name", NAME, "pg3", "--", "systemctl reboot")
        time.sleep(3)
        self.wait_healthy()
        self.assertNotEqual(self.on("pg3", "cat /proc/sys/kernel/random/boot_id"), before)
        self.assertNotIn("planted", self.on("pg3", "nft list ruleset"))
        self.assertNotIn("10.78.0.77", self.on("pg3", "ip -4 address"))

    def test_balancers_follow_the_members(self) -> None:
        """A member that is gone long enough leaves haproxy.cfg, and comes back."""
        self.on("pg3", "systemctl stop patroni")
        listed = "grep -c 'server pgnode03 ' /etc/haproxy/haproxy.cfg || true"
        end = time.monotonic() + 40
        while self.on("pg1", listed).strip() != "0":
            self.assertLess(time.monotonic(), end, "pgnode03 stays in haproxy.cfg")
            time.sleep(1)
        self.on("pg3", "systemctl start patroni")
        self.wait_healthy()
        self.assertEqual(self.on("pg1", listed).strip(), "4")

    def test_cron_backs_up_on_the_leader_only(self) -> None:
        """The jobs that are laid, brought forward to the next minutes, into both repositories."""
        leader = self.leader()
        job = "/etc/cron.d/pgbackrest-postgres-cluster"
        count = "runuser -u postgres -- pgbackrest --stanza=postgres-cluster info | grep -c 'diff backup' || true"
        before = int(self.on(leader, count))
        for host in ("pg1", "pg2", "pg3"):
            self.on(host, f"cp {job} /root/kept; sed -i -E '/--type=diff/ s/^[0-9]+ 3 \\* \\* 1-6/* * * * */' {job}")
        try:
            end = time.monotonic() + 200
            while int(self.on(leader, count)) < before + 2:
                self.assertLess(time.monotonic(), end, self.on(leader, "journalctl -u cron --no-pager | tail"))
                time.sleep(2)
        finally:
            for host in ("pg1", "pg2", "pg3"):
                self.on(host, f"mv /root/kept {job}")
        repositories = self.on(leader, "runuser -u postgres -- pgbackrest --stanza=postgres-cluster info")
        self.assertIn("repo1", repositories)
        for host in {"pg1", "pg2", "pg3"} - {leader}:
            self.assertEqual(self.on(host, "ls /var/log/pgbackrest | grep -c -- '-backup.log' || true").strip(),
                             "1" if host == "pg1" else "0", host)  # fmt: skip

    def test_hosts_cannot_reach_past_their_own_kernel_state(self) -> None:
        """No modules, no clock, no key to the machine that carries the lab."""
        outside = pathlib.Path("/proc/sys/vm/swappiness").read_text()
        self.on("pg1", "test ! -e /dev/watchdog && test ! -e /proc/sysrq-trigger")
        self.on("pg1", "date --set '2001-01-01' 2>/dev/null", expect=1)
        self.on("pg1", "sysctl -w vm.swappiness=1 2>/dev/null", expect=1)
        self.assertEqual(pathlib.Path("/proc/sys/vm/swappiness").read_text(), outside)
        bounding = int(self.on("pg1", "grep CapBnd /proc/1/status").split()[1], 16)
        for name, bit in (("CAP_SYS_MODULE", 16), ("CAP_SYS_RAWIO", 17), ("CAP_SYS_RESOURCE", 24), ("CAP_SYS_TIME", 25)):
            self.assertFalse(bounding >> bit & 1, name)

    def test_both_postgresql_versions_have_the_data_file_system(self) -> None:
        self.on("pg1", "test -x /usr/lib/postgresql/15/bin/initdb && test -x /usr/lib/postgresql/17/bin/pg_upgrade")
        kinds = self.on("pg1", "stat -f -c %T /var/lib/postgresql / && stat -c %d /var/lib/postgresql /var /tmp /home")
        data, *others = kinds.split()[2:]
        self.assertNotIn(data, others)
        self.assertTrue(kinds.startswith("ext2/ext3"), kinds)

    def test_reset_forgets_what_happened(self) -> None:
        leader = self.leader()
        self.on(leader, "touch /root/planted; runuser -u postgres -- psql -Xqc 'create table planted (n int)'")
        began = time.monotonic()
        self.run_lab("reset", "--name", NAME)
        took = time.monotonic() - began
        self.run_lab("status", "--name", NAME)
        self.assertLess(took, 60)
        leader = self.leader()
        self.on(leader, "test ! -e /root/planted")
        absent = "runuser -u postgres -- psql -XqAtc \"select to_regclass('planted') is null\""
        self.assertEqual(self.on(leader, absent).strip(), "t")

    def test_zz_down_leaves_nothing_even_from_a_frozen_disk(self) -> None:
        """Last of this class by its name: it ends the lab."""
        self.assertNotEqual(traces(NAME), [], "the search for traces finds nothing of a lab that stands")
        self.on("pg2", "fsfreeze --freeze /var/lib/postgresql")
        began = time.monotonic()
        self.run_lab("down", "--name", NAME)
        self.assertLess(time.monotonic() - began, 20)
        self.assertEqual(traces_soon(NAME), [])
        self.run_lab("down", "--name", NAME)


class TestTwoLabs(LabTest):
    """Two labs side by side know nothing of each other."""

    def test_side_by_side(self) -> None:
        try:
            self.run_lab("up", "--name", NAME, "--subnet", SUBNET, "--fast", timeout=900)
            taken = self.run_lab("up", "--name", SECOND, "--subnet", SUBNET, "--fast", expect=3)
            self.assertIn(f"pgf-{NAME}", taken)
            arguments = ["--name", SECOND, "--subnet", SECOND_SUBNET, "--profile", "vip", "--fast", "--sync"]
            self.run_lab("up", *arguments, timeout=900)
            self.run_lab("status", "--name", NAME)
            self.assertIn("10.79.0.100", self.run_lab("status", "--name", SECOND))
            self.run_lab("down", "--name", SECOND, "--purge")
            self.assertEqual(traces_soon(SECOND), [])
            self.run_lab("status", "--name", NAME)
        finally:
            lab("down", "--name", SECOND, "--purge")
            lab("down", "--name", NAME)
        self.assertEqual(traces_soon(NAME), [])


class TestKilled(LabTest):
    """`up` and `reset` killed at a random moment: the next command cleans up."""

    def setUp(self) -> None:
        seed = os.environ.get("PGFIREDRILL_TEST_SEED") or str(random.randrange(10**6))
        print(f"\nPGFIREDRILL_TEST_SEED={seed}", file=sys.stderr)
        self.random = random.Random(seed)
        self.addCleanup(lab, "down", "--name", KILLED, "--purge")

    def kill_at_random(self, seconds: float, *arguments: str) -> None:
        """SIGKILL to the command and nothing else: its children are left to whoever cleans up."""
        moment = self.random.uniform(0.2, seconds)
        command = start_lab(*arguments)
        try:
            command.wait(timeout=moment)
        except subprocess.TimeoutExpired:
            os.kill(command.pid, signal.SIGKILL)
            command.wait()
        print(f"killed `lab {' '.join(arguments)}` after {moment:.2f} s", file=sys.stderr)

    def test_killed_at_any_point(self) -> None:
        up = ["up", "--name", KILLED, "--subnet", KILLED_SUBNET, "--fast"]
        for seconds in (3, 20, 90):  # while the hosts are made, while services are laid, up to the snapshot
            self.kill_at_random(seconds, *up)
            self.run_lab("down", "--name", KILLED)
            self.assertEqual(traces_soon(KILLED), [], f"after a kill within {seconds} s")
        self.kill_at_random(40, *up)
        self.run_lab(*up, timeout=900)
        self.run_lab("status", "--name", KILLED)
        for seconds in (12, 6, 6):  # half booted hosts are among these
            self.kill_at_random(seconds, "reset", "--name", KILLED)
            self.run_lab(*up)
            self.run_lab("status", "--name", KILLED)
        self.kill_at_random(2, "down", "--name", KILLED)
        self.run_lab("down", "--name", KILLED)
        self.assertEqual(traces_soon(KILLED), [])


if __name__ == "__main__":
    unittest.main()
