#!/usr/bin/env python3
"""Measures what `tapedeck record` costs beside HAProxy, which keeps nothing, and nginx, which stores each answer in a file.

    swift build -c release && Benchmarks/record.py [http] [https] [large]

`http` and `https`: exchanges of 1 KiB, each with another URL, over 32 kept-alive connections, and how long the recording
takes to be saved at Ctrl-C. `large`: one body of 1 GiB. Without a word all three.

TAPEDECK=PATH     the binary (.build/release/tapedeck)
DURATION=5        seconds of load for each server      CONNECTIONS=32   kept-alive connections
SIZE=1024         MiB of the large body

Loopback only. Ends only processes it started. Exits non-zero if an answer is an error.
"""

import os
import re
import signal
import subprocess
import sys
import time

from support import BODY, HERE, Bench, fail, run

DURATION = int(os.environ.get("DURATION", 5))
CONNECTIONS = int(os.environ.get("CONNECTIONS", 32))
SIZE = int(os.environ.get("SIZE", 1024))


def start(bench, kind):
    """The origin's status port, and each server with the URL and the origin that wrk is given, or curl's arguments."""
    is_tls = kind == "https"
    origin, status, haproxy, store, deck, clear = bench.ports(6)
    certificate, key, both = bench.certificate()
    listen = f"ssl; ssl_certificate {certificate}; ssl_certificate_key {key}" if is_tls else ""
    scheme = "https" if is_tls else "http"
    home = bench.folder / "origin"
    home.mkdir()
    if kind == "large":
        piece = os.urandom(1 << 20)
        with open(home / "large.bin", "wb") as file:
            for _ in range(SIZE):
                file.write(piece)
    bench.nginx("origin", status, f"""
server {{
    listen 127.0.0.1:{origin} {listen};
    root .;
    location /items/ {{ return 200 '{BODY}'; }}
    location = /large.bin {{ default_type application/octet-stream; }}
}}
server {{ listen 127.0.0.1:{status}; location / {{ stub_status; }} }}""")
    (bench.folder / "store/kept").mkdir(parents=True)
    servers = {
        "haproxy": bench.haproxy("haproxy", haproxy, f"ssl crt {both}" if is_tls else "",
                                 f"127.0.0.1:{origin}" + (f" ssl verify required ca-file {certificate} sni str(localhost)"
                                                          if is_tls else "")),
        "store": bench.nginx("store", store, f"""
upstream origin {{ server 127.0.0.1:{origin}; keepalive 512; keepalive_requests 1000000000; }}
server {{
    listen 127.0.0.1:{store} {listen};
    location / {{
        proxy_pass {scheme}://origin;
        proxy_http_version 1.1;
        proxy_set_header Connection '';
        proxy_ssl_trusted_certificate {certificate};
        proxy_ssl_verify on;
        proxy_ssl_name localhost;
        proxy_ssl_server_name on;
        proxy_max_temp_file_size 4096m;
        proxy_store {bench.folder}/store/kept$uri;
    }}
}}"""),
        "tapedeck": bench.tapedeck("tapedeck", deck, "record", "recording", "--loopback", "--cassettes",
                                   bench.folder / "cassettes", "--transparent", f"{clear}={origin}",
                                   "--upstream-ca", certificate),
    }
    # Over TLS the generator speaks to Tapedeck as to the origin, since it knows no CONNECT; otherwise as to a proxy.
    ports = {"haproxy": haproxy, "store": store, "tapedeck": clear if is_tls else deck}
    return servers, ports, scheme, origin, status


def accepted(status):
    return int(run("curl", "-sS", f"http://127.0.0.1:{status}/").split("\n")[2].split()[0])


def measure_small(bench, kind):
    servers, ports, scheme, origin, status = start(bench, kind)
    print(f"\n{kind}, 1 KiB, {CONNECTIONS} connections")
    print(f"{'server':<10} {'requests':>10} {'CPU µs/req':>12} {'/haproxy':>10} {'to origin':>11} {'peak MiB':>9}")
    reference = None
    for name, server in servers.items():
        environment = dict(os.environ, ORIGIN=f"localhost:{origin}" if scheme == "https" else f"127.0.0.1:{origin}")
        if name == "tapedeck" and scheme == "http":
            environment["ABSOLUTE"] = "1"
        connections, cpu = accepted(status), server.cpu()
        output = run("wrk", "-t1", f"-c{CONNECTIONS}", f"-d{DURATION}s", "-s", HERE / "record.lua",
                     f"{scheme}://localhost:{ports[name]}/", env=environment, timeout=DURATION + 60)
        requests, broken = map(int, re.search(r"RESULT (\d+) (\d+)", output).groups())
        if requests == 0 or broken:
            fail(f"{name}: {requests} answers, {broken} errors: {output}")
        each = (server.cpu() - cpu) / requests * 1e6
        reference = reference or each
        print(f"{name:<10} {requests:>10} {each:>12.1f} {each / reference:>10.2f} {accepted(status) - connections - 1:>11}"
              f" {server.memory():>9.0f}", flush=True)
    save(servers["tapedeck"])


def save(deck):
    seconds, cpu, peak = deck.stop(signal.SIGINT, timeout=600)
    output = deck.log.read_text()
    if deck.process.returncode:
        fail(f"tapedeck ended with {deck.process.returncode}: {output[-400:]}")
    count = int(re.search(r"record: (\d+) exchanges? recorded", output).group(1))
    print(f"saved {count} exchanges at Ctrl-C in {seconds:.2f} s ({cpu:.2f} s of CPU): for each 100,000 "
          f"{seconds / count * 1e5:.2f} s ({cpu / count * 1e5:.2f}); peak {peak:.0f} MiB")


def measure_large(bench):
    servers, ports, _, origin, _ = start(bench, "large")
    print(f"\none body of {SIZE} MiB")
    print(f"{'server':<10} {'MB/s':>8} {'CPU s':>8} {'/store':>8} {'peak MiB':>9}")
    costs = {}
    for name, server in servers.items():
        proxy = ["-x", f"http://127.0.0.1:{ports[name]}"] if name == "tapedeck" else []
        port = origin if proxy else ports[name]
        begin, cpu = time.monotonic(), server.cpu()
        size = run("curl", "-sSf", "-o", "/dev/null", "-w", "%{size_download}", *proxy, f"http://127.0.0.1:{port}/large.bin")
        seconds = time.monotonic() - begin
        if int(size) != SIZE << 20:
            fail(f"{name}: {size} bytes")
        costs[name] = (seconds, server.cpu() - cpu, server.memory())
    for name, (seconds, cpu, peak) in costs.items():
        print(f"{name:<10} {SIZE * 1.048576 / seconds:>8.0f} {cpu:>8.2f} {cpu / costs['store'][1]:>8.2f} {peak:>9.0f}")
    save(servers["tapedeck"])


def main():
    kinds = sys.argv[1:] or ["http", "https", "large"]
    for kind in kinds:
        if kind not in ("http", "https", "large"):
            fail(f"{kind} is none of http, https and large")
        with Bench("nginx", "haproxy", "wrk", "curl", "openssl") as bench:
            if kind == "large":
                measure_large(bench)
            else:
                measure_small(bench, kind)


if __name__ == "__main__":
    try:
        main()
    except (OSError, subprocess.TimeoutExpired) as error:
        fail(error)
