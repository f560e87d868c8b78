#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""What bad input and bad surroundings get: a clear line, the right exit code, no hang."""
import contextlib
import csv
import io
import json
import os
import re
import shutil
import stat
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
import formats  # noqa: E402
import live  # noqa: E402
from pty_session import Session  # noqa: E402

DONE, FAILURE, USAGE, PERMISSION, UNSUPPORTED = range(5)
NOBODY = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--")


def refused(status, *args, says="", **kw):
    """One line on standard error that says what is wrong, nothing on standard output."""
    run = live.proftop(*args, timeout=20, **kw)
    assert run.status == status, str(run)
    lines = run.err.strip().splitlines()
    assert len(lines) == 1, str(run)
    assert says in run.err, str(run)
    assert not run.out, str(run)
    return run


def test_wrong_options():
    """Wrong options and values are usage errors that name them"""
    for args, says in (
            (["--nonsense"], "--nonsense"), (["-Z"], "-Z"), (["-F"], "-F"),
            (["-F", "0"], "-F"), (["-F", "-5"], "-F"), (["-F", "99x"], "-F"),
            (["-F", "99999999999999999999"], "-F"), (["-c", "0"], "-c"), (["-c", ""], "-c"),
            (["-d", "0"], "-d"), (["-d", "nan"], "-d"), (["-d", "1e400"], "-d"),
            (["-d", "fast"], "-d"), (["-b", "-n", "0"], "-n"), (["-b", "-n", "many"], "-n"),
            (["-V", "nothing"], "nothing"), (["-b", "--format", "xml"], "xml"),
            (["-b", "--group", "colour"], "colour"), (["-b", "-o", "file.doc"], "file.doc"),
            (["-b", "-o", "file"], "file"), (["--call-graph", "magic"], "magic"),
            (["--theme", "ugly"], "ugly"), (["--size", "80"], "--size"),
            (["--size", "-1x5"], "--size"), (["stray"], "stray"),
            (["-b", "-e", ""], "-e"), (["-b", "-e", "x" * 5000], "-e")):
        refused(USAGE, *args, says=says)


def test_wrong_scope():
    """Unknown processes, cgroups, CPUs and broken expressions are usage errors"""
    for args, says in (
            (["-p", "4194303999"], "-p"), (["-p", "abc"], "abc"), (["-p", "1,,2"], "-p"),
            (["-p", ""], "-p"), (["-t", "9999999"], "9999999"), (["-p", "4194000"], "4194000"),
            (["-C", "4095"], "4095"), (["-C", "x"], "x"), (["--comm", "("], "("),
            (["-G", "/no/such/cgroup"], "/no/such/cgroup")):
        refused(USAGE, "-b", "-n", 1, *args, says=says)


def test_filter_caret():
    """A wrong filter term has a caret under it"""
    for expr, wrong in (("pid=1 colour=red", "colour"), ("min=10parsecs", "parsecs"),
                        ("comm~a pid", "pid"), ("comm~(", "("), ("cpu=3-1", "3-1")):
        run = live.proftop("-b", "-n", 1, "--filter", expr)
        assert run.status == USAGE, str(run)
        lines = run.err.splitlines()
        caret = [n for n, line in enumerate(lines) if line.strip().startswith("^")]
        assert caret, str(run)
        at = lines[caret[0]].index("^")
        assert wrong in lines[caret[0] - 1][at:] or \
            lines[caret[0] - 1].index(wrong) <= at, str(run)


def test_terms_of_views():
    """A term that the view cannot apply is refused by its name, and no command is begun"""
    for term, name in (("state=D", "state="), ("min=1ms", "min="), ("!max=1s", "min="),
                       ("task=kernel", "task=")):
        refused(USAGE, "-b", "-n", 1, "--filter", term, says=f"view cpu does not filter by {name}")
    with live.temporary() as tmp:
        path = os.path.join(tmp, "ran")
        refused(USAGE, "-b", "--filter", "state=D task=user", "--", "touch", path,
                says="state= task=")
        assert not os.path.exists(path)


def test_wrong_events():
    """Unknown events are usage errors that suggest; impossible ones say so"""
    run = live.proftop("-b", "-n", 1, "-e", "cpu-clok")
    assert run.status == USAGE and "cpu-clock" in run.err, str(run)
    refused(USAGE, "-b", "-n", 1, "-e", "sched:no_such_event", says="no_such_event")
    refused(USAGE, "-b", "-n", 1, "-e", "../../etc:passwd", says="etc")


def test_keymap():
    """A broken keymap names file and line; a good one works"""
    with live.temporary() as tmp:
        path = os.path.join(tmp, "keys")
        refused(USAGE, "--keymap", path, says=path)
        for text, line in (("[global]\nq quit\nz nonsense\n", 3), ("[nowhere\n", 1),
                           ("[global]\nNoSuchKey quit\n", 2), ("\0\xff", 1)):
            with open(path, "w", encoding="latin-1") as f:
                f.write(text)
            refused(USAGE, "--keymap", path, says=f"{path}:{line}")


def test_information():
    """--help, --version, --list-views, --list-events and --doctor need no terminal or root"""
    for wrap in ((), NOBODY):
        if wrap:
            live.need_root()
        for args in (["--help"], ["-h"], ["--version"], ["--list-views"], ["--list-events"],
                     ["--list-events", "cpu*"], ["--doctor"]):
            run = live.proftop(*args, wrap=wrap)
            assert run.status == DONE and run.out and not run.err, str(run)
    assert "cpu-clock" in live.proftop("--list-events", "cpu*").out
    assert "cpu" in live.proftop("--list-views").out


def test_doctor_json():
    """--doctor --format json is JSON, with a state for every check and a remedy when bad"""
    run = live.proftop("--doctor", "--format", "json")
    assert run.status == DONE, str(run)
    try:
        checks = json.loads(run.out)
    except json.JSONDecodeError:
        checks = [json.loads(line) for line in run.out.splitlines()]
    if isinstance(checks, dict):
        checks = checks.get("checks", [checks])
    assert len(checks) > 5, checks
    for check in checks:
        assert {"group", "name", "state"} <= set(check), check


def test_formats():
    """text, json, csv and folded, to standard output and to files by their suffix"""
    live.need_root()
    with live.temporary() as tmp, live.Workload("two_functions", 60) as work:
        paths = [os.path.join(tmp, "out" + s) for s in (".txt", ".json", ".csv", ".folded")]
        outputs = [x for p in paths for x in ("-o", p)]
        run = live.proftop("-b", "-d", 1, "-n", 1, "-F", 499, "-p", work.pid, *outputs)
        assert run.status == DONE and not run.out, str(run)
        text, js, table, folded = (open(p, encoding="utf-8").read() for p in paths)
        report = json.loads(js)
        live.check_report(report)
        live.conserved(report)
        assert "hot_70" in text
        rows = [r for r in csv.reader(io.StringIO(table)) if r and not r[0].startswith("#")]
        header = rows[0]
        assert {"symbol", "self_pct", "self_count"} <= set(header), header
        count = sum(int(r[header.index("self_count")]) for r in rows[1:])
        assert count == report["health"]["samples"], (count, report["health"])
        stacks = [line.rpartition(" ") for line in folded.splitlines()]
        assert sum(int(n) for _, _, n in stacks) == report["health"]["samples"]
        assert all(s.startswith("two_functions") for s, _, _ in stacks), folded[:500]
        assert any("main;work;hot_70" in s for s, _, _ in stacks), folded[:500]


def test_output_kept():
    """A run that fails before it has measured leaves the -o file of the last one alone"""
    with live.temporary() as tmp:
        path = os.path.join(tmp, "mine.txt")
        with open(path, "w", encoding="utf-8") as f:
            f.write("precious")
        refused(USAGE, "-b", "-n", 1, "-p", "4194000", "-o", path)
        with open(path, encoding="utf-8") as f:
            assert f.read() == "precious"


def test_format_refused():
    """A format that a view has nothing for is refused before anything is sampled; what is there
    stays, and no command is begun"""
    with live.temporary() as tmp:
        old, other, ran = (os.path.join(tmp, x) for x in ("old.json", "x.folded", "ran"))
        with open(old, "w", encoding="utf-8") as f:
            f.write("precious")
        started = time.monotonic()
        refused(UNSUPPORTED, "-b", "-d", 30, "-n", 1, "-V", "sched", "-o", old, "-o", other, "--",
                "touch", ran, says="view sched has no stacks for format folded")
        assert time.monotonic() - started < 15, "it sampled first"
        refused(UNSUPPORTED, "-b", "-d", "0.3", "--do", "view sched", "-o", old, "-o", other,
                says="nothing for format folded")
        assert os.listdir(tmp) == ["old.json"], os.listdir(tmp)
        with open(old, encoding="utf-8") as f:
            assert f.read() == "precious"


def test_words_lead_to_a_view():
    """--do with another view: its last interval, no longer than that, and nothing twice"""
    live.need_root()
    for words in ("view sched", "view overview; view sched"):
        report = live.batch("-d", "1", "-V", "cpu", "--do", words)[0]
        assert (report["view"], report["window"]) == ("sched", "last interval"), report
        took = report["t1_ns"] - report["t0_ns"]
        assert 0 < report["summary"]["oncpu_ns"] <= took * os.cpu_count() * 1.05, (took, report["summary"])
        assert max(r["oncpu_ns"] for r in report["rows"]) <= took * 1.05, (took, report["rows"][0])


def test_output_private():
    """What -o writes is for its owner alone, and goes through no link; with --do too"""
    with live.temporary() as tmp:
        path, link, victim = (os.path.join(tmp, x) for x in ("r.json", "link.json", "victim"))
        os.symlink(victim, link)
        for how in (["-n", 1], ["--do", "view cpu"]):
            for name in path, victim:
                with open(name, "w", encoding="utf-8") as f:
                    f.write("precious")
                os.chmod(name, 0o644)
            run = live.proftop("-b", "-d", "0.2", *how, "-o", path)
            assert run.status == DONE, str(run)
            assert stat.S_IMODE(os.stat(path).st_mode) == 0o600, oct(os.stat(path).st_mode)
            with open(path, encoding="utf-8") as f:
                live.check_report(json.load(f))
            refused(FAILURE, "-b", "-d", "0.2", *how, "-o", link, says="symbolic link")
            with open(victim, encoding="utf-8") as f:
                assert f.read() == "precious"


def test_output_impossible():
    """A full disk and a forbidden folder are one clear line each"""
    live.need_root()
    refused(FAILURE, "-b", "-n", 1, "-d", "0.2", "-o", "/proc/nothing.txt",
            says="/proc/nothing.txt")
    refused(FAILURE, "-b", "-n", 1, "-d", "0.2", "-o", "/nonexistent/x.json",
            says="/nonexistent/x.json")
    with open("/dev/full", "w", encoding="ascii") as full:
        done = subprocess.run([live.CHECKED, "-b", "-n", "1", "-d", "0.2"], stdout=full,
                              stderr=subprocess.PIPE, timeout=30, check=False,
                              env=live.environment())
    assert done.returncode == FAILURE and done.stderr, done


def test_closed_stdout():
    """A closed standard output and a reader that goes away end it, without a hang"""
    live.need_root()
    done = subprocess.run(["sh", "-c", f"exec {live.CHECKED} -b -n 1 -d 0.2 >&-"], timeout=30,
                          stderr=subprocess.PIPE, check=False, env=live.environment())
    assert done.returncode == FAILURE, done
    start = time.monotonic()
    done = subprocess.run(["bash", "-c", f"{live.CHECKED} -b -d 0.1 | head -n 1 >/dev/null; "
                           "exit ${PIPESTATUS[0]}"], timeout=30, stderr=subprocess.PIPE,
                          check=False, env=live.environment())
    assert time.monotonic() - start < 15, "it went on writing to nobody"
    assert b"AddressSanitizer" not in done.stderr, done
    for args in (["-b", "-n", "1", "-d", "0.2"], ["-b", "-d", "0.2"], ["--list-events"], ["--help"],
                 ["-b", "-d", "0.2", "--do", "view cpu"]):
        gone, out = os.pipe()
        os.close(gone)
        done = subprocess.run([live.CHECKED, *args], stdout=out, stderr=subprocess.PIPE, timeout=30,
                              check=False, env=live.environment())
        os.close(out)
        assert done.returncode == DONE and not done.stderr, done


def test_no_terminal():
    """Without a terminal it says so and points to --batch"""
    run = live.proftop(env=live.environment(TERM="xterm"))
    assert run.status == FAILURE or run.status == USAGE, str(run)
    assert "--batch" in run.err, str(run)
    run = live.proftop(env={k: v for k, v in live.environment().items() if k != "TERM"})
    assert run.status in (FAILURE, USAGE) and run.err, str(run)


# What somebody's environment may hold, and the exit status where it does not go on regardless.
SURROUNDINGS = [
    ({"COLUMNS": "99999", "LINES": "99999"}, DONE), ({"COLUMNS": "-1", "LINES": "x"}, DONE),
    ({"LANG": "x" * 5000}, DONE), ({"LC_ALL": "../../../tmp"}, DONE),
    ({"HOME": "/dev/zero"}, DONE), ({"HOME": "x" * 9000}, DONE),
    ({"XDG_CONFIG_HOME": "/" + "x" * 9000}, DONE), ({"XDG_CONFIG_HOME": "{tmp}/none"}, DONE),
    ({"XDG_CONFIG_HOME": "{tmp}/folder"}, USAGE), ({"XDG_CONFIG_HOME": "{tmp}/fifo"}, USAGE),
    ({"XDG_CONFIG_HOME": "{tmp}/huge"}, USAGE), ({"XDG_CONFIG_HOME": "{tmp}/device"}, USAGE),
    ({"XDG_CONFIG_HOME": "{tmp}/binary"}, USAGE), ({"TERM": "x" * 5000}, FAILURE),
    ({"TERM": "../../../etc/passwd"}, FAILURE), ({"TERM": "\x1b[2Jevil%n"}, FAILURE),
]


def make_configs(tmp):
    for name in ("folder", "fifo", "huge", "device", "binary"):
        os.makedirs(os.path.join(tmp, name, "proftop"))
    os.mkdir(os.path.join(tmp, "folder/proftop/config"))
    os.mkfifo(os.path.join(tmp, "fifo/proftop/config"))
    with open(os.path.join(tmp, "huge/proftop/config"), "wb") as f:
        f.truncate(1 << 40)
    os.symlink("/dev/zero", os.path.join(tmp, "device/proftop/config"))
    with open(os.path.join(tmp, "binary/proftop/config"), "wb") as f:
        f.write(b"delay = 1\n\0\xff\x1b[2J = \x1b]0;evil\x07\n")


def test_hostile_environment():
    """Nonsense in the environment, and what is no configuration in its place: it goes on, or one
    harmless line says what is wrong; it never hangs"""
    live.need_root()
    with live.temporary() as tmp:
        make_configs(tmp)
        for env, status in SURROUNDINGS:
            env = {k: v.format(tmp=tmp) for k, v in env.items()}
            with Session("-V", "log", **env) as s:
                if status == DONE:
                    s.wait_text(b"log")
                    os.write(s.fd, b"q")
                assert s.wait_end() == status, (env, s.screen[-300:])
                if status != DONE:
                    said = s.screen.replace(b"\r", b"")
                    assert said.count(b"\n") == 1 and b"\x1b" not in said, (env, said)


def test_unprivileged_other():
    """Without privileges other people's processes are exit code 3 and the way out is named"""
    live.need_root()
    with live.Workload("two_functions", 30) as work:
        run = live.proftop("-b", "-n", 1, "-d", "0.5", "-p", work.pid, wrap=NOBODY)
    assert run.status == PERMISSION, str(run)
    assert "root" in run.err or "CAP_" in run.err or "paranoid" in run.err, str(run)


def paranoid():
    with open("/proc/sys/kernel/perf_event_paranoid", encoding="ascii") as f:
        return int(f.read())


def test_unprivileged_own():
    """Without privileges one's own processes can be profiled, and what is missed is said"""
    live.need_root()
    if paranoid() > 2:
        raise live.Skip("perf_event_paranoid above 2 forbids it")
    with live.temporary() as tmp:
        program = os.path.join(tmp, "two_functions")
        shutil.copy(os.path.join(live.WORKLOADS, "two_functions"), program)
        with live.Workload("two_functions", 30, path=program, wrap=NOBODY) as work:
            report = live.batch("-n", 1, "-d", 3, "-F", 999, "-p", work.pid, wrap=NOBODY,
                                binary=live.RELEASE)[0]
    live.conserved(report)
    assert report["health"]["tier"] == "perf", report["health"]
    live.near(live.row(report, "hot_70")["self_pct"], 70, 4, "hot_70")


def test_unprivileged_command():
    """Without privileges -- COMMAND works"""
    live.need_root()
    if paranoid() > 2:
        raise live.Skip("perf_event_paranoid above 2 forbids it")
    report = live.batch("-d", 10, "-F", 999, "--", os.path.join(live.WORKLOADS, "two_functions"),
                        1, wrap=NOBODY, binary=live.RELEASE, drop_output=True)[0]
    live.near(live.row(report, "hot_70")["self_pct"], 70, 6, "hot_70")


def test_no_capability():
    """Root without capabilities is told which one is missing or is served by perf"""
    live.need_root()
    run = live.proftop("-b", "-n", 1, "-d", "0.5", "--format", "json",
                       wrap=("setpriv", "--bounding-set=-all", "--inh-caps=-all",
                             "--no-new-privs", "--"))
    assert run.status in (DONE, PERMISSION), str(run)
    if run.status == PERMISSION:
        assert "CAP_" in run.err or "paranoid" in run.err, str(run)


def unmounted(path, script):
    """Runs a shell script in a mount namespace where path is hidden by an empty folder."""
    return subprocess.run(["unshare", "-m", "--propagation", "private", "sh", "-c",
                           f"mount -t tmpfs none {path} && {script}"], timeout=60,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
                          env=live.environment())


def test_no_tracefs():
    """Without tracefs samples still come, and a tracepoint says what to mount or just works"""
    live.need_root()
    done = unmounted("/sys/kernel/tracing", f"umount /sys/kernel/debug 2>/dev/null; "
                     f"{live.CHECKED} -b -n 1 -d 0.5 --format json")
    assert done.returncode == DONE, done
    live.check_report(json.loads(done.stdout))
    done = unmounted("/sys/kernel/tracing", f"{live.CHECKED} -b -n 1 -d 0.5 "
                     "-e sched:sched_switch")
    if done.returncode != DONE:
        assert done.returncode in (USAGE, UNSUPPORTED, PERMISSION), done
        assert b"tracefs" in done.stderr, done
    done = unmounted("/sys/kernel/tracing", f"umount /sys/kernel/debug 2>/dev/null; "
                     f"{live.CHECKED} -b -n 1 -d 0.5 -V heap -p $$")
    assert done.returncode == UNSUPPORTED and b"mount -t tracefs nodev" in done.stderr, done


def test_no_btf():
    """Without /sys/kernel/btf samples still come"""
    live.need_root()
    if not os.path.isdir("/sys/kernel/btf"):
        raise live.Skip("no BTF here anyway")
    done = unmounted("/sys/kernel/btf", f"{live.CHECKED} -b -n 1 -d 0.5 --format json")
    assert done.returncode == DONE, done
    report = json.loads(done.stdout)
    live.conserved(report)


@contextlib.contextmanager
def hidden_addresses():
    """What to put before a command: /proc/kallsyms is there as the kernel has it for those who may
    not know its addresses. For that command alone."""
    live.need_root()
    with live.temporary() as tmp:
        path = os.path.join(tmp, "kallsyms")
        with open("/proc/kallsyms", encoding="ascii", errors="replace") as f, \
                open(path, "w", encoding="ascii", errors="replace") as out:
            out.writelines("0" * 16 + line[16:] for line in f.readlines()[:5000])
        yield ("unshare", "-m", "--propagation", "private", "sh", "-c",
               f'mount --bind {path} /proc/kallsyms && exec "$@"', "sh")


def test_no_kallsyms():
    """Without kernel addresses kernel time is still there, without names; no format tells any"""
    files = [f"r{suffix}" for suffix in (".txt", ".csv", ".folded", ".svg", ".html", ".perf.txt",
                                         ".speedscope.json", ".om")]
    with hidden_addresses() as wrap, live.Workload("switch_storm", 30), live.temporary() as tmp:
        pprof = os.path.join(tmp, "r.pb.gz")
        outputs = [x for name in files for x in ("-o", os.path.join(tmp, name))] + ["-o", pprof]
        for view in ("cpu", "offcpu"):
            report = live.batch("-n", 1, "-d", 1, "-F", 499, "-V", view, *outputs, wrap=wrap,
                                binary=live.RELEASE)[0]
            assert "hides its addresses" in report["health"]["note"], report["health"]
            texts = [json.dumps(report)]
            for name in files:
                with open(os.path.join(tmp, name), encoding="utf-8") as f:
                    texts.append(f.read())
            for text in texts:
                assert not re.search("ffffffff[89a-f][0-9a-f]{7}", text), (view, text[:300])
            if shutil.which("protoc"):
                found = re.findall(r"address: (\d+)", formats.pprof_text(pprof))
                assert found and max(map(int, found)) < 1 << 48, max(found)
            if view == "cpu":
                live.conserved(report)
                assert {r["symbol"] for r in report["rows"] if r["kind"] == "kernel"} == \
                    {"[kernel]"}, report["rows"][:5]


def test_no_kallsyms_on_screen():
    """On the screen a line says that the kernel hides its addresses"""
    with hidden_addresses() as wrap, live.Workload("switch_storm", 30), \
            Session(*wrap[1:], live.RELEASE, "-F", "499", binary=shutil.which(wrap[0]),
                    columns=140) as s:
        s.wait_text(b"the kernel hides its addresses", 20)
        os.write(s.fd, b"q")
        assert s.wait_end() == 0


def test_many_processes():
    """10,000 processes: it starts within 5 s, measures, and stays small"""
    live.need_root()
    with live.Workload("many_processes", 120, 10000), live.Workload("two_functions", 120) as work:
        start = time.monotonic()
        report = live.batch("-d", 1, "-n", 1, "-F", 499, binary=live.RELEASE)[0]
        took = time.monotonic() - start
    live.conserved(report)
    assert live.row(report, "hot_70")["self_count"] > 50, work.pid
    assert took < 6, f"{took:.1f} s"


if __name__ == "__main__":
    live.main(globals())
