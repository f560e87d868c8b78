#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""What offcpu says of event loops: Redis, nginx, Node.js and Go, idle and held up."""
import contextlib
import os
import socket
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
import live  # noqa: E402
import servers  # noqa: E402
import waits  # noqa: E402


@contextlib.contextmanager
def silent_server():
    """The port of somebody who takes connections and never answers."""
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        s.listen()
        yield s.getsockname()[1]


def connects(port):
    """somebody to listen"""
    with socket.socket() as s:
        return s.connect_ex(("127.0.0.1", port)) == 0


def check(r, comm, **wanted):
    """All of these rows agree, but for short ones."""
    rows = [x for x in waits.rows_of(r, comm=comm) if x["off_ns"] > 200e6]
    servers.not_hidden(r)
    return servers.all_of(r, rows, **wanted)


# --- Redis ---

def test_redis():
    """Redis without commands is idle with its job threads; a client that blocks in one is not"""
    live.need_root()
    redis, client = servers.need("redis-server", "redis-cli")
    port = servers.free_port()
    with servers.folder() as folder, \
            servers.running(redis, "--port", port, "--dir", folder, "--save", "") as p:
        live.wait_for(lambda: connects(port))
        with servers.running(client, "-p", port, "blpop", "nothing", 0) as c:
            live.wait_for(lambda: blocked_clients(client, port))
            r = servers.report(p.pid, c.pid)
    check(r, "redis-server", **{"class": "idle", "reason": "poll"})
    for comm in ("bio_close_file", "bio_aof_fsync", "bio_lazy_free"):
        check(r, comm, **{"class": "idle"})
    live.near(check(r, "redis-cli", **{"class": "harmful", "reason": "network"}), 1, 0.02, "blpop")


def blocked_clients(client, port):
    """a client to block"""
    out = subprocess.run([client, "-p", str(port), "info", "clients"], stdout=subprocess.PIPE,
                         text=True).stdout
    return "blocked_clients:1" in out


# --- nginx ---

def test_nginx():
    """nginx without requests is idle; with one that its upstream owes an answer to it is not"""
    live.need_root()
    nginx, = servers.need("nginx")
    port = servers.free_port()
    with servers.folder() as folder, silent_server() as upstream:
        with open(f"{folder}/conf", "w", encoding="ascii") as f:
            temporary = "".join(f"{what}_temp_path {folder}/{what};" for what in
                                ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
            f.write(f"daemon off; pid {folder}/pid; error_log {folder}/error; user root;"
                    f"worker_processes 1; events {{}} http {{ access_log off; {temporary}"
                    f"server {{ listen 127.0.0.1:{port};"
                    f"location / {{ proxy_pass http://127.0.0.1:{upstream}; }} }} }}")
        with servers.running(nginx, "-c", f"{folder}/conf", "-p", folder) as p:
            live.wait_for(lambda: connects(port))
            quiet = servers.report(p.pid, seconds=1)
            with socket.create_connection(("127.0.0.1", port)) as c:
                c.send(b"GET / HTTP/1.0\r\n\r\n")
                busy = servers.report(p.pid, seconds=1)
    assert check(quiet, "nginx", **{"class": "idle"}) > 1.9, servers.summary(quiet)
    rows = servers.with_frame(busy, "ngx_process_events_and_timers")
    live.near(servers.all_of(busy, rows, **{"class": "unclear"}), 1, 0.05, "the worker")


# --- Node.js ---

@contextlib.contextmanager
def node(source):
    live.need_root()
    program, = servers.need("node")
    with servers.folder() as folder:
        with open(f"{folder}/a.js", "w", encoding="ascii") as f:
            f.write(source)
        with servers.running(program, f"{folder}/a.js", stdout=subprocess.PIPE, text=True) as p:
            servers.printed(p, "ready")
            yield p


def test_node_server():
    """A server of Node.js without requests is idle, with all threads of the runtime"""
    with node("require('http').createServer((q, r) => r.end()).listen(0, '127.0.0.1', "
              "() => console.log('ready'))") as p:
        r = servers.report(p.pid)
    rows = [x for x in r["rows"] if x["off_ns"] > 200e6]
    assert servers.all_of(r, rows, **{"class": "idle"}) > 4, servers.summary(r)


def test_node_client():
    """Who waits for an answer is held up, though it is an epoll like any other"""
    with silent_server() as port, \
            node(f"require('http').get('http://127.0.0.1:{port}/'); "
                 "setTimeout(() => console.log('ready'), 500)") as p:
        r = servers.report(p.pid)
    rows = waits.rows_of(r, tid=p.pid)
    live.near(servers.all_of(r, [x for x in rows if x["off_ns"] > 200e6],
                             **{"class": "harmful", "reason": "network"}), 1, 0.02, "the answer")


def test_node_lock():
    """A worker in Atomics.wait is held up"""
    with node("const w = require('worker_threads'); if (w.isMainThread) { "
              "new w.Worker(__filename, {workerData: new SharedArrayBuffer(4)}); "
              "setTimeout(() => console.log('ready'), 1000); setInterval(() => 0, 1e6) } "
              "else Atomics.wait(new Int32Array(w.workerData), 0, 0)") as p:
        r = servers.report(p.pid)
    rows = servers.with_frame(r, "FutexEmulation::Wait")
    live.near(servers.all_of(r, rows, **{"class": "harmful", "reason": "lock"}), 1, 0.02, "wait")


# --- Go ---

GO = """
package main
import ("fmt"; "net"; "os"; "sync"; "time")
func main() {
	var m sync.Mutex
	m.Lock()
	switch os.Args[1] {
	case "lock":
		go func() { m.Lock() }()
	case "client":
		c, err := net.Dial("tcp", os.Args[2])
		if err != nil { panic(err) }
		c.Write([]byte("request"))
		go c.Read(make([]byte, 10))
	case "server":
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil { panic(err) }
		go l.Accept()
	}
	time.Sleep(500 * time.Millisecond)
	fmt.Println("ready")
	time.Sleep(time.Hour)
}
"""


def test_go():
    """Go's poller is judged by its sockets, its threads without goroutines are not called idle"""
    live.need_root()
    go, = servers.need("go")
    reports = {}
    with servers.folder() as folder, silent_server() as port:
        with open(f"{folder}/waits.go", "w", encoding="ascii") as f:
            f.write(GO)
        done = subprocess.run([go, "build", "-o", f"{folder}/waits", f"{folder}/waits.go"],
                              env=live.environment(HOME=folder, GOCACHE=f"{folder}/cache",
                                                   GOFLAGS="-mod=mod", GO111MODULE="off"),
                              stderr=subprocess.PIPE, text=True)
        if done.returncode:
            raise live.Skip(f"go builds nothing here: {done.stderr[:100]}")
        for case in ("lock", "client", "server"):
            with servers.running(f"{folder}/waits", case, f"127.0.0.1:{port}", text=True,
                                 stdout=subprocess.PIPE) as p:
                servers.printed(p, "ready")
                reports[case] = servers.report(p.pid)
    for case, wanted in (("client", {"class": "harmful", "reason": "network"}),
                         ("server", {"class": "idle"}), ("lock", {"class": "unclear"})):
        r = reports[case]
        servers.not_hidden(r)
        rows = [x for x in servers.with_frame(r, "runtime.netpoll") if x["off_ns"] > 200e6]
        live.near(servers.all_of(r, rows, **wanted), 1, 0.05, f"poller of {case}")
        parked = [x for x in servers.with_frame(r, "runtime.stopm") if x["off_ns"] > 200e6]
        servers.all_of(r, parked, **{"class": "unclear"})
        servers.all_of(r, servers.with_frame(r, "runtime.sysmon"), **{"class": "idle"})


if __name__ == "__main__":
    live.main(globals())
