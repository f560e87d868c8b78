#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""What offcpu says of MariaDB's waits."""
import contextlib
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
import live  # noqa: E402
import servers  # noqa: E402
import waits  # noqa: E402


class Server:
    def __init__(self, pid, client):
        self.pid, self.client = pid, client

    def sql(self, command):
        done = subprocess.run([*self.client, "-N", "-e", command], text=True, timeout=30,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if done.returncode:
            raise AssertionError(done.stderr)
        return done.stdout.strip()

    @contextlib.contextmanager
    def session(self, *commands):
        with servers.running(*self.client, "test", stdin=subprocess.PIPE, text=True) as client:
            client.stdin.write("".join(f"{c};\n" for c in commands))
            client.stdin.flush()
            yield client

    def thread(self, state):
        """The thread (kernel's number) of the connection in that state; None: there is none."""
        rows = self.sql("select tid from information_schema.processlist where id <> "
                        f"connection_id() and {state}")
        return int(rows.splitlines()[0]) if rows else None


@contextlib.contextmanager
def server():
    live.need_root()
    install, mariadbd, _ = servers.need("mariadb-install-db", "mariadbd", "mariadb")
    with servers.folder("nobody") as folder:
        # Both write temporary files as nobody, who need not be let into root's TMPDIR.
        options = ["--no-defaults", "--user=nobody", f"--datadir={folder}/data",
                   f"--tmpdir={folder}"]
        servers.install(install, *options, "--auth-root-authentication-method=normal", cwd="/",
                        env=live.environment(TMPDIR=folder))
        with servers.running(mariadbd, *options, f"--socket={folder}/s", "--skip-networking",
                             f"--pid-file={folder}/pid", cwd="/",
                             env=live.environment(TMPDIR=folder)) as p:
            s = Server(p.pid, ["mariadb", "--no-defaults", "-uroot", "-S", f"{folder}/s"])
            live.wait_for(lambda: s_answers(s), 60)
            s.sql("create database if not exists test; create table test.t(id int primary key, "
                  "v int) engine=innodb; insert into test.t values (1, 1)")
            yield s


def s_answers(s):
    """MariaDB to answer"""
    with contextlib.suppress(AssertionError):
        return s.sql("select 1") == "1"
    return False


def long_rows(r, **wanted):
    return [x for x in waits.rows_of(r, **wanted) if x["off_ns"] > 50e6]


def check_lock(s, held, command, state):
    with contextlib.ExitStack() as sessions:
        sessions.enter_context(s.session("begin", held))
        # Asked more often it would say the same all the time.
        live.wait_for(lambda: s.sql("select count(*) from information_schema.innodb_trx") == "1",
                      step=0.3)
        sessions.enter_context(s.session(command))
        tid = live.wait_for(lambda: s.thread(state))
        holder = s.thread("command = 'Sleep'")
        r = servers.report(s.pid)
        assert s.thread(state) == tid, "it did not wait all the time"
    servers.not_hidden(r)
    share = servers.all_of(r, long_rows(r, tid=tid), **{"class": "harmful", "reason": "lock"})
    live.near(share, 1, 0.02, "waiting for the lock")
    # A connection without a command is idle, what began before it was watched too.
    live.near(servers.all_of(r, long_rows(r, tid=holder), **{"class": "idle"}), 1, 0.02,
              "the holder's connection")


def test_row_lock():
    """A row lock that another connection holds is harmful"""
    with server() as s:
        check_lock(s, "update t set v = 2 where id = 1", "update t set v = 3 where id = 1",
                   "state like '%pdating%' and command = 'Query'")


def test_metadata_lock():
    """So is a metadata lock"""
    with server() as s:
        check_lock(s, "select * from t", "alter table t add column w int",
                   "state like '%metadata lock%'")


def test_nothing_to_do():
    """Without a statement nothing is harmful, and the pool and who listens are idle"""
    with server() as s:
        r = servers.report(s.pid)
    servers.not_hidden(r)
    assert waits.total(waits.rows_of(r, **{"class": "harmful"})) < 50e6, servers.summary(r)
    pool = [x for x in servers.with_frame(r, "wait_for_tasks") if x["off_ns"] > 50e6]
    servers.all_of(r, pool, **{"class": "idle"})
    servers.all_of(r, long_rows(r, tid=s.pid), **{"class": "idle", "reason": "poll"})


if __name__ == "__main__":
    live.main(globals())
