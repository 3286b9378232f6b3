#!/usr/bin/env python3
"""HAProxy in front of three decks, for real: 300 sessions, every way to name one, and a deck that dies.

    docker/tests/haproxy.py TAPEDECK [HAPROXY]

TAPEDECK is the program, HAPROXY the load balancer (default: haproxy, 2.6 or later). Needs Linux, root or the right to make
namespaces, ip, openssl and curl. The decks and HAProxy run in a network of their own, in which nothing else is, on
addresses that are not loopback: so they ask for tokens, as in compose.yaml. The last line is `N passed, N failed`.
"""

import base64
import http.client
import json
import os
import pathlib
import select
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

HERE = pathlib.Path(__file__).resolve().parent
DECKS = {"a": "10.99.0.1", "b": "10.99.0.2", "c": "10.99.0.3"}
FRONT = "10.99.0.10"
TOKEN = "a-token-for-this-test-only"
HOST = "api.example.com"
CASSETTE = """\
tapedeck: 1
responseSets:
  - name: who
    request:
      method: GET
      urlPattern: https?://api\\.example\\.com/who.*
    variants:
      - name: it is
        template: true
        takes:
          - status: 200
            headers:
              - content-type: application/json
            body:
              json: |
                {
                  "who": "{{state.who}}"
                }
  - name: late
    request:
      method: GET
      urlPattern: https?://api\\.example\\.com/late
    variants:
      - name: it is
        delay: 1h
        takes:
          - status: 200
"""


# --- What was seen ------------------------------------------------------------------------------------------------------


class Tally:
    passed = 0
    failed = 0


def check(what, good, details=""):
    if good:
        Tally.passed += 1
        print(f"ok    {what}", flush=True)
    else:
        Tally.failed += 1
        print(f"FAIL  {what}: {details}", flush=True)


def wrong(results):
    """What to say of results that should all be None."""
    bad = [result for result in results if result is not None]
    return f"{len(bad)} of {len(results)}, the first: {bad[0]}" if bad else ""


# --- Programs -----------------------------------------------------------------------------------------------------------


class Program:
    """A process of this test's own, with what it says in a file."""

    def __init__(self, arguments, log, **environment):
        self.log = open(log, "ab")
        self.process = subprocess.Popen(
            arguments, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log, env=os.environ | environment
        )

    def end(self, number):
        if self.process.poll() is None:
            self.process.send_signal(number)
        return self.process.wait(timeout=15)

    def tail(self):
        with open(self.log.name, errors="replace") as said:
            return "".join(said.readlines()[-15:])


def until(what, attempt, program=None, within=20):
    """Calls `attempt` until it gives something; a test that waits for what does not come ends here."""
    end = time.monotonic() + within
    while time.monotonic() < end:
        try:
            result = attempt()
            if result:
                return result
        except OSError:
            pass
        if program and program.process.poll() is not None:
            break
        select.select([], [], [], 0.02)
    raise SystemExit(f"FAIL  waited in vain: {what}\n{program.tail() if program else ''}")


def start_deck(name, tapedeck, work):
    deck = Program(
        [tapedeck, "serve"],
        work / f"deck-{name}.log",
        TAPEDECK_HOST=DECKS[name],
        TAPEDECK_DECK_NAME=name,
        TAPEDECK_TOKEN=TOKEN,
        TAPEDECK_CASSETTES=str(work / "cassettes"),
        TAPEDECK_CA_DIR=str(work / "ca"),
    )
    until(f"deck {name}", lambda: ask(DECKS[name], 4748, "GET", "/v1/ready")[0] == 200, deck)
    return deck


# --- Clients ------------------------------------------------------------------------------------------------------------


def ask(host, port, method, path, headers={}, body=None, timeout=20):
    """One request on a connection of its own: status, headers, body."""
    connection = http.client.HTTPConnection(host, port, timeout=timeout)
    try:
        connection.request(method, path, body=body, headers=headers)
        response = connection.getresponse()
        return response.status, response.headers, response.read()
    finally:
        connection.close()


def control(method, path, value=None):
    """Asks the control API through HAProxy."""
    headers = {"Authorization": f"Bearer {TOKEN}"}
    body = None
    if value is not None:
        headers["Content-Type"] = "application/json"
        body = json.dumps(value)
    status, _, answer = ask(FRONT, 4748, method, path, headers, body)
    return status, json.loads(answer) if answer else None


def make_session(number):
    status, session = control(
        "POST", "/v1/sessions", {"name": f"test {number}", "cassettes": ["who"], "state": {"who": str(number)}}
    )
    if status != 201:
        return None, f"{status} {session}"
    session["who"] = str(number)
    return session, None


def key(session):
    return f"{session['id']}:{session['token']}"


def credentials(session):
    return "Basic " + base64.b64encode(key(session).encode()).decode()


class Tunnel:
    """A CONNECT through HAProxy with TLS inside. `status` and `reason` are those of the answer to the CONNECT."""

    def __init__(self, trust, headers):
        self.socket = socket.create_connection((FRONT, 4747), timeout=20)
        lines = [f"CONNECT {HOST}:443 HTTP/1.1", f"Host: {HOST}:443"] + [f"{k}: {v}" for k, v in headers.items()]
        self.socket.sendall("\r\n".join(lines + ["", ""]).encode())
        head = b""
        while b"\r\n\r\n" not in head:
            piece = self.socket.recv(1)
            if not piece:
                break
            head += piece
        _, status, self.reason = (head.split(b"\r\n")[0].decode().split(" ", 2) + ["", "0", ""])[:3]
        self.status = int(status)
        self.head = head.decode()
        if self.status == 200:
            self.socket = trust.wrap_socket(self.socket, server_hostname=HOST)

    def get(self, path):
        self.socket.sendall(f"GET {path} HTTP/1.1\r\nHost: {HOST}\r\n\r\n".encode())
        response = http.client.HTTPResponse(self.socket)
        response.begin()
        return response.status, response.headers, response.read()

    def close(self):
        self.socket.close()


def ways(trust):
    """Every way to name a session: name, and what gives status, headers and body of a request in it."""

    def plain(headers):
        return lambda session: ask(FRONT, 4747, "GET", f"http://{HOST}/who", {"Host": HOST} | headers(session))

    def tunnelled(headers):
        def request(session):
            tunnel = Tunnel(trust, headers(session))
            try:
                return tunnel.get("/who") if tunnel.status == 200 else (tunnel.status, {}, tunnel.head.encode())
            finally:
                tunnel.close()

        return request

    def base(session):
        return ask(FRONT, 4747, "GET", f"/.tapedeck/{key(session)}/https/{HOST}/who")

    header = lambda session: {"X-Tapedeck-Session": key(session)}
    user = lambda session: {"Proxy-Authorization": credentials(session)}
    return {
        "the header of a request (http)": plain(header),
        "the proxy's user (http)": plain(user),
        "the header of the CONNECT (https)": tunnelled(header),
        "the proxy's user (https)": tunnelled(user),
        "the path of a base URL": base,
    }


def answered(way, session):
    """None if the session itself answered, else what was seen."""
    try:
        status, _, body = way(session)
    except (OSError, http.client.HTTPException) as error:
        return f"{session['id']}: {error!r}"
    if status == 200 and json.loads(body) == {"who": session["who"]}:
        return None
    return f"{session['id']}: {status} {body[:300]}"


class Events:
    """A stream of server-sent events of a session, through HAProxy."""

    def __init__(self, session):
        self.connection = http.client.HTTPConnection(FRONT, 4748, timeout=20)
        self.connection.request(
            "GET", f"/v1/sessions/{session['id']}/events", headers={"Authorization": f"Bearer {TOKEN}"}
        )
        self.response = self.connection.getresponse()

    def next(self, name):
        """Reads to the next event of that name; None at the end of the stream, of which silence is no sign."""
        while True:
            try:
                line = self.response.readline()
            except TimeoutError:
                raise
            except (OSError, http.client.HTTPException):
                return None
            if not line:
                return None
            if line.strip() == f"event: {name}".encode():
                return self.response.readline()


# --- The test -----------------------------------------------------------------------------------------------------------


def deck_of(session):
    return session["id"].split("-")[0]


def is_gone(way, session):
    """None if HAProxy said at once that the session's deck is gone, else what was seen."""
    began = time.monotonic()
    status, headers, body = way(session)
    took = time.monotonic() - began
    # Of a CONNECT `body` is the whole answer. HAProxy writes names of header fields in lower case.
    error = headers.get("X-Tapedeck-Session-Error") or (b"session-error: deckgone" in body.lower() and "deckGone")
    if (status, error) == (503, "deckGone") and took < 2:
        return None
    return f"{session['id']}: {status} {error} {body[:200]} after {took:.1f} s"


def test(tapedeck, haproxy, work, programs):
    decks = programs
    decks["a"] = start_deck("a", tapedeck, work)  # the first one makes the certificate authority
    for name in "bc":
        decks[name] = start_deck(name, tapedeck, work)
    configuration = HERE.parent / "haproxy" / "haproxy.cfg"
    places = {f"DECK_{name.upper()}": address for name, address in DECKS.items()}
    programs["haproxy"] = front = Program(
        [haproxy, "-db", "-f", str(configuration)], work / "haproxy.log", DECK_BIND=FRONT, **places
    )
    until("HAProxy", lambda: ask(FRONT, 4748, "GET", "/v1/ready")[0] == 200, front)
    status, _, authority = ask(FRONT, 4748, "GET", "/v1/ca.pem")
    trust = ssl.create_default_context(cadata=authority.decode())
    pool = ThreadPoolExecutor(16)

    print("== 300 sessions on three decks")
    made = list(pool.map(make_session, range(300)))
    sessions = [session for session, _ in made if session]
    check("300 sessions are made through HAProxy", len(sessions) == 300, wrong([error for _, error in made]))
    counts = {name: sum(deck_of(session) == name for session in sessions) for name in DECKS}
    check("each deck has a third of them", all(90 <= count <= 110 for count in counts.values()), counts)
    for name, way in ways(trust).items():
        results = list(pool.map(lambda session: answered(way, session), sessions))
        check(f"each is found by {name}", not any(results), wrong(results))
    reports = list(pool.map(lambda session: control("GET", f"/v1/sessions/{session['id']}"), sessions))
    strays = [str(report) for report in reports if report[0] != 200]
    check("each is found by the control API", not strays, strays[:1])

    # One connection of a client that names one session after another.
    mixed = [next(session for session in sessions if deck_of(session) == name) for name in "abcabc"]
    connection = http.client.HTTPConnection(FRONT, 4747, timeout=20)
    got = []
    for session in mixed:
        connection.request("GET", f"http://{HOST}/who", headers={"X-Tapedeck-Session": key(session)})
        got.append(json.loads(connection.getresponse().read())["who"])
    connection.close()
    check("one connection may serve sessions of several decks", got == [session["who"] for session in mixed], got)

    status, headers, _ = ask(FRONT, 4747, "GET", f"http://{HOST}/who")
    check("a proxy request that names none is asked for credentials", status == 407, status)
    wrong_key = mixed[0] | {"token": "guessed"}
    status, _, _ = ways(trust)["the proxy's user (http)"](wrong_key)
    check("a wrong token is refused by the deck", status == 403, status)
    status, _, _ = ask(FRONT, 4748, "GET", f"/v1/sessions/{mixed[0]['id']}")
    check("the control API is closed without the token", status == 401, status)
    curl = subprocess.run(
        ["curl", "-sS", "--proxy-anyauth", "-x", f"http://{FRONT}:4747", "-U", key(mixed[1])]
        + ["--cacert", str(work / "ca" / "ca.pem"), f"https://{HOST}/who"],
        capture_output=True, text=True, timeout=30,
    )
    check("a client that waits to be asked for credentials gets there", f'"{mixed[1]["who"]}"' in curl.stdout, curl)

    print("== One deck is killed")
    events = {name: Events(next(s for s in sessions if deck_of(s) == name)) for name in "ab"}
    for name, stream in events.items():
        session = next(s for s in sessions if deck_of(s) == name)
        answered(ways(trust)["the proxy's user (http)"], session)
        check(f"an event of a session on {name} comes through at once", stream.next("entry") is not None, "nothing")
    first = {name: next(s for s in sessions if deck_of(s) == name) for name in DECKS}
    tunnels = {name: Tunnel(trust, {"X-Tapedeck-Session": key(session)}) for name, session in first.items()}
    for name, tunnel in tunnels.items():
        tunnel.get("/who")
    # One that is on its way, and known to be: the session's deck says so.
    late = http.client.HTTPConnection(FRONT, 4747, timeout=20)
    late.request("GET", f"http://{HOST}/late", headers={"X-Tapedeck-Session": key(first["b"])})
    token = {"Authorization": f"Bearer {TOKEN}"}
    until("a request under way", lambda: json.loads(ask(DECKS["b"], 4748, "GET", "/v1/deck", token)[2])["inUse"]["requests"])
    decks["b"].end(signal.SIGKILL)
    try:
        answer = late.getresponse()
        check("a request under way on it is closed without an answer", False, answer.status)
    except (OSError, http.client.HTTPException) as error:
        check("a request under way on it is closed without an answer", not isinstance(error, TimeoutError), error)

    began = time.monotonic()
    made = [make_session(1000 + number) for number in range(30)]
    took = time.monotonic() - began
    new = [session for session, _ in made if session]
    check("30 sessions are made right afterwards", len(new) == 30, wrong([error for _, error in made]))
    check(f"that took no time to speak of ({took:.2f} s)", took < 3, took)
    check("none of them is on the dead deck", all(deck_of(session) != "b" for session in new), new)
    for name, way in ways(trust).items():
        results = list(pool.map(lambda session: answered(way, session), new))
        check(f"each of the new ones is found by {name}", not any(results), wrong(results))
        living = [session for session in sessions if deck_of(session) != "b"]
        results = list(pool.map(lambda session: answered(way, session), living))
        check(f"each on the other decks is found by {name}", not any(results), wrong(results))
        dead = [session for session in sessions if deck_of(session) == "b"]
        results = list(pool.map(lambda session: is_gone(way, session), dead))
        check(f"those of the dead deck, by {name}, get an error that says so", not any(results), wrong(results))
    status, problem = control("GET", f"/v1/sessions/{first['b']['id']}/report")
    check("the control API says so, too", status == 503 and "make a new session" in problem["detail"], problem)
    curl = subprocess.run(
        ["curl", "-sS", "-v", "-x", f"http://{key(first['b'])}@{FRONT}:4747", f"https://{HOST}/who"],
        capture_output=True, text=True, timeout=30,
    )
    check("curl -v shows the reason in the status line", "503 The deck of this session is gone" in curl.stderr, curl)
    for name in "ac":
        status, _, body = tunnels[name].get("/who")
        check(f"a tunnel to {name} that was open goes on", json.loads(body)["who"] == first[name]["who"], body)
    try:
        tunnels["b"].get("/who")
        check("a tunnel to the dead deck is closed", False, "it answered")
    except (OSError, http.client.HTTPException):
        check("a tunnel to the dead deck is closed", True)
    # Behind what was on its way already.
    check("an event stream of the dead deck ends", any(events["b"].next("entry") is None for _ in range(50)), "an event")
    answered(ways(trust)["the proxy's user (http)"], first["a"])
    check("an event stream of another deck goes on", events["a"].next("entry") is not None, "it ended")

    print("== It comes back")
    decks["b"] = start_deck("b", tapedeck, work)
    # HAProxy finds it at its next look.
    until("new sessions on b", lambda: deck_of(make_session(2000)[0]) == "b")
    check("new sessions are made on it again", True)
    status, _, body = ways(trust)["the proxy's user (http)"](first["b"])
    check("its sessions of before are unknown to it", status == 404 and b"unknownSession" in body, f"{status} {body}")
    results = [answered(ways(trust)["the proxy's user (https)"], first[name]) for name in "ac"]
    check("all others go on", not any(results), wrong(results))

    print("== Stopping, and nobody there")
    check("a deck ends with 0 on SIGTERM", decks["a"].end(signal.SIGTERM) == 0, decks["a"].tail())
    made = [make_session(3000 + number)[0] for number in range(10)]
    check("new sessions are made on the others at once", all(made), made)
    for name in "bc":
        decks[name].end(signal.SIGTERM)
    status, headers, body = ask(FRONT, 4747, "GET", f"http://{HOST}/who")
    check("without a deck that is said", (status, headers["X-Tapedeck-Reason"]) == (503, "noDeck"), f"{status} {body}")
    log = (work / "haproxy.log").read_text()
    check("no token is in HAProxy's log", TOKEN not in log and first["a"]["token"] not in log, "it is")
    taped = (work / "cassettes" / "who.yaml").read_text()
    check("the cassette is as it was", taped == CASSETTE, taped)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    if os.environ.get("TAPEDECK_TEST_NAMESPACE") != "1":
        os.environ["TAPEDECK_TEST_NAMESPACE"] = "1"
        arguments = ["unshare", "--net", "--mount"] + ([] if os.geteuid() == 0 else ["--map-root-user"])
        os.execvp("unshare", arguments + [sys.executable, __file__] + sys.argv[1:])
    tapedeck = str(pathlib.Path(sys.argv[1]).resolve())
    haproxy = sys.argv[2] if len(sys.argv) > 2 else "haproxy"
    for command in ["ip", "link", "set", "lo", "up"], *(
        ["ip", "address", "add", f"{address}/32", "dev", "lo"] for address in [*DECKS.values(), FRONT]
    ):
        subprocess.run(command, check=True)
    for name in [name for name in os.environ if name.lower().endswith("_proxy") or name.startswith("TAPEDECK_")]:
        del os.environ[name]
    work = pathlib.Path(tempfile.mkdtemp(prefix="tapedeck-haproxy."))
    programs = {}
    # Ended from outside, it still stops what it started.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        (work / "cassettes").mkdir()
        (work / "cassettes" / "who.yaml").write_text(CASSETTE)
        subprocess.run(["mount", "--bind", work / "cassettes", work / "cassettes"], check=True)
        subprocess.run(["mount", "-o", "remount,ro,bind", work / "cassettes"], check=True)
        test(tapedeck, haproxy, work, programs)
    finally:
        for program in programs.values():
            program.end(signal.SIGKILL)
        if (Tally.failed or sys.exc_info()[0]) and "haproxy" in programs:
            print(programs["haproxy"].tail())
        subprocess.run(["umount", work / "cassettes"])
        shutil.rmtree(work)
    print(f"\n{Tally.passed} passed, {Tally.failed} failed")
    sys.exit(1 if Tally.failed else 0)


main()
