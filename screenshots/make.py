#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Takes the screenshots: proftop in tmux on a machine that has something to do. Each one is
screenshots/NAME.txt and NAME.png; names as arguments take only those. docs/peers-SIZE.png show the
first screen side by side with those of other programs, at the same load."""
import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path.insert(0, os.path.join(HERE, "../tests/lib"))
sys.path.insert(0, HERE)
import live  # noqa: E402
from PIL import Image  # noqa: E402
from render import Renderer  # noqa: E402
from tmux import Tmux, strip  # noqa: E402

# The service that is looked at, and what else a machine does on a busy day; each command is
# started again when it ends. All of it is in one cgroup, the scope of the pictures.
DEMO = "/srv/orders"
CGROUP = "shop.slice"
BUSY = (f"{DEMO}/orders",
        f"cd {DEMO} && ./stock",
        f"clang -O2 -g -c -o /dev/null {DEMO}/orders.c",
        "perl -e 'my %h; for my $i (1 .. 2e6) { $h{$i % 5000} += length($i . $h{$i % 4999}) }'",
        "dd if=/dev/urandom of=/dev/null bs=1M count=200 2>/dev/null",
        "find /usr -xdev -type f -size +1M >/dev/null",
        f"cd {DEMO} && {{ [ -e prices.db ] || dd if=/dev/urandom of=prices.db bs=1M count=64 "
        "conv=fsync; dd if=prices.db iflag=nocache count=0; } 2>/dev/null; perl -e 'open my $f, "
        "\"<\", \"prices.db\"; for (1 .. 12000) { sysseek $f, 4096 * int rand 16384, 0; "
        "sysread $f, my $b, 4096; select undef, undef, undef, 1e-4 }'",
        "tar cf - -C /usr share/doc | cat >/dev/null",
        "perl -MIO::Socket -e 'my $s = IO::Socket::INET->new(Listen => 9, LocalAddr => \"127.0.0.1\") or die; "
        "my $p = fork; unless ($p) { while (my $c = $s->accept) { 1 while sysread $c, my $b, 65536 } } "
        "for (1 .. 60) { my $c = IO::Socket::INET->new(PeerAddr => \"127.0.0.1\", PeerPort => $s->sockport) or next; "
        "for (1 .. 40) { syswrite $c, \"o\" x int rand 9000; select undef, undef, undef, 5e-3 } } kill 9, $p'")

# name, (columns, rows), options, steps: keys as tmux names them, "=text" types, "?text" waits,
# a number lets so many seconds pass, so that trends have something to tell.
ORDERS = ["--comm", "orders"]
SCREENS = (
    ("cpu", (120, 36), [], [10]),
    ("chains", (120, 36), [], [6, "?sign_order", "/", "=sign_order", "Enter", "Right", 0.5,
                               "Right", 0.5, "Right", 0.5, "Right", 1.5]),
    ("flame", (120, 36), [], [10, "F", 1, "/", "=^sign_order$", "Enter", 2.5]),
    ("callers", (120, 24), [], [6, "/", "=handle_batch", "Enter", 0.5, "Enter", 2]),
    ("annotate", (120, 36), ORDERS, [5, "?sign_order", "Home", "Enter", 1, "Enter", 3]),
    ("processes", (120, 24), [], [5, "P", 4]),
    ("offcpu", (120, 24), ["-V", "offcpu"], [8, "?stock"]),
    ("wakers", (120, 36), ["-V", "offcpu", "--comm", "stock"], [6, "?lock", "Home", "Enter", 3]),
    ("wall", (120, 16), ["-V", "offcpu", "--comm", "stock"], [6, "?lock", "Home", "T", 3]),
    ("sched", (120, 36), ["-V", "sched"], [8]),
    ("delays", (120, 24), ["-V", "sched"], [8, "d", 3]),
    ("thread", (120, 36), ["-V", "sched", "--comm", "stock"], [6, "?stock-journal", "/",
                                                               "=stock-journal", "Enter", 0.5,
                                                               "Enter", 8]),
    ("cache", (120, 36), ["-V", "cache"], [10, "?prices.db", "Right", 2]),
    ("procs", (120, 36), ["-V", "procs"], [6]),
    ("io", (120, 36), ["-V", "io"], [10]),
    ("net", (120, 24), ["-V", "net"], [10]),
    ("tcp", (120, 24), ["-V", "tcp"], [10]),
    ("sockets", (120, 24), ["-V", "sockets"], [10]),
    ("irq", (120, 36), ["-V", "irq"], ["?TIMER", 10]),
    ("counters", (120, 24), ["-V", "counters"], [8]),
    ("bpf", (120, 24), ["-V", "bpf", "--views", "cpu,irq,net"], ["X", "?Per run", 8]),
    ("heat", (120, 36), ["-V", "sched"], [45, "H", 3, "Up", "Up", "Left", 1]),
    ("history", (120, 24), [], [30, "[", 0.5, "[", 0.5, "[", 0.5, "(", 0.5, "[", "[", "[", "[",
                                2]),
    ("baseline", (120, 24), [], [8, "b", 10]),
    ("filter", (120, 24), [], [4, "f", "=comm~^perl !pid=1 sate=D", "Enter", 1]),
    ("picker", (120, 24), [], [4, "c", 1, "=shop", 1.5]),
    ("help", (120, 40), [], [3, "?", 1]),
    ("palette", (100, 24), [], [3, ":", "=group-", "Tab", 1]),
    ("overview", (120, 40), ["-V", "overview"], [40]),
    ("overview-80x24", (80, 24), ["-V", "overview"], [20]),
    ("overview-200x60", (200, 60), ["-V", "overview"], [60]),
    ("columns", (120, 36), ["-V", "procs"], [6, "F2", 1]),
    ("small", (80, 24), [], [6]),
    ("ascii", (80, 24), ["--ascii"], [6]),
)


def cgroup_mount():
    with open("/proc/self/mounts", encoding="utf-8") as f:
        return next((line.split()[1] for line in f if line.split()[2] == "cgroup2"), None)


@contextlib.contextmanager
def cgroup():
    """A cgroup for the load; its path."""
    path = os.path.join(cgroup_mount() or sys.exit("no cgroup v2 is mounted"), CGROUP)
    os.makedirs(path, exist_ok=True)
    try:
        yield path
    finally:
        live.wait_for(lambda: not open(path + "/cgroup.procs", encoding="ascii").read(), 10)
        os.rmdir(path)


@contextlib.contextmanager
def demo():
    """The service's source and program, where they do not tell whose machine this is."""
    os.makedirs(DEMO)
    try:
        for name in "orders", "stock":
            shutil.copy(os.path.join(HERE, name + ".c"), DEMO)
            subprocess.run(["gcc", "-O2", "-g", "-fno-omit-frame-pointer", "-o", name, name + ".c",
                            "-pthread"], cwd=DEMO, check=True)
        yield
    finally:
        shutil.rmtree(DEMO)


@contextlib.contextmanager
def busy():
    """The load, until the end; in a process group of its own each."""
    with demo(), cgroup() as group:
        join = f"echo $$ >{group}/cgroup.procs;"
        loops = [subprocess.Popen(["sh", "-c", f"{join} while :; do {c}; done"],
                                  start_new_session=True, stderr=subprocess.DEVNULL)
                 for c in BUSY]
        try:
            yield
        finally:
            for loop in loops:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(loop.pid, signal.SIGKILL)
                loop.wait()


def step(terminal, what):
    if isinstance(what, (int, float)):
        time.sleep(what)
    elif what.startswith("=") and len(what) > 1:
        terminal.type(what[1:])
    elif what.startswith("?") and len(what) > 1:
        terminal.wait(what[1:], 15)
    else:
        terminal.keys(what)


def save(name, columns, rows, text):
    plain = "\n".join(line.rstrip() for line in strip(text).split("\n")).rstrip("\n")
    with open(os.path.join(HERE, name + ".txt"), "w", encoding="utf-8") as f:
        f.write(plain + "\n")
    image = Renderer(columns, rows).screen(text)
    image.quantize(128).save(os.path.join(HERE, name + ".png"), optimize=True)


def take(name, size, options, steps):
    with Tmux([live.RELEASE, "-F", "499", "-G", "/" + CGROUP, *options], *size,
              env={"COLORTERM": "truecolor"}) as terminal:
        terminal.wait(r"\d\.\d", 15)
        for what in steps:
            step(terminal, what)
        text = terminal.screen(colours=True)
        if terminal.ended():
            raise RuntimeError(f"{name}: it ended:\n{text}")
        save(name, *size, text)
        print(name, flush=True)


# Each beside the others, and how long until it shows what it can. They are in a PID namespace with
# the load, so that they show nothing else either.
PEER_SIZES = (80, 24), (120, 40), (200, 60)
PEERS = (("btop", ["btop", "--utf-force"], 10), ("htop", ["htop"], 5),
         ("perf top", ["perf", "top", "-e", "cpu-clock", "-G", CGROUP], 10))
PEER_WIDTH = 2000  # of the picture, at most


@contextlib.contextmanager
def contained():
    """The load in a PID namespace of its own; the words that run a program in there."""
    with demo(), cgroup() as group:
        loops = " ".join(f"( while :; do {c}; done ) &" for c in BUSY)
        init = subprocess.Popen(["sh", "-c", f"echo $$ >{group}/cgroup.procs; exec unshare --pid --fork "
                                 "--kill-child --mount-proc sh -c \"$0\"", loops + " wait"],
                                start_new_session=True, stderr=subprocess.DEVNULL)
        try:
            children = f"/proc/{init.pid}/task/{init.pid}/children"
            live.wait_for(lambda: open(children, encoding="ascii").read(), 10)
            with open(children, encoding="ascii") as f:
                first = f.read().split()[0]
            yield ["nsenter", "--target", first, "--mount", "--pid", "--"]
        finally:
            init.kill()
            init.wait()


def picture(command, size, seconds):
    with Tmux(command, *size, env={"COLORTERM": "truecolor"}) as terminal:
        time.sleep(seconds)
        return Renderer(*size).screen(terminal.screen(colours=True))


def peers():
    with contained() as inside:
        for size in PEER_SIZES:
            ours = [live.RELEASE, "-F", "499", "-V", "overview", "-G", "/" + CGROUP]
            images = [picture(ours, size, 20)]
            for name, command, seconds in PEERS:
                if shutil.which(command[0]):
                    there = [] if name == "perf top" else inside
                    images.append(picture([*there, *command], size, seconds))
                else:
                    print(f"no {name} here: left out")
            name = f"peers-{size[0]}x{size[1]}.png"
            beside(images).save(os.path.join(HERE, "../docs", name), optimize=True)
            print(name, flush=True)


def beside(images):
    """Two by two."""
    w, h = images[0].size
    whole = Image.new("RGB", (2 * w, (len(images) + 1) // 2 * h))
    for i, image in enumerate(images):
        whole.paste(image, (i % 2 * w, i // 2 * h))
    if whole.width > PEER_WIDTH:
        whole = whole.resize((PEER_WIDTH, whole.height * PEER_WIDTH // whole.width), Image.LANCZOS)
    return whole.quantize(160)


def doctor():
    run = live.proftop("--doctor", binary=live.RELEASE)
    lines = run.out.rstrip("\n").split("\n")
    save("doctor", max(map(len, lines)), len(lines), "\n".join(lines))
    print("doctor")


def main():
    wanted = sys.argv[1:]
    with tempfile.TemporaryDirectory() as empty:
        os.chdir(empty)
        if not wanted or {screen[0] for screen in SCREENS} & set(wanted):
            with busy():
                for screen in SCREENS:
                    if not wanted or screen[0] in wanted:
                        take(*screen)
        if not wanted or "peers" in wanted:
            peers()
    if not wanted or "doctor" in wanted:
        doctor()


if __name__ == "__main__":
    main()
