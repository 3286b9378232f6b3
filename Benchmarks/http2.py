#!/usr/bin/env python3
"""Measures what requests over HTTP/2 cost: replay beside nginx, and record beside recording over HTTP/1.1.

    swift build -c release && Benchmarks/http2.py

TAPEDECK=PATH      the binary (.build/release/tapedeck)
REQUESTS=40000     requests per measurement          ROUNDS=5     rounds, interleaved
STREAMS=32         streams of one connection; over HTTP/1.1 as many connections

The load comes from h2load. Loopback only. Ends only processes it started. Exits non-zero on the first wrong answer.
"""

import os
import re
import statistics

from support import BODY, Bench, fail, response_set, run

REQUESTS = int(os.environ.get("REQUESTS", 40_000))
ROUNDS = int(os.environ.get("ROUNDS", 5))
STREAMS = int(os.environ.get("STREAMS", 32))


def nginx(bench, name, options=""):
    """The server, and its port."""
    port = bench.ports(1)[0]
    server = bench.nginx(name, port, f"server {{ listen 127.0.0.1:{port} {options}; root .; }}")
    (bench.folder / name / "file").write_text(BODY)
    return server, port


def load(server, url, version):
    """CPU microseconds of the server per request, and requests per second."""
    options = ["--h1", "-c", STREAMS] if version == "h1" else ["-c", "1", "-m", STREAMS]
    before = server.cpu()
    said = run("h2load", "-n", REQUESTS, *options, url)
    spent = server.cpu() - before
    if f"{REQUESTS} 2xx" not in said or f"{REQUESTS} succeeded, 0 failed" not in said:
        fail(f"wrong answers from {url}:\n{said}")
    if version != "h1" and "Application protocol: " + ("h2" if "https" in url else "h2c") not in said:
        fail(f"another protocol at {url}:\n{said}")
    rate = float(re.search(r"([0-9.]+) req/s", said).group(1))
    return spent / REQUESTS * 1e6, rate


def compare(title, one, other):
    """Runs both in turn, and prints the medians and their ratio."""
    load(*one), load(*other)
    pairs = [(load(*one), load(*other)) for _ in range(ROUNDS)]
    cpu = [statistics.median(pair[side][0] for pair in pairs) for side in (0, 1)]
    rate = [statistics.median(pair[side][1] for pair in pairs) for side in (0, 1)]
    ratio = statistics.median(a[0] / b[0] for a, b in pairs)
    print(f"{title:52} {cpu[0]:7.1f} {cpu[1]:7.1f} {ratio:6.2f}   {rate[0]:8.0f} {rate[1]:8.0f}", flush=True)


def main():
    with Bench("nginx", "h2load", "openssl") as bench:
        measure(bench)


def measure(bench):
    certificate, key, _ = bench.certificate()
    tape = bench.folder / "x.yaml"
    tape.write_text("tapedeck: 1\nresponseSets:\n" + response_set("file", '{ url: "http://origin.test/file" }'))
    print(f"{REQUESTS} requests, {STREAMS} streams of one connection (HTTP/1.1: {STREAMS} connections), median of {ROUNDS} pairs")
    print(f"{'':52} {'CPU us per request':>15} {'ratio':>6}   {'requests per second':>17}")

    port = bench.ports(1)[0]
    deck = bench.tapedeck("deck", port, "replay", tape, "--reverse", "http://origin.test")
    peer, peer_port = nginx(bench, "clear", "http2")
    compare(
        "replay, cleartext: Tapedeck, nginx",
        (deck, f"http://127.0.0.1:{port}/file", "h2"), (peer, f"http://127.0.0.1:{peer_port}/file", "h2"),
    )
    peer, peer_port = nginx(bench, "tls", f"ssl http2; ssl_certificate {certificate}; ssl_certificate_key {key}")
    compare(
        "replay, TLS: Tapedeck, nginx",
        (deck, f"https://127.0.0.1:{port}/file", "h2"), (peer, f"https://127.0.0.1:{peer_port}/file", "h2"),
    )
    compare(
        "replay, cleartext: HTTP/2, HTTP/1.1",
        (deck, f"http://127.0.0.1:{port}/file", "h2"), (deck, f"http://127.0.0.1:{port}/file", "h1"),
    )

    two = nginx(bench, "two", "http2")[1]
    one = nginx(bench, "one")[1]
    decks = []
    for name, origin in (("of-two", two), ("of-one", one)):
        port = bench.ports(1)[0]
        recording = ["record", bench.folder / f"{name}.yaml", "--loopback", "--reverse", f"http://127.0.0.1:{origin}"]
        decks.append((bench.tapedeck(name, port, *recording, "--h2c", f"127.0.0.1:{two}"), f"http://127.0.0.1:{port}/file"))
    compare("record, cleartext: HTTP/2, HTTP/1.1", (*decks[0], "h2"), (*decks[1], "h1"))


if __name__ == "__main__":
    try:
        main()
    except OSError as error:
        fail(error)
