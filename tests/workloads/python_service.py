# SPDX-License-Identifier: GPL-2.0-only
"""A web service under load, on flask: parses what it is sent, sorts, renders a template, compresses, answers. A
process of its own sends the requests. It looks at its own stack with each tick of its CPU time for some seconds,
as profilers in python do, and then prints the share of each function: {name: %}. Usage: SECONDS; prints "ready"."""
import collections
import json
import multiprocessing
import os
import signal
import sys
import time
import urllib.request
import zlib

import flask
from werkzeug.serving import WSGIRequestHandler, make_server

ITEMS = [{"name": f"item {chr(97 + i % 26)}", "price": i * 7919 % 1000 / 10} for i in range(400)]
PAGE = """<ul>{% for i in items if i.name < 'item n' %}<li>{{ i.name }}: {{ '%.2f' % i.price }}</li>{% endfor %}</ul>"""
TICK_S = 0.01
app = flask.Flask(__name__)
page = app.jinja_env.from_string(PAGE)


def price_of(item):
    return item["price"], item["name"].upper()


def by_price(items):
    return sorted(items, key=price_of)


def pack(text):
    return zlib.compress(text.encode())


@app.route("/", methods=["POST"])
def answer():
    items = by_price(flask.request.get_json()["items"])
    return pack(page.render(items=items))


def asks(port):
    body = json.dumps({"items": ITEMS}).encode()
    request = urllib.request.Request(f"http://127.0.0.1:{port}/", body, {"Content-Type": "application/json"})
    while os.getppid() != 1:
        with urllib.request.urlopen(request, timeout=10) as reply:
            assert zlib.decompress(reply.read()).startswith(b"<ul>")


class OwnProfile:
    def __init__(self, seconds):
        self.until, self.ticks, self.seen = time.monotonic() + seconds, 0, collections.Counter()

    def tick(self, _signal, frame):
        names = set()
        while frame:
            names.add(frame.f_code.co_name)
            frame = frame.f_back
        self.seen.update(names)
        self.ticks += 1
        if time.monotonic() > self.until:
            signal.setitimer(signal.ITIMER_PROF, 0)
            print(json.dumps({name: 100 * n / self.ticks for name, n in self.seen.items()}), self.ticks, flush=True)


def main():
    WSGIRequestHandler.log = lambda *args: None
    server = make_server("127.0.0.1", 0, app)
    client = multiprocessing.Process(target=asks, args=(server.server_port,), daemon=True)
    client.start()
    profile = OwnProfile(float(sys.argv[1]))
    signal.signal(signal.SIGPROF, profile.tick)
    print("ready", flush=True)
    signal.setitimer(signal.ITIMER_PROF, TICK_S, TICK_S)
    server.serve_forever()


if __name__ == "__main__":
    main()
