#!/usr/bin/env python3
"""What a person reads on the live page, in a real browser with the real program behind it: names of sets and URLs.

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


if __name__ == "__main__":
    unittest.main()
