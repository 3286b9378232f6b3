#!/usr/bin/env python3
"""The ways onward of the live page, in a real browser with the real program behind it: how answers are shown, what
leads from a request to another answer, groups and filters of sets, new sessions, and what axe finds.

    python3 -m venv venv && venv/bin/pip install playwright axe-playwright-python
    swift build --product tapedeck
    TAPEDECK=.build/debug/tapedeck venv/bin/python Tests/PageTests/onward_test.py

With PAGE_IMAGES=docs/images, the pictures of docs/live-page.md are made anew there.
"""

import difflib
import http.client
import http.server
import os
import re
import subprocess
import tempfile
import threading
import unittest
import urllib.error
import urllib.parse
import urllib.request

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect
from support import TAPEDECK, PageCase

IMAGES = os.environ.get("PAGE_IMAGES")
API = "https://api.example.com"
HTTP = "http://api.example.com"
# A picture of one red pixel.
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
CASSETTE = f"""
tapedeck: 1
responseSets:
  - name: user
    request: {{ method: GET, url: {HTTP}/users/7 }}
    variants:
      - name: found
        takes:
          - status: 200
            headers: {{ content-type: application/json }}
            body: {{ json: '{{"name": "ada", "big": 12345678901234567890, "tags": ["x", "<b id=injected>y</b>"], "none": null}}' }}
      - name: gone
        takes: [{{ status: 404, body: {{ text: no such user }} }}]
  - name: picture
    request: {{ method: GET, url: {HTTP}/picture }}
    variants:
      - name: red
        takes:
          - status: 200
            headers: {{ content-type: image/png }}
            body: {{ base64: {PIXEL} }}
  - name: drawing
    request: {{ method: GET, url: {HTTP}/drawing }}
    variants:
      - name: hostile
        takes:
          - status: 200
            headers: {{ content-type: image/svg+xml }}
            body: {{ text: '<svg xmlns="http://www.w3.org/2000/svg" onload="window.ran = 1"><script>window.ran = 1</script></svg>' }}
  - name: events
    request: {{ method: GET, url: {HTTP}/events }}
    variants:
      - name: two
        takes:
          - status: 200
            headers: {{ content-type: text/event-stream }}
            body: {{ text: "event: price\\nid: 4\\ndata: {{\\"eur\\": 5}}\\n\\ndata: plain\\n\\n" }}
  - name: elsewhere
    request: {{ method: POST, url: https://other.example.com/orders }}
    variants:
      - name: made
        takes: [{{ status: 201 }}]
profiles:
  nobody: {{ user: gone }}
"""
MANY = "tapedeck: 1\nresponseSets:\n" + "".join(
    f"""  - name: GET api.example.com/things/{number}
    request: {{ method: GET, url: {API}/things/{number} }}
    variants:
      - name: found
        takes: [{{ status: 200 }}]
      - name: sold out
        takes: [{{ status: 409 }}]
"""
    for number in range(14)
)


class OnwardTest(PageCase):
    def open_live(self, deck, *arguments, sets=5, **options):
        page = self.open(deck, *arguments, **options)
        expect(page.locator("#link")).to_have_text("live")
        expect(page.locator(".set")).to_have_count(sets)
        return page

    def open_on(self, path, **options):
        """The page with one request to that path, which is chosen."""
        deck = self.start(cassette=CASSETTE)
        page = self.open_live(deck, **options)
        deck.get(HTTP + path)
        page.locator("#request-1").click()
        expect(page.locator("#detail .message")).to_have_count(2)
        return deck, page

    def with_clipboard(self, page):
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        return lambda: page.evaluate("navigator.clipboard.readText()")

    def sh(self, *command, **options):
        return subprocess.run(command, capture_output=True, text=True, timeout=60, **options)

    # Answers

    def test_the_response_comes_first_and_its_json_is_folded_without_a_change_to_its_numbers(self):
        _, page = self.open_on("/users/7")
        expect(page.get_by_role("tab", name="Response")).to_have_attribute("aria-selected", "true")
        tree = page.locator("#detail .json")
        expect(tree.locator(".number")).to_have_text("12345678901234567890")
        expect(tree.locator(".key")).to_have_text(['"name"', '"big"', '"tags"', '"none"'])
        expect(tree.locator(".string").nth(2)).to_have_text('"<b id=injected>y</b>"')
        expect(page.locator("#injected")).to_have_count(0)
        tags = tree.locator("summary", has_text="tags")
        tags.focus()
        page.keyboard.press("Enter")
        expect(tree.locator(".string").nth(2)).to_be_hidden()
        expect(tags).to_contain_text("2 … ]")
        self.assertEqual(page.complaints, [])

    def test_json_of_nothing_but_brackets_does_not_stop_the_page(self):
        deck = self.start(cassette=CASSETTE.replace("no such user", f"'{'[' * 30_000}{']' * 30_000}'"))
        page = self.open_live(deck)
        deck.call("PUT", "sessions/default/selections/user", {"variant": "gone"})
        deck.get(HTTP + "/users/7")
        page.locator("#request-1").click()
        expect(page.locator("#detail .json")).to_be_visible()
        self.assertLess(page.locator("#detail .json details").count(), 100)
        self.assertEqual(page.complaints, [])

    def test_a_picture_is_drawn_and_a_drawing_is_text(self):
        deck, page = self.open_on("/picture")
        expect(page.get_by_role("img", name="Picture of 1 × 1 pixels")).to_be_visible()
        red = page.locator("canvas").evaluate("node => [...node.getContext('2d').getImageData(0, 0, 1, 1).data]")
        self.assertEqual(red[:3], [255, 0, 0])
        deck.get(HTTP + "/drawing")
        page.locator("#request-2").click()
        expect(page.locator("#detail pre")).to_contain_text("<script>window.ran = 1</script>")
        self.assertIsNone(page.evaluate("window.ran ?? null"))
        self.assertEqual(page.complaints, [])

    def test_an_event_stream_is_shown_as_events(self):
        _, page = self.open_on("/events")
        events = page.locator("#detail .stream > li")
        expect(events).to_have_count(2)
        expect(events.first.locator("b")).to_have_text("price · id 4")
        expect(events.first.locator(".number")).to_have_text("5")
        expect(events.nth(1)).to_contain_text("plain")

    def test_a_row_has_the_type_the_size_and_the_time_with_its_digits(self):
        _, page = self.open_on("/picture")
        row = page.locator("#request-1")
        expect(row.locator(".type")).to_have_text("png")
        expect(row.locator(".size")).to_have_text("70 bytes")
        # As a log, a time of less than a millisecond is not nothing.
        shown = page.evaluate("""async () => {
            const { duration } = await import("./words.js");
            return [0.042, 0.31, 4.25, 31.4, 2500].map(duration);
        }""")
        self.assertEqual(shown, ["0.042 ms", "0.31 ms", "4.3 ms", "31 ms", "2.5 s"])

    def test_the_pane_is_resized_with_keys_and_with_the_mouse(self):
        _, page = self.open_on("/users/7")
        pane, bar = page.locator("#detail"), page.locator("#detail-bar")
        before = pane.bounding_box()["height"]
        bar.focus()
        page.keyboard.press("ArrowDown")
        smaller = pane.bounding_box()["height"]
        self.assertLess(smaller, before)
        box = bar.bounding_box()
        page.mouse.move(box["x"] + 50, box["y"] + 3)
        page.mouse.down()
        page.mouse.move(box["x"] + 50, box["y"] - 150)
        page.mouse.up()
        self.assertGreater(pane.bounding_box()["height"], smaller + 100)
        page.keyboard.press("Escape")
        expect(bar).to_be_hidden()

    # Onward

    def test_a_request_leads_to_its_set(self):
        _, page = self.open_on("/users/7")
        page.get_by_role("tab", name="State").click()
        page.get_by_role("tab", name="Next answer").click()
        page.get_by_role("button", name="Response set", exact=True).click()
        expect(page.locator(".set")).to_have_count(1)
        expect(page.locator(".set .variant[data-name=found]")).to_be_focused()

    def test_a_request_is_answered_with_another_variant_by_keys_alone(self):
        deck, page = self.open_on("/users/7")
        page.locator("#traffic-list").focus()
        page.keyboard.press("Enter")
        expect(page.get_by_role("tab", name="Response")).to_be_focused()
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Enter")
        expect(page.locator("#detail .variant[data-name=gone]")).to_be_visible()
        # Past the form with the errors.
        for _ in range(3):
            page.keyboard.press("Tab")
        expect(page.locator("#detail .variant[data-name=found]")).to_be_focused()
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Enter")
        expect(page.locator("#detail .variant[data-name=gone]")).to_have_attribute("aria-pressed", "true")
        self.assertEqual(deck.get(HTTP + "/users/7"), (404, "no such user"))
        self.assertEqual(page.complaints, [])

    def test_a_request_is_copied_as_curl_that_asks_the_same_again(self):
        deck = self.start(cassette=CASSETTE)
        page = self.open_live(deck)
        clipboard = self.with_clipboard(page)
        awkward = HTTP + "/it's?a=[1]&b={2}"
        request = urllib.request.Request(awkward, b"it's $HOME\n`id`", {"X-Odd": "a'b", "Content-Type": "text/plain"})
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({"http": deck.proxy}))
        with self.assertRaises(urllib.error.HTTPError):
            opener.open(request)
        page.locator("#request-1").click()
        page.get_by_role("button", name="Copy URL").click()
        page.get_by_role("button", name="Copy as curl").click()
        expect(page.locator(".toast")).to_have_count(2)
        command = clipboard()
        self.assertTrue(command.startswith("curl "), command)
        self.assertEqual(self.sh("sh", "-c", command, env=os.environ | {"http_proxy": deck.proxy}).returncode, 0)
        entries = deck.call("GET", "sessions/default/journal?bodies=true")["entries"]
        self.assertEqual(len(entries), 2)
        for part in ("method", "url"):
            self.assertEqual(entries[0][part], entries[1][part])
        self.assertEqual(entries[0]["request"]["body"], entries[1]["request"]["body"])
        odd = [dict((name.lower(), value) for name, value in entry["request"]["headers"])["x-odd"] for entry in entries]
        self.assertEqual(odd, ["a'b", "a'b"])

    def test_a_request_is_copied_as_a_cassette_that_answers_the_same(self):
        deck, page = self.open_on("/users/7")
        clipboard = self.with_clipboard(page)
        page.get_by_role("button", name="Copy as cassette YAML").click()
        expect(page.locator(".toast")).to_have_count(1)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "copied.yaml")
            with open(path, "w", encoding="utf-8") as file:
                file.write(clipboard())
            checked = self.sh(TAPEDECK, "check", path)
        self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)
        other = self.start(cassette=clipboard())
        self.assertEqual(other.get(HTTP + "/users/7"), deck.get(HTTP + "/users/7"))

    def test_an_answer_is_saved_as_a_variant_and_an_invalid_name_is_reported(self):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        path = os.path.join(folder, "people.yaml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(CASSETTE.replace("responseSets:", "# kept\nresponseSets:"))
        deck = self.start("--cassettes", folder)
        session = deck.call("POST", "sessions", {"name": "people", "cassettes": ["people"]})
        key = f"{session['id']}:{session['token']}"
        page = self.open_live(deck, f"#session={session['id']}")
        # A request to this machine passes.
        url = f"http://127.0.0.1:{self.start_origin()}/stock"
        self.assertEqual(deck.get(url, **{"X-Tapedeck-Session": key}), (200, '{"left": 3}'))
        page.locator("#request-1").click()
        page.get_by_role("tab", name="Next answer").click()
        name = page.get_by_label("Name of the variant")
        name.fill("offline")
        page.get_by_role("button", name="Save as a variant").click()
        expect(page.locator(".keep .failure")).not_to_be_empty()
        name.fill("in stock")
        page.get_by_role("button", name="Save as a variant").click()
        expect(page.locator(".toast")).to_contain_text("“in stock”")
        expect(page.locator(".set .variant[data-name='in stock']")).to_be_visible()
        with open(path, encoding="utf-8") as file:
            text = file.read()
        self.assertIn("name: in stock", text)
        self.assertIn("# kept", text)

    def start_origin(self):
        """Starts a server that answers every request with the same JSON; returns its port."""

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", "11")
                self.end_headers()
                self.wfile.write(b'{"left": 3}')

            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return server.server_port

    def test_a_set_is_made_of_an_unmatched_request_from_its_near_miss(self):
        deck, page = self.open_on("/users/7?verbose=1")
        page.get_by_role("button", name="Make a response set…").click()
        form = page.locator("#maker-form")
        expect(form.get_by_label("Begin with")).to_have_value("0")
        expect(form.get_by_label("Body")).to_have_value(re.compile("ada"))
        expect(form.get_by_label("URL")).to_have_value(HTTP + "/users/7?verbose=1")
        form.get_by_label("Body").fill('{"name": "bob"}')
        form.get_by_role("button", name="Answer with it").click()
        expect(page.locator("#maker")).to_be_hidden()
        self.assertEqual(deck.get(HTTP + "/users/7?verbose=1"), (200, '{"name": "bob"}'))
        expect(page.locator(".cassette", has_text="added to this session")).to_be_visible()
        self.assertEqual(page.complaints, [])

    def test_an_answer_that_comes_late_replaces_none_that_was_chosen(self):
        deck, page = self.open_on("/nobody")
        held = []
        page.route(re.compile("/sets/"), lambda route: held.append(route))
        with page.expect_request(re.compile("/sets/")):
            page.get_by_role("button", name="Make a response set…").click()
        form = page.locator("#maker-form")
        form.get_by_label("Begin with").select_option("scratch")
        with page.expect_response(re.compile("/sets/")):
            while held:
                held.pop().continue_()
        # Behind it, so the page has had it.
        page.evaluate("fetch('/v1/health').then(answer => answer.text())")
        expect(form.get_by_label("Body")).to_have_value("{}")

    def test_a_mistake_in_a_new_set_is_reported_at_its_field(self):
        deck, page = self.open_on("/nobody")
        page.get_by_role("button", name="Make a response set…").click()
        form = page.locator("#maker-form")
        form.get_by_label("Begin with").select_option("scratch")
        form.get_by_label("URL").fill("nowhere")
        form.get_by_label("Status").fill("99")
        form.get_by_role("button", name="Answer with it").click()
        expect(form.locator("[data-field=url]")).to_contain_text("whole URL")
        expect(form.get_by_label("URL")).to_have_attribute("aria-invalid", "true")
        form.get_by_label("URL").fill(HTTP + "/nobody")
        form.get_by_label("Status").fill("418")
        form.get_by_role("button", name="Answer with it").click()
        expect(page.locator("#maker")).to_be_hidden()
        self.assertEqual(deck.get(HTTP + "/nobody"), (418, "{}"))

    # Errors in place of answers

    def answer_with(self, page, error):
        page.get_by_label("The error to answer with").select_option(error)
        page.get_by_role("button", name="Answer this instead").press("Enter")
        expect(page.locator(".toast").last).to_contain_text(f"“{error}”")

    def test_an_error_takes_the_place_of_an_answer_in_one_step(self):
        deck, page = self.open_on("/users/7")
        page.get_by_role("button", name="Answer this instead").click()
        expect(page.locator(".toast")).to_contain_text("“500 internal server error”")
        self.assertEqual(deck.get(HTTP + "/users/7"), (500, '{"error":"internal server error"}'))
        self.answer_with(page, "429 too many requests")
        self.assertEqual(deck.get(HTTP + "/users/7")[0], 429)
        self.answer_with(page, "closed before the answer")
        with self.assertRaises((http.client.HTTPException, ConnectionError)):
            deck.get(HTTP + "/users/7")
        # Its other variants are there, those that were made here too.
        page.get_by_role("tab", name="Next answer").click()
        variants = page.locator("#part-next .variant")
        made = ["500 internal server error", "429 too many requests", "closed before the answer"]
        for name in ["found", "gone", *made]:
            expect(variants.locator(".name").get_by_text(name, exact=True)).to_be_visible()
        page.locator("#part-next .variant[data-name=found]").click()
        expect(page.locator("#part-next .variant[data-name=found]")).to_have_attribute("aria-pressed", "true")
        self.assertEqual(deck.get(HTTP + "/users/7")[0], 200)
        # None of it is in the cassette.
        self.assertEqual(deck.cassette_text(), CASSETTE)
        self.assertEqual(page.complaints, [])

    def test_an_error_answers_what_nothing_on_tape_answers(self):
        deck, page = self.open_on("/users/7?verbose=1")
        self.answer_with(page, "503 service unavailable")
        self.assertEqual(deck.get(HTTP + "/users/7?verbose=1")[0], 503)
        self.assertEqual(deck.get(HTTP + "/users/7")[0], 200)

    def test_a_call_of_grpc_is_answered_with_one_of_its_own_errors(self):
        deck = self.start(cassette=CASSETTE)
        page = self.open_live(deck)
        deck.get(HTTP + "/shop.Orders/Get", **{"Content-Type": "application/grpc"})
        page.locator("#request-1").click()
        expect(page.get_by_label("The error to answer with")).to_have_value("UNAVAILABLE")
        self.answer_with(page, "NOT_FOUND")
        name = urllib.parse.quote("GET api.example.com/shop.Orders/Get", safe="")
        added = deck.call("GET", f"sessions/default/added/{name}")
        self.assertEqual(added["variants"][0]["takes"][0]["grpcStatus"], "NOT_FOUND")

    def test_an_error_takes_the_place_of_an_answer_whose_body_is_a_file(self):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        os.mkdir(os.path.join(folder, "page"))
        with open(os.path.join(folder, "page", "long.txt"), "w", encoding="utf-8") as file:
            file.write("long")
        take = "{ status: 200, body: { file: page/long.txt } }"
        one = f"{{ name: long, request: {{ url: {HTTP}/long }}, variants: [{{ name: found, takes: [{take}] }}] }}"
        deck = self.start(cassette=f"tapedeck: 1\nresponseSets: [{one}]\n", folder=folder)
        page = self.open_live(deck, sets=1)
        self.assertEqual(deck.get(HTTP + "/long"), (200, "long"))
        page.locator("#request-1").click()
        self.answer_with(page, "404 not found")
        self.assertEqual(deck.get(HTTP + "/long")[0], 404)
        page.get_by_role("button", name="Remove long from this session").click()
        expect(page.locator(".cassette", has_text="added to this session")).to_have_count(0)
        self.assertEqual(deck.get(HTTP + "/long"), (200, "long"))

    # Sets and profiles

    def test_sets_are_grouped_by_cassette_and_host(self):
        page = self.open_live(self.start(cassette=CASSETTE))
        expect(page.locator(".cassette")).to_have_count(2)
        expect(page.locator(".cassette").nth(1)).to_contain_text("· other.example.com")

    def test_ten_sets_are_on_a_screen_of_800_pixels(self):
        page = self.open_live(self.start(cassette=MANY), sets=14)
        visible = page.locator(".set").evaluate_all(
            "cards => cards.filter((card) => card.getBoundingClientRect().bottom <= innerHeight).length"
        )
        self.assertGreaterEqual(visible, 10)

    def test_sets_are_filtered_by_requested_changed_and_unmatched(self):
        deck, page = self.open_on("/users/7")
        wanted = page.get_by_label("Which response sets")
        wanted.select_option("asked")
        expect(page.locator(".set h3")).to_have_text(["user"])
        wanted.select_option("not asked")
        expect(page.locator(".set")).to_have_count(4)
        wanted.select_option("changed")
        expect(page.locator("#sets-note")).to_contain_text("passes the search and the filter")
        deck.call("PUT", "sessions/default/selections/events", {"variant": "offline"})
        expect(page.locator(".set h3")).to_have_text(["events"])
        deck.get(HTTP + "/picture?x=1")
        expect(page.locator("#unmatched")).to_have_text("1 unmatched")
        wanted.select_option("near an unmatched request")
        expect(page.locator(".set h3", has_text="picture")).to_be_visible()
        expect(page.locator(".set h3", has_text="elsewhere")).to_have_count(0)

    def test_a_variant_is_read_compared_and_edited_before_it_is_chosen(self):
        deck = self.start(cassette=CASSETTE)
        page = self.open_live(deck)
        page.get_by_role("button", name="Read the variants of user").click()
        reader = page.locator("#reader")
        expect(reader.locator("pre")).to_contain_text("12345678901234567890")
        page.locator("#reader-variant").select_option("gone")
        page.locator("#reader-other").select_option("found")
        expect(reader.locator("pre").first.locator("mark")).to_have_text(["status 404\n", "no such user\n"])
        self.assertEqual(deck.get(HTTP + "/users/7")[0], 200)
        reader.get_by_role("button", name="Select it").click()
        expect(reader).to_be_hidden()
        self.assertEqual(deck.get(HTTP + "/users/7"), (404, "no such user"))

        expect(page.locator(".set [data-name=gone]")).to_have_attribute("aria-pressed", "true")
        page.get_by_role("button", name="Read the variants of user").click()
        reader.get_by_role("button", name="Edit…").click()
        form = page.locator("#maker-form")
        expect(form.get_by_label("Body")).to_have_value("no such user")
        form.get_by_label("Status").fill("17")
        form.get_by_role("button", name="Use in this session").click()
        expect(form.locator("[data-field=status]")).not_to_be_empty()
        form.get_by_label("Status").fill("410")
        form.get_by_label("Body").fill("moved away")
        form.get_by_role("button", name="Use in this session").click()
        expect(page.locator("#maker")).to_be_hidden()
        self.assertEqual(deck.get(HTTP + "/users/7"), (410, "moved away"))
        page.get_by_role("button", name="Remove user from this session").click()
        expect(page.locator(".cassette", has_text="added to this session")).to_have_count(0)
        self.assertEqual(deck.get(HTTP + "/users/7"), (404, "no such user"))
        # The browser itself notes the answer to what was wrong.
        self.assertEqual([text for text in page.complaints if "422" not in text], [])

    def test_a_scenario_is_recorded_played_and_edited_by_clicks_and_keys(self):
        stock = {"/item": b"3", "/order": b"accepted"}

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.send_header("Content-Type", "text/plain")
                self.send_header("Content-Length", str(len(stock[self.path])))
                self.end_headers()
                self.wfile.write(stock[self.path])

            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        origin = f"http://127.0.0.1:{server.server_port}"
        folder = self.enterContext(tempfile.TemporaryDirectory())
        empty = "tapedeck: 1\n# The shop.\nresponseSets: []\n"
        deck = self.start("--loopback", "--cassettes", folder, folder=folder, cassette=empty, command="serve")
        page = self.open(deck)
        expect(page.locator("#link")).to_have_text("live")

        def record(variant, item, order):
            stock.update({"/item": item, "/order": order})
            page.locator("#tab-session").click()
            page.locator("#recording-form [name=cassette]").fill("page")
            page.locator("#recording-form [name=mode]").select_option("record")
            page.locator("#recording-form [name=variant]").fill(variant)
            page.get_by_role("button", name="Start recording").press("Enter")
            # The text of the recording before stays until this one shows.
            expect(page.locator("#recording-running")).to_be_visible()
            expect(page.locator("#recording-text")).to_contain_text("Recording page")
            answers = [deck.get(origin + "/item")[1], deck.get(origin + "/order")[1]]
            self.assertEqual(answers, [item.decode(), order.decode()])
            expect(page.locator("#recording-result")).to_have_text("")
            page.get_by_role("button", name="Stop and save").press("Enter")
            # The recording is over before it is saved.
            expect(page.locator("#recording-result")).to_contain_text("page is")
            expect(page.get_by_role("button", name="Start recording")).to_be_visible()
            return deck.cassette_text()

        record("", b"3", b"accepted")
        record("out of stock", b"0", b"accepted")
        text = record("declined", b"3", b"declined")
        # Answers equal to the default are not written.
        self.assertEqual(text.count("name: out of stock"), 1)
        self.assertEqual(text.count("name: declined"), 1)
        self.assertIn("# The shop.", text)
        without = lambda text: [line for line in text.splitlines() if "recorded:" not in line]
        self.assertEqual(without(record("declined", b"3", b"declined")), without(text))
        server.shutdown()

        def answers():
            return deck.get(origin + "/item")[1], deck.get(origin + "/order")[1]

        self.assertEqual(answers(), ("3", "accepted"))
        page.locator("#tab-profiles").click()
        for profile, expected in {"out of stock": ("0", "accepted"), "declined": ("3", "declined")}.items():
            switch = page.get_by_role("switch", name=profile)
            switch.press("Enter")
            expect(switch).to_be_checked()
            self.assertEqual(answers(), expected)
            switch.press("Enter")
            expect(switch).not_to_be_checked()

        page.locator("#tab-sets").click()
        page.get_by_role("button", name=re.compile("Read the variants of .*item")).press("Enter")
        page.locator("#reader-variant").select_option("out of stock")
        page.locator("#reader").get_by_role("button", name="Edit…").press("Enter")
        before = deck.cassette_text()
        page.locator("#maker-form").get_by_label("Body").fill("sold out")
        page.get_by_role("button", name="Write to the cassette").press("Enter")
        expect(page.locator("#maker")).to_be_hidden()
        lines = difflib.ndiff(before.splitlines(), deck.cassette_text().splitlines())
        changed = {line[0] + line[1:].strip() for line in lines if line[0] in "+-"}
        self.assertEqual(changed, {"-- Content-Length: '1'", "+- Content-Length: '8'", "-text: '0'", "+text: sold out"})
        page.locator("#tab-profiles").click()
        page.get_by_role("switch", name="out of stock").press("Enter")
        expect(page.get_by_role("switch", name="out of stock")).to_be_checked()
        self.assertEqual(answers()[0], "sold out")
        self.assertEqual(page.complaints, [])

    def test_an_answer_from_tape_is_saved_as_a_variant(self):
        deck, page = self.open_on("/users/7")
        page.get_by_role("tab", name="Next answer").click()
        page.get_by_label("Name of the variant").fill("kept")
        page.get_by_role("button", name="Save as a variant").click()
        expect(page.locator(".toast")).to_contain_text("“kept”")
        self.assertIn("- name: kept", deck.cassette_text())

    def test_an_edited_answer_is_written_to_the_cassette(self):
        deck = self.start(cassette=CASSETTE)
        page = self.open_live(deck)
        before = deck.cassette_text()
        page.get_by_role("button", name="Read the variants of user").click()
        page.locator("#reader-variant").select_option("gone")
        page.locator("#reader").get_by_role("button", name="Edit…").click()
        form = page.locator("#maker-form")
        expect(form.get_by_label("Body")).to_have_value("no such user")
        form.get_by_label("Status").fill("17")
        form.get_by_role("button", name="Write to the cassette").click()
        expect(form.locator("[data-field=status]")).not_to_be_empty()
        self.assertEqual(deck.cassette_text(), before)
        form.get_by_label("Status").fill("410")
        form.get_by_label("Body").fill("moved away")
        form.get_by_role("button", name="Write to the cassette").press("Enter")
        expect(page.locator("#maker")).to_be_hidden()
        old = '        takes: [{ status: 404, body: { text: no such user } }]\n'
        new = "        takes: [{ status: 410, body: { text: moved away } }]\n"
        self.assertEqual(deck.cassette_text(), before.replace(old, new, 1))
        deck.call("PUT", "sessions/default/selections/user", {"variant": "gone"})
        self.assertEqual(deck.get(HTTP + "/users/7"), (410, "moved away"))
        # The browser itself notes the answer to what was wrong.
        self.assertEqual([text for text in page.complaints if "422" not in text], [])

    def test_a_profile_in_force_is_in_the_header_and_is_reverted_there(self):
        deck = self.start(cassette=CASSETTE)
        page = self.open_live(deck)
        deck.call("PUT", "sessions/default/profiles/nobody")
        page.get_by_role("button", name="Revert the profile nobody").click()
        expect(page.locator("#profiles-in-force button")).to_have_count(0)
        self.assertEqual(deck.get(HTTP + "/users/7")[0], 200)

    # Sessions

    def test_an_empty_page_says_how_to_send_a_first_request(self):
        deck = self.start(cassette=CASSETTE)
        page = self.open_live(deck)
        example = page.locator("#traffic-example")
        expect(example).to_contain_text(f"curl --proxy {deck.proxy}")
        self.assertEqual(self.sh("sh", "-c", example.inner_text()).returncode, 0)
        expect(page.locator("#traffic-count")).to_have_text("1 request")

    def test_a_session_is_made_with_cassette_and_profile_reached_by_its_lines_and_ended(self):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        with open(os.path.join(folder, "people.yaml"), "w", encoding="utf-8") as file:
            file.write(CASSETTE)
        deck = self.start("--cassettes", folder, cassette=MANY)
        page = self.open_live(deck, sets=14)
        page.locator("#session-button").click()
        page.get_by_role("button", name="New session…").click()
        form = page.locator("#new-session-form")
        form.get_by_label("Name").fill("people")
        form.get_by_label("people").last.check()
        form.get_by_label("Profile").select_option("nobody")
        form.get_by_role("button", name="Begin").click()
        expect(page.locator("#profiles-in-force")).to_contain_text("nobody")
        expect(page.locator("#connect-proxy")).to_contain_text("people")

        proxy = page.locator("#connect-proxy").inner_text()
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({"http": proxy}))
        with self.assertRaises(urllib.error.HTTPError) as raised:
            opener.open(HTTP + "/users/7")
        self.assertEqual(raised.exception.code, 404)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        base = page.locator("#connect-base").inner_text()
        with self.assertRaises(urllib.error.HTTPError) as raised:
            opener.open(base + "/users/7")
        self.assertEqual(raised.exception.code, 404)
        for language, word in (("Python", "import requests"), ("Swift", "URLSession"), ("curl", "curl --proxy")):
            page.locator("#connect-language").select_option(language)
            expect(page.locator("#connect-lines")).to_contain_text(word)

        page.get_by_role("button", name="End session…").click()
        page.get_by_role("button", name="End it").click()
        expect(page.locator("#gone-text")).to_contain_text("has ended")
        self.assertEqual(page.complaints, [])

    # The page as such

    def test_axe_finds_nothing(self):
        deck = self.start("--profile", "nobody", cassette=CASSETTE)
        deck.get(HTTP + "/users/7")
        deck.get(HTTP + "/users/8")
        deck.get(HTTP + "/events")
        for scheme in ("light", "dark"):
            for width in (1280, 390):
                page = self.open_live(deck, width=width, color_scheme=scheme, bypass_csp=True)
                states = {"sets": lambda: None}
                for panel in ("Profiles", "State", "Session"):
                    states[panel] = lambda panel=panel: page.get_by_role("tab", name=panel).click()
                for number in (1, 2, 3):
                    def choose(number=number):
                        if page.get_by_role("tab", name="Traffic").is_visible():
                            page.get_by_role("tab", name="Traffic").click()
                        # In a narrow window a request takes the place of the list.
                        if page.get_by_role("button", name="Close").is_visible():
                            page.get_by_role("button", name="Close").click()
                        page.locator(f"#request-{number}").click()
                        expect(page.locator("#detail .message")).to_have_count(2)
                    states[f"request {number}"] = choose
                for part in ("Request", "Next answer", "About"):
                    states[part] = lambda part=part: page.get_by_role("tab", name=part).click()
                states["search in a body"] = lambda: (
                    page.get_by_role("tab", name="Response").click(),
                    page.get_by_label("Search in the response").fill("plain"),
                )
                states["maker"] = lambda: (
                    page.get_by_role("tab", name="Next answer").click(),
                    page.get_by_role("button", name="Make another set…").click(),
                )
                states["sessions"] = lambda: (
                    page.keyboard.press("Escape"),
                    page.locator("#session-button").click(),
                    expect(page.locator(".pick")).to_have_count(1),
                )
                states["new session"] = lambda: page.get_by_role("button", name="New session…").click()
                states["reader"] = lambda: (
                    page.keyboard.press("Escape"),
                    page.get_by_role("tab", name="Sets").click(),
                    page.get_by_role("button", name="Read the variants of user").click(),
                )
                for name, reach in states.items():
                    reach()
                    with self.subTest(scheme=scheme, width=width, state=name):
                        self.assertEqual(self.violations(page), [])

    def violations(self, page):
        found = Axe().run(page).response["violations"]
        return [(one["id"], [node["html"][:160] for node in one["nodes"]]) for one in found]

    def test_axe_finds_nothing_where_there_is_no_session_and_no_deck(self):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        deck = self.start("--cassettes", folder, cassette=None, command="serve")
        options = [{"width": width, "color_scheme": scheme} for width in (1280, 390) for scheme in ("light", "dark")]
        pages = [self.open(deck, bypass_csp=True, **option) for option in options]
        for page, option in zip(pages, options):
            expect(page.locator("#first-session")).to_be_visible()
            with self.subTest("no session", **option):
                self.assertEqual(self.violations(page), [])
            page.locator("#first-session-button").click()
            expect(page.locator("#link")).to_have_text("live")
        deck.stop()
        for page, option in zip(pages, options):
            expect(page.locator("#dead")).to_be_visible()
            with self.subTest("no deck", **option):
                self.assertEqual(self.violations(page), [])

    def reach(self, page, wanted, key="Tab"):
        """Goes on by the key until that has the focus."""
        for _ in range(60):
            if wanted.evaluate("node => node === document.activeElement"):
                return
            page.keyboard.press(key)
        self.fail(f"{key} does not reach {wanted}")

    def press(self, page, *names, role="button", key="Tab"):
        """Goes by the key to each of these in turn, and presses Enter there."""
        for name in names:
            self.reach(page, page.get_by_role(role, name=name, exact=True), key)
            page.keyboard.press("Enter")

    def test_every_task_is_done_with_the_keyboard_alone(self):
        for width in (1280, 390):
            folder = self.enterContext(tempfile.TemporaryDirectory())
            with open(os.path.join(folder, "people.yaml"), "w", encoding="utf-8") as file:
                file.write(CASSETTE)
            deck = self.start("--cassettes", folder, cassette=CASSETTE)
            page = self.open_live(deck, width=width)
            with self.subTest(width=width):
                self.do_every_task(page)
                self.assertEqual(page.complaints, [])

    def do_every_task(self, page):
        # A session, with a cassette and a profile.
        self.reach(page, page.locator("#session-button"))
        page.keyboard.press("Enter")
        expect(page.locator("#session-search")).to_be_focused()
        self.press(page, "New session…")
        page.keyboard.type("keys")
        self.reach(page, page.get_by_role("checkbox", name="people"))
        page.keyboard.press("Space")
        profile = page.locator("#new-session-form [name=profile]")
        expect(profile.locator("option")).to_have_count(2)
        self.reach(page, profile)
        page.keyboard.press("ArrowDown")
        self.press(page, "Begin")
        expect(page.locator("#tab-session")).to_be_focused()
        expect(page.locator("#fact-cassettes")).to_have_text("people")
        proxy = page.locator("#connect-proxy").inner_text()

        # A profile is reverted, state is set.
        page.keyboard.press("ArrowLeft")
        page.keyboard.press("ArrowLeft")
        page.keyboard.press("Enter")
        profile = page.get_by_role("switch", name="nobody")
        expect(profile).to_be_checked()
        self.reach(page, profile)
        page.keyboard.press("Enter")
        expect(profile).not_to_be_checked()
        page.locator(":focus").press("Shift+Tab")
        expect(page.get_by_role("tab", name="Profiles")).to_be_focused()
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Enter")
        self.reach(page, page.get_by_label("Key"))
        page.keyboard.type("cart")
        page.keyboard.press("Tab")
        page.keyboard.type("full")
        page.keyboard.press("Enter")
        expect(page.get_by_label("Value of cart")).to_have_value("full")

        # A request is found and opened; its body is searched and enlarged.
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({"http": proxy}))
        self.assertEqual(opener.open(HTTP + "/users/7").status, 200)
        is_narrow = page.locator("#tab-traffic").is_visible()
        if is_narrow:
            self.reach(page, page.get_by_role("tab", name="State"), "Shift+Tab")
            for _ in range(3):
                page.keyboard.press("ArrowLeft")
            page.keyboard.press("Enter")
        else:
            self.reach(page, page.locator("#traffic-follow"))
        expect(page.locator("#request-1")).to_be_visible()
        page.keyboard.press("/")
        expect(page.locator("#traffic-search")).to_be_focused()
        page.keyboard.type("users")
        page.keyboard.press("Enter")
        expect(page.get_by_role("tab", name="Response")).to_be_focused()
        expect(page.locator("#part-response .view")).to_be_visible()
        page.keyboard.press("/")
        page.keyboard.type("ada")
        expect(page.locator("#part-response .hits")).to_have_text("1 of 1")
        page.keyboard.press("Escape")
        if not is_narrow:
            self.press(page, "Whole window", key="Shift+Tab")
            expect(page.locator("#steering")).to_be_hidden()
            page.keyboard.press("Escape")
            self.reach(page, page.locator("#detail-bar"), "Shift+Tab")
            page.keyboard.press("ArrowDown")
        # It is answered with an error, with another variant, and kept as a variant.
        self.press(page, "Answer this instead")
        expect(page.locator(".toast").last).to_contain_text("“500 internal server error”")
        with self.assertRaises(urllib.error.HTTPError):
            opener.open(HTTP + "/users/7")
        self.reach(page, page.get_by_role("tab", name="Response"), "Shift+Tab")
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Enter")
        self.reach(page, page.locator("#part-next .variant[data-name='500 internal server error']"))
        page.keyboard.press("ArrowLeft")
        page.keyboard.press("ArrowLeft")
        page.keyboard.press("Enter")
        found = page.locator("#part-next .variant[data-name=found]")
        expect(found).to_have_attribute("aria-pressed", "true")
        self.reach(page, page.get_by_label("Name of the variant"))
        page.keyboard.type("kept")
        page.keyboard.press("Enter")
        expect(page.locator(".toast").last).to_contain_text("“kept”")
        self.press(page, "Make another set…", key="Shift+Tab")
        expect(page.locator("#maker")).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.locator("#maker")).to_be_hidden()

        # A variant of a set is read and edited, and taken back.
        self.press(page, "Response set", key="Shift+Tab")
        expect(page.locator(".set .variant[data-name=found]").first).to_be_focused()
        self.reach(page, page.get_by_role("button", name="Read the variants of user").first, "ArrowRight")
        page.keyboard.press("Enter")
        self.press(page, "Edit…")
        expect(page.locator("#maker")).to_be_visible()
        self.press(page, "Use in this session")
        expect(page.locator("#maker")).to_be_hidden()

        # The session ends.
        self.reach(page, page.get_by_role("tab", name="Sets"), "Shift+Tab")
        for _ in range(3):
            page.keyboard.press("ArrowRight")
        page.keyboard.press("Enter")
        self.press(page, "End session…", "End it")
        expect(page.locator("#gone-text")).to_contain_text("has ended")

        for width in (390, 899, 900, 1280):
            _, page = self.open_on_narrow(width)
            with self.subTest(width=width):
                self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), width)
                content = page.locator("#detail-content")
                self.assertLessEqual(content.evaluate("node => node.scrollWidth - node.clientWidth"), 0)
                page.get_by_role("tab", name="Session").click()
                panel = page.locator("#session")
                self.assertLessEqual(panel.evaluate("node => node.scrollWidth - node.clientWidth"), 0)

    def open_on_narrow(self, width):
        deck = self.start(cassette=CASSETTE)
        page = self.open_live(deck, width=width)
        deck.get(HTTP + "/users/7")
        if page.get_by_role("tab", name="Traffic").is_visible():
            page.get_by_role("tab", name="Traffic").click()
        page.locator("#request-1").click()
        expect(page.locator("#detail .json")).to_be_visible()
        page.get_by_role("tab", name="Next answer").click()
        expect(page.locator("#detail .variant").first).to_be_visible()
        return deck, page

    @unittest.skipUnless(IMAGES, "PAGE_IMAGES is not set")
    def test_the_pictures_of_the_documentation(self):
        for width, height in ((1280, 800), (390, 780)):
            _, page = self.open_on_narrow(width)
            page.set_viewport_size({"width": width, "height": height})
            if width == 1280:
                page.get_by_role("tab", name="Response").click()
            page.screenshot(path=os.path.join(IMAGES, f"live-page-{width}.png"))


if __name__ == "__main__":
    unittest.main()
