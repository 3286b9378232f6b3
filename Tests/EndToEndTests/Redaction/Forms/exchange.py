"""One form of a secret as an exchange: what a client sends for it, and what an origin answers.

A template has `<<KIND>>` where a fresh secret stands, `<<KIND|FORM>>` where it is written in a form, and `<<=N>>` where the
Nth secret of the exchange stands again, in a form of its own if one is named.
"""

import dataclasses
import gzip
import random
import re
import struct
import zlib

from kinds import FORMS, KINDS

MARK = re.compile(r"<<(?:=(?P<again>\d+)|(?P<kind>[a-z0-9 -]+?))(?:\|(?P<form>[a-z0-9 ]+))?>>")


@dataclasses.dataclass
class Message:
    """Templates of one direction."""

    headers: list = dataclasses.field(default_factory=list)
    body: object = ""
    coding: str = ""
    trailers: list = dataclasses.field(default_factory=list)
    # So many bytes in each chunk; 0 is a body with a length.
    chunk: int = 0


@dataclasses.dataclass
class Form:
    name: str
    method: str = "GET"
    # Behind the path that the form has for itself.
    target: str = ""
    request: Message = dataclasses.field(default_factory=Message)
    answer: Message = dataclasses.field(default_factory=Message)
    status: int = 200
    version: str = "HTTP/1.1"
    # Header templates of a 103 (RFC 8297) before the answer.
    hints: list = dataclasses.field(default_factory=list)


def zstd(data):
    """A frame of one raw block (RFC 8878 section 3.1.1)."""
    head = struct.pack("<I", len(data) << 3 | 1)[:3]
    return b"\x28\xb5\x2f\xfd\xa0" + struct.pack("<I", len(data)) + head + data


def brotli(data):
    """One uncompressed meta-block and an empty last one (RFC 7932 section 9.2)."""
    return struct.pack("<I", (len(data) - 1) << 4 | 1 << 20)[:3] + data + b"\x03"


CODINGS = {
    "gzip": lambda data: gzip.compress(data, mtime=0),
    "deflate": zlib.compress,
    "br": brotli,
    "zstd": zstd,
    "gzip, gzip": lambda data: gzip.compress(gzip.compress(data, mtime=0), mtime=0),
}


class Exchange:
    """A form with secrets in it, which the seed, the scheme and the name of the form decide."""

    def __init__(self, form, number, seed, scheme):
        self.form = form
        self.source = random.Random(f"{seed} {scheme} {form.name}")
        self.path = f"/f{number}"
        self.values = []
        self.secrets = []
        headers = [(name, self.filled(value)) for name, value in form.request.headers]
        self.target = self.path + self.filled(form.target)
        self.request = self.message(form.request, headers)
        self.hints = [(name, self.filled(value)) for name, value in form.hints]
        self.answer = self.message(form.answer)
        self.answer[0].append(("X-Form", self.path))

    def filled(self, template):
        return MARK.sub(self.value, template)

    def value(self, mark):
        if mark["again"]:
            value = self.values[int(mark["again"]) - 1]
        else:
            start, secret, *end = KINDS[mark["kind"]](self.source)
            value = "".join([start, secret, *end])
            self.values.append(value)
            self.secrets.append(secret)
        return FORMS[mark["form"] or ""](value)

    def message(self, message, headers=None):
        if headers is None:
            headers = [(name, self.filled(value)) for name, value in message.headers]
        body = message.body(self.filled) if callable(message.body) else self.filled(message.body).encode()
        if message.coding:
            body = CODINGS[message.coding](body)
            headers.append(("Content-Encoding", message.coding))
        return headers, body, message.chunk, [(name, self.filled(value)) for name, value in message.trailers]


def wire(start, message, has_length):
    """A message in the bytes of HTTP/1, in pieces that are to be sent apart."""
    headers, body, chunk, trailers = message
    headers = list(headers)
    if chunk:
        headers.append(("Transfer-Encoding", "chunked"))
        if trailers:
            headers.append(("Trailer", ", ".join(name for name, _ in trailers)))
    elif has_length:
        headers.append(("Content-Length", str(len(body))))
    yield (start + "\r\n" + "".join(f"{name}: {value}\r\n" for name, value in headers) + "\r\n").encode()
    if not chunk:
        if body:
            yield body
        return
    for at in range(0, len(body), chunk):
        piece = body[at : at + chunk]
        yield b"%x\r\n%s\r\n" % (len(piece), piece)
    yield ("0\r\n" + "".join(f"{name}: {value}\r\n" for name, value in trailers) + "\r\n").encode()
