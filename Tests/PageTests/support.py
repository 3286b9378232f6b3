"""A deck with a cassette of its own, and its live page in Chromium."""

import contextlib
import http.client
import json
import os
import re
import signal
import subprocess
import tempfile
import unittest
import urllib.error
import urllib.parse
import urllib.request

from playwright.sync_api import expect, sync_playwright

TAPEDECK = os.path.abspath(os.environ.get("TAPEDECK", ".build/debug/tapedeck"))
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")

GREETING = "http://api.example.com/greeting"
MARKUP = "http://api.example.com/markup"
CASSETTE = f"""
tapedeck: 1
responseSets:
  - name: greeting
    request: {{ method: GET, url: {GREETING} }}
    variants:
      - name: friendly
        takes: [{{ status: 200, body: {{ text: hello }} }}]
      - name: busy
        takes: [{{ status: 503, body: {{ text: come back later }} }}]
      - name: late
        delay: 1h
        takes: [{{ status: 200, body: {{ text: '[late]  {{ at last' }} }}]
  - name: markup
    request: {{ method: GET, url: {MARKUP} }}
    variants:
      - name: found
        takes: [{{ status: 200, body: {{ text: '<b id="injected">bold</b>' }} }}]
profiles:
  all busy: {{ greeting: busy }}
"""


class Deck:
    """A running `tapedeck replay`, or another command, without a cassette where that is None; `control` and `proxy` are its URLs."""

    def __init__(self, folder, *options, cassette=CASSETTE, command="replay"):
        self.path = path = os.path.join(folder, "page.yaml")
        if cassette is not None:
            with open(path, "w", encoding="utf-8") as file:
                file.write(cassette)
        played = [] if cassette is None else [path]
        self.process = subprocess.Popen(
            [TAPEDECK, command, *played, "--port", "0", "--control-port", "0", *options],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | {"TAPEDECK_CA_DIR": os.path.join(folder, "ca")},
        )
        self.proxy = self.announced(rf"{command}.* at (http://\S+)")
        self.control = self.announced(r"to steer it: +(http://\S+)")

    def announced(self, pattern):
        for line in self.process.stderr:
            if found := re.search(pattern, line):
                return found[1]
        raise AssertionError(f"the deck ended without a line that matches {pattern!r}")

    def stop(self):
        if self.process.returncode is not None:
            return
        self.process.send_signal(signal.SIGINT)
        self.process.communicate(timeout=10)

    def get(self, url, **headers):
        """Asks through the proxy; returns status and body."""
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({"http": self.proxy}))
        try:
            with opener.open(urllib.request.Request(url, headers=headers)) as response:
                return response.status, response.read().decode(errors="replace")
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def cassette_text(self):
        with open(self.path, encoding="utf-8") as file:
            return file.read()

    def get_often(self, url, times):
        """Asks again and again on one connection."""
        connection = http.client.HTTPConnection(urllib.parse.urlsplit(self.proxy).netloc)
        with contextlib.closing(connection):
            for _ in range(times):
                connection.request("GET", url)
                connection.getresponse().read()

    def get_late(self, url):
        """Asks for what takes long, and waits for no answer; close what it returns."""
        connection = http.client.HTTPConnection(urllib.parse.urlsplit(self.proxy).netloc)
        connection.request("GET", url)
        return connection

    def call(self, method, path, body=None):
        """Asks the control API."""
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        content = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self.control}/v1/{path}", content, method=method)
        request.add_header("Content-Type", "application/json")
        with opener.open(request) as response:
            return json.load(response)


class PageCase(unittest.TestCase):
    """A test that opens the page; whatever the browser complains about is in `complaints` of the page."""

    @classmethod
    def setUpClass(cls):
        cls.playwright = cls.enterClassContext(sync_playwright())
        cls.browser = cls.playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        cls.addClassCleanup(cls.browser.close)

    def start(self, *options, cassette=CASSETTE, command="replay", folder=None):
        folder = folder or self.enterContext(tempfile.TemporaryDirectory())
        deck = Deck(folder, *options, cassette=cassette, command=command)
        self.addCleanup(deck.stop)
        return deck

    def open(self, deck, address="", width=1280, height=800, **options):
        """Opens the page and waits until it follows its session; whatever it complains about fails the test."""
        context = self.browser.new_context(viewport={"width": width, "height": height}, **options)
        self.addCleanup(context.close)
        page = context.new_page()
        page.requested, page.complaints = [], []
        page.on("request", lambda request: page.requested.append(request.url))
        page.on("pageerror", lambda error: page.complaints.append(str(error)))
        page.on("console", lambda message: message.type == "error" and page.complaints.append(message.text))
        page.goto(f"{deck.control}/{address}")
        return page

    def open_live(self, deck, *arguments, **options):
        page = self.open(deck, *arguments, **options)
        expect(page.locator("#link")).to_have_text("live")
        expect(page.locator(".set")).to_have_count(2)
        return page
