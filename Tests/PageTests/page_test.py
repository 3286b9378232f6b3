#!/usr/bin/env python3
"""The live page in a real browser, with the real program behind it.

    python3 -m venv venv && venv/bin/pip install playwright
    swift build --product tapedeck
    TAPEDECK=.build/debug/tapedeck venv/bin/python Tests/PageTests/page_test.py

CHROMIUM is the browser (/usr/bin/chromium unless given). With PAGE_SCREENSHOTS=FOLDER, pictures of the page at
1280 and 390 pixels, light and dark, are left there. Every test has a deck of its own, with a cassette of its own.
"""

import contextlib
import json
import os
import subprocess
import tempfile
import unittest
import urllib.error
import urllib.parse

from playwright.sync_api import expect
from support import CASSETTE, GREETING, MARKUP, TAPEDECK, PageCase

SCREENSHOTS = os.environ.get("PAGE_SCREENSHOTS")

USERS = "http://api.example.com/users"


def har(url, *bodies):
    """A HAR file with an answer for each body; one that is None is not in the file."""
    entries = [
        {
            "startedDateTime": "2026-01-01T10:00:00Z",
            "time": 5,
            "request": {"method": "GET", "url": f"{url}?number={number}", "headers": []},
            "response": {
                "status": 200,
                "statusText": "OK",
                "headers": [{"name": "Content-Type", "value": "text/plain"}],
                "content": {"size": 900} if body is None else {"size": len(body), "text": body},
            },
        }
        for number, body in enumerate(bodies)
    ]
    return json.dumps({"log": {"version": "1.2", "creator": {"name": "test", "version": "1"}, "entries": entries}}).encode()


class PageTest(PageCase):
    # Steering

    def test_a_click_on_a_variant_selects_it(self):
        deck = self.start()
        page = self.open_live(deck)
        self.assertEqual(deck.get(GREETING), (200, "hello"))
        greeting = page.locator(".set", has_text="greeting")
        expect(greeting.locator("[data-name=friendly]")).to_have_attribute("data-used", "true")
        expect(greeting.locator(".asked")).to_have_text("asked 1×")

        greeting.locator("[data-name=busy]").click()
        expect(greeting.locator("[data-name=busy]")).to_have_attribute("aria-pressed", "true")
        self.assertEqual(deck.get(GREETING), (503, "come back later"))
        expect(page.locator(".row", has_text="greeting · busy")).to_contain_text("503")

        greeting.get_by_role("button", name="reset").click()
        expect(greeting.locator("[data-name=friendly]")).to_have_attribute("data-used", "true")
        self.assertEqual(deck.get(GREETING), (200, "hello"))
        self.assertEqual(page.complaints, [])

    def test_variants_are_picked_with_the_keyboard_alone(self):
        deck = self.start()
        page = self.open_live(deck)
        page.locator("#sets-filter").focus()
        page.keyboard.press("Tab")
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Enter")
        busy = page.locator(".variant[data-name=busy]")
        expect(busy).to_have_attribute("aria-pressed", "true")
        expect(busy).to_be_focused()
        self.assertEqual(deck.get(GREETING), (503, "come back later"))

    def test_the_keyboard_gets_past_the_list_of_sets_and_to_every_tab(self):
        page = self.open_live(self.start())
        page.locator("#sets-filter").focus()
        page.keyboard.press("Tab")
        expect(page.locator(".variant[data-name=friendly]")).to_be_focused()
        page.keyboard.press("Tab")
        expect(page.locator("#traffic-search")).to_be_focused()
        page.keyboard.press("Shift+Tab")
        page.keyboard.press("ArrowDown")
        expect(page.locator(".variant[data-name=found]")).to_be_focused()
        # The tab of traffic is not there where there is room for both.
        page.get_by_role("tab", name="Sets").focus()
        page.keyboard.press("ArrowLeft")
        expect(page.get_by_role("tab", name="Sets")).to_have_attribute("tabindex", "0")
        page.keyboard.press("ArrowRight")
        expect(page.get_by_role("tab", name="Profiles")).to_be_focused()

    def test_all_selections_are_reset_under_any_search(self):
        deck = self.start()
        page = self.open_live(deck)
        page.locator("[data-name=busy]").click()
        page.locator("#sets-search").fill("markup")
        expect(page.locator(".set")).to_have_count(1)
        page.get_by_role("button", name="Reset all").click()
        expect(page.get_by_role("button", name="Reset all")).to_be_disabled()
        self.assertEqual(deck.get(GREETING), (200, "hello"))

    def test_a_selection_of_another_client_shows_at_once(self):
        deck = self.start()
        page = self.open_live(deck)
        deck.call("PUT", "sessions/default/selections/greeting", {"variant": "busy"})
        expect(page.locator(".variant[data-name=busy]")).to_have_attribute("aria-pressed", "true")

    def test_a_profile_is_applied_and_reverted(self):
        deck = self.start()
        page = self.open_live(deck)
        page.get_by_role("tab", name="Profiles").click()
        profile = page.get_by_role("switch", name="all busy")
        profile.click()
        expect(profile).to_be_checked()
        self.assertEqual(deck.get(GREETING), (503, "come back later"))
        profile.click()
        expect(profile).not_to_be_checked()
        self.assertEqual(deck.get(GREETING), (200, "hello"))

    def test_state_is_set_and_removed(self):
        deck = self.start()
        page = self.open_live(deck)
        page.get_by_role("tab", name="State").click()
        page.get_by_label("Key").fill("cart")
        page.get_by_label("Value", exact=True).fill("full")
        page.get_by_role("button", name="Set", exact=True).click()
        expect(page.get_by_label("Value of cart")).to_have_value("full")
        self.assertEqual(deck.call("GET", "sessions/default/state")["state"]["cart"], "full")
        page.get_by_role("button", name="Remove cart").click()
        expect(page.get_by_label("Value of cart")).to_have_count(0)

    def test_recording_says_why_it_cannot_be_started(self):
        page = self.open_live(self.start())
        page.get_by_role("tab", name="Session").click()
        expect(page.locator("#recording-reason")).to_be_visible()
        expect(page.get_by_role("button", name="Start recording")).to_be_disabled()

    # Files of other tools

    def open_with_files(self):
        """A deck with a folder of cassettes of its own, and its page at the panel with the files."""
        folder = self.enterContext(tempfile.TemporaryDirectory())
        deck = self.start("--cassettes", folder)
        page = self.open_live(deck)
        page.get_by_role("tab", name="Session").click()
        return deck, page

    def test_a_file_is_imported_and_played_in_a_new_session(self):
        deck, page = self.open_with_files()
        with page.expect_file_chooser() as chooser:
            page.get_by_role("button", name="Import files…").click()
        chooser.value.set_files({"name": "users.har", "mimeType": "", "buffer": har(USERS, "ada", None)})
        results = page.locator("#import-results")
        expect(results).to_contain_text("users.har: 1 of 2 entries are in users.")
        expect(results.locator("li")).to_contain_text("does not hold its body of 900 bytes")
        results.get_by_role("button", name="Play users in a new session").click()
        expect(page.locator("#fact-cassettes")).to_have_text("users")
        session = urllib.parse.unquote(page.url).split("session=")[1]
        sets = deck.call("GET", f"sessions/{session}/sets")["sets"]
        self.assertEqual([one["cassette"] for one in sets], ["users"])
        self.assertEqual(page.complaints, [])

    def test_a_file_is_dropped_and_one_that_is_none_of_another_tool_says_so(self):
        deck, page = self.open_with_files()
        drop = """([name, text]) => {
            const data = new DataTransfer();
            data.items.add(new File([text], name));
            for (const type of ["dragenter", "dragover"]) {
                document.body.dispatchEvent(new DragEvent(type, { bubbles: true, dataTransfer: data }));
            }
            const isShown = !document.getElementById("drop-hint").hidden;
            document.body.dispatchEvent(new DragEvent("drop", { bubbles: true, dataTransfer: data }));
            return isShown;
        }"""
        self.assertTrue(page.evaluate(drop, ["users.har", har(USERS, "ada").decode()]))
        expect(page.locator("#drop-hint")).to_be_hidden()
        expect(page.locator("#import-results")).to_contain_text("users.har: 1 of 1 entry are in users.")
        page.evaluate(drop, ["users.har", har(USERS, "ada").decode()])
        expect(page.locator("#toasts")).to_contain_text("exists")
        page.evaluate(drop, ["notes.txt", "<b id='injected'>milk</b>"])
        expect(page.locator("#import-results")).to_contain_text("notes.txt: nothing to play.")
        expect(page.locator("#injected")).to_have_count(0)
        self.assertIn("users", [one["name"] for one in deck.call("GET", "cassettes")["cassettes"]])

    def test_a_cassette_is_exported(self):
        deck, page = self.open_with_files()
        page.get_by_role("button", name="Import files…")
        page.locator("#import-file").set_input_files({"name": "users.har", "mimeType": "", "buffer": har(USERS, "ada")})
        page.get_by_role("button", name="Play users in a new session").click()
        expect(page.get_by_label("Cassette to export")).to_have_value("users")
        page.get_by_label("Format").select_option("HAR")
        with page.expect_download() as download:
            page.get_by_role("button", name="Export").click()
        self.assertEqual(download.value.suggested_filename, "users.har")
        with open(download.value.path(), encoding="utf-8") as file:
            entries = json.load(file)["log"]["entries"]
        self.assertEqual([entry["response"]["content"]["text"] for entry in entries], ["ada"])
        self.assertEqual(page.complaints, [])

    # Traffic

    def test_an_unmatched_request_shows_its_near_miss(self):
        deck = self.start()
        page = self.open_live(deck)
        self.assertEqual(deck.get(f"{GREETING}?who=ada")[0], 501)
        expect(page.locator("#unmatched")).to_have_text("1 unmatched")
        page.locator(".row[data-kind=unmatched]").click()
        detail = page.locator("#detail")
        expect(detail.locator(".misses caption").first).to_contain_text("greeting")
        expect(detail.locator('.misses [data-met="false"]').first).to_contain_text("ada")
        expect(detail.locator(".remedy")).to_contain_text("tapedeck append")
        page.keyboard.press("Escape")
        expect(detail).to_be_hidden()
        page.locator(".row[data-kind=unmatched]").click()
        detail.get_by_role("button", name="Close").press("Enter")
        expect(detail).to_be_hidden()
        expect(page.locator("#traffic-list")).to_be_focused()
        self.assertEqual(page.complaints, [])

    def test_a_request_to_a_host_that_is_not_on_tape_says_so(self):
        deck = self.start()
        page = self.open_live(deck)
        self.assertEqual(deck.get("http://elsewhere.example/x")[0], 501)
        row = page.locator(".row[data-kind=unmatched]")
        expect(row.locator(".answer")).to_have_text("nothing on tape is for http://elsewhere.example")
        row.click()
        heading = page.locator("#detail .unmatched h3")
        expect(heading).to_have_text("Nothing on tape is for http://elsewhere.example")

    def test_a_body_is_shown_as_text_and_never_as_markup(self):
        deck = self.start()
        page = self.open_live(deck)
        deck.get(MARKUP)
        page.locator(".row").filter(has_text="markup · found").click()
        expect(page.locator("#detail pre")).to_have_text('<b id="injected">bold</b>')
        expect(page.locator("#injected")).to_have_count(0)

    def test_an_answer_that_is_under_way_says_so(self):
        deck = self.start("--select", "greeting=late")
        page = self.open_live(deck)
        deck.get(MARKUP)
        connection = deck.get_late(GREETING)
        with contextlib.closing(connection):
            expect(page.locator("#traffic-count")).to_have_text("2 requests")
            page.locator("#traffic-outcome").select_option("under way")
            expect(page.locator("#traffic-count")).to_have_text("1 of 2 requests")
            page.locator("#request-2").click()
            expect(page.locator("#detail .facts")).to_contain_text("under way")
            # Its client has nothing of it yet.
            expect(page.locator("#detail")).to_contain_text("There is none.")
        expect(page.locator("#detail .facts")).to_contain_text("abandoned")
        expect(page.locator("#traffic-count")).to_have_text("0 of 2 requests")

    def test_only_the_visible_rows_of_5000_are_in_the_page(self):
        deck = self.start()
        page = self.open_live(deck)
        deck.get_often(GREETING, 4_999)
        deck.get(f"{GREETING}?who=last")
        expect(page.locator("#traffic-count")).to_have_text("5,000 requests", timeout=30_000)
        expect(page.locator("#request-5000")).to_be_in_viewport()
        self.assertLess(page.locator("#traffic-space .row").count(), 60)

        page.locator("#traffic-list").evaluate("list => { list.scrollTop = 0 }")
        expect(page.locator("#request-1")).to_be_in_viewport()
        expect(page.locator("#traffic-follow")).to_have_attribute("aria-pressed", "false")
        deck.get(GREETING)
        expect(page.locator("#traffic-count")).to_have_text("5,001 requests")
        expect(page.locator("#request-1")).to_be_in_viewport()

        page.keyboard.press("/")
        page.keyboard.type("WHO=last")
        expect(page.locator("#traffic-count")).to_have_text("1 of 5,001 requests")
        expect(page.locator("#request-5000")).to_be_in_viewport()

    def test_the_list_of_traffic_is_walked_with_arrow_keys(self):
        deck = self.start()
        deck.get_often(GREETING, 100)
        page = self.open_live(deck)
        expect(page.locator("#request-100")).to_be_in_viewport()
        page.locator("#traffic-list").focus()
        page.keyboard.press("Home")
        expect(page.locator("#request-1")).to_have_attribute("aria-selected", "true")
        page.keyboard.press("ArrowDown")
        expect(page.locator("#traffic-list")).to_have_attribute("aria-activedescendant", "request-2")
        expect(page.locator("#detail-title")).to_contain_text(GREETING)
        page.keyboard.press("End")
        expect(page.locator("#request-100")).to_be_in_viewport()
        self.assertTrue(page.url.endswith("#session=default&request=100"), page.url)

    # Sessions

    def test_a_session_is_linked_and_steered_apart_from_others(self):
        deck = self.start()
        session = deck.call("POST", "sessions", {"name": "apart"})
        page = self.open_live(deck, f"#session={session['id']}")
        page.locator("[data-name=busy]").click()
        expect(page.locator("[data-name=busy]")).to_have_attribute("aria-pressed", "true")
        key = f"{session['id']}:{session['token']}"
        self.assertEqual(deck.get(GREETING, **{"X-Tapedeck-Session": key}), (503, "come back later"))
        self.assertEqual(deck.get(GREETING), (200, "hello"))
        expect(page.locator("#traffic-count")).to_have_text("1 request")

        page.locator("#session-button").click()
        page.locator(".pick", has_text="default").click()
        expect(page.locator("[data-name=busy]")).to_have_attribute("aria-pressed", "false")
        expect(page.locator(".row", has_text="greeting · friendly")).to_be_visible()

    def test_a_session_is_ended_after_a_question(self):
        deck = self.start()
        session = deck.call("POST", "sessions", {"name": "over"})
        page = self.open_live(deck, f"#session={session['id']}")
        page.locator("#session-button").click()
        page.get_by_role("button", name=f"End {session['id']}").click()
        page.get_by_role("button", name="End it").click()
        expect(page.locator("#gone-text")).to_contain_text("has ended")
        with self.assertRaises(urllib.error.HTTPError) as raised:
            deck.call("GET", f"sessions/{session['id']}")
        self.assertEqual(raised.exception.code, 410)

    def open_on_sessions(self, *cassettes):
        """A deck that only has sessions, with these cassettes in its folder, and its page."""
        folder = self.enterContext(tempfile.TemporaryDirectory())
        for name in cassettes:
            with open(os.path.join(folder, f"{name}.yaml"), "w", encoding="utf-8") as file:
                file.write(CASSETTE)
        deck = self.start("--cassettes", folder, cassette=None, command="serve")
        return deck, self.open(deck)

    def test_a_deck_without_a_session_says_how_to_make_one_and_makes_it_by_one_click(self):
        deck, page = self.open_on_sessions("greetings", "orders")
        expect(page.locator("#link")).to_have_text("no session")
        command = page.locator("#first-session-command")
        expect(command).to_have_text(f"tapedeck session create greetings --deck {deck.control}")
        made = subprocess.run([TAPEDECK, *command.inner_text().split()[1:]], capture_output=True, text=True, timeout=30)
        self.assertEqual(made.returncode, 0, made.stderr)
        self.assertIn(made.stdout.strip(), [one["id"] for one in deck.call("GET", "sessions")["sessions"]])

        page.get_by_role("button", name="Make a session of greetings, orders").press("Enter")
        expect(page.locator("#gone")).to_be_hidden()
        expect(page.locator("#fact-cassettes")).to_have_text("greetings, orders")
        expect(page.locator("#connect-proxy")).to_be_visible()
        self.assertEqual(page.complaints, [])

    def test_a_deck_without_cassettes_offers_a_session_to_record_in(self):
        _, page = self.open_on_sessions()
        expect(page.locator("#first-session-note")).to_contain_text("has no cassettes yet")
        page.get_by_role("button", name="Make a session without cassettes").click()
        expect(page.locator("#fact-cassettes")).to_have_text("none")
        expect(page.get_by_role("button", name="Start recording")).to_be_enabled()

    def test_a_deck_that_is_started_anew_is_shown_from_its_beginning(self):
        deck = self.start()
        ports = [urllib.parse.urlsplit(url).port for url in (deck.proxy, deck.control)]
        page = self.open_live(deck)
        deck.get_often(GREETING, 3)
        expect(page.locator("#traffic-count")).to_have_text("3 requests")
        deck.stop()
        expect(page.locator("#link")).to_have_text("reconnecting")
        banner = page.get_by_role("alert").filter(has_text="The deck does not answer.")
        expect(banner).to_contain_text("Has it ended?")
        # Above the list, which stays to be read.
        self.assertLess(banner.bounding_box()["y"], page.locator("#traffic-list").bounding_box()["y"])
        expect(page.locator("#request-3")).to_be_visible()
        deck = self.start("--port", str(ports[0]), "--control-port", str(ports[1]))
        self.assertEqual(deck.get(f"{GREETING}?who=ada")[0], 501)
        expect(page.locator("#traffic-count")).to_have_text("1 request", timeout=15_000)
        expect(page.locator(".row[data-kind=unmatched]")).to_contain_text("query who is ada")
        expect(banner).to_be_hidden()

    def test_a_deck_that_ends_while_the_page_is_loaded_is_awaited(self):
        deck = self.start()
        page = self.browser.new_page()
        self.addCleanup(page.close)
        is_down = True
        page.route("**/v1/deck", lambda route: route.abort() if is_down else route.continue_())
        page.goto(deck.control)
        expect(page.locator("#dead")).to_be_visible()
        is_down = False
        expect(page.locator("#link")).to_have_text("live")
        expect(page.locator("#dead")).to_be_hidden()

    # The page as such

    def test_a_deck_with_a_token_asks_for_it(self):
        with tempfile.NamedTemporaryFile("w", suffix=".token") as file:
            file.write("correct-horse-battery-staple\n")
            file.flush()
            deck = self.start("--token-file", file.name)
        page = self.open(deck)
        page.locator("#token-input").fill("wrong")
        page.keyboard.press("Enter")
        expect(page.locator("#token-note")).to_contain_text("does not take")
        page.locator("#token-input").fill("correct-horse-battery-staple")
        page.keyboard.press("Enter")
        expect(page.locator("#link")).to_have_text("live")
        page.reload()
        expect(page.locator("#link")).to_have_text("live")

    def test_the_page_sends_requests_only_to_its_deck(self):
        deck = self.start()
        page = self.open_live(deck)
        page.get_by_role("link", name="Trust the CA").click()
        expect(page.get_by_role("heading", level=1)).to_contain_text("Trusting")
        self.assertGreater(len(page.requested), 5)
        self.assertEqual([url for url in page.requested if not url.startswith(f"{deck.control}/")], [])
        self.assertEqual(page.complaints, [])

    def test_the_page_about_trust_works_without_script(self):
        deck = self.start()
        page = self.open(deck, "trust", java_script_enabled=False)
        expect(page.locator("main")).to_contain_text(deck.proxy)
        expect(page.locator("main")).not_to_contain_text("{{")
        with page.expect_download() as download:
            page.get_by_role("link", name="Download as PEM").click()
        with open(download.value.path(), encoding="utf-8") as file:
            self.assertIn("BEGIN CERTIFICATE", file.read())

    def test_nothing_is_wider_than_the_screen(self):
        deck = self.start()
        deck.get(f"{GREETING}?{'a-very-long-parameter=and-its-value&' * 20}")
        for width in (360, 390, 899, 900, 1280, 1600):
            page = self.open_live(deck, width=width)
            if page.get_by_role("tab", name="Traffic").is_visible():
                page.get_by_role("tab", name="Traffic").click()
            page.locator(".row[data-kind=unmatched]").click()
            expect(page.locator("#detail .misses")).to_be_visible()
            with self.subTest(width=width):
                self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), width)
                content = page.locator("#detail-content")
                self.assertLessEqual(content.evaluate("node => node.scrollWidth - node.clientWidth"), 0)

    @unittest.skipUnless(SCREENSHOTS, "PAGE_SCREENSHOTS is not set")
    def test_pictures_to_look_at(self):
        deck = self.start()
        deck.get_often(GREETING, 20)
        deck.get(f"{GREETING}?who=ada")
        for scheme in ("light", "dark"):
            for width in (1280, 390):
                page = self.open_live(deck, width=width, color_scheme=scheme)
                page.screenshot(path=os.path.join(SCREENSHOTS, f"{scheme}-{width}.png"))
                if width == 390:
                    page.get_by_role("tab", name="Traffic").click()
                page.locator(".row[data-kind=unmatched]").click()
                expect(page.locator("#detail .misses")).to_be_visible()
                page.screenshot(path=os.path.join(SCREENSHOTS, f"{scheme}-{width}-unmatched.png"))


if __name__ == "__main__":
    unittest.main()
