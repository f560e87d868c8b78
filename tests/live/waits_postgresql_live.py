#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""What offcpu says of PostgreSQL's waits, beside what pg_stat_activity calls them."""
import contextlib
import os
import signal
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
import live  # noqa: E402
import servers  # noqa: E402
import waits  # noqa: E402

USER = "nobody"


class Server:
    def __init__(self, pid, psql, env):
        self.pid, self.psql, self.env = pid, psql, env

    def sql(self, command):
        done = subprocess.run([self.psql, "-XAtqc", command], env=self.env, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=30)
        if done.returncode:
            raise AssertionError(done.stderr)
        return done.stdout.strip()

    @contextlib.contextmanager
    def session(self, *commands):
        """A client that runs them and stays."""
        with servers.running(self.psql, "-Xq", env=self.env, stdin=subprocess.PIPE,
                             text=True) as client:
            client.stdin.write("".join(f"{c};\n" for c in commands))
            client.stdin.flush()
            yield client

    def waiting(self, kind):
        """{pid: wait_event} of backends whose wait_event_type is this."""
        rows = self.sql("select pid, wait_event from pg_stat_activity where pid <> "
                        f"pg_backend_pid() and wait_event_type = '{kind}'")
        return {int(p): e for p, e in (line.split("|") for line in rows.splitlines())}


@contextlib.contextmanager
def server(*options):
    live.need_root()
    initdb, postgres, psql = servers.need(*(f"/usr/lib/postgresql/*/bin/{name}"
                                            for name in ("initdb", "postgres", "psql")))
    with servers.folder(USER) as folder:
        run = servers.as_user(USER)
        servers.install(*run, initdb, "-D", f"{folder}/data", "-A", "trust", "-E", "UTF8",
                        "--locale=C", "--no-sync", cwd="/")
        with servers.running(*run, postgres, "-D", f"{folder}/data", "-k", folder, "-c",
                             "listen_addresses=", *options, cwd="/", stop=signal.SIGINT) as p:
            s = Server(p.pid, psql, live.environment(PGHOST=folder, PGUSER=USER,
                                                       PGDATABASE="postgres"))
            live.wait_for(lambda: s_answers(s), 30)
            s.sql("create table t(id int primary key, v int); insert into t values (1, 1)")
            yield s


def s_answers(s):
    """PostgreSQL to answer"""
    with contextlib.suppress(AssertionError):
        return s.sql("select 1") == "1"
    return False


def check_lock(s, command, event, held):
    with contextlib.ExitStack() as sessions:
        sessions.enter_context(s.session("begin", held))
        live.wait_for(lambda: s.sql("select count(*) from pg_stat_activity where state = "
                                    "'idle in transaction' and query <> 'begin'") == "1")
        sessions.enter_context(s.session(command))
        blocked = live.wait_for(lambda: s.waiting("Lock"))
        assert list(blocked.values()) == [event], blocked
        r = servers.report(s.pid)
        assert s.waiting("Lock") == blocked, "it did not wait all the time"
        idle = s.waiting("Client")
    servers.not_hidden(r)
    pid = next(iter(blocked))
    rows = [x for x in waits.rows_of(r, pid=pid) if x["off_ns"] > 1e6]
    share = servers.all_of(r, rows, **{"class": "harmful", "reason": "lock"})
    live.near(share, 1, 0.02, f"waiting for {event}")
    assert r["rows"][0]["pid"] == pid, servers.summary(r)
    # Who holds it waits for its client, which is its next command.
    for pid in idle:
        rows = [x for x in waits.rows_of(r, pid=pid) if x["off_ns"] > 1e6]
        live.near(servers.all_of(r, rows, **{"class": "idle"}), 1, 0.02, "ClientRead")


def test_row_lock():
    """A row lock of a transaction in another session is harmful from the first second on"""
    with server() as s:
        check_lock(s, "update t set v = 3 where id = 1", "transactionid",
                   "update t set v = 2 where id = 1")


def test_table_lock():
    """So is a lock on a table"""
    with server() as s:
        check_lock(s, "select count(*) from t", "relation", "lock table t")


def test_background():
    """Background processes that wait between two rounds are idle, and so is who listens"""
    with server() as s:
        events = live.wait_for(lambda: s.waiting("Activity"))
        r = servers.report(s.pid)
    servers.not_hidden(r)
    assert len(events) >= 4, events
    for pid in [*events, s.pid]:
        rows = [x for x in waits.rows_of(r, pid=pid) if x["off_ns"] > 5e8]
        live.near(servers.all_of(r, rows, **{"class": "idle"}), 1, 0.35,
                  f"{events.get(pid, 'the postmaster')}")
    assert not waits.total(waits.rows_of(r, **{"class": "harmful"})) > 50e6, servers.summary(r)


def test_sleep():
    """pg_sleep() is not called idle"""
    with server() as s, s.session("select pg_sleep(60)"):
        live.wait_for(lambda: "PgSleep" in s.waiting("Timeout").values())
        pid = next(iter(s.waiting("Timeout")))
        r = servers.report(s.pid)
    live.near(servers.all_of(r, waits.rows_of(r, pid=pid), **{"class": "unclear"}), 1, 0.02,
              "pg_sleep")


if __name__ == "__main__":
    live.main(globals())
