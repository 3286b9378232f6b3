#!/usr/bin/env python3
"""Recorders of Python write files from a local origin; Tapedeck imports them, and plays them to the same code.

    TAPEDECK=.build/debug/tapedeck python recorders_test.py

Needs vcrpy, betamax, requests and httpx; to run what is exported, Java and the jar of WireMock that the package wiremock
holds; and mitmdump, which MITMDUMP names, as its package needs an environment of its own. For each recorder the same client code runs three times: live under the recorder,
under the recorder alone with nobody at the origin, and against Tapedeck's import of the recorder's file. What the client
sees the second and the third time must be the same, and be what it saw live.
"""

import hashlib
import importlib.util
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

import betamax
import httpx
import requests
import vcr

TAPEDECK = os.path.abspath(os.environ.get("TAPEDECK", ".build/debug/tapedeck"))
ORIGIN = pathlib.Path(__file__).resolve().parent.parent / "EndToEndTests" / "origin.py"
PATHS = [
    "json", "chunked", "204", "cookies", "empty", "status/404", "status/500", "counter?key=r", "counter?key=r",
    "counter?key=r",
]
# Answers that some recorders do not play themselves, with the libraries of today: vcrpy's stub of httpx no header values beyond ASCII, its
# JSON serializer no bytes, Betamax no answers to HEAD.
CODED = ["gzip", "deflate"]
BYTES = ["binary?size=20000"]
LATIN = ["latin1"]
HEAD = ["head-me"]
# Fields of a connection, which no recording plays.
UNSEEN = {"connection", "keep-alive", "date", "content-length", "transfer-encoding"}


def shown(method, status, reason, fields, content):
    """What a client sees of an answer."""
    kept = sorted([name.lower(), value] for name, value in fields if name.lower() not in UNSEEN)
    return [method, status, reason, kept, len(content), hashlib.sha256(content).hexdigest()]


def ask_requests(base, session, more):
    def show(answer):
        return shown(answer.request.method, answer.status_code, answer.reason, answer.raw.headers.items(), answer.content)

    answers = [show(session.request("HEAD" if path in HEAD else "GET", f"{base}/{path}")) for path in PATHS + more]
    answers.append(show(session.post(f"{base}/form", data={"a": "1", "b": "\u00e9"})))
    answers.append(show(session.post(f"{base}/echo", json={"a": [1, 2]})))
    if BYTES[0] in more:
        answers.append(show(session.put(f"{base}/upload", data=bytes(range(256)))))
    return answers


def ask_httpx(base, client, more):
    answers = []
    for path in PATHS + more:
        answer = client.get(f"{base}/{path}")
        answers.append(
            shown("GET", answer.status_code, answer.reason_phrase, answer.headers.multi_items(), answer.content)
        )
    answer = client.post(f"{base}/echo", json={"a": [1, 2]})
    answers.append(shown("POST", answer.status_code, answer.reason_phrase, answer.headers.multi_items(), answer.content))
    return answers


def under_vcr(serializer):
    def run(base, file, kind, more):
        recorder = vcr.VCR(serializer=serializer, record_mode="once")
        with recorder.use_cassette(str(file)):
            return ask(base, kind, more)

    return run


def under_betamax(base, file, kind, more):
    session = requests.Session()
    with betamax.Betamax(session, cassette_library_dir=str(file.parent)).use_cassette(
        file.stem, record="once", match_requests_on=["method", "uri"], preserve_exact_body_bytes=True
    ):
        return ask_requests(base, session, more)


def ask(base, kind, more):
    with requests.Session() if kind == "requests" else httpx.Client() as client:
        return (ask_requests if kind == "requests" else ask_httpx)(base, client, more)


# The file, who writes it, with which client, and what is asked for beside PATHS.
RECORDERS = {
    "vcrpy-requests.yaml": (under_vcr("yaml"), "requests", CODED + BYTES + LATIN + HEAD),
    "vcrpy-httpx.yaml": (under_vcr("yaml"), "httpx", CODED + BYTES),
    "vcrpy-json.json": (under_vcr("json"), "requests", CODED + HEAD),
    "betamax.json": (under_betamax, "requests", CODED + BYTES + LATIN),
}


def tapedeck(folder, *arguments, also=0):
    """What it prints; it ends with 0, or with the exit code that is named."""
    arguments = [str(argument) for argument in arguments]
    result = subprocess.run([TAPEDECK, *arguments], cwd=folder, capture_output=True, text=True)
    if result.returncode not in (0, also):
        sys.exit(f"tapedeck {' '.join(arguments)}: exit code {result.returncode}\n{result.stdout}{result.stderr}")
    return result.stdout


def main():
    if sys.argv[1:2] == ["--ask"]:
        kind, base, *more = sys.argv[2:]
        print(json.dumps(ask(base, kind, more)))
        return
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        # Byte for byte: what is redacted would come back as placeholders of the same shape.
        (folder / "tapedeck.yaml").write_text("redact: off\n")
        live = {}
        origin = subprocess.Popen([sys.executable, ORIGIN], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        base = f"http://localhost:{json.loads(origin.stdout.readline())['http']}"
        for file, (run, kind, more) in RECORDERS.items():
            requests.post(f"{base}/_reset").raise_for_status()
            live[file] = run(base, folder / file, kind, more)
        flows = record_mitmproxy(folder, base)
        origin.stdin.close()
        origin.wait()
        if flows is not None:
            check_mitmproxy(folder, base, flows)
        for file, (run, kind, more) in RECORDERS.items():
            by_recorder = run(base, folder / file, kind, more)
            tapedeck(folder, "import", file, "--out", "cassettes")
            client = ["--", sys.executable, __file__, "--ask", kind, base, *more]
            answers = json.loads(tapedeck(folder, "replay", pathlib.Path(file).stem, "--no-local", *client))
            compare(file, "the recorder plays", by_recorder, answers)
            compare(file, "the origin answered", live[file], answers)
            print(f"{file}: {len(answers)} answers are the same")
            if file == "vcrpy-requests.yaml":
                check_wiremock(folder, "vcrpy-requests", kind, more, by_recorder)


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


class Mitmproxy:
    """mitmdump as a proxy, for as long as the block runs."""

    def __init__(self, *arguments):
        self.port = free_port()
        self.command = [os.environ["MITMDUMP"], "--quiet", "--listen-host", "127.0.0.1", "--listen-port", str(self.port)]
        self.command += [str(argument) for argument in arguments]

    def __enter__(self):
        self.process = subprocess.Popen(self.command)
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
                return self
            except ConnectionRefusedError:
                if self.process.poll() is not None:
                    sys.exit(f"mitmdump ended with {self.process.returncode}")
                time.sleep(0.1)

    def __exit__(self, *_):
        # It writes its archive when it is interrupted.
        self.process.send_signal(signal.SIGINT)
        self.process.wait()

    def ask(self, base, more):
        environment = {**os.environ, "http_proxy": f"http://127.0.0.1:{self.port}", "no_proxy": ""}
        command = [sys.executable, __file__, "--ask", "requests", base, *more]
        return json.loads(subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE, text=True).stdout)


def record_mitmproxy(folder, base):
    """What a client saw through mitmproxy, which wrote flows and an archive; None where there is no mitmproxy."""
    if "MITMDUMP" not in os.environ:
        print("mitmproxy: not run: MITMDUMP names no mitmdump")
        return None
    requests.post(f"{base}/_reset").raise_for_status()
    with Mitmproxy("--save-stream-file", folder / "flows.mitm", "--set", f"hardump={folder / 'archive.har'}") as proxy:
        return proxy.ask(base, RECORDERS["vcrpy-requests.yaml"][2])


def check_mitmproxy(folder, base, live):
    more = RECORDERS["vcrpy-requests.yaml"][2]
    for file in ("flows.mitm", "archive.har"):
        name = pathlib.Path(file).stem
        tapedeck(folder, "import", file, "--out", "cassettes")
        client = ["--", sys.executable, __file__, "--ask", "requests", base, *more]
        answers = json.loads(tapedeck(folder, "replay", name, "--no-local", *client))
        compare(file, "mitmproxy passed on", live, answers)
        print(f"{file}: {len(answers)} answers are the same")
    # It says that a request body of bytes may be taken for a text, as mitmproxy does, and of a field that is no UTF-8.
    tapedeck(folder, "export", "flows", "--format", "har", "--out", folder / "exported.har", also=1)
    # Nothing is forwarded: what mitmproxy does not find in the archive it refuses.
    play = ["--server-replay", folder / "exported.har", "--set", "server_replay_extra=kill", "--set", "server_replay_refresh=false"]
    with Mitmproxy(*play) as proxy:
        answers = proxy.ask(base, [path for path in more if path not in BYTES])
    asked = [answer for answer in live if answer[0] != "PUT" and answer[4] != 20000]
    # Texts of archives are characters: the bytes of a field beyond ASCII are UTF-8 now.
    asked, answers = (
        [[*one[:3], [field for field in one[3] if field[0] != "x-latin"], *one[4:]] for one in both]
        for both in (asked, answers)
    )
    compare("exported.har", "the cassette has", asked, answers, "mitmproxy")
    print(f"exported.har: mitmproxy plays {len(answers)} answers of the exported archive")


def wiremock():
    """The command that runs WireMock; None where there is no Java, or no jar."""
    package = importlib.util.find_spec("wiremock")
    jars = sorted(pathlib.Path(package.origin).parent.glob("server/*.jar")) if package else []
    java = shutil.which("java")
    return [java, "-jar", str(jars[-1])] if java and jars else None


class WireMock:
    """WireMock with the exported mappings of a cassette, for as long as the block runs."""

    def __init__(self, command, folder, name):
        root = folder / "wiremock" / name
        (root / "mappings").mkdir(parents=True)
        # It says of a field that it is no UTF-8.
        tapedeck(folder, "export", name, "--format", "wiremock", "--out", root / "mappings" / "all.json", also=1)
        port = free_port()
        self.base = f"http://localhost:{port}"
        self.command = command + ["--port", str(port), "--root-dir", str(root), "--disable-banner"]

    def __enter__(self):
        self.server = subprocess.Popen(self.command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while True:
            try:
                requests.get(f"{self.base}/__admin/mappings").raise_for_status()
                return self
            except requests.ConnectionError:
                if self.server.poll() is not None:
                    sys.exit(f"WireMock ended with {self.server.returncode}")
                time.sleep(0.2)

    def __exit__(self, *_):
        self.server.terminate()
        self.server.wait()


# Conditions, state and delays, which a person writes.
RULES = """
tapedeck: 1
state: { cart: empty }
responseSets:
  - name: page
    request: { method: GET, url: /page, query: { q: { contains: b }, n: { absent: true } }, otherQuery: allowed }
    variants: [{ name: v, takes: [{ status: 201 }] }]
  - name: any page
    request: { urlPattern: "/page.*" }
    variants: [{ name: v, delay: 10ms, takes: [{ status: 202 }] }]
  - name: first of two
    request: { method: GET, url: /both }
    variants: [{ name: v, takes: [{ status: 203 }] }]
  - name: second of two
    priority: 1
    request: { method: GET, url: /both, headers: { x-a: { pattern: "^a+$" } }, cookies: { c: "1" } }
    variants: [{ name: v, takes: [{ status: 205 }] }]
  - name: body
    request: { method: POST, url: /body, body: { jsonSubset: '{"a": [2]}' } }
    variants: [{ name: v, takes: [{ status: 206 }] }]
  - name: path in a body
    request: { method: POST, url: /body, body: { jsonPath: { $.b: { contains: x } } } }
    variants: [{ name: v, takes: [{ status: 207 }] }]
  - name: empty cart
    request: { method: GET, url: /cart }
    requires: { cart: empty }
    variants: [{ name: v, takes: [{ status: 208 }] }]
  - name: full cart
    request: { method: GET, url: /cart }
    requires: { cart: full }
    variants: [{ name: v, takes: [{ status: 209 }] }]
  - name: add to the cart
    request: { method: POST, url: /cart }
    sets: { cart: full }
    variants: [{ name: v, takes: [{ status: 210 }] }]
  - name: twice
    request: { method: GET, url: /twice }
    variants: [{ name: v, after: unmatched, takes: [{ status: 211 }, { status: 212 }] }]
"""
ASKED = [
    ("GET", "/page?q=abc&x=1", {}), ("GET", "/page?q=abc&n=1", {}), ("GET", "/pages", {}), ("GET", "/page", {}),
    ("GET", "/both", {}), ("GET", "/both", {"headers": {"x-a": "aa", "cookie": "c=1"}}),
    ("GET", "/both", {"headers": {"x-a": "ab", "cookie": "c=1"}}),
    ("POST", "/body", {"json": {"a": [1, 2], "c": 3}}), ("POST", "/body", {"json": {"a": [1]}}),
    ("POST", "/body", {"json": {"b": "wxy"}}), ("GET", "/cart", {}), ("POST", "/cart", {}), ("GET", "/cart", {}),
    ("GET", "/twice", {}), ("GET", "/twice", {}), ("GET", "/twice", {}),
]


def check_rules(folder, command):
    """WireMock answers by the exported rules of a cassette what Tapedeck answers by the rules themselves."""
    (folder / "cassettes" / "rules.yaml").write_text(RULES)

    def statuses(base):
        # Tapedeck's 501 and WireMock's 404 say that nothing answers.
        answers = [requests.request(method, base + path, **more).status_code for method, path, more in ASKED]
        return [0 if status in (404, 501) else status for status in answers]

    port = free_port()
    deck = subprocess.Popen(
        [TAPEDECK, "replay", "rules", "--port", str(port), "--no-control", "--reverse", "http://a.test", "--allow-unmatched"],
        cwd=folder, stderr=subprocess.PIPE, text=True,
    )
    try:
        while "http://" not in deck.stderr.readline():
            if deck.poll() is not None:
                sys.exit(f"tapedeck replay rules: exit code {deck.returncode}")
        expected = statuses(f"http://127.0.0.1:{port}")
    finally:
        deck.terminate()
        deck.wait()
    with WireMock(command, folder, "rules") as server:
        answers = statuses(server.base)
    if answers != expected or 0 not in expected or len(set(expected)) != 12:
        sys.exit(f"rules.yaml:\n  Tapedeck answers {expected}\n  WireMock answers {answers}")
    print(f"rules.yaml: WireMock gives {len(answers)} answers by the exported rules")


def check_wiremock(folder, name, kind, more, expected):
    """WireMock answers from the exported mappings what the recorder recorded."""
    command = wiremock()
    if command is None:
        print("wiremock: not run: there is no Java here, or no jar of WireMock")
        return
    check_rules(folder, command)
    with WireMock(command, folder, name) as server:
        answers = json.loads(json.dumps(ask(server.base, kind, more)))
    # Of WireMock's own are some fields, the bytes of a field beyond ASCII, the coding of bodies, and the reason phrase where a mapping has none.
    own = ("content-encoding", "x-latin", "matched-stub-id", "matched-stub-name", "vary", "server")
    expected, answers = (
        [[*one[:2], [field for field in one[3] if field[0] not in own], *one[4:]] for one in both]
        for both in (expected, answers)
    )
    compare(name, "the recorder plays", expected, answers, "WireMock")
    print(f"{name}: WireMock gives {len(answers)} answers of the exported mappings")


def compare(file, who, expected, answers, player="Tapedeck"):
    for number, (one, other) in enumerate(zip(expected, answers, strict=True)):
        if one != other:
            sys.exit(f"{file}, answer {number}:\n  {who} {one}\n  {player} plays {other}")


if __name__ == "__main__":
    main()
