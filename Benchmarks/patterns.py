#!/usr/bin/env python3
"""Measures what a replayed request costs `tapedeck replay` on tapes of 10 and of 10,000 URL patterns, beside nginx with a
map of as many exact paths.

    swift build -c release && Benchmarks/patterns.py

TAPEDECK=PATH     the binary (.build/release/tapedeck)
DURATION=5        seconds of load for each server      ROUNDS=3         rounds, interleaved
CONNECTIONS=32    kept-alive connections

Every set has a pattern of its own, over 100 hosts; every request is for another of them. Loopback only. Exits non-zero on the
first wrong answer.
"""

import os
import re
import statistics

from support import BODY, HERE, Bench, fail, response_set, run

DURATION = int(os.environ.get("DURATION", 5))
ROUNDS = int(os.environ.get("ROUNDS", 3))
CONNECTIONS = int(os.environ.get("CONNECTIONS", 32))
COUNTS = (10, 10_000)
SPREAD = 100


def path(number):
    return f"/items-{number}/{number * 7919 % 1000}/details"


def pattern(number):
    return f"/items-{number}/[0-9]+/details$"


def host(number):
    return f"api-{number % SPREAD}.example.test"


def tape(count):
    yield "tapedeck: 1\nresponseSets:\n"
    for number in range(count):
        url = f"http://api-{number % SPREAD}[.]example[.]test{pattern(number)}"
        yield response_set(f"item {number}", f"{{ method: GET, urlPattern: '{url}' }}")


def blocks(port, count):
    """A map of the exact paths, a hash look-up: nginx would try regular expressions one after the other."""
    rows = "\n".join(f"    '{host(number)}{path(number)}' 1;" for number in range(count))
    return f"""
map_hash_max_size 65536;
map $host$uri $found {{
    default 0;
{rows}
}}
server {{
    listen 127.0.0.1:{port};
    location / {{
        if ($found) {{ return 200 '{BODY}'; }}
        return 404;
    }}
}}"""


def main():
    with Bench("nginx", "wrk") as bench:
        servers = []
        for count in COUNTS:
            nginx_port, deck_port = bench.ports(2)
            file = bench.folder / f"tape-{count}.yaml"
            file.write_text("".join(tape(count)))
            paths = bench.folder / f"paths-{count}"
            paths.write_text("".join(f"{host(number)} {path(number)}\n" for number in range(count)))
            servers.append((count, paths, nginx_port, bench.nginx(f"nginx-{count}", nginx_port, blocks(nginx_port, count))))
            servers.append((count, paths, deck_port, bench.tapedeck(f"tapedeck-{count}", deck_port, "replay", file)))
        costs = {}
        for turn in range(ROUNDS + 1):
            for count, paths, port, server in servers:
                environment = dict(os.environ, PATHS=str(paths))
                if server.name.startswith("tapedeck"):
                    environment["ABSOLUTE"] = "1"
                cpu, seconds = server.cpu(), DURATION if turn else 1
                output = run("wrk", "-t1", f"-c{CONNECTIONS}", f"-d{seconds}s", "-s", HERE / "patterns.lua",
                             f"http://127.0.0.1:{port}/", env=environment, timeout=seconds + 60)
                requests, broken = map(int, re.search(r"RESULT (\d+) (\d+)", output).groups())
                if requests == 0 or broken:
                    fail(f"{server.name}: {requests} answers, {broken} errors: {output}")
                if turn:  # The first round warms caches.
                    costs.setdefault(server.name, []).append((server.cpu() - cpu) / requests * 1e6)
        medians = {name: statistics.median(values) for name, values in costs.items()}
        print(f"{'patterns':>9} {'server':<10} {'CPU µs/req':>11} {'/nginx':>8} {'/that of 10':>12} {'peak MiB':>9}")
        for count, _, _, server in servers:
            kind = server.name.split("-")[0]
            each = medians[server.name]
            print(f"{count:>9} {kind:<10} {each:>11.1f} {each / medians[f'nginx-{count}']:>8.2f} "
                  f"{each / medians[f'{kind}-{COUNTS[0]}']:>12.2f} {server.memory():>9.0f}")


if __name__ == "__main__":
    try:
        main()
    except OSError as error:
        fail(error)
