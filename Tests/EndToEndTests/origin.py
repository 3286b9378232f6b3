#!/usr/bin/env python3
"""An HTTP/1.1 origin that writes exact bytes, for tests that compare live with taped.

    python3 origin.py [--cert leaf.pem --key key.pem] [--host 127.0.0.1] [--verbose]
    python3 origin.py --pool

Prints one JSON line with its ports, `{"http": N, "https": N or null, "httpIPv6": N or null}`,
and serves until standard input ends, so it never outlives the test that holds its pipe.
`--pool` prints the port of a pool of origins, one for each connection to it: see pool().
Standard library only. Nothing in an answer depends on the clock: where a date is sent, it is fixed.

Control, on every port, itself never listed:
    GET  /_requests       every request so far, with header pairs in order and the body's hash
    POST /_reset          forgets requests, counters and releases
    POST /_go?n=1&key=K   lets n chunks of `/slow-chunks?key=K` go (key: empty by default)

Every other path is a function marked `@route` below; its first comment line says what it does.
Rules for all of them: HEAD gets the head alone; a client that speaks HTTP/1.0 or asks to close is
closed on; bodies are read to the end first; `Expect: 100-continue` is granted, except by /status.
"""

import argparse
import base64
import hashlib
import ipaddress
import itertools
import json
import os
import re
import select
import socket
import ssl
import struct
import sys
import threading
import time
import urllib.parse
import zlib

BUFFER_SIZE = 256 * 1024
BLOCK_SIZE = 64 * 1024
RELEASE_TIMEOUT = 30.0
FIXED_DATE = "Thu, 01 Jan 2026 00:00:00 GMT"

# Escapes, number spellings and key order that a JSON round trip would not keep.
COMPACT_JSON = (
    '{"name":"Tapedeck","count":3,"price":1.10,"exponent":1e3,"big":12345678901234567890,'
    '"nothing":null,"yes":true,"text":"Gr\u00fc\u00dfe \u2713 \U0001f4fc","escaped":"caf\\u00e9 \\/ \\"q\\"",'
    '"list":[1,2,{"z":1,"a":2}],"empty":{},"none":[]}'
).encode()
PRETTY_JSON = (
    '{\n  "name": "Tapedeck",\n  "count": 3,\n  "list": [\n    1,\n    2\n  ],\n'
    '  "nested": {\n    "z": 1,\n    "a": "caf\u00e9"\n  }\n}\n'
).encode()
COMPRESSIBLE_JSON = (
    "[" + ",".join(f'{{"id":{number},"title":"item number {number}"}}' for number in range(100)) + "]"
).encode()


class Closed(Exception):
    """The peer closed the connection between requests."""


class Malformed(Exception):
    """The request breaks HTTP/1.1; the message says how."""


class State:
    """What all connections share."""

    def __init__(self):
        self.lock = threading.Lock()
        self.connections = itertools.count(1)
        self.verbose = False
        self.reset()

    def reset(self):
        with self.lock:
            self.requests = []
            self.counters = {}
            self.releases = {}

    def release(self, key):
        """The semaphore that holds back the chunks of `key`."""
        with self.lock:
            return self.releases.setdefault(key, threading.Semaphore(0))


STATE = State()
ROUTES = {}
PREFIX_ROUTES = {}


def route(path, keep_body=False, read_body=True):
    """Registers the function that answers `path` (a trailing slash: everything below it).

    keep_body: the handler wants `request.body`. read_body: read the body before the handler runs.
    """

    def register(function):
        (PREFIX_ROUTES if path.endswith("/") else ROUTES)[path] = (function, keep_body, read_body)
        return function

    return register


class Request:
    def __init__(self, method, target, version, headers):
        self.method = method
        self.target = target
        self.version = version
        self.headers = headers
        self.trailers = []
        self.body = b""
        self.body_length = 0
        self.body_hash = None
        self.record = None
        local = re.sub(r"^https?://[^/?#]*", "", target)
        self.path, _, query = local.partition("?")
        self.query = dict(urllib.parse.parse_qsl(query, keep_blank_values=True))

    def all(self, name):
        return [value for key, value in self.headers if key.lower() == name]

    def first(self, name, default=None):
        return next(iter(self.all(name)), default)

    def tokens(self, name):
        """The comma-separated members of a header, in lower case."""
        return [token.strip().lower() for value in self.all(name) for token in value.split(",") if token.strip()]

    def number(self, name, default):
        try:
            return max(0, int(self.query.get(name, default)))
        except ValueError:
            return default

    def accepts(self, coding):
        for token in self.tokens("accept-encoding"):
            name, _, weight = token.replace(" ", "").partition(";q=")
            if name == coding:
                try:
                    return float(weight or 1) > 0
                except ValueError:
                    return False
        return False

    @property
    def is_chunked(self):
        return "chunked" in self.tokens("transfer-encoding")

    @property
    def content_length(self):
        return int(self.first("content-length", "0"))

    @property
    def expects_continue(self):
        return "100-continue" in self.tokens("expect")

    @property
    def wants_close(self):
        if self.version == "HTTP/1.0":
            return "keep-alive" not in self.tokens("connection")
        return "close" in self.tokens("connection")


class Connection:
    """One connection, served by one thread from its first byte to its last."""

    def __init__(self, sock, tls):
        self.sock = sock
        self.tls = tls
        self.number = next(STATE.connections)
        self.storage = memoryview(bytearray(BUFFER_SIZE))
        self.start = 0
        self.end = 0
        self.request = None
        self.open = True

    # Reading

    def fill(self):
        """Adds what has arrived to the buffer; False at the end of the stream."""
        if self.start == self.end:
            self.start = self.end = 0
        elif self.end == BUFFER_SIZE:
            if self.start == 0:
                raise Malformed("head or line too long")
            rest = bytes(self.storage[self.start : self.end])
            self.storage[: len(rest)] = rest
            self.start, self.end = 0, len(rest)
        count = self.sock.recv_into(self.storage[self.end :])
        self.end += count
        return count > 0

    def take(self, limit):
        """Up to `limit` bytes, as a view that is valid until the next read; empty at the end of the stream."""
        if self.start == self.end and not self.fill():
            return self.storage[:0]
        count = min(limit, self.end - self.start)
        view = self.storage[self.start : self.start + count]
        self.start += count
        return view

    def line(self):
        searched = 0
        while True:
            buffered = bytes(self.storage[self.start : min(self.end, self.start + BUFFER_SIZE)])
            found = buffered.find(b"\n", searched)
            if found >= 0:
                self.start += found + 1
                return buffered[:found].removesuffix(b"\r").decode("latin-1")
            searched = len(buffered)
            if not self.fill():
                if searched == 0:
                    raise Closed
                raise Malformed("the stream ended inside a line")

    def fields(self):
        fields = []
        while line := self.line():
            name, colon, value = line.partition(":")
            if not colon or not name or name != name.strip():
                raise Malformed(f"bad header line {line!r}")
            fields.append((name, value.strip(" \t")))
        return fields

    def read_head(self):
        line = ""
        while not line:
            line = self.line()
        parts = line.split(" ")
        if len(parts) != 3 or parts[2] not in ("HTTP/1.1", "HTTP/1.0"):
            raise Malformed(f"bad request line {line!r}")
        request = Request(*parts, self.fields())
        lengths = set(request.all("content-length"))
        if len(lengths) > 1 or any(not length.isdigit() for length in lengths):
            raise Malformed("bad Content-Length")
        if request.all("transfer-encoding") and (lengths or request.tokens("transfer-encoding") != ["chunked"]):
            raise Malformed("bad Transfer-Encoding, or Content-Length beside it")
        return request

    def pieces(self, request):
        """The request body as it arrives, without its framing."""
        if not request.is_chunked:
            yield from self.exactly(request.content_length)
            return
        while True:
            line = self.line()
            try:
                size = int(line.partition(";")[0].strip(), 16)
            except ValueError:
                raise Malformed(f"bad chunk size {line!r}") from None
            if size == 0:
                request.trailers = self.fields()
                return
            yield from self.exactly(size)
            if self.line():
                raise Malformed("no line end after a chunk")

    def exactly(self, count):
        while count:
            piece = self.take(count)
            if not piece:
                raise Malformed("the stream ended inside a body")
            count -= len(piece)
            yield piece

    def read_body(self, request, keep):
        digest = hashlib.sha256()
        kept = []
        for piece in self.pieces(request):
            digest.update(piece)
            request.body_length += len(piece)
            if keep:
                kept.append(bytes(piece))
        request.body = b"".join(kept)
        request.body_hash = digest.hexdigest()
        self.finish_record(request)

    def finish_record(self, request):
        if request.record is not None:
            with STATE.lock:
                request.record.update(
                    complete=True,
                    bodySHA256=request.body_hash,
                    bodyLength=request.body_length,
                    trailers=request.trailers,
                )

    # Writing

    def send(self, data):
        self.sock.sendall(data)

    def head(self, status, headers, version="HTTP/1.1"):
        """The bytes of a head. Text is ISO 8859-1, so any byte can be asked for."""
        lines = [f"{version} {status}"] + [f"{name}: {value}" for name, value in headers]
        if "Connection" not in dict(headers):
            if self.request.wants_close:
                lines.append("Connection: close")
            elif self.request.version == "HTTP/1.0":
                lines.append("Connection: keep-alive")
        return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")

    def answer(self, status, headers, body=b""):
        """A whole response in one write, with Content-Length last among its headers."""
        if isinstance(body, str):
            body = body.encode()
        head = self.head(status, headers + [("Content-Length", len(body))])
        self.send(head if self.request.method == "HEAD" else head + body)

    def answer_bare(self, status, headers):
        """A response whose status allows no body, or which says nothing of one."""
        self.send(self.head(status, headers))

    def answer_json(self, value, status="200 OK", headers=()):
        body = json.dumps(value, separators=(",", ":"))
        self.answer(status, [("Content-Type", "application/json"), *headers], body)

    def answer_chunked(self, status, headers, chunks, trailers=()):
        """A chunked response, one write per chunk; `chunks` holds bytes or (bytes, extension)."""
        if self.request.version == "HTTP/1.0":  # It knows no chunks: the end of the stream ends the body.
            self.send(self.head(status, headers + [("Connection", "close")]))
            if self.request.method != "HEAD":
                for chunk in chunks:
                    self.send(chunk[0] if isinstance(chunk, tuple) else chunk)
            self.close()
            return
        self.send(self.head(status, headers + [("Transfer-Encoding", "chunked")]))
        if self.request.method == "HEAD":
            return
        for chunk in chunks:
            data, extension = chunk if isinstance(chunk, tuple) else (chunk, "")
            self.send(f"{len(data):x}{extension}\r\n".encode() + data + b"\r\n")
        self.send(b"0\r\n" + b"".join(f"{name}: {value}\r\n".encode() for name, value in trailers) + b"\r\n")

    def answer_stream(self, headers, size, blocks):
        self.send(self.head("200 OK", headers + [("Content-Length", size)]))
        if self.request.method == "HEAD":
            return
        for block in blocks:
            self.send(block[: size] if size < len(block) else block)
            size -= len(block)
            if size <= 0:
                return

    # Closing

    def close(self, notify=True, linger=True):
        """FIN, after a close_notify where there is TLS.

        notify: False leaves the close_notify out, which is a truncation to a TLS client.
        linger: read the rest of what the client sends, so that no RST chases the answer.
        """
        if not self.open:
            return
        self.open = False
        try:
            if self.tls and notify:
                self.sock.setblocking(False)
                try:
                    self.sock.unwrap()
                except ssl.SSLError:
                    pass  # Sent; the client's own close_notify is not waited for.
            self.sock.shutdown(socket.SHUT_WR)  # On an SSLSocket this also returns to plain reads.
            if linger:
                self.sock.settimeout(1)
                deadline = time.monotonic() + 1
                while time.monotonic() < deadline and self.sock.recv_into(self.storage):
                    pass
        except (OSError, ValueError):
            pass
        finally:
            self.sock.close()

    def abort(self):
        """RST."""
        self.open = False
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.sock.close()

    # Serving

    def serve(self):
        try:
            while self.open:
                self.request = None
                self.serve_one(self.read_head())
        except Closed:
            pass
        except Malformed as error:
            self.log(f"malformed: {error}")
            self.request = self.request or Request("GET", "/", "HTTP/1.1", [("Connection", "close")])
            try:
                if self.open:
                    self.answer_json({"error": str(error)}, "400 Bad Request", [("Connection", "close")])
            except OSError:
                pass
        except (OSError, ValueError) as error:
            self.log(f"{type(error).__name__}: {error}")
        finally:
            self.close()

    def serve_one(self, request):
        self.request = request
        function, keep_body, read_body = find_route(request.path)
        self.log(f"{request.method} {request.target}")
        if not request.path.startswith("/_"):
            request.record = {
                "method": request.method,
                "target": request.target,
                "version": request.version,
                "headers": request.headers,
                "trailers": [],
                "bodySHA256": None,
                "bodyLength": 0,
                "tls": self.tls,
                "serverName": getattr(self.sock, "server_name", None),
                "connection": self.number,
                "complete": False,
            }
            with STATE.lock:
                STATE.requests.append(request.record)
        if read_body:
            if request.expects_continue:
                self.send(b"HTTP/1.1 100 Continue\r\n\r\n")
            self.read_body(request, keep_body)
        function(self, request)
        if self.open and request.wants_close:
            self.close()

    def log(self, text):
        if STATE.verbose:
            print(f"origin[{self.number}{'s' if self.tls else ''}] {text}", file=sys.stderr, flush=True)


def find_route(path):
    if path in ROUTES:
        return ROUTES[path]
    for prefix, entry in PREFIX_ROUTES.items():
        if path.startswith(prefix):
            return entry
    return not_found, False, True


def not_found(connection, request):
    connection.answer_json({"error": "not found", "path": request.path}, "404 Not Found")


# Control


@route("/_requests")
def requests(connection, _):
    with STATE.lock:
        body = json.dumps(STATE.requests)
    connection.answer("200 OK", [("Content-Type", "application/json")], body)


@route("/_reset")
def reset(connection, _):
    STATE.reset()
    connection.answer_json({"reset": True})


@route("/_go")
def go(connection, request):
    count = request.number("n", 1)
    if count:
        STATE.release(request.query.get("key", "")).release(count)
    connection.answer_json({"released": count})


# Bodies and codings

JSON_TYPE = ("Content-Type", "application/json")


@route("/json")
def compact(connection, _):
    # Compact JSON, with a fixed date.
    headers = [("Date", FIXED_DATE), ("Server", "origin"), ("Content-Type", "application/json; charset=utf-8")]
    connection.answer("200 OK", headers, COMPACT_JSON)


@route("/json-pretty")
def pretty(connection, _):
    # Indented JSON.
    connection.answer("200 OK", [JSON_TYPE], PRETTY_JSON)


@route("/ranged")
def ranged(connection, request):
    # `size` bytes that differ everywhere, with a tag; ranges and conditions are heeded. HEAD gets the head.
    size, tag = request.number("size", 600_000), f'"{request.query.get("tag", "v1")}"'
    body = b"".join(hashlib.sha256(str(at).encode()).digest() for at in range(size // 32 + 1))[:size]
    headers = [("Content-Type", "application/octet-stream"), ("ETag", tag), ("Accept-Ranges", "bytes")]
    if request.first("if-match", tag) != tag:
        return connection.answer("412 Precondition Failed", headers, b"")
    if request.first("if-none-match") == tag:
        return connection.answer("304 Not Modified", headers, b"")
    found = re.fullmatch(r"bytes=(\d*)-(\d*)", request.first("range", ""))
    if request.method != "GET" or not found or request.first("if-range", tag) != tag:
        return connection.answer("200 OK", headers, body)
    first, last = found.groups()
    first, last = (int(first), int(last or size - 1)) if first else (size - int(last), size - 1)
    last = min(last, size - 1)
    if first > last:
        return connection.answer("416 Range Not Satisfiable", headers + [("Content-Range", f"bytes */{size}")], b"")
    headers.append(("Content-Range", f"bytes {first}-{last}/{size}"))
    connection.answer("206 Partial Content", headers, body[first : last + 1])


def gzipped(data):
    """gzip without a time or a name, so that it is the same each time."""
    deflater = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    packed = deflater.compress(data) + deflater.flush()
    return b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff" + packed + struct.pack("<II", zlib.crc32(data), len(data))


@route("/gzip")
def gzip(connection, request):
    # JSON, in gzip when the client accepts it.
    headers = [JSON_TYPE, ("Vary", "Accept-Encoding")]
    if request.accepts("gzip"):
        connection.answer("200 OK", headers + [("Content-Encoding", "gzip")], gzipped(COMPRESSIBLE_JSON))
    else:
        connection.answer("200 OK", headers, COMPRESSIBLE_JSON)


@route("/deflate")
def deflate(connection, request):
    # JSON, in deflate (the zlib format, as the RFC has it) when the client accepts it.
    headers = [JSON_TYPE, ("Vary", "Accept-Encoding")]
    if request.accepts("deflate"):
        connection.answer("200 OK", headers + [("Content-Encoding", "deflate")], zlib.compress(COMPRESSIBLE_JSON, 9))
    else:
        connection.answer("200 OK", headers, COMPRESSIBLE_JSON)


@route("/gzip-chunked")
def gzip_chunked(connection, request):
    # As /gzip, in chunks of 100 bytes.
    headers, body = [JSON_TYPE, ("Vary", "Accept-Encoding")], COMPRESSIBLE_JSON
    if request.accepts("gzip"):
        headers, body = headers + [("Content-Encoding", "gzip")], gzipped(body)
    connection.answer_chunked("200 OK", headers, [body[at : at + 100] for at in range(0, len(body), 100)])


@route("/brotli-fake")
def brotli_fake(connection, _):
    # A coding nobody can undo: bytes that only claim to be Brotli, whatever the client accepts.
    body = bytes(range(256)) + b"not brotli at all"
    connection.answer("200 OK", [("Content-Type", "text/plain"), ("Content-Encoding", "br")], body)


def zlib_stream(data, bits=31, level=6, memory=8, strategy=0, flushed=()):
    packer = zlib.compressobj(level, zlib.DEFLATED, bits, memory, strategy)
    packed, start = b"", 0
    for end in flushed:
        packed += packer.compress(data[start:end]) + packer.flush(zlib.Z_SYNC_FLUSH)
        start = end
    return packed + packer.compress(data[start:]) + packer.flush()


def named_gzip(data, level):
    packed = zlib_stream(data, -15, level)
    head = struct.pack("<BBBBLBB", 0x1F, 0x8B, 8, 8, 1_763_700_000, 2 if level == 9 else 0, 255) + b"data.json\0"
    return head + packed + struct.pack("<II", zlib.crc32(data), len(data))


# Made with the command lines brotli 1.0.9 and zstd 1.5.4.
PACKED_SAMPLES = {
    "brotli-5": "G2oBAERzM2WbagTl+ZQlCBKQTJjlQFbnuptqAnGaBxT1ag8bcA0BbgOdPy+MFgdmvocD3oHffpfoBzzNQRWlgUEjoyYmzcxaWLSyamPTzv7"
    "WTFcutmjLAA==",
    "brotli-11": "oVALQOsocGM9iLjjioS9Rqj0Ituz1RF5HLQ9H+nNEVYgIhDLuyzGv1cNrIASmExsq4CZLEiRmf+9nssljEpUDkLHKAhVqhpNna7B0GRqsbT"
    "ZOpwvxAPhSPQ/",
    "zstd-3": "KLUv/WRrAIUDAMQDeyJpdGVtcyI6IFt7ImlkIjogMCwgIm5hbWUiOiAgMCJ9LCAxMTIyMzM0NDU1NjY3Nzg4OTkxMTEifV19FwAo68HJHmey"
    "JgOxAHTAYAAJMA4gBgwB6IDBABJgHEAMGALQAYMBJMA4gBhQCft25gGxv458",
    "zstd-19": "KLUv/WBrAOUCAPKDDRGgLwYRfCig6h8jn/wIp/6bGrfdCyGEhVIpIXSOMaUQMoYQBvfBXofSzRsEr794y7xOJazxNheoENjL9d+g41YHEBqB"
    "EbpgogeCAyfSJOiGb3g0CpBTD2wK",
    "zstd-stream": "KLUv/QRYhQMAxAN7Iml0ZW1zIjogW3siaWQiOiAwLCAibmFtZSI6ICAwIn0sIDExMjIzMzQ0NTU2Njc3ODg5OTExMSJ9XX0XACjrwckeZ7I"
    "mA7EAdMBgAAkwDiAGDAHogMEAEmAcQAwYAtABgwEkwDiAGFAJ+3bmAbG/jnw=",
}


@route("/coded/")
def coded(connection, request):
    # /coded/HOW: JSON in a content coding, whatever the client accepts; each way gives other bytes.
    how, data = request.path.rpartition("/")[2], COMPRESSIBLE_JSON
    name, _, level = how.partition("-")
    if how in PACKED_SAMPLES:
        codings, body = ["br" if name == "brotli" else "zstd"], base64.b64decode(PACKED_SAMPLES[how])
    elif name == "named":
        codings, body = ["gzip"], named_gzip(data, int(level))
    elif name == "memory":
        codings, body = ["gzip"], zlib_stream(data, 31, 6, int(level))
    elif name == "window":
        codings, body = ["deflate"], zlib_stream(data, int(level), 9)
    elif name == "bare":
        codings, body = ["deflate"], zlib_stream(data, -15, int(level))
    elif name == "strategy":
        codings, body = ["deflate"], zlib_stream(data, 15, 6, 8, int(level))
    elif name == "flushed":
        codings, body = ["gzip"], zlib_stream(data, flushed=(100, 2000, len(data)))
    elif name == "members":
        codings, body = ["gzip"], zlib_stream(data[:500]) + zlib_stream(data[500:], level=9)
    elif name == "twice":
        codings, body = ["gzip", "x-gzip"], zlib_stream(zlib_stream(data), level=1)
    elif name == "followed":
        codings, body = ["gzip"], zlib_stream(data) + b"\0\0\0"
    elif name == "cut":
        codings, body = ["gzip"], zlib_stream(data)[:-20]
    else:
        codings, body = ["gzip"], zlib_stream(data, 31, int(level))
    connection.answer("200 OK", [JSON_TYPE] + [("Content-Encoding", coding) for coding in codings], body)


@route("/chunked")
def chunked(connection, _):
    # Several chunks, one of them with extensions.
    chunks = [b"first,", (b"second,", ";a=b;quoted=\"c;d\""), b"third,", b"x" * 5000, b"\nlast\n"]
    connection.answer_chunked("200 OK", [("Content-Type", "text/plain")], chunks)


@route("/trailers")
def trailers(connection, _):
    # Chunks, then two trailer fields.
    chunks = [b"body before ", b"the trailers\n"]
    checksum = hashlib.sha256(b"".join(chunks)).hexdigest()
    headers = [("Content-Type", "text/plain"), ("Trailer", "X-Checksum, X-Done")]
    connection.answer_chunked("200 OK", headers, chunks, [("X-Checksum", checksum), ("X-Done", "yes")])


@route("/until-close")
def until_close(connection, request):
    # No length: the end of the stream ends the body.
    connection.answer_bare("200 OK", [("Content-Type", "text/plain"), ("Connection", "close")])
    if request.method != "HEAD":
        for part in (b"read me ", b"until ", b"the end\n"):
            connection.send(part)
    connection.close()


@route("/http10")
def http10(connection, request):
    # An HTTP/1.0 response, no length, then closed.
    connection.send(b"HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\n\r\n")
    if request.method != "HEAD":
        connection.send(b"from 1996\n")
    connection.close()


@route("/latin1")
def latin1(connection, _):
    # A body and a header in ISO 8859-1.
    headers = [("Content-Type", "text/plain; charset=iso-8859-1"), ("X-Latin", "caf\xe9")]
    connection.answer("200 OK", headers, "caf\xe9 cr\xe8me \xa3 \xff\n".encode("latin-1"))


@route("/bad-utf8")
def bad_utf8(connection, _):
    # Says UTF-8 and is not.
    connection.answer("200 OK", [("Content-Type", "text/plain; charset=utf-8")], b"ok \xff\xfe \xc3( \xed\xa0\x80 end\n")


@route("/empty")
def empty(connection, _):
    # 200 with a length of 0.
    connection.answer("200 OK", [("Content-Type", "text/plain")])


def noise(seed):
    """Blocks of 64 KiB: x = x * 6364136223846793005 + 1442695040888963407 mod 2^64, x written little endian."""
    state, mask = seed, (1 << 64) - 1
    while True:
        words = []
        for _ in range(BLOCK_SIZE // 8):
            state = (state * 6364136223846793005 + 1442695040888963407) & mask
            words.append(state)
        yield struct.pack(f"<{len(words)}Q", *words)


@route("/binary")
def binary(connection, request):
    # ?size=N: N bytes of noise seeded by N, which do not compress.
    size = request.number("size", 10485760)
    connection.answer_stream([("Content-Type", "application/octet-stream")], size, noise(size))


PATTERN = memoryview((b"0123456789abcdef" * 4096) * 4)


@route("/big")
def big(connection, request):
    # ?size=N: N bytes of a repeating pattern, as fast as Python can send them.
    size = request.number("size", 1 << 30)
    connection.answer_stream([("Content-Type", "application/octet-stream")], size, itertools.repeat(PATTERN))


# Heads


@route("/head-me")
def head_me(connection, _):
    # 1234 bytes; HEAD gets the same head.
    connection.answer("200 OK", [("Content-Type", "text/plain"), ("ETag", '"head-me"')], b"h" * 1234)


@route("/204")
def no_content(connection, _):
    # No body, no length.
    connection.answer_bare("204 No Content", [("X-Deleted", "yes")])


@route("/304")
def not_modified(connection, request):
    # 304 when If-None-Match holds the tag, else 200.
    known = [tag.removeprefix("w/") for tag in request.tokens("if-none-match")]
    headers = [("ETag", '"version-1"'), ("Cache-Control", "max-age=0")]
    if "*" in known or '"version-1"' in known:
        connection.answer_bare("304 Not Modified", headers)
    else:
        connection.answer("200 OK", [("Content-Type", "text/plain"), *headers], b"version 1\n")


@route("/redirect/")
def redirect(connection, request):
    # /redirect/N: N redirects, then /json. ?absolute: with whole URLs.
    hops = int(request.path.rpartition("/")[2])
    location = f"/redirect/{hops - 1}" if hops > 1 else "/json"
    if "absolute" in request.query:
        location = f"{'https' if connection.tls else 'http'}://{request.first('host')}{location}"
        location += "?absolute" if hops > 1 else ""
    connection.answer("302 Found", [("Location", location), ("Content-Type", "text/plain")], b"moved\n")


@route("/cookies")
def cookies(connection, _):
    # Duplicates, mixed case and an order worth keeping.
    headers = [
        ("Set-Cookie", "session=abc123; Path=/; HttpOnly"),
        ("X-Dup", "one"),
        ("X-MiXeD-CaSe", "Yes"),
        ("set-cookie", "theme=dark; Expires=Wed, 01 Jan 2031 00:00:00 GMT"),
        ("x-dup", "two"),
        ("Content-Type", "text/plain"),
        ("X-Empty", ""),
        ("Set-Cookie", "third=a=b; Max-Age=60"),
        ("X-Dup", "three, with comma"),
    ]
    connection.answer("200 OK", headers, b"cookies\n")


@route("/reason")
def reason(connection, _):
    # A status line nobody has a table for.
    connection.answer("299 Quite Unusual Reason", [("Content-Type", "text/plain")], b"unusual\n")


@route("/no-reason")
def no_reason(connection, _):
    # `HTTP/1.1 200 `, an empty reason.
    connection.answer("200 ", [("Content-Type", "text/plain")], b"no reason\n")


@route("/range")
def byte_range(connection, request):
    # 1000 bytes that honour one range.
    body = b"".join(f"{number:04d}\n".encode() for number in range(200))
    headers = [("Content-Type", "text/plain"), ("Accept-Ranges", "bytes"), ("ETag", '"range-1"')]
    match = re.fullmatch(r"bytes=(\d*)-(\d*)", request.first("range", "").replace(" ", ""))
    if (
        request.method != "GET"
        or not match
        or match.groups() == ("", "")
        or request.first("if-range", '"range-1"') != '"range-1"'
    ):
        connection.answer("200 OK", headers, body)
        return
    first, last = match.groups()
    if not first:
        begin, end = max(0, len(body) - int(last)), len(body) - 1
    else:
        begin, end = int(first), min(int(last or len(body)), len(body) - 1)
    if first and last and int(last) < begin:
        connection.answer("200 OK", headers, body)
    elif begin >= len(body) or (not first and int(last) == 0):
        connection.answer("416 Range Not Satisfiable", headers + [("Content-Range", f"bytes */{len(body)}")])
    else:
        headers += [("Content-Range", f"bytes {begin}-{end}/{len(body)}")]
        connection.answer("206 Partial Content", headers, body[begin : end + 1])


@route("/status/", read_body=False)
def status(connection, request):
    # /status/NNN: that status. A client that waits for 100 Continue gets it as the final answer, unread.
    code = request.path.rpartition("/")[2]
    if not re.fullmatch(r"[2-9]\d\d", code):
        not_found(connection, request)
        return
    reasons = {"400": "Bad Request", "401": "Unauthorized", "403": "Forbidden", "404": "Not Found",
               "409": "Conflict", "417": "Expectation Failed", "422": "Unprocessable Content",
               "429": "Too Many Requests", "500": "Internal Server Error", "502": "Bad Gateway",
               "503": "Service Unavailable", "504": "Gateway Timeout"}
    line = f"{code} {reasons.get(code, 'Status')}"
    headers = []
    if request.expects_continue:
        headers = [("Connection", "close")]
    else:
        connection.read_body(request, keep=False)
    if code in ("204", "304"):
        connection.answer_bare(line, headers)
    else:
        connection.answer_json({"status": int(code)}, line, headers)
    if request.expects_continue:
        connection.close()


@route("/early-hints")
def early_hints(connection, request):
    # 103 with a Link, then the answer.
    if request.version == "HTTP/1.1":
        connection.send(b"HTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload; as=style\r\n\r\n")
    connection.answer("200 OK", [("Content-Type", "text/html")], b"<!doctype html><title>hints</title>\n")


# Uploads and echoes


@route("/upload")
@route("/multipart")
def upload(connection, request):
    # The body that arrived: hash, length and type.
    connection.answer_json(
        {"sha256": request.body_hash, "length": request.body_length, "contentType": request.first("content-type")}
    )


@route("/continue")
def expect_continue(connection, request):
    # As /upload; 100 Continue goes out before the body is read, as on every path but /status.
    upload(connection, request)


@route("/sink", read_body=False)
def sink(connection, request):
    # Throws an upload away as fast as it comes; no hash.
    if request.expects_continue:
        connection.send(b"HTTP/1.1 100 Continue\r\n\r\n")
    request.body_length = sum(map(len, connection.pieces(request)))
    connection.finish_record(request)
    connection.answer_json({"length": request.body_length})


@route("/form", keep_body=True)
def form(connection, request):
    # The fields of a URL-encoded form, in order; for GET those of the query.
    text = request.body.decode("latin-1") if request.method == "POST" else request.target.partition("?")[2]
    connection.answer_json({"fields": urllib.parse.parse_qsl(text, keep_blank_values=True)})


@route("/echo", keep_body=True)
def echo(connection, request):
    # Method, target and body as text.
    text = f"{request.method} {request.target}\n\n".encode("latin-1") + request.body
    connection.answer("200 OK", [("Content-Type", "text/plain")], text)


@route("/varied-by-cookies")
def varied_by_cookies(connection, request):
    # The cookies, by which the answer varies.
    text = "; ".join(value for name, value in request.headers if name.lower() == "cookie")
    connection.answer("200 OK", [("Content-Type", "text/plain"), ("Vary", "Cookie")], text.encode())


@route("/echo-headers")
def echo_headers(connection, request):
    # The header pairs as received, in order.
    connection.answer_json(request.headers)


@route("/git/")
def repository(connection, request):
    # /git/NAME/…: a repository with one branch, as a server that knows nothing of Git has it.
    files = {"info/refs": f"{'1' * 40}\trefs/heads/main\n", "HEAD": "ref: refs/heads/main\n"}
    text = files.get("/".join(request.path.split("/")[3:]))
    connection.answer("200 OK" if text else "404 Not Found", [("Content-Type", "text/plain")], (text or "").encode())


# State and time


@route("/counter")
def counter(connection, request):
    # ?key=K: 1, 2, 3, ...
    key = request.query.get("key", "")
    with STATE.lock:
        count = STATE.counters[key] = STATE.counters.get(key, 0) + 1
    connection.answer_json({"count": count})


@route("/flaky")
def flaky(connection, request):
    # ?key=K&fails=N: 503 so many times, then 200.
    key = "flaky " + request.query.get("key", "")
    with STATE.lock:
        count = STATE.counters[key] = STATE.counters.get(key, 0) + 1
    fails = count <= request.number("fails", 1)
    connection.answer_json({"try": count}, "503 Service Unavailable" if fails else "200 OK")


@route("/delay")
def delay(connection, request):
    # ?ms=N: the answer after N milliseconds.
    milliseconds = min(60000, request.number("ms", 100))
    time.sleep(milliseconds / 1000)
    connection.answer_json({"delayed": milliseconds})


@route("/slow-chunks")
def slow_chunks(connection, request):
    # ?n=5&key=K: the head at once, then each chunk only when POST /_go lets it go.
    release = STATE.release(request.query.get("key", ""))

    def chunks():
        for number in range(1, request.number("n", 5) + 1):
            if not release.acquire(timeout=RELEASE_TIMEOUT):
                raise TimeoutError("no POST /_go came")
            yield f"chunk {number}\n".encode()

    connection.answer_chunked("200 OK", [("Content-Type", "text/plain")], chunks())


# Endings


@route("/reset")
def reset_now(connection, _):
    # RST instead of an answer.
    connection.abort()


def begin_of_body(connection):
    connection.send(connection.head("200 OK", [("Content-Type", "text/plain"), ("Content-Length", 1000)]) + b"m" * 100)


@route("/reset-mid")
def reset_mid(connection, _):
    # 100 of 1000 bytes, then RST.
    begin_of_body(connection)
    time.sleep(0.05)  # An RST may overtake data that its receiver has not yet read.
    connection.abort()


@route("/truncate")
def truncate(connection, _):
    # 100 of 1000 bytes, then FIN; over TLS without a close_notify.
    begin_of_body(connection)
    connection.close(notify=False)


@route("/no-answer")
def no_answer(connection, _):
    # FIN instead of an answer.
    connection.close()


@route("/hang-up")
def hang_up(connection, _):
    # FIN instead of an answer; over TLS without a close_notify.
    connection.close(notify=False)


@route("/unasked-101")
def unasked_101(connection, _):
    # Switches protocols although nobody asked for it.
    connection.send(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: nonsense\r\nConnection: upgrade\r\n\r\n")
    connection.close()


@route("/not-http")
def not_http(connection, _):
    # An answer that is no HTTP.
    connection.send(b"SSH-2.0-nonsense\r\n")
    connection.close()


@route("/hang")
def hang(connection, _):
    # Nothing, until the client goes away.
    while connection.take(BUFFER_SIZE):
        pass
    connection.close()


@route("/close-after")
def close_after(connection, _):
    # A response that keeps alive, and a connection that does not.
    connection.answer("200 OK", [("Content-Type", "text/plain")], b"and gone\n")
    connection.close(linger=False)


@route("/upgrade")
def upgrade(connection, request):
    # 101 to `Upgrade: websocket`, then every byte comes back as it is; 426 to anything else.
    if "websocket" not in request.tokens("upgrade"):
        headers = [("Upgrade", "websocket"), ("Connection", "Upgrade"), ("Content-Type", "text/plain")]
        connection.answer("426 Upgrade Required", headers, b"upgrade\n")
        return
    headers = [("Upgrade", "websocket"), ("Connection", "Upgrade")]
    if key := request.first("sec-websocket-key"):
        digest = hashlib.sha1((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode("latin-1")).digest()
        headers.append(("Sec-WebSocket-Accept", base64.b64encode(digest).decode()))
    connection.answer_bare("101 Switching Protocols", headers)
    while piece := connection.take(BUFFER_SIZE):
        connection.send(piece)
    connection.close()


# Listening


def handle(sock, context):
    try:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if context:
            sock.settimeout(10)
            sock = context.wrap_socket(sock, server_side=True)
            sock.settimeout(None)
    except (OSError, ValueError) as error:
        if STATE.verbose:
            print(f"origin: handshake: {error}", file=sys.stderr, flush=True)
        sock.close()
        return
    Connection(sock, tls=context is not None).serve()


def listen(family, host, context=None):
    """Binds a free port, serves it from a thread and returns it."""
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind((host, 0))
    listener.listen(512)

    def accept():
        while True:
            try:
                sock, _ = listener.accept()
            except OSError:
                continue
            threading.Thread(target=handle, args=(sock, context), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    return listener.getsockname()[1]


def tls_context(certificate, key):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    context.set_alpn_protocols(["http/1.1"])

    def remember(sock, name, _):
        sock.server_name = name

    context.sni_callback = remember
    return context


def pool():
    """Forks an origin for each connection, until standard input ends; returns the options of one in its process.

    The connection's first line is the options, a JSON list; then it is the origin's standard input and output. It ends
    when the origin's process has ended, and so its ports are free. A fork takes a few milliseconds, and a start of Python
    with these imports a hundred.
    """
    listener = socket.create_server(("127.0.0.1", 0), backlog=64)
    print(listener.getsockname()[1], flush=True)
    origins = {}  # What tells of a process's end, with the connection.
    while True:
        ready, _, _ = select.select([0, listener, *origins], [], [])
        for ended in set(ready) & set(origins):
            os.waitid(os.P_PIDFD, ended, os.WEXITED)
            os.close(ended)
            origins.pop(ended).close()
        if 0 in ready and not os.read(0, 65536):
            os._exit(0)
        if listener not in ready:
            continue
        connection, _ = listener.accept()
        process = os.fork()
        if process == 0:
            break
        origins[os.pidfd_open(process)] = connection
    listener.close()
    for ended, other in origins.items():
        os.close(ended)
        other.close()
    os.dup2(connection.fileno(), 0)
    os.dup2(connection.fileno(), 1)
    connection.close()
    line = b""
    while not line.endswith(b"\n"):
        piece = os.read(0, 65536)
        if not piece:
            os._exit(0)
        line += piece
    return json.loads(line)


def main():
    arguments = sys.argv[1:]
    if arguments == ["--pool"]:
        arguments = pool()
    parser = argparse.ArgumentParser(description="An HTTP origin that writes exact bytes.")
    parser.add_argument("--host", default="127.0.0.1", help="a loopback address")
    parser.add_argument("--cert", help="PEM certificate (chain) of the HTTPS port")
    parser.add_argument("--key", help="PEM key of the HTTPS port")
    parser.add_argument("--verbose", action="store_true", help="log requests to standard error")
    options = parser.parse_args(arguments)
    if bool(options.cert) != bool(options.key):
        parser.error("--cert and --key go together")
    address = ipaddress.ip_address(options.host)
    if not address.is_loopback:
        parser.error(f"{options.host} is not a loopback address")
    STATE.verbose = options.verbose

    family = socket.AF_INET6 if address.version == 6 else socket.AF_INET
    ports = {"http": listen(family, options.host), "https": None, "httpIPv6": None}
    if options.cert:
        ports["https"] = listen(family, options.host, tls_context(options.cert, options.key))
    try:
        ports["httpIPv6"] = listen(socket.AF_INET6, "::1")
    except OSError:
        pass  # A machine without IPv6.
    print(json.dumps(ports), flush=True)
    try:
        while os.read(0, 65536):
            pass
    except KeyboardInterrupt:
        pass
    os._exit(0)  # Connections that hang do so in threads that nothing else would end.


if __name__ == "__main__":
    main()
