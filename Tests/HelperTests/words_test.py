#!/usr/bin/env python3
"""The helpers for pytest, Node and Go say the same for the same cause, except for the names of options.

    python3 -m venv venv && venv/bin/pip install pytest requests && venv/bin/pip install --no-deps -e Packages/pytest-tapedeck
    TAPEDECK=.build/debug/tapedeck venv/bin/python Tests/HelperTests/words_test.py
"""

import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

import pytest

TAPEDECK = os.path.abspath(os.environ.get("TAPEDECK", ".build/debug/tapedeck"))
PACKAGES = pathlib.Path(__file__).resolve().parent.parent.parent / "Packages"
CASSETTE = """\
tapedeck: 1
responseSets:
  - name: login
    request: { method: POST, url: https://api.example.com/login, query: { page: "1" } }
    variants:
      - name: accepted
        takes: [{ status: 204 }]
      - name: refused
        takes: [{ status: 401 }]
  - name: user
    request: { method: GET, url: https://api.example.com/users/ada }
    variants:
      - name: found
        takes: [{ status: 200 }]
profiles:
  bad day: { login: refused }
"""
BROKEN = "tapedeck: 1\nresponseSets:\n  - nam: x\n"
with socket.create_server(("127.0.0.1", 0)) as server:
    DEAD = f"http://127.0.0.1:{server.getsockname()[1]}"

ASK = ("requests.get('https://api.example.com/users/{0}')", "await fetch('https://api.example.com/users/{0}')",
       'deck.Client.Get("https://api.example.com/users/{0}")')


def ask(user):
    return tuple(text.format(user) for text in ASK)


NOTHING = ("pass", "", "_ = deck")
NO_CASSETTE = (None, "[]", "tapedeck.Cassettes()")
GITHUB = ('"github"', "'github'", 'tapedeck.Cassettes("github")')
# By cause: what a session is made with, and the body of the test, each in Python, Node and Go; then the environment.
CAUSES = {
    "miss": (GITHUB, ask("bob"), {}),
    "miss_of_a_query": (GITHUB, ("requests.post('https://api.example.com/login')",
                                 "await fetch('https://api.example.com/login', { method: 'POST' })",
                                 'deck.Client.Post("https://api.example.com/login", "", nil)'), {}),
    "set": (('"github", select={"logn": "accepted"}', "'github', { select: { logn: 'accepted' } }",
             'tapedeck.Cassettes("github"), tapedeck.Select("logn", "accepted")'), NOTHING, {}),
    "variant": (('"github", select={"login": "acepted"}', "'github', { select: { login: 'acepted' } }",
                 'tapedeck.Cassettes("github"), tapedeck.Select("login", "acepted")'), NOTHING, {}),
    "profile": (('"github", profile="bad days"', "'github', { profiles: 'bad days' }",
                 'tapedeck.Cassettes("github"), tapedeck.Profiles("bad days")'), NOTHING, {}),
    "variant_in_the_body": (GITHUB, ('tapedeck.select("login", "acepted")', "await deck.select('login', 'acepted')",
                                     'deck.Select("login", "acepted")'), {}),
    "fault": (GITHUB, ('tapedeck.add("x", {"request": {"url": "/x"}, "variants": [{"name": "x", "fault": "rest"}]})',
                       "await deck.stub('/x', { variants: [{ name: 'x', fault: 'rest' }] })",
                       'deck.Stub("/x", tapedeck.Answer{Fault: "rest"})'), {}),
    "near_cassette": (('"githup"', "'githup'", 'tapedeck.Cassettes("githup")'), NOTHING, {}),
    "no_cassette": (('"payments"', "'payments'", 'tapedeck.Cassettes("payments")'), NOTHING, {}),
    "file_of_another_tool": (('"browser.har"', "'browser.har'", 'tapedeck.Cassettes("browser.har")'), NOTHING, {}),
    "no_cassette_in_ci": (('"payments"', "'payments'", 'tapedeck.Cassettes("payments")'), NOTHING, {"CI": "true"}),
    "recording_in_ci": (('"payments"', "'payments'", 'tapedeck.Cassettes("payments")'), NOTHING,
                        {"CI": "true", "TAPEDECK_MODE": "once"}),
    "recording_that_fails": (('"payments", mode="once"', "'payments', { mode: 'once' }",
                              'tapedeck.Cassettes("payments"), tapedeck.Mode("once")'),
                             (f"requests.get('{DEAD}/')", f"await fetch('{DEAD}/')", f'deck.Client.Get("{DEAD}/")'), {}),
    "broken_cassette": (('"broken"', "'broken'", 'tapedeck.Cassettes("broken")'), NOTHING, {}),
    "two_of_a_name": (('"github", "other/github"', "['github', 'other/github']", 'tapedeck.Cassettes("github", "other/github")'),
                      NOTHING, {}),
    "mode": (('"github", mode="append"', "'github', { mode: 'append' }", 'tapedeck.Cassettes("github"), tapedeck.Mode("append")'),
             NOTHING, {}),
    "mode_of_the_environment": (GITHUB, NOTHING, {"TAPEDECK_MODE": "recrd"}),
    "plays_nothing": (NO_CASSETTE, ask("ada"), {}),
    "selects_in_nothing": (NO_CASSETTE, ('tapedeck.select("login", "accepted")', "await deck.select('login', 'accepted')",
                                         'deck.Select("login", "accepted")'), {}),
    "unused": (('"github", require_use=True', "'github', { requireUse: true }",
                'tapedeck.Cassettes("github"), tapedeck.RequireUse()'), ask("ada"), {}),
    "expected_once": (GITHUB, ('tapedeck.expect("GET", "/x", times=1)', "deck.expect('GET /x', 1)", 'deck.Expect("GET /x", 1)'),
                      {}),
    "expected": (GITHUB, ('tapedeck.expect("GET", "/x")', "deck.expect('GET /x')", 'deck.Expect("GET /x")'), {}),
    "expected_never": (GITHUB, tuple(map("; ".join, zip(ask("ada"), (
        'tapedeck.expect("GET", "/users/ada", times=0)', "deck.expect('GET /users/ada', 0)", 'deck.Expect("GET /users/ada", 0)'
    )))), {}),
    "no_program": (GITHUB, NOTHING, {"TAPEDECK_BIN": "/no/such/program"}),
    "a_program_that_is_no_deck": (GITHUB, NOTHING, {"TAPEDECK_BIN": "/bin/false"}),
    "a_deck_that_is_gone": (GITHUB, NOTHING, {"TAPEDECK_URL": DEAD}),
    "a_url_that_is_none": (GITHUB, NOTHING, {"TAPEDECK_URL": "localhost:4748"}),
}
if not shutil.which("tapedeck"):
    CAUSES["nothing_on_the_path"] = (GITHUB, NOTHING, {"TAPEDECK_BIN": ""})


def plain(text):
    """The text without what differs on purpose: places, and the names of options."""
    for pattern, replacement in [
        (r"^(\w+\.)*(\w+Error|Failed): ", ""),
        (r"^\w+\.(py|go):\d+: ", ""),
        (r" \(\S*:\d+\)$", ""),
        (r"^/\S+: ", ""),
        (r"--tapedeck-mode=", "TAPEDECK_MODE="),
        (r"(?<=name one with ).*(?=, or a running deck)", "OPTIONS"),
        (r"(?<=the test plays no cassette: ).*", "OPTIONS"),
        (r"^.*(?= is \"append\")", "OPTION"),
        (r"\btestdata/cassettes/", "cassettes/"),
    ]:
        text = re.sub(pattern, replacement, text, flags=re.M)
    return text.strip()


class Words(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def run_in(self, language, command, own):
        environment = {name: value for name, value in os.environ.items() if not re.search(r"^TAPEDECK|^CI$|proxy", name, re.I)}
        environment |= {"TAPEDECK_BIN": TAPEDECK, "TAPEDECK_CA_DIR": str(self.folder / "ca")} | own
        return subprocess.run(command, cwd=self.folder / language, env=environment, capture_output=True, text=True, timeout=120)

    def project(self, language, cassettes, files):
        folder = self.folder / language
        contents = {f"{cassettes}/github.yaml": CASSETTE, f"{cassettes}/other/github.yaml": CASSETTE,
                    f"{cassettes}/broken.yaml": BROKEN, f"{cassettes}/browser.har": "{}"}
        for name, content in (contents | files).items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(content)

    def in_pytest(self, cause):
        (marker, _, _), (body, _, _), own = CAUSES[cause]
        mark = f"@pytest.mark.cassette({marker})\n" if marker else ""
        self.project("python", "cassettes", {
            "pytest.ini": "[pytest]\n",
            "test_it.py": f"import pytest, requests\n\n{mark}def test_it(tapedeck):\n    {body}\n",
        })
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--junitxml=report.xml"]
        done = self.run_in("python", command, own)
        report = self.folder / "python" / "report.xml"
        if done.returncode == pytest.ExitCode.USAGE_ERROR:
            return done.stderr.removeprefix("ERROR: ")
        tests = xml.etree.ElementTree.parse(report).iter("testcase")
        found = [part.get("message") for test in tests for part in test]
        # JUnit's form has these words around errors of fixtures.
        return "\n".join(re.sub(r'^failed on (?:setup|teardown) with "(.*)"$', r"\1", text, flags=re.S) for text in found)

    def in_node(self, cause):
        (_, arguments, _), (_, body, _), own = CAUSES[cause]
        index = json.dumps((PACKAGES / "node-tapedeck" / "index.js").as_uri())
        self.project("node", "cassettes", {"it.mjs": f"""\
import {{ withTapedeck }} from {index};
const issues = (error) => (error.issues ?? [error.message]).join('\\n');
await withTapedeck({arguments}, async (deck) => {{ {body} }}).catch((error) => console.log(issues(error)));
"""})
        # A session that records has to know its test.
        text = (self.folder / "node" / "it.mjs").read_text()
        (self.folder / "node" / "it.mjs").write_text(text.replace("mode: 'once'", "mode: 'once', name: 'it'"))
        done = self.run_in("node", ["node", "it.mjs"], own)
        return done.stdout or done.stderr

    def in_go(self, cause):
        (_, _, options), (_, _, body), own = CAUSES[cause]
        self.project("go", "testdata/cassettes", {
            "go.mod": f"module words\n\ngo 1.19\n\nrequire go-tapedeck v0.0.0\n\nreplace go-tapedeck => {PACKAGES}/go-tapedeck\n",
            "it_test.go": 'package words\n\nimport (\n\t"testing"\n\n\ttapedeck "go-tapedeck"\n)\n\n'
            f"func TestIt(t *testing.T) {{\n\tdeck := tapedeck.New(t, {options})\n\t{body}\n}}\n",
        })
        done = self.run_in("go", ["go", "test", "-count=1", "."], own)
        issues = re.split(r"^    it_test\.go:\d+: tapedeck: ", done.stdout, flags=re.M)[1:]
        # The lines behind the first of each are indented by the runner.
        texts = [re.sub(r"^        ", "", issue, flags=re.M).split("\nFAIL")[0] for issue in issues]
        return "\n".join(text.rstrip() for text in texts if not text.startswith("session "))

    def test_words(self):
        for cause in CAUSES:
            with self.subTest(cause):
                texts = {name: plain(method(cause)) for name, method in
                         [("pytest", self.in_pytest), ("node", self.in_node), ("go", self.in_go)]}
                self.assertNotEqual(texts["pytest"], "")
                self.assertEqual(texts["node"], texts["pytest"])
                self.assertEqual(texts["go"], texts["pytest"])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
