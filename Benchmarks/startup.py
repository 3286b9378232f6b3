#!/usr/bin/env python3
"""Times a proxy from exec to its first accepted connection and its first answer.

    startup.py [--runs 20] --body FILE --log FILE -- COMMAND … PORT …

PORT, as a word of its own, becomes a free port. The first run is shown but not counted.
"""

import argparse
import os
import signal
import socket
import statistics
import sys
import time

TARGET = "http://api.example.test/items/0"
LIMIT = 20.0


def fail(message, log):
    with open(log, errors="replace") as file:
        sys.stderr.write(file.read())
    sys.exit(f"startup.py: {message}")


def stop(pid):
    os.kill(pid, signal.SIGTERM)
    deadline = time.monotonic() + 5
    while os.waitpid(pid, os.WNOHANG) == (0, 0):
        if time.monotonic() > deadline:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            return
        time.sleep(0.002)


def run(command, body, log):
    """Milliseconds to the accepted connection and to the whole answer."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    words = [str(port) if word == "PORT" else word for word in command]
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    files = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, log, flags, 0o600),
        (os.POSIX_SPAWN_DUP2, 1, 2),
    ]
    request = f"GET {TARGET} HTTP/1.1\r\nHost: api.example.test\r\nConnection: close\r\n\r\n".encode()
    start = time.perf_counter()
    pid = os.posix_spawnp(words[0], words, os.environ, file_actions=files)
    ended = False
    try:
        while True:
            sock = socket.socket()
            if sock.connect_ex(("127.0.0.1", port)) == 0:
                break
            sock.close()
            if os.waitpid(pid, os.WNOHANG) != (0, 0):
                ended = True
                fail("the command ended before it listened", log)
            if time.perf_counter() - start > LIMIT:
                fail(f"nothing listens after {LIMIT:.0f} s", log)
        accepted = time.perf_counter()
        with sock:
            sock.settimeout(LIMIT)
            sock.sendall(request)
            answer = b""
            while b"\r\n\r\n" not in answer or not answer.endswith(body):
                piece = sock.recv(65536)
                if not piece:
                    break
                answer += piece
        answered = time.perf_counter()
        if not answer.startswith(b"HTTP/1.1 200") or not answer.endswith(b"\r\n\r\n" + body):
            fail(f"wrong answer: {answer[:300]!r}", log)
    finally:
        if not ended:
            stop(pid)
    return (accepted - start) * 1000, (answered - start) * 1000


def main():
    parser = argparse.ArgumentParser(description="Times the start of a proxy.")
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--body", required=True)
    parser.add_argument("--log", required=True)
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    with open(options.body, "rb") as file:
        body = file.read()

    first = run(options.command, body, options.log)
    print(f"first run, not counted (makes the CA): answered after {first[1]:.1f} ms")
    times = [run(options.command, body, options.log) for _ in range(options.runs)]
    for name, values in zip(("accepted", "answered"), zip(*times)):
        print(f"{name}: median {statistics.median(values):.1f} ms, min {min(values):.1f}, max {max(values):.1f}"
              f" ({options.runs} runs)")


try:
    main()
except OSError as error:
    sys.exit(f"startup.py: {error}")
