#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""What fleet/ has for Prometheus and Grafana, with Debian's Prometheus: it scrapes an agent, its rules are
taken, and its answers are what the agent counted."""
import contextlib
import json
import os
import re
import subprocess
import sys
import urllib.parse
import urllib.request

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
import live  # noqa: E402
import servers  # noqa: E402
from serve_live import Server, free_port  # noqa: E402

FLEET = os.path.join(live.ROOT, "fleet")
AGENT = []


def agent():
    """One for all tests, with the views that the unit and the dashboard name."""
    if not AGENT:
        AGENT.append(Server(views="overview,cpu,offcpu,io"))
    return AGENT[0]


class Prometheus:
    """It scrapes once a second, by fleet/prometheus.yml but for the address."""

    def __init__(self, folder, target):
        program, = servers.need("prometheus")
        with open(f"{FLEET}/prometheus.yml", encoding="utf-8") as f:
            config = f.read()
        assert "127.0.0.1:9464" in config and "interval: 15s" in config
        config = config.replace("127.0.0.1:9464", target).replace("interval: 15s", "interval: 1s") \
                       .replace("proftop.rules.yml", f"{FLEET}/proftop.rules.yml")
        with open(f"{folder}/prometheus.yml", "w", encoding="utf-8") as f:
            f.write(config)
        self.url = f"http://127.0.0.1:{free_port()}"
        self.process = subprocess.Popen(
            [program, f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}/data",
             f"--web.listen-address={self.url.removeprefix('http://')}"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def ask(self, path, **query):
        with urllib.request.urlopen(f"{self.url}/api/v1/{path}?{urllib.parse.urlencode(query)}",
                                    timeout=30) as answer:
            return json.load(answer)["data"]

    def value(self, promql):
        """Of a query with one answer; None: none."""
        with contextlib.suppress(OSError):
            found = self.ask("query", query=promql)["result"]
            assert len(found) <= 1, found
            return float(found[0]["value"][1]) if found else None
        return None


@contextlib.contextmanager
def prometheus(target):
    with servers.folder() as folder:
        server = Prometheus(folder, target)
        try:
            yield server
        finally:
            server.process.kill()
            server.process.wait()


def expressions():
    """Of the dashboard's panels, as Grafana would send them, and of the rules."""
    with open(f"{FLEET}/grafana.json", encoding="utf-8") as f:
        board = json.load(f)
    found = [t["expr"] for p in board["panels"] for t in p["targets"]]
    with open(f"{FLEET}/proftop.rules.yml", encoding="utf-8") as f:
        found += re.findall(r"expr: (.*)", f.read())
    return [e.replace("$__rate_interval", "10s") for e in found]


def test_rules():
    """promtool takes the rules and the configuration, and has nothing against a scrape"""
    promtool, = servers.need("promtool")
    for what in (("rules", "proftop.rules.yml"), ("config", "prometheus.yml")):
        done = subprocess.run([promtool, "check", what[0], f"{FLEET}/{what[1]}"], text=True, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        assert done.returncode == 0 and "SUCCESS" in done.stdout, done.stdout
    page = agent().ok("/metrics", Accept="text/plain")
    done = subprocess.run([promtool, "check", "metrics"], input=page, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert done.returncode == 0 and not done.stdout, done.stdout[:2000]


def test_names():
    """What rules and dashboard ask for the agent has"""
    named = {n for e in expressions() for n in re.findall(r"\bproftop_\w+", e)}
    assert len(named) > 10, named

    def missing():
        has = {re.sub(r"\{.*", "", line).split(" ")[0]
               for line in agent().ok("/metrics").decode().splitlines() if not line.startswith("#")}
        return named - has

    # Findings and counts come with the first intervals and what happens in them.
    with live.Workload("two_functions", 60):
        live.wait_for(lambda: not missing() - {"proftop_overview_findings"}, 60, 0.5)


def test_scraped():
    """Prometheus has what the agent counted, and its queries of the dashboard have answers"""
    target = f"127.0.0.1:{agent().port}"
    counter = 'proftop_cpu_self_events_total{comm="two_functions"}'
    with prometheus(target) as p:
        with live.Workload("two_functions", 60):
            live.wait_for(lambda: (p.value(counter) or 0) > 20, 60, 0.5)
        # It has ended: what was counted does not change any more.
        key = "proftop_cpu_self_events_total", (("comm", "two_functions"),)
        live.wait_for(lambda: p.value(counter) == agent().samples()[key] == p.value(counter), 60, 1)
        assert p.value('up{job="proftop"}') == 1
        for e in expressions():
            p.ask("query", query=e.replace("$instance", target))
        rules = [r for g in p.ask("rules")["groups"] for r in g["rules"]]
        assert len(rules) == 5 and all(r["health"] in ("ok", "unknown") for r in rules), rules


def test_gone():
    """An agent that ends is down, and nothing of it stays"""
    target = f"127.0.0.1:{agent().port}"
    with prometheus(target) as p:
        live.wait_for(lambda: p.value('up{job="proftop"}') == 1, 60, 0.5)
        AGENT.pop().stop()
        live.wait_for(lambda: p.value('up{job="proftop"}') == 0, 60, 0.5)


if __name__ == "__main__":
    try:
        live.main(globals())
    finally:
        while AGENT:
            AGENT.pop().stop()
