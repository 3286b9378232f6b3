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
import subprocess
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


def run(command, body, log, target=TARGET, port=None):
    """Milliseconds to the accepted connection and to the whole answer."""
    if port is None:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            port = listener.getsockname()[1]
    words = [str(port) if word == "PORT" else word for word in command]
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    files = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, log, flags, 0o600),
        (os.POSIX_SPAWN_DUP2, 1, 2),
    ]
    request = f"GET {target} HTTP/1.1\r\nHost: api.example.test\r\nConnection: close\r\n\r\n".encode()
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


def end(words):
    """Milliseconds of a command that ends by itself."""
    start = time.perf_counter()
    subprocess.run(words, check=True, capture_output=True)
    return (time.perf_counter() - start) * 1000


class Nginx:
    """nginx with one worker that answers as the tape does. Its port stands in its configuration."""

    def __init__(self, folder, body):
        self.folder, self.body = folder, body

    def run(self, log):
        with socket.create_server(("127.0.0.1", 0)) as listener:
            port = listener.getsockname()[1]
        user = "user root;" if os.geteuid() == 0 else ""
        paths = "".join(f"{kind}_temp_path temp/{kind}; " for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        with open(f"{self.folder}/nginx.conf", "w") as file:
            file.write(f"{user} daemon off; pid nginx.pid; worker_processes 1; error_log stderr warn; events {{}} http {{ "
                       f"access_log off; default_type text/plain; {paths} server {{ listen 127.0.0.1:{port}; "
                       f"location / {{ return 200 '{self.body.decode()}'; }} }} }}")
        command = ["nginx", "-p", self.folder, "-c", "nginx.conf", "-e", "stderr"]
        return run(command, self.body, log, "/items/0", port)


def main():
    parser = argparse.ArgumentParser(description="Times the start of a proxy.")
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--body", required=True)
    parser.add_argument("--log", required=True)
    parser.add_argument("--nginx", metavar="FOLDER", help="a folder with a folder temp, for nginx beside it")
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    with open(options.body, "rb") as file:
        body = file.read()

    first = run(options.command, body, options.log)
    print(f"first run, not counted (makes the CA): answered after {first[1]:.1f} ms")
    versions = [end([options.command[0], "--version"]) for _ in range(options.runs)]
    rows = {"tapedeck --version": versions}
    nginx = Nginx(options.nginx, body) if options.nginx else None
    results = {"nginx": [], "tapedeck": []}
    for _ in range(options.runs):
        if nginx:
            results["nginx"].append(nginx.run(options.log))
        results["tapedeck"].append(run(options.command, body, options.log))
    for server, times in results.items():
        for name, values in zip(("accepts", "answers"), zip(*times)):
            rows[f"{server} {name}"] = values
    for name, values in rows.items():
        print(f"{name}: median {statistics.median(values):.1f} ms, min {min(values):.1f}, max {max(values):.1f}"
              f" ({options.runs} runs)")
    if nginx:
        ratio = statistics.median(rows["tapedeck answers"]) / statistics.median(rows["nginx answers"])
        print(f"first answer, tapedeck/nginx: {ratio:.2f}")


try:
    main()
except OSError as error:
    sys.exit(f"startup.py: {error}")
