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
import time
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

    def __init__(self, folder, target, features):
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
             f"--web.listen-address={self.url.removeprefix('http://')}",
             *[f"--enable-feature={name}" for name in features]],
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
def prometheus(target, *features):
    with servers.folder() as folder:
        server = Prometheus(folder, target, features)
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
    page = agent().ok("/metrics", Accept="*/*")  # as curl asks
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


def test_native():
    """Prometheus asks for native histograms and has all that was counted, its quantiles, and exemplars of the thread"""
    server = Server("--comm", "^calls$", views="syscalls")
    with prometheus(f"127.0.0.1:{server.port}", "native-histograms", "exemplar-storage") as p:
        name, of = "proftop_syscalls_hist_seconds", '{comm="calls"}'

        def counted():
            """By where buckets end, as text has them."""
            page = server.samples()
            return {float(dict(labels)["le"]): n for (family, labels), n in page.items()
                    if family == f"{name}_bucket" and dict(labels)["comm"] == "calls"}

        work = subprocess.Popen([os.path.join(live.WORKLOADS, "syscalls"), "sleeps", "300"], stdin=subprocess.PIPE,
                                stdout=subprocess.PIPE)
        work.communicate(b"\n", timeout=60)
        # It has ended: what was counted does not change any more.
        live.wait_for(lambda: (p.value(f"histogram_count({name}{of})") or 0) >= 300, 60, 0.5)
        live.wait_for(lambda: p.value(f"histogram_count({name}{of})") == counted()[float("inf")]
                      == p.value(f"histogram_count({name}{of})"), 60, 1)
        found = live.wait_for(lambda: p.ask("query_exemplars", query=name + of, start=time.time() - 3600,
                                            end=time.time() + 60), 60, 1)
        assert {e["labels"]["pid"] for f in found for e in f["exemplars"]} == {str(work.pid)}, found
        ends = counted()
        for q in (0.1, 0.5, 0.9, 0.99):
            value = p.value(f"histogram_quantile({q}, {name}{of})")
            end = min(le for le, n in ends.items() if n >= q * ends[float("inf")])
            assert end / 2 / 2 ** 0.25 <= value <= end * 2 ** 0.25, (q, value, ends)
    server.stop()


PMCD = """set -e
mount --make-rprivate /
mount -t tmpfs none {folder}
for d in usr etc var; do
    mkdir -p {folder}/$d.up {folder}/$d.work
    mount -t overlay overlay -o lowerdir={unpacked}/$d:/$d,upperdir={folder}/$d.up,workdir={folder}/$d.work /$d
done
ldconfig
cd {folder}
mkdir -p /run/pcp /var/log/pcp/pmcd /var/lib/pcp/tmp /var/lib/pcp/config/pmda
sed s/127.0.0.1:9464/{target}/ {fleet}/proftop.url >/var/lib/pcp/pmdas/openmetrics/config.d/proftop.url
printf 'root {{\\n\\topenmetrics\\t144:*:*\\n}}\\n' >{folder}/pmns
echo openmetrics 144 pipe binary notready /usr/bin/python3 \\
    /var/lib/pcp/pmdas/openmetrics/pmdaopenmetrics.python >{folder}/conf
export PATH=/usr/sbin:/usr/bin:/sbin:/bin PMCD_PORT={port}
unset LD_LIBRARY_PATH
/usr/lib/pcp/bin/pmcd -q 60 -f -A -n {folder}/pmns -c {folder}/conf -U root -l {folder}/log -p {port} -s {folder}/sock &
trap "kill $!" EXIT
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
    timeout 30 pmrep -h 127.0.0.1 -s 1 -t 1 -o csv {metric} 2>/dev/null | grep '[0-9]$' && exit
    sleep 2
done
cat {folder}/log
exit 1
"""


def test_pcp():
    """Debian's pmdaopenmetrics reads an agent by fleet/proftop.url, and pmrep prints what it said"""
    live.need_root()
    servers.need("pmrep", "unshare")
    if not os.path.isdir(f"{servers.UNPACKED}/usr/lib/pcp"):
        raise live.Skip("pcp is not unpacked")
    with servers.folder() as folder:
        script = PMCD.format(folder=folder, unpacked=servers.UNPACKED, fleet=FLEET, port=free_port(),
                             target=f"127.0.0.1:{agent().port}",
                             metric="openmetrics.proftop.proftop_self_resident_bytes")
        done = subprocess.run(["unshare", "-m", "sh", "-c", script], text=True, capture_output=True, check=False,
                              timeout=120)
        assert done.returncode == 0, (done.stdout[-2000:], done.stderr[-2000:])
        printed = float(done.stdout.strip().splitlines()[-1].split(",")[-1])
    ours = agent().samples()[("proftop_self_resident_bytes", ())]
    live.near(printed, ours, 0.5 * ours, "resident bytes by pmrep")


class Far:
    """An agent in a network namespace of its own, at an address that this one gets to."""

    def __init__(self, n):
        self.name, self.n = f"proftop-{os.getpid()}-{n}", n
        self.link, self.address = f"pt{os.getpid() % 100000}{n}", f"10.213.{n}.2"
        ip = lambda *words: servers.install("ip", *words)  # noqa: E731
        ip("netns", "add", self.name)
        ip("link", "add", self.link, "type", "veth", "peer", "name", "far", "netns", self.name)
        ip("addr", "add", f"10.213.{n}.1/24", "dev", self.link)
        ip("link", "set", self.link, "up")
        for words in (["addr", "add", f"{self.address}/24", "dev", "far"], ["link", "set", "far", "up"],
                      ["link", "set", "lo", "up"]):
            ip("-n", self.name, *words)
        self.begin()

    def begin(self):
        self.process = subprocess.Popen(
            ["ip", "netns", "exec", self.name, live.RELEASE, "--serve", f"{self.address}:9464",
             "--serve-insecure", "-V", "cpu", "-d", "1", "--no-config"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def end(self):
        self.kill()
        subprocess.run(["ip", "netns", "del", self.name], check=False)
        subprocess.run(["ip", "link", "del", self.link], check=False, stderr=subprocess.DEVNULL)


def test_lost():
    """Two agents in two network namespaces: one is lost and back, one killed in a scrape; the other goes on"""
    live.need_root()
    servers.need("ip", "prometheus")
    with contextlib.ExitStack() as stack:
        far = []
        for n in (1, 2):
            far.append(Far(n))
            stack.callback(far[-1].end)
        p = stack.enter_context(prometheus(f'{far[0].address}:9464", "{far[1].address}:9464'))
        up = [f'up{{instance="{f.address}:9464"}}' for f in far]
        counted = f'proftop_cpu_intervals_total{{instance="{far[0].address}:9464"}}'
        live.wait_for(lambda: all(p.value(u) == 1 for u in up) and (p.value(counted) or 0) > 2, 60, 0.5)
        subprocess.run(["ip", "link", "set", far[0].link, "down"], check=True)
        live.wait_for(lambda: p.value(up[0]) == 0, 60, 0.5)
        assert p.value(up[1]) == 1
        subprocess.run(["ip", "link", "set", far[0].link, "up"], check=True)
        live.wait_for(lambda: p.value(up[0]) == 1, 60, 0.5)
        # Counters went on meanwhile: the sum over the gap is exact.
        assert p.value(f"resets({counted}[5m])") == 0
        far[1].kill()
        live.wait_for(lambda: p.value(up[1]) == 0, 60, 0.5)
        far[1].begin()
        live.wait_for(lambda: p.value(up[1]) == 1, 60, 0.5)
        assert p.value(up[0]) == 1


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
