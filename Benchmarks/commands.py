#!/usr/bin/env python3
"""Prints how long each command takes with a cassette of 500 and of 4,000 response sets, and fails if the second time is more than
10 times the first one.

    commands.py [NAME ...]      only the commands whose names begin so, such as "split" or "set"

Settings: SIZES=500,4000, BODY=1000 (bytes of a body), LIMIT=10. A debug build will do: it is the ratio that counts. Time that a
command takes without any cassette, about that of `tapedeck ca`, is taken off.
"""

import http.server
import json
import os
import shutil
import subprocess
import sys
import threading
import time

from support import Bench, fail, run

SIZES = [int(size) for size in os.environ.get("SIZES", "500,4000").split(",")]
BODY = int(os.environ.get("BODY", "1000"))
LIMIT = float(os.environ.get("LIMIT", "10"))
HOSTS = ["api.example.test", "auth.example.test", "files.example.test", "shop.example.test"]

# Requests http://127.0.0.1:PORT/items/0 and so on through the proxy of the environment: client.py PORT NUMBER.
CLIENT = """
import http.client, os, sys, urllib.parse
proxy = urllib.parse.urlsplit(os.environ["http_proxy"])
connection = http.client.HTTPConnection(proxy.hostname, proxy.port)
for number in range(int(sys.argv[2])):
    connection.request("GET", f"http://127.0.0.1:{sys.argv[1]}/items/{number}")
    connection.getresponse().read()
"""


def answer(number):
    return json.dumps({"id": number, "name": f"item {number}", "text": "tape deck " * (BODY // 10)}) + "\n"


class Origin(http.server.BaseHTTPRequestHandler):
    """Answers every GET with an item."""

    protocol_version = "HTTP/1.1"
    # One write of an answer, not two: the second waits for the acknowledgement of the first.
    wbufsize = -1

    def log_message(self, *_):
        pass

    def do_GET(self):
        body = answer(int(self.path.split("/")[-1])).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def cassette(size, changed=False, prefix="items"):
    """The text of a cassette whose sets are as a recording writes them, with two variants each and a profile."""
    parts = ["tapedeck: 1\nresponseSets:\n"]
    for number in range(size):
        host = HOSTS[number % len(HOSTS)]
        text = answer(number + (1 if changed and number % 10 == 0 else 0)).strip()
        parts.append(f"""\
  - name: GET {host}/{prefix}/{number}
    request: {{ method: GET, url: 'https://{host}/{prefix}/{number}?at={number + changed * 7}' }}
    variants:
      - name: recorded
        takes:
          - recorded: 2026-10-01T10:00:00Z
            status: 200
            headers:
              - content-type: application/json
            body:
              text: '{text}'
      - name: empty
        takes:
          - status: 200
            headers:
              - content-type: application/json
            body:
              text: '{{}}'

""")
    parts.append(f"profiles:\n  nothing:\n    GET {HOSTS[0]}/{prefix}/0: empty\n")
    return "".join(parts)


def archive(size):
    """The text of a HAR file."""
    entries = [{
        "startedDateTime": "2026-10-01T10:00:00.000Z", "time": 1,
        "request": {"method": "GET", "url": f"https://{HOSTS[0]}/items/{number}", "httpVersion": "HTTP/1.1", "headers": [],
                    "queryString": [], "cookies": [], "headersSize": -1, "bodySize": 0},
        "response": {"status": 200, "statusText": "OK", "httpVersion": "HTTP/1.1", "cookies": [], "headersSize": -1,
                     "headers": [{"name": "Content-Type", "value": "application/json"}], "redirectURL": "", "bodySize": -1,
                     "content": {"size": -1, "mimeType": "application/json", "text": answer(number)}},
        "cache": {}, "timings": {"send": 0, "wait": 1, "receive": 0}} for number in range(size)]
    return json.dumps({"log": {"version": "1.2", "creator": {"name": "test", "version": "1"}, "entries": entries}})


class Bed:
    """The files of one size, and a deck for the commands that control one."""

    def __init__(self, bench, size, origin):
        self.bench, self.size, self.origin = bench, size, origin
        self.template = bench.folder / f"template-{size}"
        cassettes = self.template / "cassettes"
        cassettes.mkdir(parents=True)
        (cassettes / "tape.yaml").write_text(cassette(size))
        (cassettes / "other.yaml").write_text(cassette(size))
        (cassettes / "more.yaml").write_text(cassette(size, prefix="more"))
        (cassettes / "one.yaml").write_text(cassette(1, prefix="one"))
        (cassettes / "secret.yaml").write_text(cassette(size).replace("tape deck tape deck", "Bearer ghp_" + "a1B2" * 9))
        (self.template / "traffic.har").write_text(archive(size))
        (self.template / "client.py").write_text(CLIENT)
        git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.test", "-C", self.template]
        run("git", "init", "-q", self.template)
        run(*git, "add", "cassettes")
        run(*git, "commit", "-qm", "cassettes")
        (cassettes / "tape.yaml").write_text(cassette(size, changed=True))
        self.client = [sys.executable, "client.py", str(origin), str(size)]
        self.run(self.template, 0, "record", "live", "--", *self.client)
        self.run(self.template, 0, "replay", "live", "--report", "report.json", "--", *self.client)
        self.run(self.template, 0, "variant", "copy", "live", f"GET 127.0.0.1:{origin}/items/0", "recorded", "again")
        self.port, self.control = bench.ports(2)
        environment = dict(os.environ, TAPEDECK_LOOPBACK="1")
        command = [bench.binary, "serve", "live", "--port", self.port, "--control-port", self.control]
        self.deck = subprocess.Popen(
            [str(word) for word in command], cwd=self.template, env=environment,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(600):
            if self.timed(self.template, "health", "--control-port", self.control)[1].returncode == 0:
                break
            time.sleep(0.1)
        else:
            fail("the deck does not start")
        run(*self.client, cwd=self.template, env=dict(os.environ, http_proxy=f"http://127.0.0.1:{self.port}"))

    def timed(self, folder, *arguments, stdin=""):
        environment = dict(os.environ, TAPEDECK_LOOPBACK="1", CI="", TAPEDECK_URL=f"http://127.0.0.1:{getattr(self, 'control', 1)}")
        begin = time.monotonic()
        result = subprocess.run(
            [str(word) for word in (self.bench.binary, *arguments)], cwd=folder, env=environment, input=stdin,
            capture_output=True, text=True)
        return time.monotonic() - begin, result

    def run(self, folder, codes, *arguments, stdin=""):
        seconds, result = self.timed(folder, *arguments, stdin=stdin)
        if result.returncode not in ([codes] if isinstance(codes, int) else codes):
            fail(f"{' '.join(map(str, arguments))} exits with {result.returncode}: {result.stdout[-500:]}{result.stderr[-1500:]}")
        return seconds

    def measure(self, codes, *arguments, stdin=""):
        """The seconds of a command, in a copy of the files."""
        folder = self.bench.folder / "copy"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self.template, folder)
        return self.run(folder, codes, *arguments, stdin=stdin)

    def end(self):
        self.deck.terminate()
        self.deck.wait()


def cases(bed):
    """The commands of `tapedeck help`, as lists of words, with the exit codes that they may have."""
    first, last = (f"GET {HOSTS[number % len(HOSTS)]}/items/{number}" for number in (0, bed.size - 1))
    live = f"GET 127.0.0.1:{bed.origin}/items/0"
    url = f"https://{HOSTS[0]}/items/0?at=7"
    one = [sys.executable, "client.py", str(bed.origin), "1"]
    yield "record", 0, ["record", "live", "--", *bed.client]
    yield "append", 0, ["append", "live", "--allow-unused", "--", *bed.client]
    yield "replay", 0, ["replay", "live", "--", *bed.client]
    yield "passthrough", 0, ["passthrough", "--", *bed.client]
    yield "serve", 0, ["serve", "live", "--allow-unused", "--", "true"]
    yield "show", 0, ["show", "tape"]
    yield "check", 0, ["check", "tape"]
    yield "explain", 0, ["explain", "tape", "GET", url]
    yield "ca", 0, ["ca"]
    yield "config", 0, ["config", "replay"]
    yield "health", 0, ["health", "--control-port", bed.control]
    yield "doctor", 0, ["doctor"]
    yield "demo", 0, ["demo"]
    yield "refresh", 0, ["refresh", "live"]
    yield "drift", 0, ["drift", "live"]
    yield "diff", 1, ["diff", "tape", "other"]
    yield "diff (git)", 1, ["diff", "HEAD"]
    yield "suggest", 0, ["suggest", "tape", "other", "--apply"]
    yield "prune", 0, ["prune", "live", "--report", "report.json", "--yes"]
    yield "scan", [0, 1], ["scan", "cassettes/secret.yaml"]
    yield "scrub", 0, ["scrub", "secret"]
    yield "matrix", 0, ["matrix", "live", "--", *one]
    yield "coverage", [0, 1], ["coverage", "--report", "report.json"]
    yield "set rename", 0, ["set", "rename", "tape", last, "renamed"]
    yield "set remove", 0, ["set", "remove", "tape", first, last]
    yield "set move", 0, ["set", "move", "tape", last, "--first"]
    yield "set move --to", 0, ["set", "move", "tape", last, "--to", "one"]
    yield "set copy", 0, ["set", "copy", "tape", last, "--as", "copied"]
    yield "variant rename", 0, ["variant", "rename", "tape", last, "empty", "nothing"]
    yield "variant remove", 0, ["variant", "remove", "tape", last, "empty"]
    yield "variant copy", 0, ["variant", "copy", "tape", last, "empty", "again"]
    yield "variant default", 0, ["variant", "default", "tape", last, "empty"]
    yield "take remove", 64, ["take", "remove", "tape", last, "empty", "1"]
    yield "merge", 0, ["merge", "tape", "more"]
    yield "merge (other)", 65, ["merge", "tape", "other"]
    yield "split (host)", 0, ["split", "tape"]
    yield "split (set)", 0, ["split", "tape", "--by", "set", "--remove"]
    yield "edit", 0, ["edit", "tape", last, "--print"]
    yield "import", 0, ["import", "traffic.har"]
    yield "export", 1, ["export", "live", "-o", "out.har"]
    yield "pull", 0, ["pull", "live", "--overwrite", "--into", "pulled"]
    yield "push", 0, ["push", "live", "--overwrite"]
    yield "sets", 0, ["sets"]
    yield "select", 0, ["select", f"{live}=again"]
    yield "reset", 0, ["reset"]
    yield "journal", 0, ["journal"]
    yield "report", [0, 1, 70], ["report"]
    yield "session create", 0, ["session", "create", "live"]
    yield "session list", 0, ["session", "list"]


def main():
    wanted = sys.argv[1:]
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Origin)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    times = {}
    with Bench("git") as bench:
        beds = []
        try:
            for size in SIZES:
                bed = Bed(bench, size, server.server_port)
                beds.append(bed)
                for name, codes, arguments in cases(bed):
                    if not wanted or any(name.startswith(word) for word in wanted):
                        times.setdefault(name, []).append(bed.measure(codes, *arguments))
                        print(f"{size}: {name}: {times[name][-1]:.2f} s", file=sys.stderr, flush=True)
            start = min(beds[0].measure(0, "ca") for _ in range(3))
        finally:
            for bed in beds:
                bed.end()
    print(f"| command | {' | '.join(f'{size:,} sets' for size in SIZES)} | ratio |\n|---|{'---|' * (len(SIZES) + 1)}")
    slow = []
    for name, seconds in times.items():
        # Below a twentieth of a second it is noise that is compared.
        ratio = max(seconds[-1] - start, 0.05) / max(seconds[0] - start, 0.05)
        print(f"| {name} | {' | '.join(f'{value:.2f} s' for value in seconds)} | {ratio:.1f} |")
        if ratio > LIMIT:
            slow.append(name)
    if slow:
        fail(f"more than {LIMIT:g} times as long: {', '.join(slow)}")


main()
