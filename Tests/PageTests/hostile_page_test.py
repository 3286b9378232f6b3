#!/usr/bin/env python3
"""Hostile web pages in a real browser, against every kind of port of a deck.

    TAPEDECK=.build/debug/tapedeck venv/bin/python Tests/PageTests/hostile_page_test.py

See page_test.py for the set-up. The page is on another origin; it must read nothing, and change nothing.
"""

import contextlib
import http.server
import json
import os
import re
import subprocess
import tempfile
import threading
import unittest
import urllib.request

from playwright.sync_api import sync_playwright

TAPEDECK = os.path.abspath(os.environ.get("TAPEDECK", ".build/debug/tapedeck"))
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
SECRET = "what-the-machine-can-reach"

# Tries all that a page can do with an address, and gives what it could read, by the way it was tried.
ATTEMPTS = """
async (targets) => {
  const seen = {};
  const note = (way, text) => { if (text) seen[way] = String(text); };
  const settle = (make) => new Promise((done) => { make(done); setTimeout(() => done(""), 3000); });
  for (const [name, url] of Object.entries(targets)) {
    for (const mode of ["cors", "no-cors"]) {
      for (const method of ["GET", "POST"]) {
        try {
          const options = { mode, method, body: method === "POST" ? "{}" : undefined };
          note(`${name} ${mode} ${method}`, await (await fetch(url, options)).text());
        } catch {}
      }
    }
    note(`${name} script`, await settle((done) => {
      const script = document.createElement("script");
      script.onload = () => done(window.stolen ?? "");
      script.onerror = () => done("");
      script.src = url;
      document.head.append(script);
    }));
    note(`${name} image`, await settle((done) => {
      const image = new Image();
      image.onload = () => done(`${image.width} pixels`);
      image.onerror = () => done("");
      image.src = url;
    }));
    note(`${name} frame`, await settle((done) => {
      const frame = document.createElement("iframe");
      frame.onload = () => { try { done(frame.contentDocument?.body.innerText ?? ""); } catch { done(""); } };
      frame.src = url;
      document.body.append(frame);
    }));
    note(`${name} socket`, await settle((done) => {
      const socket = new WebSocket(url.replace("http", "ws"));
      socket.onopen = () => done("open");
      socket.onerror = () => done("");
    }));
    const form = document.createElement("form");
    const target = `frame ${name}`;
    const frame = document.createElement("iframe");
    frame.name = target;
    document.body.append(frame);
    Object.assign(form, { action: url, method: "POST", target });
    document.body.append(form);
    form.submit();
    await settle((done) => { frame.onload = () => done(""); });
  }
  return seen;
}
"""


class Site:
    """A server that counts what it is asked: the origin behind the deck, or the page's own."""

    def __init__(self, body, content_type):
        site = self
        self.asked = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def answer(self):
                site.asked.append(f"{self.command} {self.path}")
                self.rfile.read(int(self.headers.get("Content-Length") or 0))
                self.send_response(200)
                self.send_header("Content-Type", content_type)
                # The worst case: an origin that lets every page read it.
                self.send_header("Access-Control-Allow-Origin", "*")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            do_GET = do_POST = do_OPTIONS = do_HEAD = answer

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


class HostilePageTest(unittest.TestCase):
    def setUp(self):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        script = f'window.stolen = "{SECRET}";'.encode()
        self.origin = Site(script, "text/javascript")
        self.page_site = Site(b"<!doctype html><title>hostile</title><body></body>", "text/html")
        self.addCleanup(self.origin.stop)
        self.addCleanup(self.page_site.stop)
        self.deck = subprocess.Popen(
            [TAPEDECK, "passthrough", "--port", "0", "--control-port", "0", "--transparent", "0=80"]
            + ["--reverse", f"http://127.0.0.1:{self.origin.port}"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            cwd=folder,
            env=os.environ | {"TAPEDECK_CA_DIR": os.path.join(folder, "ca")},
        )
        self.addCleanup(self.stop_deck)
        found = {}
        patterns = {
            "proxy": r"passthrough at http://127\.0\.0\.1:(\d+)",
            "transparent": r"port (\d+)$",
            "control": r"to steer it: +http://127\.0\.0\.1:(\d+)",
        }
        for line in self.deck.stderr:
            for name, pattern in patterns.items():
                if match := re.search(pattern, line.rstrip()):
                    found.setdefault(name, int(match[1]))
            if "to trust it" in line:
                break
        # Further output of the deck must not fill the pipe.
        self.reader = threading.Thread(target=self.deck.stderr.read, daemon=True)
        self.reader.start()
        self.ports = found
        self.assertEqual(set(found), set(patterns))
        made = self.control("POST", "/v1/sessions", {"mode": "passthrough", "port": 0})
        self.key = f"{made['id']}:{made['token']}"
        self.ports["session"] = made["port"]
        self.before = self.state()

    def stop_deck(self):
        self.deck.terminate()
        self.deck.wait()
        self.reader.join()
        self.deck.stderr.close()

    def control(self, method, path, body=None):
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.ports['control']}{path}",
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request) as response:
            return json.load(response)

    def state(self):
        """The sessions, without what changes by itself."""
        return [(session["id"], session["mode"]) for session in self.control("GET", "/v1/sessions")["sessions"]]

    def targets(self, host):
        """What a page tries, on every port."""
        base = f"http/127.0.0.1:{self.origin.port}/secret"
        targets = {}
        for name in ["proxy", "session", "transparent"]:
            start = f"http://{host}:{self.ports[name]}"
            targets[f"{name} default"] = f"{start}/.tapedeck/default/{base}"
            # As if it had learnt the key.
            targets[f"{name} key"] = f"{start}/.tapedeck/{self.key}/{base}"
        for name in ["proxy", "session"]:
            targets[f"{name} reverse"] = f"http://{host}:{self.ports[name]}/secret"
        targets["control"] = f"http://{host}:{self.ports['control']}/v1/sessions"
        return targets

    @contextlib.contextmanager
    def browser(self, *rules):
        arguments = [f"--host-resolver-rules={','.join(rules)}"]
        # Chromium's own protection of local addresses is off: the deck must do without it.
        features = "LocalNetworkAccessChecks,BlockInsecurePrivateNetworkRequests,PrivateNetworkAccessChecks"
        arguments += ["--no-sandbox", f"--disable-features={features}"]
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=arguments)
            try:
                yield browser.new_page()
            finally:
                browser.close()

    def check(self, seen):
        self.assertEqual({way: text for way, text in seen.items() if "403" not in text and '"error"' not in text}, {})
        # The browser itself asks for the icon of an address that its user was led to.
        passed = [request for request in self.origin.asked if not request.endswith("/favicon.ico")]
        self.assertEqual(passed, [], "requests that went through")
        self.assertEqual(self.state(), self.before)

    def test_a_page_of_another_site(self):
        for host in ["127.0.0.1", "localhost"]:
            with self.subTest(host), self.browser("MAP evil.example 127.0.0.1") as page:
                page.goto(f"http://evil.example:{self.page_site.port}/")
                self.check(page.evaluate(ATTEMPTS, self.targets(host)))

    def test_a_sandboxed_page_from_this_machine(self):
        with self.browser() as page:
            page.goto("data:text/html,<body></body>")
            self.check(page.evaluate(ATTEMPTS, self.targets("127.0.0.1")))

    def test_a_page_whose_name_resolves_to_this_machine(self):
        """DNS rebinding: the page's own name and port are the deck's, so the browser takes both for one origin."""
        for name in ["proxy", "session", "transparent", "control"]:
            with self.subTest(name), self.browser("MAP evil.example 127.0.0.1") as page:
                # Any answer of the port is a document of the page's origin, from which a script can be run.
                page.goto(f"http://evil.example:{self.ports[name]}/.tapedeck/default/http/a.test/")
                self.check(page.evaluate(ATTEMPTS, {
                    way: url for way, url in self.targets("evil.example").items() if f":{self.ports[name]}/" in url
                }))

    def test_links_from_another_site(self):
        with self.browser("MAP evil.example 127.0.0.1") as page:
            for way, url in self.targets("127.0.0.1").items():
                page.goto(f"http://evil.example:{self.page_site.port}/")
                with page.expect_navigation():
                    page.evaluate("(url) => { location.href = url; }", url)
                self.assertNotIn(SECRET, page.content(), way)
            self.check({})

    def test_a_front_end_on_this_machine_reads_a_session_of_its_own(self):
        with self.browser() as page:
            page.goto(f"http://localhost:{self.page_site.port}/")
            url = self.targets("127.0.0.1")
            read = "async (url) => (await fetch(url)).text()"
            self.assertIn(SECRET, page.evaluate(read, url["proxy key"]))
            self.assertIn(SECRET, page.evaluate(read, url["proxy reverse"]))
            with self.assertRaises(Exception):
                page.evaluate(read, url["proxy default"])


if __name__ == "__main__":
    unittest.main()
