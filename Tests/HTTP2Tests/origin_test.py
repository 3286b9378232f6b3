#!/usr/bin/env python3
"""What an origin of HTTP/2 does is what the client gets, live and off the tape; broken frames of an origin harm one
exchange at most.

    TAPEDECK=.build/debug/tapedeck origin_test.py
"""

import pathlib
import shutil
import socket
import socketserver
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import h2.config
import h2.connection
import h2.events
import h2.settings

from decks import Deck, ask
from hpack import Decoder, Encoder
from hyperframe.frame import (
    ContinuationFrame, DataFrame, Frame, GoAwayFrame, HeadersFrame, PingFrame, PushPromiseFrame, RstStreamFrame,
    SettingsFrame, WindowUpdateFrame,
)

# How much more memory a deck may hold after a flood than before it.
MEMORY = 64 << 20
CODES = {"CANCEL": 8, "REFUSED_STREAM": 7, "INTERNAL_ERROR": 2, "ENHANCE_YOUR_CALM": 11, "HTTP_1_1_REQUIRED": 13}


def raw(kind, flags, stream, payload=b"", length=None):
    length = len(payload) if length is None else length
    return length.to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") + payload


def head(stream, *fields, flags=("END_HEADERS",)):
    return HeadersFrame(stream, Encoder().encode(fields, huffman=False), flags=list(flags)).serialize()


def ok(stream, *fields, flags=("END_HEADERS",)):
    return head(stream, (b":status", b"200"), *fields, flags=flags)


def answers(path, stream, request):
    """The frames for a path."""
    name, _, rest = path.strip("/").partition("/")
    end = DataFrame(stream, b"", flags=["END_STREAM"]).serialize()
    if name == "reset":
        return [RstStreamFrame(stream, error_code=CODES[rest]).serialize()]
    if name == "cut":
        return [ok(stream, (b"content-length", b"9")), DataFrame(stream, b"half").serialize(),
                RstStreamFrame(stream, error_code=CODES[rest]).serialize()]
    if name == "goaway":
        return [GoAwayFrame(0, last_stream_id=max(0, stream - 2), error_code=CODES[rest]).serialize(), None]
    if name == "early":
        return [ok(stream, flags=("END_HEADERS", "END_STREAM")), RstStreamFrame(stream, error_code=0).serialize()]
    if name == "interim":
        return [head(stream, (b":status", b"103"), (b"link", b"</a>")), head(stream, (b":status", b"103"), (b"link", b"</b>")),
                ok(stream), DataFrame(stream, b"then").serialize(), end]
    if name == "empty":
        return [ok(stream), DataFrame(stream, b"").serialize(), DataFrame(stream, b"a").serialize(),
                DataFrame(stream, b"").serialize(), DataFrame(stream, b"b").serialize(), end]
    if name == "trailers":
        return [ok(stream, (b"x", b"1"), (b"X-Bytes".lower(), b"\xff\x80"), (b"x", b"2")), DataFrame(stream, b"body").serialize(),
                head(stream, (b"grpc-status", b"0"), (b"x-sum", b"3"), flags=("END_HEADERS", "END_STREAM"))]
    if name == "spaces":
        return [head(stream, (b":status", b"103"), (b"link", b" </a> ")), ok(stream, (b"x-cache", b" \t1.mxp _dca "), (b"x", b"")),
                DataFrame(stream, b"body").serialize(),
                head(stream, (b"x-sum", b"3\t"), flags=("END_HEADERS", "END_STREAM"))]
    if name == "notrailers":
        return [ok(stream, (b"trailer", b"x-sum")), DataFrame(stream, b"body", flags=["END_STREAM"]).serialize()]
    if name == "echo":
        text = "\n".join(f"{n.decode('latin-1')}={v.decode('latin-1')}" for n, v in request).encode("latin-1")
        return [ok(stream), DataFrame(stream, text, flags=["END_STREAM"]).serialize()]
    return HOSTILE[name](stream)


def hostile():
    """Answers that break the rules, or have no end."""
    bomb_encoder = Encoder()
    field = bomb_encoder.encode([(b"x-" + b"a" * 4000, b"b" * 60)], huffman=False)
    status = Encoder().encode([(b":status", b"200")], huffman=False)
    return {
        "pings": lambda s: [PingFrame(0, b"12345678").serialize() * 1000] * 100,
        "settings": lambda s: [SettingsFrame(0).serialize() * 1000] * 100,
        "emptydata": lambda s: [ok(s)] + [DataFrame(s, b"").serialize() * 1000] * 100,
        "interims": lambda s: [head(s, (b":status", b"103")) * 100] * 100,
        "continuations": lambda s: [HeadersFrame(s, b"").serialize()]
        + [ContinuationFrame(s, b"\x00\x01a\x01b" * 1000).serialize()] * 2000,
        "bomb": lambda s: [HeadersFrame(s, status + field + b"\xbe" * 12_000, flags=["END_HEADERS"]).serialize()],
        "push": lambda s: [PushPromiseFrame(s, 2, status, flags=["END_HEADERS"]).serialize()],
        "overrun": lambda s: [ok(s)] + [DataFrame(s, bytes(16_000)).serialize()] * 1000,
        "window": lambda s: [WindowUpdateFrame(0, window_increment=0x7FFFFFFF).serialize() * 2],
        "zero": lambda s: [raw(0x0, 0, 0, b"data on stream zero")],
        "idle": lambda s: [ok(s + 100)],
        "even": lambda s: [ok(2)],
        "hpack": lambda s: [raw(0x1, 4, s, b"\xff" * 40)],
        "short": lambda s: [raw(0x6, 0, 0, b"short")],
        "huge": lambda s: [raw(0x0, 0, s, b"", length=0xFFFFFF)],
        "unknown": lambda s: [raw(0xFA, 0xFF, 7, b"?"), ok(s, flags=("END_HEADERS", "END_STREAM"))],
        "nostatus": lambda s: [head(s, (b"a", b"b"), flags=("END_HEADERS", "END_STREAM"))],
        "status": lambda s: [head(s, (b":status", b"2x0"), flags=("END_HEADERS", "END_STREAM"))],
        "upgrade": lambda s: [head(s, (b":status", b"101"), flags=("END_HEADERS", "END_STREAM"))],
        "upper": lambda s: [ok(s, (b"Upper", b"case"), flags=("END_HEADERS", "END_STREAM"))],
        "connection": lambda s: [ok(s, (b"connection", b"close"), flags=("END_HEADERS", "END_STREAM"))],
        "crlf": lambda s: [ok(s, (b"a", b"b\r\nc: d"), flags=("END_HEADERS", "END_STREAM"))],
        "length": lambda s: [ok(s, (b"content-length", b"3")), DataFrame(s, b"more than that", flags=["END_STREAM"]).serialize()],
        "preface": lambda s: [b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"],
        "close": lambda s: [None],
    }


HOSTILE = hostile()
PLAYED_ALIKE = [
    *(f"/reset/{code}" for code in CODES), *(f"/cut/{code}" for code in CODES), "/goaway/INTERNAL_ERROR", "/early",
    "/interim", "/empty", "/spaces", "/trailers", "/notrailers",
]


class Handler(socketserver.BaseRequestHandler):
    """Reads requests until their heads have come, and answers each with the frames for its path."""

    def handle(self):
        try:
            self.serve()
        except OSError:
            pass

    def serve(self):
        if self.take(24) != b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n":
            return
        self.request.sendall(SettingsFrame(0).serialize())
        decoder = Decoder()
        while (frame := self.frame()) is not None:
            if isinstance(frame, SettingsFrame) and "ACK" not in frame.flags:
                self.request.sendall(SettingsFrame(0, flags=["ACK"]).serialize())
            elif isinstance(frame, HeadersFrame):
                fields = decoder.decode(frame.data, raw=True)
                path = dict(fields)[b":path"].decode()
                for part in answers(path, frame.stream_id, fields):
                    if part is None:
                        return
                    self.request.sendall(part)

    def take(self, count):
        data = b""
        while len(data) < count:
            piece = self.request.recv(count - len(data))
            if not piece:
                return None
            data += piece
        return data

    def frame(self):
        start = self.take(9)
        if start is None:
            return None
        frame, length = Frame.parse_frame_header(memoryview(start))
        body = self.take(length)
        if body is None:
            return None
        frame.parse_body(memoryview(body))
        return frame


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True


class FewStreams(socketserver.BaseRequestHandler):
    """Takes five requests at a time, and refuses those that come too many. Answers with their bodies."""

    LIMIT = 5
    connections = 0
    refused = 0

    def handle(self):
        type(self).connections += 1
        server = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False))
        server.local_settings[h2.settings.SettingCodes.MAX_CONCURRENT_STREAMS] = 1000
        server.initiate_connection()
        # The limit comes with the first request that is too much, and answers come only then.
        late = True
        bodies, waiting = {}, []
        while True:
            self.request.sendall(server.data_to_send())
            data = self.request.recv(65536)
            if not data:
                return
            for event in server.receive_data(data):
                if isinstance(event, h2.events.RequestReceived):
                    if len(bodies) >= self.LIMIT:
                        type(self).refused += 1
                        if late:
                            server.update_settings({h2.settings.SettingCodes.MAX_CONCURRENT_STREAMS: self.LIMIT})
                            late = False
                        server.reset_stream(event.stream_id, error_code=CODES["REFUSED_STREAM"])
                    else:
                        bodies[event.stream_id] = b""
                elif isinstance(event, h2.events.DataReceived) and event.stream_id in bodies:
                    bodies[event.stream_id] += event.data
                    server.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
                elif isinstance(event, h2.events.StreamEnded) and event.stream_id in bodies:
                    waiting.append(event.stream_id)
            for stream in [] if late else waiting[:1]:
                server.send_headers(stream, [(":status", "200")])
                server.send_data(stream, bodies.pop(stream), end_stream=True)
                waiting.remove(stream)
                # Has the client send something, which brings the next answer.
                server.ping(b"12345678")


class OriginTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.origin = Server(("127.0.0.1", 0), Handler)
        self.port = self.origin.server_address[1]
        threading.Thread(target=self.origin.serve_forever, daemon=True).start()

    def stop_origin(self):
        self.origin.shutdown()
        self.origin.server_close()

    def record(self, *options):
        return Deck(
            self.folder.name, "record", "x", "--loopback", "--reverse", f"http://127.0.0.1:{self.port}",
            "--h2c", f"127.0.0.1:{self.port}", "--record-faults", *options,
        )

    def replay(self):
        return Deck(self.folder.name, "replay", "x", "--reverse", f"http://127.0.0.1:{self.port}")

    def test_the_behaviour_of_an_origin_is_replayed(self):
        with self.record() as deck:
            # A request whose stream is refused is sent again, once.
            live = {path: ask(deck.port, path, "POST", b"") for path in PLAYED_ALIKE}
        self.stop_origin()
        with self.replay() as deck:
            replayed = {path: ask(deck.port, path, "POST", b"") for path in PLAYED_ALIKE}
        for name, code in CODES.items():
            self.assertEqual(live[f"/reset/{name}"]["reset"], code)
            self.assertEqual((live[f"/cut/{name}"]["body"], live[f"/cut/{name}"]["reset"]), (b"half", code))
        self.assertEqual(live["/goaway/INTERNAL_ERROR"]["goaway"], (2, 0))
        self.assertEqual(live["/trailers"]["trailers"], [("grpc-status", "0"), ("x-sum", "3")])
        self.assertEqual(live["/trailers"]["headers"], [("x", "1"), ("x-bytes", "\xff\x80"), ("x", "2")])
        self.assertEqual(live["/interim"]["interim"], [[(":status", "103"), ("link", "</a>")], [(":status", "103"), ("link", "</b>")]])
        self.assertEqual(live["/spaces"]["headers"], [("x-cache", "1.mxp _dca"), ("x", "")])
        self.assertEqual(live["/spaces"]["interim"], [[(":status", "103"), ("link", "</a>")]])
        self.assertEqual(live["/spaces"]["trailers"], [("x-sum", "3")])
        self.assertEqual((live["/empty"]["body"], live["/empty"]["headers"]), (b"ab", []))
        self.assertEqual(replayed, live)
        self.assertIn("0 unmatched, 0 connections opened upstream", deck.said)

    def test_an_origin_with_few_streams(self):
        """Requests wait for their turn, and those that it refuses are sent again, whatever their method."""
        origin = Server(("127.0.0.1", 0), FewStreams)
        port = origin.server_address[1]
        threading.Thread(target=origin.serve_forever, daemon=True).start()
        self.addCleanup(origin.server_close)
        self.addCleanup(origin.shutdown)
        count = 40

        def ask_all(port):
            client = h2.connection.H2Connection(h2.config.H2Configuration(client_side=True))
            client.initiate_connection()
            bodies = {2 * number + 1: b"" for number in range(count)}
            for stream in bodies:
                client.send_headers(stream, [(":method", "POST"), (":scheme", "http"),
                                             (":authority", f"127.0.0.1:{port}"), (":path", f"/{stream}")])
                client.send_data(stream, f"body {stream}".encode(), end_stream=True)
            ended = set()
            with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
                while len(ended) < count:
                    connection.sendall(client.data_to_send())
                    for event in client.receive_data(connection.recv(65536)):
                        if isinstance(event, h2.events.DataReceived):
                            bodies[event.stream_id] += event.data
                            client.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
                        elif isinstance(event, (h2.events.StreamEnded, h2.events.StreamReset)):
                            ended.add(event.stream_id)
            return bodies

        expected = {2 * number + 1: f"body {2 * number + 1}".encode() for number in range(count)}
        with Deck(
            self.folder.name, "record", "few", "--loopback", "--reverse", f"http://127.0.0.1:{port}",
            "--h2c", f"127.0.0.1:{port}",
        ) as deck:
            self.assertEqual(ask_all(deck.port), expected)
        self.assertIn(f"{count} exchanges recorded, 1 connection", deck.said)
        self.assertGreater(FewStreams.refused, 0)
        self.assertEqual(FewStreams.connections, 1)

    def test_a_request_reaches_its_origin_as_it_came(self):
        fields = [("b", "1"), ("te", "trailers"), ("cookie", "a=1"), ("cookie", "b=2; c=3"), ("a", "2"), ("b", "3"),
                  ("x-bytes", b"\xff\x80"), ("empty", "")]
        order = (":path", ":scheme", ":method", ":authority")
        with self.record() as deck:
            seen = ask(deck.port, "/echo", fields=fields, pseudo=order)["body"].decode("latin-1").split("\n")
        self.assertEqual(tuple(line.partition("=")[0] for line in seen[:4]), order)
        def text(value):
            return value.decode("latin-1") if isinstance(value, bytes) else value

        self.assertEqual(seen[4:], [f"{name}={text(value)}" for name, value in fields])

    def test_clients_with_a_full_window_hold_up_nobody(self):
        nghttpd = shutil.which("nghttpd") or shutil.which("nghttpd", path="/usr/sbin")
        if nghttpd is None:
            self.skipTest("nghttpd is not installed")
        with tempfile.TemporaryDirectory() as folder, socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
            free.close()
            pathlib.Path(folder, "big").write_bytes(bytes(8 << 20))
            pathlib.Path(folder, "small").write_bytes(b"small")
            origin = subprocess.Popen([nghttpd, "--no-tls", "-d", folder, str(port)], stdout=subprocess.DEVNULL)
            try:
                with Deck(folder, "passthrough", "--reverse", f"http://127.0.0.1:{port}", "--h2c", "127.0.0.1") as deck:
                    while ask(deck.port, "/small")["body"] != b"small":
                        time.sleep(0.05)
                    # Together they have more than the window of the origin's connection.
                    clients = [self.fill_window(deck.port, "/big") for _ in range(40)]
                    self.assertEqual(ask(deck.port, "/small", timeout=30)["body"], b"small")
                    for client in clients:
                        client.close()
                    self.assertEqual(ask(deck.port, "/small", timeout=30)["body"], b"small")
            finally:
                origin.terminate()
                origin.wait()

    @staticmethod
    def fill_window(port, path):
        """A connection that has received as much of an answer as its window takes."""
        client = h2.connection.H2Connection(h2.config.H2Configuration(client_side=True))
        client.initiate_connection()
        client.send_headers(1, [(":method", "GET"), (":scheme", "http"), (":authority", f"127.0.0.1:{port}"), (":path", path)],
                            end_stream=True)
        connection = socket.create_connection(("127.0.0.1", port), timeout=20)
        connection.sendall(client.data_to_send())
        received = 0
        while received < 65_535:
            for event in client.receive_data(connection.recv(65536)):
                if isinstance(event, h2.events.DataReceived):
                    received += len(event.data)
        return connection

    def test_broken_frames_and_floods_of_an_origin(self):
        with self.record("--read-timeout", "3") as deck:
            for name in HOSTILE:
                with self.subTest(name=name):
                    before = deck.memory()
                    seen = ask(deck.port, f"/{name}", timeout=10)
                    self.assertTrue(seen["ended"] or seen["reset"] not in (None, "silence"), seen)
                    if name not in ("unknown", "emptydata"):
                        self.assertNotEqual((seen["status"], seen["ended"]), ("200", True), seen)
                    self.assertTrue(deck.is_running)
                    self.assertLess(deck.memory() - before, MEMORY)
                    self.assertEqual(ask(deck.port, "/trailers")["body"], b"body")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
