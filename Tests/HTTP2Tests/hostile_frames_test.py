#!/usr/bin/env python3
"""Floods and broken frames of HTTP/2 against a deck, which must go on answering within bounded memory.

    TAPEDECK=.build/debug/tapedeck hostile_frames_test.py
"""

import pathlib
import socket
import subprocess
import sys
import tempfile
import unittest

from decks import Deck
from hpack import Decoder, Encoder
from hyperframe.frame import (
    ContinuationFrame, DataFrame, HeadersFrame, PingFrame, PriorityFrame, RstStreamFrame, SettingsFrame,
    WindowUpdateFrame,
)

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
CASSETTE = """tapedeck: 1
responseSets:
  - name: a
    request: { method: GET, url: "http://origin.test/a" }
    variants: [{ name: ok, takes: [{ status: 200, body: { text: one } }] }]
"""
# How much more memory the deck may hold after a flood than before it.
MEMORY = 64 << 20


def headers(stream, method=b"GET", path=b"/a", extra=(), flags=("END_HEADERS", "END_STREAM")):
    fields = [(b":method", method), (b":scheme", b"http"), (b":authority", b"origin.test"), (b":path", path), *extra]
    return HeadersFrame(stream, Encoder().encode(fields, huffman=False), flags=list(flags)).serialize()


def raw(kind, flags, stream, payload=b"", length=None):
    length = len(payload) if length is None else length
    return length.to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") + payload


class HostileFramesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        folder = pathlib.Path(cls.folder.name)
        (folder / "a.yaml").write_text(CASSETTE)
        cls.deck = cls.enterClassContext(Deck(folder, "replay", "a.yaml", "--reverse", "http://origin.test"))

    def connect(self):
        client = socket.create_connection(("127.0.0.1", self.deck.port), timeout=5)
        client.sendall(PREFACE + SettingsFrame(0).serialize())
        return client

    def flood(self, *frames):
        """Sends all that the deck takes, until it ends the connection or everything is sent. Returns the code of the
        GOAWAY that came, or None."""
        before = self.deck.memory()
        said = b""
        with self.connect() as client:
            try:
                for frame in frames:
                    client.sendall(frame)
                client.shutdown(socket.SHUT_WR)
                while data := client.recv(65536):
                    said += data
            except OSError:
                pass
        self.assertTrue(self.deck.is_running)
        self.assertLess(self.deck.memory() - before, MEMORY)
        self.assert_answers()
        return self.goaway(said)

    @staticmethod
    def goaway(said):
        while len(said) >= 9:
            length = int.from_bytes(said[:3], "big")
            if said[3] == 7:
                return int.from_bytes(said[13:17], "big")
            said = said[9 + length:]
        return None

    def assert_answers(self):
        answer = subprocess.run(
            ["curl", "-sS", "--max-time", "30", "--noproxy", "*", "--http2-prior-knowledge",
             f"http://127.0.0.1:{self.deck.port}/a"],
            capture_output=True, check=True,
        )
        self.assertEqual(answer.stdout, b"one")

    def test_a_head_that_is_too_large_gets_a_431(self):
        # No single field of more than 64 KiB, which libnghttp2 takes for an error of the connection.
        for extra in [[(b"cookie", b"c" * 60_000), (b"x", b"y" * 10_000)], [(f"x-{i}".encode(), b"v" * 1_000) for i in range(70)]]:
            fields = [(b":method", b"GET"), (b":scheme", b"http"), (b":authority", b"origin.test"), (b":path", b"/a")]
            encoder = Encoder()
            block = encoder.encode(fields + extra, huffman=False)
            parts = [block[start:start + 16_000] for start in range(0, len(block), 16_000)]
            with self.connect() as client:
                client.sendall(HeadersFrame(1, parts[0], flags=["END_STREAM"]).serialize())
                for part in parts[1:-1]:
                    client.sendall(ContinuationFrame(1, part).serialize())
                client.sendall(ContinuationFrame(1, parts[-1], flags=["END_HEADERS"]).serialize())
                # The connection goes on.
                client.sendall(HeadersFrame(3, encoder.encode(fields), flags=["END_HEADERS", "END_STREAM"]).serialize())
                said = b""
                while b"one" not in said and (data := client.recv(65536)):
                    said += data
            statuses, rest, decoder = {}, said, Decoder()
            while len(rest) >= 9:
                length, stream = int.from_bytes(rest[:3], "big"), int.from_bytes(rest[5:9], "big")
                if rest[3] == 1:
                    statuses[stream] = dict(decoder.decode(rest[9:9 + length]))[":status"]
                rest = rest[9 + length:]
            self.assertEqual(statuses, {1: "431", 3: "200"})

    def test_rapid_reset(self):
        self.flood(*(headers(i) + RstStreamFrame(i, error_code=8).serialize() for i in range(1, 40_001, 2)))

    def resets(self, deck, count):
        """Whether a connection takes a request after so many that were reset."""
        with socket.create_connection(("127.0.0.1", deck.port), timeout=10) as client:
            client.sendall(PREFACE + SettingsFrame(0).serialize())
            try:
                for number in range(count):
                    stream = 2 * number + 1
                    body = headers(stream, method=b"POST", flags=["END_HEADERS"])
                    client.sendall(body + RstStreamFrame(stream, error_code=8).serialize())
                client.sendall(headers(2 * count + 1) + PingFrame(0, b"finished").serialize())
                said = b""
                while b"finished" not in said and (data := client.recv(65536)):
                    said += data
            except OSError:
                return False
            return self.goaway(said) is None

    def test_the_limit_of_resets_is_an_option(self):
        arguments = ["replay", "a.yaml", "--reverse", "http://origin.test"]
        self.assertTrue(self.resets(self.deck, 900))
        with Deck(self.folder.name, *arguments, "--max-resets", "2") as deck:
            self.assertTrue(self.resets(deck, 15))
            self.assertFalse(self.resets(deck, 100))
        with Deck(self.folder.name, *arguments, "--max-resets", "0") as deck:
            self.assertTrue(self.resets(deck, 1_500))

    def test_the_limit_of_streams_is_an_option(self):
        arguments = ["replay", "a.yaml", "--reverse", "http://origin.test", "--max-streams", "7"]
        with Deck(self.folder.name, *arguments) as deck, socket.create_connection(("127.0.0.1", deck.port)) as client:
            client.sendall(PREFACE + SettingsFrame(0).serialize())
            self.assertIn(b"\x00\x03\x00\x00\x00\x07", client.recv(65536))

    def test_continuations_without_end(self):
        first = HeadersFrame(1, Encoder().encode([(b":method", b"GET")]), flags=["END_STREAM"]).serialize()
        self.flood(first, *(ContinuationFrame(1, b"\x00\x01a\x01b" * 1000).serialize() for _ in range(2_000)))

    def test_empty_continuations(self):
        first = HeadersFrame(1, b"", flags=["END_STREAM"]).serialize()
        self.flood(first, *(ContinuationFrame(1, b"").serialize() * 1000 for _ in range(200)))

    def test_pings(self):
        self.flood(*(PingFrame(0, b"12345678").serialize() * 1000 for _ in range(300)))

    def test_settings(self):
        self.flood(*(SettingsFrame(0).serialize() * 1000 for _ in range(300)))

    def test_empty_data(self):
        body = headers(1, method=b"POST", flags=["END_HEADERS"])
        few = [body, DataFrame(1, b"").serialize() * 900, DataFrame(1, b"a").serialize()] + [
            DataFrame(1, b"").serialize() * 900, DataFrame(1, b"", flags=["END_STREAM"]).serialize()]
        self.assertIsNone(self.flood(*few))
        self.assertIn(self.flood(body, *(DataFrame(1, b"").serialize() * 1000 for _ in range(500))), (11, None))

    def test_priorities(self):
        self.flood(*(PriorityFrame(i, depends_on=0).serialize() for i in range(1, 60_001, 2)))

    def test_header_list_that_unpacks(self):
        encoder = Encoder()
        first = encoder.encode([(b"x-" + b"a" * 4000, b"b" * 60)], huffman=False)
        # Each byte stands for the whole field from here on.
        fields = Encoder().encode([(b":method", b"GET"), (b":scheme", b"http"), (b":path", b"/a")], huffman=False)
        bomb = fields + first + b"\xbe" * 12_000
        self.flood(*(HeadersFrame(i, bomb, flags=["END_HEADERS", "END_STREAM"]).serialize() for i in range(1, 201, 2)))

    def test_windows_that_overflow(self):
        self.flood(headers(1), *(WindowUpdateFrame(0, window_increment=0x7FFFFFFF).serialize() for _ in range(10)))

    def test_many_streams_with_unread_answers(self):
        self.flood(
            SettingsFrame(0, {SettingsFrame.INITIAL_WINDOW_SIZE: 0}).serialize(), *(headers(i) for i in range(1, 2_001, 2))
        )

    def test_broken_frames(self):
        for frame in [
            raw(0x0, 0, 0, b"data on stream zero"), raw(0x1, 4, 2, b"\x82"), raw(0x1, 4, 1, b"\xff" * 40),
            raw(0x3, 0, 1, b"\x00\x00\x00\x08"), raw(0x3, 0, 1, b"\x00"), raw(0x4, 0, 0, b"\x00" * 5),
            raw(0x5, 4, 1, b"\x00\x00\x00\x02\x82"), raw(0x6, 0, 0, b"short"), raw(0x8, 0, 0, b"\x00\x00\x00\x00"),
            raw(0x9, 4, 1, b"\x82"), raw(0x0, 8, 1, b"\xff"), raw(0x1, 0x2C, 1, b"\xff" * 6), raw(0xFA, 0xFF, 7, b"?"),
            raw(0x0, 0, 1, b"", length=0xFFFFFF), headers(1, extra=[(b"Upper", b"case")]),
            headers(1, extra=[(b"connection", b"close")]), headers(1, extra=[(b"a", b"b\r\nc: d")]),
            headers(1, extra=[(b"transfer-encoding", b"chunked")]), headers(1, path=b""), headers(1, method=b"GE T"),
            headers(1, path=b"/a\r\nHost: other"), headers(1, extra=[(b":path", b"/b")]),
            headers(1, extra=[(b"content-length", b"5")]), headers(1, extra=[(b"host", b"other.test")]),
        ]:
            with self.subTest(frame=frame[:24]):
                self.flood(frame)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
