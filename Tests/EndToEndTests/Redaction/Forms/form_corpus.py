#!/usr/bin/env python3
"""Secrets in some three hundred forms, and a program and an origin that exchange them over HTTP and HTTPS.

    form_corpus.py list [--quarter N]               the names of the forms, one a line
    form_corpus.py origin --cert FILE --key FILE    serves; prints its two ports; ends with standard input
    form_corpus.py client --seed N [--http PORT] [--https PORT] [--proxy URL --ca FILE] [--ordinary] [--quarter N] [--hold]
                              [--miss] [--h2]
                                                    asks for every form through a proxy (default: that of the
                                                    environment); one JSON line each. `--hold` waits at the end for
                                                    the end of standard input, `--miss` asks at other paths, `--h2`
                                                    speaks HTTP/2 over HTTPS (needs the package h2)
    form_corpus.py shown --control URL              prints what programs show people of the default session's journal:
                                                    URLs, headers and the beginnings of texts
    form_corpus.py check --seed N PATH...           looks for the planted secrets in files and folders, in every
                                                    spelling; prints a line for each one found, and exits with 1

`--ordinary` is about ordinary answers instead, which have no secrets: see `ordinary.py`. `--quarter N`, from 0 to 3, is
about one form in four; it can be repeated.

A form is a kind of secret in a place in an encoding: see `places.py` and `bodies.py`. The seed decides every secret; the
client, the origin and the check make them anew from it. Standard library only.
"""

import argparse
import base64
import gzip
import http.client
import json
import os
import re
import socket
import ssl
import sys
import threading
import urllib.parse
import urllib.request
import zlib

import bodies
import ordinary
import places
from exchange import Exchange, wire
from kinds import spellings, windows

SECRETS = places.FORMS + bodies.FORMS
SCHEMES = ("http", "https")


# MARK: Messages


class Closed(Exception):
    pass


def read_line(file):
    line = file.readline()
    if not line.endswith(b"\n"):
        raise Closed()
    return line.strip()


def read_headers(file):
    headers = []
    while line := read_line(file):
        name, _, value = line.decode("utf-8", "surrogateescape").partition(":")
        headers.append((name, value.strip()))
    return headers


def first(headers, name):
    return next((value for key, value in headers if key.lower() == name), None)


def read_body(file, headers, to_end=False):
    if "chunked" in (first(headers, "transfer-encoding") or ""):
        pieces = []
        while size := int(read_line(file).split(b";")[0], 16):
            pieces.append(file.read(size))
            read_line(file)
        return b"".join(pieces), read_headers(file)
    length = first(headers, "content-length")
    if length is None and to_end:
        return file.read(), []
    return file.read(int(length or 0)), []


# MARK: Origin


def serve_connection(connection, scheme):
    # Each piece is a packet of its own, at once.
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    file = connection.makefile("rb")
    try:
        while True:
            start = read_line(file).decode().split(" ")
            headers = read_headers(file)
            read_body(file, headers)
            forms = ordinary.FORMS if first(headers, "x-ordinary") else SECRETS
            number, seed = int(first(headers, "x-form")), int(first(headers, "x-seed"))
            exchange = Exchange(forms[number], number, seed, scheme)
            if exchange.hints:
                hints = "".join(f"{name}: {value}\r\n" for name, value in exchange.hints)
                connection.sendall(f"HTTP/1.1 103 Early Hints\r\n{hints}\r\n".encode())
            status = f"{start[2]} {exchange.form.status} {http.client.responses[exchange.form.status]}"
            for piece in wire(status, exchange.answer, has_length=True):
                connection.sendall(piece)
            if start[2] == "HTTP/1.0":
                return
    except (Closed, OSError):
        pass
    finally:
        connection.close()


def listen(scheme, context):
    server = socket.create_server(("127.0.0.1", 0), backlog=64)

    def accept():
        while True:
            connection, _ = server.accept()
            threading.Thread(target=begin, args=(connection,), daemon=True).start()

    def begin(connection):
        try:
            serve_connection(context.wrap_socket(connection, server_side=True) if context else connection, scheme)
        except OSError:
            connection.close()

    threading.Thread(target=accept, daemon=True).start()
    return server.getsockname()[1]


def serve(certificate, key):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    print(json.dumps({"http": listen("http", None), "https": listen("https", context)}), flush=True)
    sys.stdin.read()


# MARK: Client


class Client:
    """One connection of a scheme to the proxy, opened anew when it is closed."""

    protocols = ["http/1.1"]

    def __init__(self, scheme, port, proxy, authority):
        self.scheme, self.port, self.authority = scheme, port, authority
        self.proxy = urllib.parse.urlsplit(proxy)
        self.base = f"http://127.0.0.1:{port}" if scheme == "http" else ""
        self.host = f"127.0.0.1:{port}" if scheme == "http" else f"localhost:{port}"
        self.socket = None

    def open(self):
        self.socket = socket.create_connection((self.proxy.hostname, self.proxy.port), timeout=60)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if self.scheme == "https":
            self.socket.sendall(f"CONNECT {self.host} HTTP/1.1\r\nHost: {self.host}\r\n\r\n".encode())
            # Unbuffered: what follows belongs to TLS.
            file = self.socket.makefile("rb", buffering=0)
            status = read_line(file)
            read_headers(file)
            if b" 200 " not in status + b" ":
                raise Closed(status)
            context = ssl.create_default_context(cafile=self.authority)
            context.set_alpn_protocols(self.protocols)
            self.socket = context.wrap_socket(self.socket, server_hostname="localhost")
        self.file = self.socket.makefile("rb")

    def close(self):
        if self.socket:
            self.socket.close()
        self.socket = None

    def ask(self, exchange, headers, prefix=""):
        """The status, the headers and the body of the answer, and its trailers."""
        if not self.socket:
            self.open()
        form = exchange.form
        start = f"{form.method} {self.base}{prefix}{exchange.target} {form.version}"
        message = ([("Host", self.host)] + headers + exchange.request[0], *exchange.request[1:])
        for piece in wire(start, message, has_length=form.method != "GET"):
            self.socket.sendall(piece)
        while True:
            version, status, *_ = read_line(self.file).decode().split(" ", 2)
            answer = read_headers(self.file)
            if not status.startswith("1"):
                break
        is_old = form.version == "HTTP/1.0"
        body, trailers = read_body(self.file, answer, to_end=is_old)
        if is_old or (first(answer, "connection") or "").lower() == "close":
            self.close()
        return int(status), answer, body, trailers


class HTTP2Client(Client):
    """Speaks HTTP/2 with the proxy. Every exchange has a connection of its own."""

    protocols = ["h2"]
    # RFC 9113 section 8.2.2.
    hop_by_hop = {"connection", "transfer-encoding", "keep-alive", "proxy-connection", "upgrade", "te", "host"}

    def ask(self, exchange, headers, prefix=""):
        import h2.connection
        import h2.events

        self.open()
        if self.socket.selected_alpn_protocol() != "h2":
            raise Closed("no HTTP/2")
        wire = h2.connection.H2Connection(h2.config.H2Configuration(header_encoding="utf-8"))
        wire.initiate_connection()
        own, body, _, trailers = exchange.request
        fields = [(":method", exchange.form.method), (":scheme", "https"), (":authority", self.host),
                  (":path", prefix + exchange.target)]
        fields += [(name.lower(), value) for name, value in headers + own if name.lower() not in self.hop_by_hop]
        wire.send_headers(1, fields, end_stream=not body and not trailers)
        self.socket.sendall(wire.data_to_send())
        rest, status, answer, content, ending = body, 0, [], b"", []
        is_sent = not body and not trailers
        while True:
            while not is_sent and (room := min(wire.local_flow_control_window(1), wire.max_outbound_frame_size)):
                piece, rest = rest[:room], rest[room:]
                wire.send_data(1, piece, end_stream=not rest and not trailers)
                if not rest:
                    if trailers:
                        wire.send_headers(1, [(name.lower(), value) for name, value in trailers], end_stream=True)
                    is_sent = True
            self.socket.sendall(wire.data_to_send())
            data = self.socket.recv(65_536)
            if not data:
                raise Closed()
            for event in wire.receive_data(data):
                if isinstance(event, h2.events.ResponseReceived):
                    answer = event.headers
                    status = int(first(answer, ":status"))
                elif isinstance(event, h2.events.DataReceived):
                    content += event.data
                    wire.acknowledge_received_data(event.flow_controlled_length, 1)
                elif isinstance(event, h2.events.TrailersReceived):
                    ending = event.headers
                elif isinstance(event, h2.events.StreamReset):
                    raise Closed(event.error_code)
                elif isinstance(event, h2.events.StreamEnded):
                    self.close()
                    # Names come in small letters.
                    same = [name for name, _ in exchange.answer[3]]
                    ending = [(next((s for s in same if s.lower() == name), name), value) for name, value in ending]
                    return status, answer, content, ending


def asked(options):
    """The forms that the options are about, with their numbers."""
    forms = enumerate(ordinary.FORMS if options.ordinary else SECRETS)
    return [(number, form) for number, form in forms if not options.quarter or number % 4 in options.quarter]


def plain(headers, body):
    coding = first(headers, "content-encoding")
    return gzip.decompress(body) if coding == "gzip" else zlib.decompress(body) if coding == "deflate" else body


def ask_all(options):
    proxy = options.proxy or os.environ["http_proxy"]
    authority = options.ca or os.environ["SSL_CERT_FILE"]
    for scheme, port in zip(SCHEMES, (options.http, options.https)):
        if port is None:
            continue
        client = (HTTP2Client if options.h2 else Client)(scheme, port, proxy, authority)
        for number, form in asked(options):
            exchange = Exchange(form, number, options.seed, scheme)
            headers = [("X-Form", str(number)), ("X-Seed", str(options.seed))]
            if options.ordinary:
                headers.append(("X-Ordinary", "1"))
            line = {"form": f"{scheme} {form.name}", "number": number}
            try:
                status, answer, body, trailers = client.ask(exchange, headers, "/miss" if options.miss else "")
            except (Closed, OSError, ValueError) as error:
                line["failure"] = repr(error)
                client.close()
            else:
                line["status"] = status
                line["isRight"] = status == form.status and first(answer, "x-form") == exchange.path
                line["hasPlaceholder"] = b"{{secret." in plain(answer, body) or "{{secret." in repr(answer)
                if not line["isRight"]:
                    line["text"] = f"{answer} {body.decode('utf-8', 'replace')[:2000]}"
                line["isSame"] = body == exchange.answer[1] and trailers == exchange.answer[3]
                if options.ordinary and not line["isSame"]:
                    line["text"] = plain(answer, body).decode("utf-8", "replace")[:2000]
            print(json.dumps(line), flush=True)
        client.close()
    if options.hold:
        sys.stdin.read()


# MARK: Journal


def shown(control):
    after = 0
    while True:
        url = f"{control}/v1/sessions/default/journal?bodies=true&limit=100&after={after}"
        with urllib.request.urlopen(url) as answer:
            entries = json.load(answer)["entries"]
        if not entries:
            return
        for entry in entries:
            after = entry["number"]
            print(after, entry["method"], entry.get("shownURL", entry["url"]), entry.get("unmatched"))
            for message in (entry.get("request", {}), entry.get("response", {})):
                for name, value in message.get("shownHeaders", message.get("headers", [])):
                    print(f"  {name}: {value}")
                body = message.get("body", {})
                print(f"  {body.get('shownText', body.get('text', ''))[:1024]}")


# MARK: Check


def unpacked(data, depth=0):
    """The bytes of a file, and what is packed in them."""
    yield data
    if depth == 3:
        return
    joined = re.sub(rb"(?<=[A-Za-z0-9+/])\n +(?=[A-Za-z0-9+/]{20})", b"", data)
    for word in re.findall(rb"[A-Za-z0-9+/_-]{16,}", joined):
        for start in {word, *re.split(rb"[/_-]", word)}:
            if len(start) >= 16:
                text = start.replace(b"-", b"+").replace(b"_", b"/")
                try:
                    inner = base64.b64decode(text[: len(text) // 4 * 4])
                except ValueError:
                    continue
                if inner.isascii() or inner[:2] in (b"\x1f\x8b", b"\x78\x9c"):
                    yield from unpacked(inner, depth + 1)
    for unpack in (gzip.decompress, zlib.decompress):
        try:
            yield unpack(data)
        except (OSError, EOFError, zlib.error):
            pass


def check(seed, paths):
    needles = {}
    count = 0
    for scheme in SCHEMES:
        for number, form in enumerate(SECRETS):
            exchange = Exchange(form, number, seed, scheme)
            for place, secret in enumerate(exchange.secrets, 1):
                count += 1
                for part in windows(secret):
                    for spelling in spellings(part):
                        needles.setdefault(spelling[:8], []).append((spelling, f"{scheme} {form.name}, secret {place}"))
    files = []
    for path in paths:
        inner = [os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names]
        files += inner if os.path.isdir(path) else [path]
    leaks = set()
    for file in files:
        with open(file, "rb") as opened:
            content = opened.read()
        for data in unpacked(content):
            for at in range(len(data) - 7):
                for spelling, name in needles.get(data[at : at + 8], ()):
                    if data.startswith(spelling, at):
                        leaks.add(f"{name}, in {os.path.basename(file)}")
    for leak in sorted(leaks):
        print(leak)
    print(f"{len(files)} files searched for {count} secrets of seed {seed}", file=sys.stderr)
    sys.exit(1 if leaks or not files else 0)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=["list", "origin", "client", "shown", "check"])
    parser.add_argument("paths", nargs="*")
    parser.add_argument("--seed", type=int, default=1)
    for name in ("--cert", "--key", "--proxy", "--ca", "--control"):
        parser.add_argument(name)
    for name in ("--http", "--https"):
        parser.add_argument(name, type=int)
    parser.add_argument("--quarter", type=int, action="append")
    for name in ("--hold", "--miss", "--ordinary", "--h2"):
        parser.add_argument(name, action="store_true")
    options = parser.parse_intermixed_args()
    if options.what == "list":
        print("\n".join(form.name for _, form in asked(options)))
    elif options.what == "origin":
        serve(options.cert, options.key)
    elif options.what == "shown":
        shown(options.control)
    elif options.what == "check":
        check(options.seed, options.paths)
    else:
        ask_all(options)


main()
