#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""proftop --serve on the live machine: whoever scrapes it reads what was true, hostile clients
change nothing for others, and nothing stays when it ends."""
import atexit
import contextlib
import gzip
import http.client
import json
import os
import re
import resource
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import threading

from prometheus_client.openmetrics.parser import text_string_to_metric_families as openmetrics
from prometheus_client.parser import text_string_to_metric_families as prometheus

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
import live  # noqa: E402
import servers  # noqa: E402

OM = "application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5,*/*;q=0.1"


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Server:
    def __init__(self, *options, views="cpu,offcpu,procs", binary=live.CHECKED):
        live.need_root()
        self.port = free_port()
        command = [binary, "--serve", f"127.0.0.1:{self.port}", "-V", views, "-d", "1", *options]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        text=True, env=live.environment())
        live.wait_for(self.is_up, 60, 0.1)

    def is_up(self):
        """all views gather"""
        if self.process.poll() is not None:
            raise live.Broken(self.process.stderr.read()[:2000])
        with contextlib.suppress(OSError, http.client.HTTPException):
            return self.get("/healthz")[0] == 200
        return False

    def get(self, path, **headers):
        c = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            c.request("GET", path, headers=headers)
            r = c.getresponse()
            return r.status, r.read(), r.headers
        finally:
            c.close()

    def ok(self, path, **headers):
        status, body, _ = self.get(path, **headers)
        assert status == 200, (path, status, body[:300])
        return body

    def samples(self):
        """{(name, labels): value} of a scrape, parsed."""
        text = self.ok("/metrics", Accept=OM).decode()
        return {(s.name, tuple(sorted(s.labels.items()))): s.value
                for f in openmetrics(text) for s in f.samples}

    def scrape_with(self, name, **labels):
        """A scrape once this series is there."""
        key = name, tuple(sorted(labels.items()))
        return live.wait_for(lambda: (m := self.samples()) and key in m and m, 30, 0.3)

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        out, err = self.process.communicate(timeout=30)
        for mark in live.ASAN_REPORT:
            assert mark not in err, err[:4000]
        return out, err


SHARED = []


def shared():
    """One for all tests that leave it as it was; where the one that ends it is not asked for, it ends with them."""
    if not SHARED:
        SHARED.append(Server())
        atexit.register(SHARED[0].process.terminate)
    return SHARED[0]


def counters_of(samples):
    return {k: v for k, v in samples.items() if k[0].endswith(("_total", "_bucket"))}


def test_metrics():
    """Both formats are parsed, counters never fall, and agree with what was counted"""
    s = shared()
    # Tests beside this one have the same program, by its own name.
    with tempfile.TemporaryDirectory() as folder, \
         live.Workload("two_functions", 30, path=shutil.copy(f"{live.WORKLOADS}/two_functions",
                                                             f"{folder}/served")) as work:
        name = "proftop_cpu_self_events_total"
        before = s.scrape_with(name, comm="served")
        intervals = before[("proftop_cpu_intervals_total", ())]
        after = live.wait_for(lambda: (m := s.samples()) and
                              m[("proftop_cpu_intervals_total", ())] >= intervals + 4 and m, 60, 0.3)
        cpu_s = work.cpu_seconds()
    for key, value in counters_of(before).items():
        assert key in after and after[key] >= value, (key, value, after.get(key))
    key = name, (("comm", "served"),)
    assert after[key] > before[key] > 0
    assert after[key] / 99 <= cpu_s + 1, (after[key], cpu_s)
    total = sum(v for k, v in after.items() if k[0] == name)
    assert total == after[("proftop_cpu_health_samples_total", ())] \
        or after[("proftop_cpu_health_lost_total", ())], total
    assert after[("proftop_view_up", (("view", "offcpu"),))] == 1
    for accepted in ({}, {"Accept": "*/*"}, {"Accept": "text/plain"}):
        status, body, headers = s.get("/metrics", **accepted)
        assert status == 200 and headers["Content-Type"].startswith("text/plain; version=0.0.4"), headers
    families = {f.name: f for f in prometheus(body.decode())}
    assert families["proftop_cpu_self_events"].type == "counter"
    assert b"# EOF" not in body and b"# UNIT" not in body
    status, packed, headers = s.get("/metrics", **{"Accept": OM, "Accept-Encoding": "gzip"})
    whole = gzip.decompress(packed)
    assert headers["Content-Encoding"] == "gzip" and whole.endswith(b"# EOF\n"), headers
    assert len(packed) * 3 < len(whole), (len(packed), len(whole))
    for f in openmetrics(s.ok("/metrics", Accept=OM).decode()):
        assert f.documentation, f.name
        assert len({tuple(sorted(x.labels.items())) for x in f.samples if "le" not in x.labels}) <= 101


def go_pprof(s, name, *options):
    with live.temporary() as folder:
        done = subprocess.run(
            ["go", "tool", "pprof", *options, f"http://127.0.0.1:{s.port}/debug/pprof/{name}"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=90, check=False,
            env=live.environment(HOME=folder, PPROF_TMPDIR=folder))
    assert done.returncode == 0, done.stderr[-1500:]
    return done.stdout


def share(top, function):
    """The share of all that a function has with what is inlined in it, in percent."""
    found = re.search(rf"^.*\s([\d.]+)%\s+{function}$", top, re.M)
    assert found, (function, top[:1500])
    return float(found[1])


def test_profiles():
    """go tool pprof reads CPU and off-CPU profiles of those seconds; two at once"""
    s = shared()
    tops = {}

    def run(name, *options):
        tops[name] = go_pprof(s, name, *options)

    with live.Workload("two_functions", 60) as work, live.Workload("sleepers", 60) as asleep:
        names = (f"profile?seconds=5&pid={work.pid}", f"offcpu?seconds=4&pid={asleep.pid}")
        threads = [threading.Thread(target=run, args=(n, "-top")) for n in names]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
    assert len(tops) == 2, tops.keys()
    live.near(share(tops[names[0]], "hot_70"), 70, 12, "share of hot_70 in go tool pprof")
    live.near(share(tops[names[0]], "hot_30"), 30, 12, "share of hot_30 in go tool pprof")
    seconds = float(re.search(r"Duration: ([\d.]+)s", tops[names[0]])[1])
    assert 5 <= seconds < 30, tops[names[0]][:300]
    assert re.search(r"Type: time", tops[names[1]]) and re.search(r"\d+%\s.*sleep", tops[names[1]]), \
        tops[names[1]][:1500]


def test_refused_profiles():
    """What there is no profile of is said; more at a time than there may be are refused"""
    s = shared()
    status, body, _ = s.get("/debug/pprof/heap?pid=1")
    assert status in (404, 400) and body.count(b"\n") == 1 and b"heap" in body, (status, body)
    assert s.get("/debug/pprof/goroutine")[0] == 404
    assert s.get("/debug/pprof/profile?seconds=1&filter=nonsense")[0] == 400
    assert b'href="/debug/pprof/profile' in s.ok("/debug/pprof/")
    answers = []
    threads = [threading.Thread(target=lambda: answers.append(s.get("/debug/pprof/profile?seconds=2")[0]))
               for _ in range(7)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert sorted(answers) == [200] * 4 + [429] * 3, answers


def test_views():
    """Views in all formats, grouped, filtered and sorted"""
    s = shared()
    with live.Workload("two_functions", 60) as work:
        s.scrape_with("proftop_cpu_self_events_total", comm="two_functions")
        report = live.wait_for(lambda: (r := json.loads(s.ok(f"/view/cpu.json?filter=pid%3D{work.pid}")))
                               and any(x["symbol"] == "hot_70" for x in r["rows"]) and r, 20, 0.5)
        live.check_report(report)
        assert live.row(report, "hot_70")["self_count"] > 0, report["rows"][:5]
        assert b";work;hot_70 " in s.ok("/view/cpu.folded")
        assert s.ok("/view/cpu.svg").lstrip().startswith(b"<") and b"hot_70" in s.ok("/view/cpu.html")
    rows = json.loads(s.ok("/view/procs.json?group=comm&sort=comm+up"))["rows"]
    assert rows and [r["comm"] for r in rows] == sorted(r["comm"] for r in rows)
    for path, wanted in (("/view/cpu.json?group=nothing", 400), ("/view/cpu.json?sort=nothing", 400),
                         ("/view/cpu.json?filter=a%3Db", 400), ("/view/procs.svg", 404),
                         ("/view/nothing.json", 404), ("/view/io.json", 404), ("/view/cpu.nothing", 404),
                         ("/view/../../etc/passwd", 404), ("/nothing", 404)):
        status, body, _ = s.get(path)
        assert status == wanted and body.endswith(b"\n"), (path, status, body)


def test_recording():
    """The last minutes are a file that --replay opens, with names"""
    s = shared()
    with live.Workload("two_functions", 60):
        s.scrape_with("proftop_cpu_self_events_total", comm="two_functions")
        live.wait_for(lambda: b"hot_70" in s.ok("/view/cpu.folded"), 20, 0.5)
        data = s.ok("/recording")
    with live.temporary() as folder:
        path = os.path.join(folder, "recording.ptr")
        with open(path, "wb") as f:
            f.write(data)
        report = live.batch("-V", "cpu", "--replay", path, "-d", "3600")[0]
        assert live.row(report, "hot_70")["self_count"] > 0, report["rows"][:5]
        assert live.batch("-V", "offcpu", "--replay", path, "-d", "3600")[0]["rows"]


def raw(s, data, keep=False):
    c = socket.create_connection(("127.0.0.1", s.port), 10)
    with contextlib.suppress(OSError):
        c.sendall(data)
    if keep:
        return c
    answer = b""
    with contextlib.suppress(OSError):
        c.shutdown(socket.SHUT_WR)
        while part := c.recv(65536):
            answer += part
    c.close()
    return answer


def test_hostile():
    """Malformed, huge, slow and many: each is refused or waits, and others are served"""
    s = shared()
    for data in (b"\0" * 5000, b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n",
                 b"GET /" + b"a" * 40000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
                 b"GET / HTTP/1.1\r\nHost: localhost\r\n" + b"X: y\r\n" * 20000 + b"\r\n",
                 b"GET /%00 HTTP/1.1\r\nHost: localhost\r\n\r\n",
                 b"GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n",
                 b"POST /metrics HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999\r\n\r\nxx"):
        answer = raw(s, data)
        assert not answer or re.match(rb"HTTP/1\.\d [45]\d\d ", answer), (data[:60], answer[:200])
    slow = [raw(s, b"GET /view/cpu.json HTTP/1.1\r\nHost: localhost\r\n\r\n", keep=True)
            for _ in range(8)]
    idle = [raw(s, b"GET /met", keep=True) for _ in range(20)]
    s.ok("/metrics")
    before = s.samples()[("proftop_cpu_intervals_total", ())]
    live.wait_for(lambda: s.samples()[("proftop_cpu_intervals_total", ())] > before, 20, 0.3)
    flood = []
    resource.setrlimit(resource.RLIMIT_NOFILE, (2048, max(2048, resource.getrlimit(resource.RLIMIT_NOFILE)[1])))
    with contextlib.suppress(OSError):
        for _ in range(1000):
            flood.append(socket.create_connection(("127.0.0.1", s.port), 1))
    assert s.process.poll() is None
    for c in slow + idle + flood:
        c.close()
    live.wait_for(s.is_up, 30, 0.2)


def test_redacted():
    """What the rule matches leaves nowhere, and counts as before"""
    secret = "two_functions"
    s = Server("--redact", secret)
    try:
        with live.Workload(secret, 60):
            s.scrape_with("proftop_cpu_self_events_total", comm="[redacted]")
            page = s.ok("/metrics").decode()
            views = [s.ok(path).decode() for path in ("/view/cpu.json", "/view/procs.json", "/view/cpu.folded",
                                                      "/view/cpu.html", "/view/procs.csv")]
            file = s.ok("/recording")
        for text in [page, *views]:
            assert secret not in text, [line[:300] for line in text.splitlines() if secret in line][:3]
        assert any("[redacted]" in v for v in views)
        with servers.folder() as folder:
            with open(f"{folder}/r.ptr", "wb") as f:
                f.write(file)
            rows = live.batch("-V", "cpu", "--replay", f"{folder}/r.ptr", "-d", "3600")[-1]["rows"]
        assert secret not in json.dumps(rows) and "[redacted]" in json.dumps(rows)
    finally:
        s.stop()


def test_memory():
    """An agent's memory stays below a bound that grows with the CPUs alone, whatever the machine does"""
    bound = 56 + 6 * os.cpu_count()
    s = Server(views="overview,cpu,offcpu,io", binary=live.RELEASE)
    try:
        m = live.wait_for(lambda: (m := s.samples()).get(("proftop_overview_intervals_total", ()), 0) >= 20 and m,
                          120, 1)
        mb = m[("proftop_self_resident_bytes", ())] / 1e6
        with open(f"/proc/{s.process.pid}/status", encoding="ascii") as f:
            live.near(mb, int(re.search(r"VmRSS:\s*(\d+) kB", f.read())[1]) * 1024 / 1e6, 16, "resident MB")
        live.fact("MB of an agent of overview, cpu, offcpu and io", bound, mb, judge="a bound")
        assert 5 < mb < bound, mb
    finally:
        s.stop()


def test_end():
    """SIGTERM ends it with a profile under way, and nothing stays attached"""
    s = shared()
    SHARED.clear()
    objects = live.held(s.process.pid)
    assert objects
    answers = []
    t = threading.Thread(target=lambda: answers.append(s.get("/debug/pprof/profile?seconds=200")[0]))
    t.start()
    live.wait_for(lambda: s.samples(), 10)
    out, err = s.stop()
    t.join()
    assert s.process.returncode == 0 and not out, (s.process.returncode, out, err)
    assert answers == [503], answers
    with contextlib.suppress(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", s.port), 5)
        raise AssertionError("somebody listens there still")


def test_asked_at_the_end():
    """What is asked while it ends is refused, or nobody is there any more"""
    s = Server(views="cpu")
    stop, statuses = threading.Event(), []

    def ask():
        while not stop.is_set():
            with contextlib.suppress(OSError, http.client.HTTPException):
                statuses.append(s.get("/metrics")[0])
    threads = [threading.Thread(target=ask) for _ in range(8)]
    for t in threads:
        t.start()
    live.wait_for(lambda: len(statuses) > 20, 60)
    s.stop()
    stop.set()
    for t in threads:
        t.join()
    assert s.process.returncode == 0 and set(statuses) <= {200, 503}, set(statuses)


def refused(*options, status=2, words=()):
    run = live.proftop(*options)
    assert run.status == status and all(w in run.err for w in words), str(run)


def code_by_tls(path, token):
    """The status of an answer at a unix socket with TLS; 0 there is none."""
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as plain:
        plain.connect(path)
        with context.wrap_socket(plain) as c:
            c.sendall(f"GET /metrics HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n\r\n".encode())
            return int(c.recv(4096).split()[1])
    return 0


def certificate(folder, name, *options):
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", f"{folder}/{name}.key",
                    "-out", f"{folder}/{name}.pem", "-days", "2", "-subj", f"/CN={name}", *options],
                   check=True, capture_output=True)


def code_of_client(port, *options):
    """An HTTP status by curl; 0: there is no connection."""
    done = subprocess.run(["curl", "-sk", "-o", "/dev/null", "-w", "%{http_code}", *options,
                           f"https://127.0.0.1:{port}/metrics"], capture_output=True, text=True, check=False)
    return int(done.stdout or 0)


def test_clients():
    """With authorities for clients only who has a certificate of theirs is answered, wherever it listens"""
    live.need_root()
    if not shutil.which("curl"):
        raise live.Skip("no curl")
    with live.temporary() as folder:
        for name in ("server", "authority", "stranger"):
            certificate(folder, name)
        issued = ("-CA", f"{folder}/authority.pem", "-CAkey", f"{folder}/authority.key")
        certificate(folder, "friend", *issued)
        tls = ("--serve-cert", f"{folder}/server.pem", "--serve-key", f"{folder}/server.key")
        trust = ("--serve-clients", f"{folder}/authority.pem")
        port = free_port()
        refused("--serve", f"0.0.0.0:{port}", *tls, words=["--serve-clients"])
        refused("--serve", f"127.0.0.1:{port}", *trust, words=["--serve-cert"])
        with subprocess.Popen([live.CHECKED, "--serve", f"0.0.0.0:{port}", "-V", "procs", *tls, *trust],
                              stderr=subprocess.PIPE, text=True, env=live.environment()) as process:
            def code(name):
                return code_of_client(port, "--cert", f"{folder}/{name}.pem", "--key", f"{folder}/{name}.key")
            live.wait_for(lambda: code("friend") == 200, 60, 0.2)
            assert code("stranger") in (0, 403), code("stranger")
            assert code_of_client(port) == 403, code_of_client(port)
            process.send_signal(signal.SIGTERM)
            err = process.communicate(timeout=30)[1]
            assert process.returncode == 0 and not any(m in err for m in live.ASAN_REPORT), err


def test_doors():
    """Other machines are let in only if that is said, or by token and TLS"""
    live.need_root()
    with live.temporary() as folder, socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        token, cert, key, path = (os.path.join(folder, x) for x in ("token", "cert", "key", "sock"))
        with open(token, "w", encoding="ascii") as f:
            f.write("0123456789abcdef\n")
        refused("--serve", f"0.0.0.0:{free_port()}", words=["--serve-insecure"])
        refused("--serve", f"0.0.0.0:{free_port()}", "--serve-token", token, words=["chmod 600"])
        os.chmod(token, 0o600)
        refused("--serve", f"[::]:{free_port()}", "--serve-token", token, words=["--serve-cert"])
        refused("--serve", "example.org:80", words=["takes ADDRESS:PORT"])
        refused("--serve", f"127.0.0.1:{taken.getsockname()[1]}", status=1, words=["cannot listen"])
        refused("--serve", "-V", "log", words=["of the screen alone"])
        refused("--serve", "-n", "3", words=["goes without"])
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out",
                        cert, "-days", "2", "-subj", "/CN=localhost"], check=True, capture_output=True)
        options = ["--serve", path, "-V", "procs", "--serve-token", token, "--serve-cert", cert,
                   "--serve-key", key]
        with subprocess.Popen([live.CHECKED, *options], stderr=subprocess.PIPE, text=True,
                              env=live.environment()) as process:
            live.wait_for(lambda: code_by_tls(path, "0123456789abcdef") == 200, 60, 0.2)
            assert os.stat(path).st_mode & 0o777 == 0o600
            assert code_by_tls(path, "") == 401 and code_by_tls(path, "0123456789abcdeg") == 401
            process.send_signal(signal.SIGTERM)
            err = process.communicate(timeout=30)[1]
            assert process.returncode == 0 and not any(m in err for m in live.ASAN_REPORT), err
        assert not os.path.exists(path)


if __name__ == "__main__":
    live.main(globals())
