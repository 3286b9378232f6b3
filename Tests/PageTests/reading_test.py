#!/usr/bin/env python3
"""What a person reads on the live page, in a real browser with the real program behind it: names, bodies, and the keys
that lead to them.

    TAPEDECK=.build/debug/tapedeck venv/bin/python Tests/PageTests/reading_test.py

See page_test.py for the set-up.
"""

import json
import unittest

from playwright.sync_api import expect
from support import PageCase

SHOP = "http://api4.shop.example"
LONG = "/v1/catalogue/items/{}/availability-by-warehouse"


def recorded(path, body="{}", media_type="application/json", method="GET", origin=SHOP):
    """A set as a recording has it, named after its request."""
    host = origin.split("://")[1]
    take = {"status": 200, "headers": {"content-type": media_type}, "body": {"text": body}}
    variants = [{"name": "recorded", "takes": [take]}]
    name = f"{method} {host}{path.split('?')[0]}"
    return {"name": name, "request": {"method": method, "url": origin + path}, "variants": variants}


def cassette(*sets):
    return json.dumps({"tapedeck": 1, "responseSets": sets})


class ReadingTest(PageCase):
    def open_live(self, deck, *arguments, sets=1, **options):
        page = self.open(deck, *arguments, **options)
        expect(page.locator("#link")).to_have_text("live")
        expect(page.locator(".set")).to_have_count(sets)
        return page

    # Names

    def open_on_names(self, **options):
        named = recorded("/v1/basket")
        named["name"] = "the basket"
        sets = [named, *(recorded(LONG.format(number)) for number in range(1000, 1006)), recorded("/v1/orders?open=1")]
        deck = self.start(cassette=cassette(*sets))
        for one in sets:
            deck.get(one["request"]["url"])
        return deck, sets, self.open_live(deck, sets=len(sets), **options)

    def test_no_column_says_what_another_says(self):
        deck, sets, page = self.open_on_names()
        rows = page.locator("#traffic-space .row")
        expect(rows).to_have_count(8)
        expect(page.locator("#traffic-origin")).to_have_text(SHOP)
        expect(rows.nth(0).locator(".url")).to_have_text("/v1/basket")
        expect(rows.nth(0).locator(".answer")).to_have_text("the basket · recorded")
        expect(rows.nth(7).locator(".url")).to_have_text("/v1/orders?open=1")
        expect(rows.nth(7).locator(".answer")).to_have_text("recorded")
        # For the mouse and for screen readers, all of it.
        whole = sets[1]["request"]["url"]
        expect(rows.nth(1).locator(".url")).to_have_attribute("title", whole)
        expect(rows.nth(1).locator(".answer")).to_have_attribute("title", f"{sets[1]['name']} · recorded")
        expect(page.get_by_role("option", name=f"GET {whole}, 200, {sets[1]['name']} · recorded")).to_have_count(1)

        cards = page.locator(".set")
        expect(cards.locator("h3")).to_have_text(
            ["the basket", *(f"GET {LONG.format(number)}" for number in range(1000, 1006)), "GET /v1/orders"]
        )
        expect(cards.locator(".request")).to_have_text(["GET /v1/basket", "?open=1"])
        expect(page.get_by_role("heading", name=sets[1]["name"], exact=True)).to_have_attribute("title", sets[1]["name"])
        self.assertEqual(page.complaints, [])

    def test_a_set_whose_request_is_no_url_keeps_its_name(self):
        sets = [
            {"name": "both", "request": {"method": ["GET", "POST"], "url": f"{SHOP}/a/b"}},
            {"name": "some", "request": {"method": "GET", "urlPattern": r"http://api4\.shop\.example/(?<id>\d+)/c"}},
            {"name": "anything", "request": {"host": "api4.shop.example"}},
        ]
        deck = self.start(cassette=cassette(*(one | {"variants": [{"name": "empty", "empty": True}]} for one in sets)))
        page = self.open_live(deck, sets=3)
        expect(page.locator(".set h3")).to_have_text(["both", "some", "anything"])
        requests = ["GET, POST /a/b", r"GET pattern /(?<id>\d+)/c", "any host api4.shop.example"]
        expect(page.locator(".set .request")).to_have_text(requests)

    def test_names_that_are_cut_still_differ(self):
        for width in (1280, 390):
            _, _, page = self.open_on_names(width=width)
            seen = """pieces => pieces.map((piece) => [piece.textContent, piece.scrollWidth - piece.clientWidth])"""
            with self.subTest(width=width):
                for card in page.locator(".set h3").all():
                    self.assertEqual(card.evaluate("node => node.scrollHeight - node.clientHeight"), 0)
                if width == 390:
                    page.get_by_role("tab", name="Traffic").click()
                rows = page.locator("#traffic-space .row", has_text="/availability-by-warehouse")
                expect(rows).to_have_count(6)
                for number, row in enumerate(rows.all(), 1000):
                    pieces = dict(row.locator(".url > span").evaluate_all(seen))
                    self.assertGreater(sum(pieces.values()), 0, "nothing is cut, so nothing is tested")
                    self.assertEqual(pieces[f"/{number}"], 0)

    def test_a_host_is_in_its_row_where_it_is_not_that_of_most(self):
        deck, _, page = self.open_on_names()
        self.assertEqual(deck.get("http://elsewhere.example/x")[0], 501)
        row = page.locator(".row[data-kind=unmatched]")
        expect(row.locator(".url")).to_have_text("http://elsewhere.example/x")
        expect(page.locator("#traffic-origin")).to_have_text(SHOP)
        page.locator("#traffic-search").fill("elsewhere")
        expect(page.locator("#traffic-origin")).to_have_text("http://elsewhere.example")
        expect(row.locator(".url")).to_have_text("/x")

    def test_a_row_says_what_the_nearest_set_has_otherwise(self):
        deck, _, page = self.open_on_names()
        deck.get(f"{SHOP}/v1/orders?open=0")
        expect(page.locator(".row[data-kind=unmatched] .answer")).to_have_text("query open is 0, the tape has 1")

    # Bodies

    def open_on_body(self, one, **options):
        """The page with one request, which is chosen."""
        deck = self.start(cassette=cassette(one))
        page = self.open_live(deck, **options)
        deck.get(one["request"]["url"])
        if page.get_by_role("tab", name="Traffic").is_visible():
            page.get_by_role("tab", name="Traffic").click()
        page.locator("#request-1").click()
        expect(page.locator("#part-response .body")).to_be_visible()
        return deck, page

    def test_a_body_has_most_of_the_window_and_all_of_its_width_on_request(self):
        items = json.dumps([{"id": number} for number in range(300)])
        for width in (1280, 390):
            _, page = self.open_on_body(recorded("/v1/items", items), width=width)
            view = page.locator("#part-response .view")
            with self.subTest(width=width):
                self.assertGreater(view.bounding_box()["height"], 400)
                # With all its headers open there is less, but never too little.
                page.locator("#part-response .message > details > summary").click()
                self.assertGreater(view.bounding_box()["height"], 150)
            if width == 1280:
                page.get_by_role("button", name="Whole window").press("Enter")
                self.assertGreater(view.bounding_box()["height"], 500)
                self.assertGreater(view.bounding_box()["width"], 1200)
                expect(page.locator("#steering")).to_be_hidden()
                page.keyboard.press("Escape")
                expect(page.locator("#steering")).to_be_visible()
                expect(page.locator("#detail")).to_be_visible()
            self.assertEqual(page.complaints, [])

    def test_xml_is_formatted_and_shown_as_sent(self):
        sent = '<?xml version="1.0"?><feed n="1>0"><title>A &amp; b</title><item/><!-- c --><empty></empty></feed>'
        _, page = self.open_on_body(recorded("/feed", sent, "application/atom+xml"))
        view = page.locator("#part-response .view")
        lines = ['<?xml version="1.0"?>', '<feed n="1>0">', "  <title>A &amp; b</title>", "  <item/>", "  <!-- c -->"]
        self.assertEqual(view.inner_text().split("\n"), [*lines, "  <empty></empty>", "</feed>"])
        page.get_by_role("button", name="as sent").click()
        self.assertEqual(view.inner_text(), sent)

    def test_html_is_formatted_and_is_never_a_document(self):
        sent = (
            "<!DOCTYPE html><html><body><script>if (1 < 2) window.ran = 1;\n  x</script><ul><li>one<li>two</ul>"
            "<p>a<br>b</p><img src=/v1/health onerror='window.ran = 1'></body></html>"
        )
        deck, page = self.open_on_body(recorded("/", sent, "text/html"))
        lines = ["<!DOCTYPE html>", "<html>", "  <body>", "    <script>if (1 < 2) window.ran = 1;", "  x</script>"]
        lines += ["    <ul>", "      <li>", "        one", "      <li>", "        two", "    </ul>"]
        lines += ["    <p>", "      a", "      <br>", "      b", "    </p>"]
        lines += ["    <img src=/v1/health onerror='window.ran = 1'>", "  </body>", "</html>"]
        self.assertEqual(page.locator("#part-response .view").inner_text().split("\n"), lines)
        self.assertIsNone(page.evaluate("window.ran ?? null"))
        self.assertEqual([url for url in page.requested if url.endswith("/v1/health")], [])

    def test_a_body_is_searched_also_where_it_is_folded(self):
        items = json.dumps([{"id": number, "name": f"Thing {number}"} for number in range(500)])
        _, page = self.open_on_body(recorded("/v1/items", items))
        view = page.locator("#part-response .view")
        expect(view.locator(".json")).not_to_contain_text("Thing 450")
        page.get_by_role("tab", name="Response").focus()
        page.keyboard.press("/")
        search = page.get_by_label("Search in the response")
        expect(search).to_be_focused()
        page.keyboard.type("tHING 45")
        expect(view.locator("mark")).to_have_count(11)
        expect(page.locator("#part-response .hits")).to_have_text("1 of 11")
        page.keyboard.press("Enter")
        expect(page.locator("#part-response .hits")).to_have_text("2 of 11")
        expect(view.locator("mark.now")).to_be_in_viewport()
        page.keyboard.press("Shift+Enter")
        page.keyboard.press("ArrowUp")
        expect(page.locator("#part-response .hits")).to_have_text("11 of 11")
        page.keyboard.type("x")
        expect(page.locator("#part-response .hits")).to_have_text("not found")
        # The first Escape empties the search, the next one closes the request.
        page.keyboard.press("Escape")
        expect(view.locator(".json")).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.locator("#detail")).to_be_hidden()
        self.assertEqual(page.complaints, [])

    def test_a_long_body_is_loaded_whole_and_searched_to_its_end(self):
        text = "a line of it\n" * 20_000 + "the end"
        _, page = self.open_on_body(recorded("/long", text, "text/plain"))
        search = page.get_by_label("Search in the response")
        search.fill("the end")
        expect(page.locator("#part-response .hits")).to_have_text("not found")
        page.get_by_role("button", name="show all of it").press("Enter")
        expect(search).to_be_focused()
        search.fill("the end")
        expect(page.locator("#part-response .hits")).to_have_text("1 of 1")
        expect(page.locator("#part-response mark")).to_be_in_viewport()

    # Keys

    def test_a_search_of_traffic_leads_on_by_keys_to_what_it_finds(self):
        deck, sets, page = self.open_on_names()
        page.keyboard.press("/")
        page.keyboard.type("warehouse")
        page.keyboard.press("ArrowDown")
        search, title = page.locator("#traffic-search"), page.locator("#detail-title")
        expect(search).to_be_focused()
        expect(search).to_have_attribute("aria-activedescendant", "request-2")
        expect(title).to_contain_text("/items/1000/")
        page.keyboard.press("ArrowDown")
        expect(title).to_contain_text("/items/1001/")
        page.keyboard.press("Enter")
        expect(page.get_by_role("tab", name="Response")).to_be_focused()
        page.keyboard.press("Escape")
        expect(page.locator("#traffic-list")).to_be_focused()
        # Without a move, Enter opens the newest of what was found.
        page.keyboard.press("/")
        page.keyboard.type("100")
        page.keyboard.press("Enter")
        expect(title).to_contain_text("/items/1005/")
        expect(page.get_by_role("tab", name="Response")).to_be_focused()
        self.assertEqual(page.complaints, [])

    def test_a_search_of_sets_leads_on_by_keys_to_what_it_finds(self):
        _, _, page = self.open_on_names()
        page.locator("#tab-sets").focus()
        page.keyboard.press("/")
        page.keyboard.type("orders")
        page.keyboard.press("Enter")
        expect(page.locator(".set")).to_have_count(1)
        expect(page.locator(".set .variant[data-name=recorded]")).to_be_focused()


if __name__ == "__main__":
    unittest.main()
