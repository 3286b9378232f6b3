#!/usr/bin/env python3
"""Measures how long `tapedeck replay` takes to load cassettes of exchanges of 1 KiB, and their memory: after the start, and after
the cassette was changed and loaded again.

    swift build -c release && Benchmarks/loading.py [COUNT …]

TAPEDECK=PATH     the binary (.build/release/tapedeck)

COUNT is 100, 10,000 and 100,000 unless told. The time of the smallest is the start itself. Loopback only.
"""

import subprocess
import sys
import time

from support import BODY, HERE, Bench, fail, run


def load(bench, count):
    body, tape = bench.folder / "body", bench.folder / f"tape-{count}.yaml"
    body.write_text(BODY)
    tape.write_text(run("python3", HERE / "make_cassette.py", str(count), body))
    port = bench.ports(1)[0]
    begin = time.monotonic()
    deck = bench.tapedeck(f"tapedeck-{count}", port, "replay", tape)
    seconds, cpu, peak, resident = time.monotonic() - begin, deck.cpu(), deck.memory(), deck.memory("VmRSS")
    url = f"http://api.example.test/items/{count // 2 - 1}"
    if run("curl", "-sSf", "-x", f"http://127.0.0.1:{port}", url) != BODY:
        fail("wrong answer")
    # One more set, which a reload answers.
    with open(tape, "a") as file:
        file.write(f"""\
  - name: another
    request:
      method: GET
      url: http://api.example.test/another
    variants:
      - name: recorded
        takes:
          - status: 204
""")
    deadline = time.monotonic() + 60
    while subprocess.run(["curl", "-sSf", "-o", "/dev/null", "-x", f"http://127.0.0.1:{port}",
                          "http://api.example.test/another"], capture_output=True).returncode:
        if time.monotonic() > deadline:
            fail("the changed cassette is not loaded")
        time.sleep(0.05)
    time.sleep(1)
    print(f"{count:>9} {seconds:>9.3f} {cpu:>8.3f} {cpu / count * 1e6:>11.1f} {peak:>9.0f} {resident:>13.0f}"
          f" {deck.memory('VmRSS'):>20.0f} {deck.memory():>18.0f}", flush=True)
    deck.stop()


def main():
    with Bench("curl") as bench:
        print(f"{'sets':>9} {'seconds':>9} {'CPU s':>8} {'CPU µs/set':>11} {'peak MiB':>9} {'resident MiB':>13}"
              f" {'after a reload MiB':>20} {'peak in all MiB':>18}")
        for count in [int(word) for word in sys.argv[1:]] or [100, 10_000, 100_000]:
            load(bench, count)


if __name__ == "__main__":
    try:
        main()
    except OSError as error:
        fail(error)
