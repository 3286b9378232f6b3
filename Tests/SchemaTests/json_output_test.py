#!/usr/bin/env python3
"""docs/json-output.schema.json, against the output of every command that has `--json`.

    TAPEDECK=.build/debug/tapedeck python3 Tests/SchemaTests/json_output_test.py

Needs jsonschema from PyPI, and git.
"""

import base64
import http.server
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest
import urllib.error
import urllib.request

import jsonschema
import referencing
import referencing.jsonschema

ROOT = pathlib.Path(__file__).resolve().parents[2]
TAPEDECK = os.path.abspath(os.environ.get("TAPEDECK", ROOT / ".build/debug/tapedeck"))
SCHEMA = json.loads((ROOT / "docs/json-output.schema.json").read_text())
DEFINITIONS = SCHEMA["$defs"]
OPENAPI = json.loads((ROOT / "Sources/TapedeckControlServer/openapi.json").read_text())
# A member that a machine has or has not, and one that only a deck inside a test process writes.
NOT_SHOWN = {"doctor-programs.clockLibrary", "report-file.incomplete"}

# Sends requests, each `METHOD URL [BODY]`, with ` ; ` between them. Fails for a status of an error.
CLIENT = """\
import sys, urllib.request
for words in " ".join(sys.argv[1:]).split(" ; "):
    method, url, *body = words.split(" ", 2)
    data = body[0].encode() if body else None
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"} if body else {}, method=method)
    urllib.request.urlopen(request).read()
"""


def encoded(value):
    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()


TOKEN = f"{encoded({'alg': 'RS256'})}.{encoded({'sub': 'ada', 'exp': 4102444800})}.{'c2lnbmVk' * 40}"
STUBS = """\
tapedeck: 1
about: Written by hand
responseSets:
  - name: user
    priority: 1
    request: { method: GET, urlTemplate: "https://api.example.com/users/{id}" }
    variants:
      - name: found
        takes: [{ status: 200, body: { text: ada } }]
      - name: gone
        takes: [{ status: 404 }]
      - name: hangs
        takes: [{ fault: hang }]
  - name: any user
    request: { method: GET, urlTemplate: "https://api.example.com/users/{id}" }
    variants:
      - name: found
        takes: [{ status: 200, body: { text: somebody } }]
  - name: search
    request: { method: GET, url: https://api.example.com/search, query: { q: swift } }
    variants:
      - name: live
        passthrough: true
      - name: nothing
        takes: [{ status: 200 }]
  - name: order
    request: { method: POST, url: https://api.example.com/orders }
    variants:
      - name: made
        takes: [{ status: 201, headers: [{ access-control-allow-origin: "*" }] }]
profiles:
  bad day: { user: gone, "https://api.example.com": offline }
"""
PLAIN = """\
tapedeck: 1
profiles:
  bad day: { user: broken }
responseSets:
  - name: user
    request: { method: GET, url: ORIGIN/user }
    variants:
      - name: found
        takes: [{ status: 200 }]
      - name: broken
        takes: [{ status: 500 }]
      - name: hangs
        takes: [{ fault: hang }]
  - name: login
    request: { method: POST, url: ORIGIN/login }
    variants:
      - name: accepted
        takes: [{ status: 204 }]
"""
NEW_SET = """\
  - name: new
    request: { method: GET, url: https://api.example.com/new }
    variants:
      - name: found
        takes: [{ status: 200 }]
"""
SECRETS = """\
tapedeck: 1
responseSets:
  - name: login
    request: { method: GET, url: https://api.example.com/login }
    variants:
      - name: found
        takes:
          - status: 200
            body: { json: '{"password": "Xk29dhQ8slqz71vB"}' }
          - status: 200
            body: { text: "again Xk29dhQ8slqz71vB, and q8ZrT5vXw2LmN7pKc4JhY6bD" }
          - status: 200
            body: { base64: "%s" }
          - status: 200
            body: { file: elsewhere/secret.json }
""" % base64.b64encode(b'{"password": "Gh72ksPw9mQx44tR"}').decode()


class Origin(http.server.BaseHTTPRequestHandler):
    """The live API. Another `release` of it answers otherwise."""

    release = 1

    def do_GET(self):
        status, kind, body = 200, "application/json", b"{}"
        if self.path == "/user":
            user = {"name": "ada", "stars": 10} if self.release == 1 else {"stars": "many", "age": 36}
            body = json.dumps(user).encode()
        elif self.path == "/news":
            status = 200 if self.release == 1 else 503
        elif self.path == "/token":
            body = json.dumps({"access_token": TOKEN}).encode()
        elif self.path == "/photo":
            kind, body = "image/png", b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 400
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.do_GET()

    def log_message(self, *_):
        pass


class Run:
    """Runs every command in a folder of its own, and keeps what each printed as JSON."""

    def __init__(self, folder):
        self.folder = folder
        # Name of the definition, the command line, and the output.
        self.outputs = []
        names = ("TAPEDECK", "GIT", "CI", "http", "https", "no_proxy", "HTTP", "HTTPS", "NO_PROXY")
        self.environment = {key: value for key, value in os.environ.items() if not key.startswith(names)}
        self.environment |= {"HOME": folder, "TAPEDECK_CA_DIR": f"{folder}/ca", "TMPDIR": folder}
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Origin)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.origin = f"http://127.0.0.1:{self.server.server_port}"
        self.client = [sys.executable, f"{folder}/client.py"]
        self.write("client.py", CLIENT)

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def write(self, path, text):
        file = pathlib.Path(self.folder, path)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def run(self, *command, exits=0, **environment):
        ended = subprocess.run([TAPEDECK, *command], cwd=self.folder, env=self.environment | environment, timeout=60,
                               stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if ended.returncode != exits:
            said = f"{ended.stdout[-3000:]}\n{ended.stderr[-3000:]}"
            raise AssertionError(f"{command} ended with {ended.returncode}, not {exits}:\n{said}")
        return ended.stdout

    def json(self, *command, behind=(), exits=0, **environment):
        """Runs a command with `--json`, and returns what it printed. `behind` is the command behind `--`."""
        last = ["--", *behind] if behind else []
        output = json.loads(self.run(*command, "--json", *last, exits=exits, **environment))
        name = "-".join(command[:2])
        self.outputs.append((name if name in DEFINITIONS else command[0], command, output))
        return output

    def start(self, *command, **pipes):
        return subprocess.Popen([TAPEDECK, *command], cwd=self.folder, env=self.environment, text=True, **pipes)

    def ask_behind(self, command, cassette, *requests, options=()):
        """Runs the client behind a command that runs a deck."""
        loopback = [] if command == "replay" else ["--loopback"]
        self.run(command, cassette, *loopback, *options, "--", *self.client, *" ; ".join(requests).split())

    def everything(self):
        self.write("cassettes/stubs.yaml", STUBS)
        self.offline()
        self.live()
        self.secrets()
        self.differences()
        self.runs()
        self.conversions()
        self.deck()

    def offline(self):
        self.json("show", "stubs")
        self.json("ca")
        self.json("health", "--port", "1", exits=1)
        self.json("health", "--port", "0", exits=1)
        self.json("doctor")
        self.write("tapedeck.yaml", "deck: { port: 5001 }\n")
        self.json("config", "record", "--only", "api.example.com", TAPEDECK_TOKEN="secret-token")
        os.remove(f"{self.folder}/tapedeck.yaml")
        url = "https://api.example.com"
        self.json("explain", "stubs", "GET", f"{url}/users/7")
        self.json("explain", "stubs", "GET", f"{url}/search?q=swift", exits=70)
        self.json("explain", "stubs", "GET", f"{url}/search?q=swift", "--allow-passthrough")
        self.json("explain", "stubs", "GET", f"{url}/search?q=perl", exits=70)
        self.json("explain", "stubs", "GET", f"{url}/search", exits=70)
        self.json("explain", "stubs", "GET", f"{url}/search?q=swift&page=2", exits=70)
        self.json("explain", "stubs", "OPTIONS", f"{url}/orders", "--header", "Origin: https://app.example.com",
                  "--header", "Access-Control-Request-Method: POST")

    def live(self):
        """A recorded cassette and what becomes of it as the API changes."""
        origin = self.origin
        post = f'POST {origin}/log {{"time":%s}}'
        gets = [f"GET {origin}{path}" for path in ("/user", "/news", "/photo", "/token")]
        self.ask_behind("record", "shop", *gets, post % "1.25")
        self.ask_behind("record", "again", f"GET {origin}/user", post % "8.75", f"GET {origin}/other")
        self.json("suggest", "shop", "again")
        self.json("show", "shop")
        self.git("init", "--quiet")
        self.write("cassettes/mended.yaml", "tapedeck: 1\nresponseSets:\n  - nam: x\n")
        self.git("add", "cassettes")
        self.git("-c", "user.name=x", "-c", "user.email=x@example.com", "commit", "--quiet", "--message", "cassettes")
        shutil.copy(f"{self.folder}/cassettes/shop.yaml", f"{self.folder}/old.yaml")
        shutil.copytree(f"{self.folder}/cassettes/shop", f"{self.folder}/shop")
        Origin.release = 2
        self.json("drift", "shop", exits=1)
        self.json("refresh", "shop", exits=69)
        Origin.release = 1
        self.json("doctor", behind=[*self.client, "GET", f"{origin}/user"])

    def git(self, *words):
        subprocess.run(["git", *words], cwd=self.folder, env=self.environment, check=True, stdout=subprocess.DEVNULL)

    def secrets(self):
        self.write("cassettes/elsewhere/secret.json", '{"password": "Lw83jdRt6nZv15yC"}')
        self.write("cassettes/leaky.yaml", SECRETS)
        self.json("scan", "leaky", exits=1)
        self.json("scrub", "leaky", exits=1)

    def differences(self):
        """Cassettes that are edited, gone or mended, beside `shop`, which `refresh` changed, and `leaky`, which is new."""
        edited = STUBS
        for old, new in (("name: gone", "name: lost"), ("user: gone", "user: lost"), ("any user", "some user"),
                         ("text: ada", "text: eve"), ("name: search", "name: find"), ("q: swift", "q: rust"),
                         ("POST, url", "[POST, PUT], url")):
            edited = edited.replace(old, new)
        self.write("cassettes/stubs.yaml", edited)
        self.write("cassettes/mended.yaml", "tapedeck: 1\nresponseSets: []\n")
        os.remove(f"{self.folder}/cassettes/again.yaml")
        self.json("diff", "old.yaml", "shop", exits=1)
        self.json("diff", "HEAD", exits=1)
        self.write("cassettes/stubs.yaml", STUBS)

    def runs(self):
        """Runs that write reports, and the commands that read these."""
        user, photo = f"GET {self.origin}/user", f"GET {self.origin}/photo"
        log = f'POST {self.origin}/log {{"time":%s}}'
        self.write("cassettes/plain.yaml", PLAIN.replace("ORIGIN", self.origin))
        self.ask_behind("append", "plain", user, photo, options=["--report", "reports/append.json"])
        self.report_file("reports/append.json")
        self.ask_behind("replay", "shop", user, log % "2.5", options=["--learn", "--report", "learn.json"])
        self.report_file("learn.json")
        self.ask_behind("replay", "shop", log % "3.5", options=["--report", "vary.json"])
        self.report_file("vary.json")
        self.ask_behind("replay", "plain", user, options=["--report", "used.json"])
        with open(f"{self.folder}/cassettes/plain.yaml", "a") as file:
            file.write(NEW_SET)
        self.json("coverage", "--report", "reports")
        self.json("prune", "--report", "used.json")
        ask = [*self.client, *user.split()]
        # The command ends at once, unless the answer never comes.
        self.json("matrix", "plain", "--time-limit", "5", behind=ask, exits=1)
        self.json("matrix", "plain", "--profiles", "bad day", behind=ask, exits=1)

    def report_file(self, path):
        self.outputs.append(("report-file", (path,), json.loads(pathlib.Path(self.folder, path).read_text())))

    def conversions(self):
        # By its name a recorded one, which nothing uses.
        self.write("cassettes/shop/old-0123456789ab.png", "")
        self.write("cassettes/broken.yaml", "tapedeck: 1\nresponseSets:\n  - nam: x\n")
        self.json("check", exits=65)
        answer = {"status": 200, "statusText": "OK", "headers": [], "content": {"size": 2, "text": "{}"}}
        entries = [{"request": {"method": "GET", "url": f"https://api.example.com/{number}", "headers": []}, **response}
                   for number, response in enumerate([{"response": answer}, {}])]
        self.write("foreign/traffic.har", json.dumps({"log": {"version": "1.2", "entries": entries}}))
        self.write("foreign/notes.txt", "milk")
        self.json("import", "foreign", "--out", "imported", exits=1)
        self.json("export", "stubs", "--out", "stubs.har", exits=1)

    def deck(self):
        """A deck, and the commands that control it."""
        self.write("deck/plain.yaml", PLAIN.replace("ORIGIN", self.origin))
        with self.start("serve", "plain", "--cassettes", "deck", "--loopback", "--port", "0", "--report", "serve.json",
                        stderr=subprocess.PIPE) as deck:
            try:
                said = ""
                while "to trust it" not in said:
                    line = deck.stderr.readline()
                    if not line:
                        raise AssertionError(f"the deck did not start:\n{said}")
                    said += line
                self.proxy = re.search(r" at http://(\S+)", said)[1]
                self.environment["TAPEDECK_URL"] = re.search(r"to steer it:  (\S+)", said)[1]
                self.control()
            finally:
                deck.terminate()
                deck.stderr.read()
        self.report_file("serve.json")

    def ask(self, session, path):
        """Sends a request in a session, and takes any answer."""
        proxy = f"http://{session['id']}:{session['token']}@{self.proxy}"
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({"http": proxy}))
        try:
            opener.open(self.origin + path).read()
        except urllib.error.HTTPError as error:
            error.read()

    def control(self):
        self.json("health", "--deck", self.environment["TAPEDECK_URL"])
        session = self.json("session", "create", "plain", "--name", "login", "--profile", "bad day")
        self.environment["TAPEDECK_SESSION"] = session["id"]
        self.json("session", "list")
        self.run("state", "cart=full")
        self.json("sets")
        self.json("state")
        self.json("profile", "list")
        for path in ("/user", "/nothing"):
            self.ask(session, path)
        self.json("journal")
        self.json("report")
        self.json("recording", "keep", "1", "--variant", "kept")
        self.json("recording", "start", "fresh", "--mode", "append")
        self.ask(session, "/news")
        self.json("recording", "stop")
        with self.start("journal", "--follow", "--json", stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as follow:
            # It has found the session once it shows a request.
            lines = [follow.stdout.readline()]
            self.json("session", "end", session["id"], exits=70)
            lines += follow.stdout.readlines()
        self.outputs += [("journal", ("journal", "--follow"), json.loads(line)) for line in lines]
        live = self.json("session", "create", "--mode", "passthrough")
        self.ask(live, "/user")
        self.json("recording", "snapshot", "live", "--session", live["id"])
        self.json("pull", "--into", "pulled")
        self.write("pulled/plain.yaml", PLAIN.replace("ORIGIN", "https://api.example.com"))
        self.json("push", "--from", "pulled")


def strict(schema):
    """A copy of a schema that permits no member without a description."""
    if isinstance(schema, list):
        return [strict(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    copy = {key: strict(value) for key, value in schema.items()}
    # A member may have the name `properties`.
    is_closed = "type" in schema and isinstance(schema.get("properties"), dict)
    return {"additionalProperties": False, **copy} if is_closed else copy


REGISTRY = referencing.Registry().with_resources([
    (uri, referencing.Resource(contents, referencing.jsonschema.DRAFT202012))
    for uri, contents in (("urn:output", SCHEMA), ("urn:openapi", strict(OPENAPI)))
])


def validator(reference):
    return jsonschema.Draft202012Validator({"$ref": reference}, registry=REGISTRY)


def errors(name, value):
    """The mistakes of an output by its definition, and by a schema of the control API that this names."""
    answers = re.findall(r"schema `(\w+)`", DEFINITIONS[name]["description"])
    # `journal --follow` prints an entry, not a page.
    answers = answers[-1:] if name == "journal" and "entries" not in value else answers[:1]
    references = [f"urn:output#/$defs/{name}", *(f"urn:openapi#/components/schemas/{answer}" for answer in answers)]
    for reference in references:
        for error in validator(reference).iter_errors(value):
            yield f"{name}{error.json_path[1:]}: {error.message[:300]}"


def members(schema, place):
    """Each place of a definition, and the states in which outputs can have it: `value`, `null`, `missing`."""
    if "properties" in schema:
        for key, member in schema["properties"].items():
            states = {"value"}
            if "null" in member.get("type", []) or {"type": "null"} in member.get("anyOf", []):
                states.add("null")
            if key not in schema.get("required", []):
                states.add("missing")
            yield f"{place}.{key}", states
            yield from members(member, f"{place}.{key}")
    elif "items" in schema:
        yield from members(schema["items"], place)


def note(schema, place, value, seen):
    """Notes in `seen` in which states an output has the places of its definition."""
    if "$ref" in schema:
        place = schema["$ref"].removeprefix("#/$defs/")
        schema = DEFINITIONS[place]
    for choice in schema.get("oneOf", schema.get("anyOf", [])):
        if "$ref" in choice and validator(f"urn:output{choice['$ref']}").is_valid(value):
            return note(choice, place, value, seen)
    seen.setdefault(place, set()).add("value")
    if "items" in schema:
        for item in value:
            note(schema["items"], place, item, seen)
    for key, member in schema.get("properties", {}).items():
        state = "missing" if key not in value else "null" if value[key] is None else "value"
        seen.setdefault(f"{place}.{key}", set()).add(state)
        if state == "value":
            note(member, f"{place}.{key}", value[key], seen)


def commands(*words):
    """The commands whose help has `--json`, by the names of their definitions."""
    text = subprocess.run([TAPEDECK, *words, "--help"], capture_output=True, check=True, text=True).stdout
    if re.search(r"^ +--json", text, re.M):
        # `ca about` is what `ca` does alone.
        yield "-".join(words).removesuffix("-about")
    for block in re.findall(r"SUBCOMMANDS:\n((?:  .*\n|\n)*)", text):
        for word in re.findall(r"^  ([a-z-]+)", block, re.M):
            yield from commands(*words, word)


class JSONOutputTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        jsonschema.Draft202012Validator.check_schema(SCHEMA)
        with tempfile.TemporaryDirectory() as folder:
            run = Run(os.path.realpath(folder))
            try:
                run.everything()
            finally:
                run.close()
        cls.outputs = run.outputs

    def test_each_output_is_as_described(self):
        for name, command, output in self.outputs:
            with self.subTest(" ".join(command)):
                self.assertEqual(list(errors(name, output)), [])

    def test_every_command_with_json_has_a_definition_and_a_row(self):
        names = set(commands())
        self.assertGreater(len(names), 25)
        self.assertEqual(names - DEFINITIONS.keys(), set())
        page = (ROOT / "docs/json-output.md").read_text()
        self.assertEqual({name for name in names if f"`{name.replace('-', ' ')}`" not in page}, set())

    def test_every_definition_and_member_is_in_an_output(self):
        """Also without the members that are said to be missing at times, and with `null` where this may be."""
        expected = {name: {"value"} for name in DEFINITIONS}
        for name, definition in DEFINITIONS.items():
            expected |= members(definition, name)
        seen = {}
        for name, _, output in self.outputs:
            seen.setdefault(name, set()).add("value")
            note(DEFINITIONS[name], name, output, seen)
        lacking = {place: states - seen.get(place, set()) for place, states in expected.items()}
        self.assertEqual({place for place, states in lacking.items() if states} - NOT_SHOWN, set())

    def test_every_member_has_a_description_and_there_are_no_others(self):
        for name, definition in DEFINITIONS.items():
            self.assertTrue(definition.get("description"), name)
            self.assertEqual(list(self.gaps(definition, name)), [])

    def gaps(self, schema, place):
        """The members without a description, and the objects that may have members without one."""
        if "properties" in schema and schema.get("additionalProperties") is not False:
            yield place
        for key, member in schema.get("properties", {}).items():
            if not member.get("description"):
                yield f"{place}.{key}"
            yield from self.gaps(member, f"{place}.{key}")
        if "items" in schema:
            yield from self.gaps(schema["items"], f"{place}[]")


if __name__ == "__main__":
    unittest.main()
