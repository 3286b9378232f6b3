#!/usr/bin/env python3
"""A page that asks another origin, with a preflight (WHATWG Fetch section 3.3), recorded and replayed in a real browser.

    python3 -m venv venv && venv/bin/pip install playwright
    TAPEDECK=.build/debug/tapedeck venv/bin/python Tests/PageTests/preflight_test.py
"""

import http.server
import tempfile
import threading
import unittest

from support import PageCase

PAGE = """<!doctype html><title>shop</title><link rel="icon" href="data:,"><script>
async function save(amount) {
  const response = await fetch("http://api.example.test:%d/items/7?full=1", {
    method: "PUT", credentials: "include", headers: { "Content-Type": "application/json", "X-Tenant": "blue" },
    body: JSON.stringify({ amount }),
  });
  return `${response.status} ${await response.text()} ${response.headers.get("x-stock")}`;
}
</script>"""


class Site(http.server.BaseHTTPRequestHandler):
    """The page and the API, which permits the page and no other."""

    protocol_version = "HTTP/1.1"

    def answer(self, status, body=b"", **fields):
        self.send_response(status)
        for name, value in fields.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Access-Control-Allow-Origin", f"http://app.example.test:{self.server.server_port}")
        self.send_header("Access-Control-Allow-Credentials", "true")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        self.answer(200, (PAGE % self.server.server_port).encode(), Content_Type="text/html")

    def do_OPTIONS(self):
        self.answer(204, Access_Control_Allow_Methods="PUT", Access_Control_Allow_Headers="content-type, x-tenant")

    def do_PUT(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.answer(200, b"saved " + body, Access_Control_Expose_Headers="x-stock", X_Stock="12")

    def log_message(self, *_):
        pass


class PreflightTest(PageCase):
    def save(self, deck, port, amount=3):
        """What the page says of a request in a browser with nothing cached; `None` where the browser forbids it."""
        context = self.browser.new_context(proxy={"server": deck.proxy})
        page = context.new_page()
        page.goto(f"http://app.example.test:{port}/")
        saved = page.evaluate("amount => save(amount).catch(() => null)", amount)
        context.close()
        deck.stop()
        return saved

    def test_a_page_replays_with_and_without_its_preflight_on_tape(self):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Site)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        port = server.server_port
        folder = self.enterContext(tempfile.TemporaryDirectory())
        resolve = [f"--resolve={name}.example.test:{port}:127.0.0.1" for name in ("app", "api")]
        deck = self.start(*resolve, cassette="tapedeck: 1\n", command="append", folder=folder)
        self.assertEqual(self.save(deck, port), '200 saved {"amount":3} 12')
        server.shutdown()
        server.server_close()

        tape = deck.cassette_text()
        sets = tape.split("\n  - name: ")
        self.assertIn("OPTIONS", tape)
        without = "\n  - name: ".join(one for one in sets if not one.startswith(("OPTIONS", "'OPTIONS", '"OPTIONS')))
        self.assertNotIn("OPTIONS", without)
        for cassette in (tape, without):
            replayed = self.save(self.start(cassette=cassette, folder=folder), port)
            self.assertEqual(replayed, '200 saved {"amount":3} 12')
        self.assertIsNone(self.save(self.start("--no-preflights", cassette=without, folder=folder), port))


if __name__ == "__main__":
    unittest.main(argv=["preflight_test", "-v"])
