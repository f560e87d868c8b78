#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Queries of the real servers, beside what these count themselves."""
import collections
import contextlib
import ctypes
import os
import re
import sys
import threading

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
import live  # noqa: E402
import servers  # noqa: E402
import waits_mariadb_live as mariadb  # noqa: E402
import waits_postgresql_live as postgresql  # noqa: E402

MS = 1000000
TRANSACTIONS = 40
PARTS = "oncpu_ns", "runq_ns", "blocked_ns"


def sums(reports, server):
    """{query: sums of its rows}, and that the parts of each row are its time."""
    found = collections.defaultdict(collections.Counter)
    for r in (r for report in reports for r in report["rows"]):
        assert r["server"] == server, r
        if r["count"]:
            assert sum(r[part] for part in PARTS) == r["total_ns"], r
            found[r["query"]].update({k: r[k] for k in ("count", "rows", "total_ns", "errors",
                                                        "blocked_ns")})
    return found


def statement(text):
    """As it is written here: parameters are literals."""
    return re.sub(r"\$\d+", "?", text)


def check_pgbench(s, pgbench, watch, mode):
    s.sql("select pg_stat_statements_reset()")
    before = live.now_ns()
    servers.install(pgbench, "-n", "-M", mode, "-c", "2", "-t", str(TRANSACTIONS), env=s.env, cwd="/")
    rows = s.sql("select calls, rows, total_exec_time, query from pg_stat_statements where calls > 1 and "
                 "(query like '%pgbench_%' or query in ('BEGIN', 'END'))")
    watch.until(live.now_ns())
    seen = sums([r for r in watch.reports if r["t1_ns"] > before], "PostgreSQL")
    assert len(rows.splitlines()) == 7, rows
    for line in rows.splitlines():
        calls, n, ms, query = line.split("|", 3)
        ours = seen[statement(query)]
        live.fact(f"{mode}: {query[:40]}", 2 * TRANSACTIONS, ours["count"])
        assert ours["count"] == 2 * TRANSACTIONS, (query, calls, ours, list(seen))
        # It loses the number of a BEGIN or END whose plan is used again.
        assert int(calls) == ours["count"] or (mode == "prepared" and query in ("BEGIN", "END")), line
        assert int(n) == ours["rows"], (query, n, ours)
        # They count what executes; here is what parses, plans and commits, too.
        assert float(ms) * MS <= ours["total_ns"], (query, ms, ours)


@contextlib.contextmanager
def pgbench_server():
    pgbench, _ = servers.need("/usr/lib/postgresql/*/bin/pgbench",
                              "/usr/lib/postgresql/*/lib/pg_stat_statements.so")
    with postgresql.server("-c", "shared_preload_libraries=pg_stat_statements") as s:
        s.sql("create extension pg_stat_statements")
        servers.install(pgbench, "-i", "-q", env=s.env, cwd="/")
        yield s, pgbench


def test_postgresql():
    """Calls and rows of pgbench are those of pg_stat_statements, in each protocol; waits are told"""
    with pgbench_server() as (s, pgbench), live.Watch("queries", binary=live.CHECKED) as watch:
        watch.next()
        for mode in ("simple", "extended", "prepared"):
            check_pgbench(s, pgbench, watch, mode)
        before = live.now_ns()
        s.sql("select pg_sleep(0.2)")
        for _ in range(3):
            with contextlib.suppress(AssertionError):
                s.sql("select 1/0")
        watch.until(live.now_ns())
        seen = sums([r for r in watch.reports if r["t1_ns"] > before], "PostgreSQL")
        slept = seen["select pg_sleep(?)"]
        assert slept["count"] == 1 and 195 * MS <= slept["blocked_ns"] <= slept["total_ns"], slept
        failed = seen["select ?/?"]
        assert failed["count"] == failed["errors"] == 3, failed


class Connection:
    """One by the client's library: prepared statements of the protocol."""

    def __init__(self, socket):
        self.lib = ctypes.CDLL("libmariadb.so.3")
        for name in ("mysql_init", "mysql_real_connect", "mysql_stmt_init", "mysql_store_result"):
            getattr(self.lib, name).restype = ctypes.c_void_p
        self.c = ctypes.c_void_p(self.lib.mysql_init(None))
        assert self.lib.mysql_real_connect(self.c, None, b"root", None, b"test", 0, socket.encode(),
                                           ctypes.c_ulong(0)), "no connection"

    def prepared(self, text):
        s = ctypes.c_void_p(self.lib.mysql_stmt_init(self.c))
        assert not self.lib.mysql_stmt_prepare(s, text, ctypes.c_ulong(len(text))), text
        return s

    def execute(self, s):
        assert not self.lib.mysql_stmt_execute(s)
        self.lib.mysql_stmt_free_result(s)

    def query(self, text):
        assert not self.lib.mysql_query(self.c, text.encode()), text
        self.lib.mysql_free_result(ctypes.c_void_p(self.lib.mysql_store_result(self.c)))  # none: NULL


def test_mariadb():
    """Queries and prepared ones of MariaDB are those of its slow query log"""
    with mariadb.server() as s, live.Watch("queries", binary=live.CHECKED) as watch:
        watch.next()
        s.sql("set global long_query_time = 0; set global log_output = 'TABLE'; "
              "set global slow_query_log = 1")
        before = live.now_ns()
        s.sql(";".join(f"insert into test.t values ({n}, {-n})" for n in range(10, 40)) +
              ";" + "select count(*) from test.t where v < -1;" * 7 + "select sleep(0.2)")
        with contextlib.suppress(AssertionError):
            s.sql("select nothing from test.t")
        c = Connection(s.client[-1])
        update, read = c.prepared(b"update t set v = 5 where id = 11"), c.prepared(b"select 7 + id from t")
        for _ in range(5):
            c.execute(update)
            c.execute(read)
        s.sql("set global slow_query_log = 0")
        log = s.sql("select count(*), sum(time_to_sec(query_time)), case when sql_text like 'insert%' "
                    "then 'i' when sql_text like 'select count%' then 'c' when sql_text like "
                    "'update%' then 'u' when sql_text like 'select 7%' then 'r' when sql_text like "
                    "'select sleep%' then 's' when sql_text like 'select nothing%' then 'n' end k "
                    "from mysql.slow_log group by k having k is not null")
        watch.until(live.now_ns())
    seen = sums([r for r in watch.reports if r["t1_ns"] > before], "MariaDB")
    names = {"i": ("insert into test.t values (?, ?)", 30), "u": ("update t set v = ? where id = ?", 5),
             "c": ("select count(*) from test.t where v < ?", 7), "r": ("select ? + id from t", 5),
             "s": ("select sleep(?)", 1), "n": ("select nothing from test.t", 1)}
    assert len(log.splitlines()) == len(names), log
    for line in log.splitlines():
        count, seconds, kind = line.split("\t")
        query, wanted = names[kind]
        live.fact(query, count, seen[query]["count"])
        assert int(count) == seen[query]["count"] == wanted, (line, query, seen)
        assert float(seconds) * 1e9 <= seen[query]["total_ns"], (line, seen[query])
    assert seen["select nothing from test.t"]["errors"] == 1, seen
    assert seen["select sleep(?)"]["blocked_ns"] >= 195 * MS, seen


CLIENTS, ROUNDS = 4, 60


def slap(c, n):
    """What one of mysqlslap's clients does with --auto-generate-sql, mixed: it inserts, and reads all or by key."""
    for i in range(ROUNDS):
        key = n * ROUNDS + i
        c.query(f"insert into slap values ({key}, {key * 7919 % 1000003}, 'client {n}, row {i}')")
        c.query(f"select number, words from slap where id = {key}")
        if i % 10 == 9:
            c.query("select id, number, words from slap order by number")


def test_mariadb_load():
    """Clients at once, as mysqlslap has them: each statement as often as the server's own log has it, and its time"""
    with mariadb.server() as s, live.Watch("queries", "-p", s.pid, binary=live.CHECKED) as watch:
        watch.next()
        s.sql("create table test.slap (id int primary key, number int, words varchar(64)) engine=innodb; "
              "set global long_query_time = 0; set global log_output = 'TABLE'; set global slow_query_log = 1")
        before = live.now_ns()
        clients = [threading.Thread(target=lambda n=n: slap(Connection(s.client[-1]), n)) for n in range(CLIENTS)]
        for c in clients:
            c.start()
        for c in clients:
            c.join()
        s.sql("set global slow_query_log = 0")
        log = s.sql("select left(sql_text, 16) k, count(*), sum(time_to_sec(query_time)), sum(rows_sent) "
                    "from mysql.slow_log where sql_text like '%slap%' and sql_text not like 'create%' "
                    "and sql_text not like '%slow_log%' group by k")
        watch.until(live.now_ns())
    seen = sums([r for r in watch.reports if r["t1_ns"] > before], "MariaDB")
    all_of = CLIENTS * ROUNDS
    names = {"insert into slap": ("insert into slap values (?, ?, ?)", all_of),
             "select number, w": ("select number, words from slap where id = ?", all_of),
             "select id, numbe": ("select id, number, words from slap order by number", all_of // 10)}
    assert len(log.splitlines()) == len(names), log
    for line in log.splitlines():
        begin, count, seconds, rows = line.split("\t")
        query, wanted = names[begin]
        live.fact(f"{CLIENTS} clients: {query}", count, seen[query]["count"])
        assert int(count) == seen[query]["count"] == wanted and not seen[query]["errors"], (line, seen[query], list(seen))
        assert float(seconds) * 1e9 <= seen[query]["total_ns"], (line, seen[query])
        changed = wanted if begin.startswith("insert") else 0
        assert int(rows) + changed == seen[query]["rows"], (line, seen[query])


def test_comes_later():
    """A server that begins after proftop is found"""
    live.need_root()
    with live.Watch("queries", binary=live.CHECKED) as watch:
        watch.next()
        with postgresql.server() as s:
            s.sql("select 40 + 2 as later")
            watch.until(live.now_ns())
            seen = sums(watch.reports, "PostgreSQL")
            assert seen["select ? + ? as later"]["count"] == 1, list(seen)


if __name__ == "__main__":
    live.main(globals())
