#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Whether the files of one snapshot agree, each read by what others read it with: formats.py
PREFIX, where PREFIX.folded is there and any of .time.folded .svg .speedscope.json .pb.gz
.perf.txt .om .json .trace.json .html beside it."""
import collections
import gzip
import html.parser
import json
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
import flame_sums  # noqa: E402

SCHEMA = os.path.join(os.path.dirname(os.path.realpath(__file__)), "../../export/pprof.proto")


def plain(stacks):
    """Those that no format has to change characters of."""
    return {k: v for k, v in stacks.items()
            if all(x.isprintable() and not set("?\ufffd") & set(x) for x in k)}


def same(found, want, what):
    assert sum(found.values()) == sum(want.values()), (what, sum(found.values()),
                                                       sum(want.values()))
    found, want = plain(found), plain(want)
    for key in found.keys() | want.keys():
        assert found.get(key) == want.get(key), (what, key, found.get(key), want.get(key))


def speedscope(path):
    with open(path, encoding="utf-8") as f:
        file = json.load(f)
    (profile,) = file["profiles"]
    sums = collections.Counter()
    names = [x["name"] for x in file["shared"]["frames"]]
    for sample, weight in zip(profile["samples"], profile["weights"], strict=True):
        sums[tuple(names[i] for i in sample)] += weight
    assert profile["type"] == "sampled" and profile["endValue"] == sum(sums.values())
    return sums


def perf(path):
    """As stackcollapse-perf adds samples up: by command and frames, with their periods."""
    sums = collections.Counter()
    last = 0.0
    with open(path, encoding="utf-8") as f:
        for block in f.read().strip("\n").split("\n\n"):
            head, *frames = block.split("\n")
            m = re.fullmatch(r"(.*) \d+/\d+ (\d+\.\d{6}): +(\d+) [^ ]+:", head)
            assert m, head
            assert float(m[2]) >= last, head
            last = float(m[2])
            names = [re.fullmatch(r"\t *[0-9a-f]+ (.*) \(.*?\)", x) or x for x in frames]
            assert all(not isinstance(x, str) for x in names), names
            sums[(m[1], *(x[1] for x in reversed(names)))] += int(m[3])
    return sums


def messages(text):
    """protoc's text as {name: [values]}; a message is such a dict again."""
    top = collections.defaultdict(list)
    stack = [top]
    for line in text.splitlines():
        line = line.strip()
        if line == "}":
            stack.pop()
        elif line.endswith("{"):
            new = collections.defaultdict(list)
            stack[-1][line[:-2]].append(new)
            stack.append(new)
        else:
            name, value = line.split(": ", 1)
            if value.startswith('"'):
                raw = re.sub(rb"\\([0-7]{3})", lambda m: bytes([int(m[1], 8)]),
                             value[1:-1].encode())
                value = re.sub(rb'\\(["\'\\])', rb"\1", raw).decode()
            elif value not in ("true", "false"):
                value = int(value)
            stack[-1][name].append(value)
    return top


def pprof_text(path):
    with gzip.open(path) as f:
        return subprocess.run(["protoc", "-I", os.path.dirname(SCHEMA), "--decode",
                               "perftools.profiles.Profile", SCHEMA], input=f.read(),
                              stdout=subprocess.PIPE, check=True).stdout.decode()


def pprof(path):
    """Without what is inlined: folded text has functions as they were called."""
    top = messages(pprof_text(path))
    strings = top["string_table"]
    functions = {x["id"][0]: strings[x["name"][0]] for x in top["function"]}
    mappings = {x["id"][0] for x in top["mapping"]}
    locations, sums = {}, collections.Counter()
    for x in top["location"]:
        assert set(x["mapping_id"]) <= mappings, x
        locations[x["id"][0]] = functions[x["line"][-1]["function_id"][0]]
    for x in top["sample"]:
        comm = [strings[y["str"][0]] for y in x["label"] if strings[y["key"][0]] == "comm"]
        assert len(x["value"]) == len(top["sample_type"])
        sums[(*comm, *(locations[y] for y in reversed(x["location_id"])))] += x["value"][0]
    return sums


def pprof_places(path):
    """{(function, file): its lines}"""
    top = messages(pprof_text(path))
    strings, places = top["string_table"], collections.defaultdict(set)
    functions = {x["id"][0]: tuple(strings[i] for i in (x["name"][0], x["filename"][0] if x["filename"] else 0))
                 for x in top["function"]}
    for line in (line for x in top["location"] for line in x["line"]):
        places[functions[line["function_id"][0]]].update(line["line"])
    return places


def by_time(path):
    sums = collections.Counter()
    for stack, weight in flame_sums.lines(path).items():
        assert re.fullmatch(r"\d{10}\.\d{3}", stack[0]), stack
        sums[stack[1:]] += weight
    return sums


def check_trace(path):
    """Times are in order within an event, async ones begin and end, tracks have names."""
    with open(path, encoding="utf-8") as f:
        events = json.load(f)["traceEvents"]
    named = {(x["pid"], x["tid"]) for x in events if x["ph"] == "M"}
    begun = {}
    n = 0
    for x in events:
        assert (x["pid"], x["tid"]) in named, x
        if x["ph"] == "X":
            assert x["dur"] >= 0 and x["args"], x
            n += 1
        elif x["ph"] == "b":
            begun[x["id"]] = x
        elif x["ph"] == "e":
            assert begun.pop(x["id"])["ts"] <= x["ts"], x
            n += 1
    assert not begun
    return n


def check_openmetrics(path):
    """The families that a published parser finds; None: there is none here."""
    try:
        from prometheus_client.openmetrics.parser import text_string_to_metric_families
    except ImportError:
        return None
    with open(path, encoding="utf-8") as f:
        families = {x.name: x for x in text_string_to_metric_families(f.read())}
    for x in families.values():
        if x.type == "histogram":
            assert any(y.labels["le"] == "+Inf" for y in x.samples), x
    return families


class Page(html.parser.HTMLParser):
    VOID = {"meta", "input", "br", "link", "img"}

    def __init__(self):
        super().__init__()
        self.open, self.count, self.rows = [], collections.Counter(), 0

    def handle_starttag(self, tag, attrs):
        self.count[tag] += 1
        for name, value in attrs:
            assert name not in ("src", "onclick", "onload"), (tag, attrs)
            assert name != "href" or value.startswith("#"), (tag, attrs)
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open and self.open.pop() == tag, (tag, self.open)


def check_html(path):
    with open(path, encoding="utf-8") as f:
        text = f.read()
    page = Page()
    page.feed(text)
    page.close()
    assert not page.open, page.open
    assert page.count["section"] and not page.count["link"] and not page.count["img"]
    return page.count


def check(prefix):
    """What could not be read for want of a program, "" nothing."""
    want, missing = flame_sums.lines(prefix + ".folded"), []
    assert want, prefix
    readers = {".time.folded": by_time, ".speedscope.json": speedscope, ".perf.txt": perf}
    if shutil.which("protoc"):
        readers[".pb.gz"] = pprof
    else:
        missing.append("no protoc")
    for suffix, reader in readers.items():
        if os.path.exists(prefix + suffix):
            same(reader(prefix + suffix), want, suffix)
    if os.path.exists(prefix + ".svg"):
        flame_sums.check_svg(prefix + ".svg", flame_sums.boxes(want))
    if os.path.exists(prefix + ".json"):
        with open(prefix + ".json", encoding="utf-8") as f:
            json.loads(f.readline())
    if os.path.exists(prefix + ".html"):
        check_html(prefix + ".html")
    if os.path.exists(prefix + ".om") and check_openmetrics(prefix + ".om") is None:
        missing.append("no prometheus_client")
    return ", ".join(missing)


if __name__ == "__main__":
    print(check(sys.argv[1]))
