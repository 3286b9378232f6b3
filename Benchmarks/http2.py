#!/usr/bin/env python3
"""Measures what requests over HTTP/2 cost: replay beside nginx, and record beside recording over HTTP/1.1.

    swift build -c release && Benchmarks/http2.py

TAPEDECK=PATH      the binary (.build/release/tapedeck)
REQUESTS=40000     requests per measurement          ROUNDS=5     rounds, interleaved
STREAMS=32         streams of one connection; over HTTP/1.1 as many connections

CPU is the user and system time of the server, from /proc. The load comes from h2load. Loopback only. Ends only processes
it started. Exits non-zero on the first wrong answer.
"""

import os
import pathlib
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time

BINARY = os.path.abspath(os.environ.get("TAPEDECK", ".build/release/tapedeck"))
REQUESTS = int(os.environ.get("REQUESTS", 40_000))
ROUNDS = int(os.environ.get("ROUNDS", 5))
STREAMS = int(os.environ.get("STREAMS", 32))
TICK = os.sysconf("SC_CLK_TCK")
BODY = ("0123456789abcdef" * 64).encode()


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Server:
    """A process that listens until the end of a block."""

    def __init__(self, port, *command, cwd):
        self.port = port
        self.log = open(pathlib.Path(cwd) / f"{port}.log", "w")
        # A process group of its own, so that an interrupt reaches this program alone, which then ends it.
        self.process = subprocess.Popen(
            command, cwd=cwd, stdout=self.log, stderr=self.log, start_new_session=True,
            env=dict(os.environ, TAPEDECK_CA_DIR=f"{cwd}/ca", XDG_DATA_HOME=f"{cwd}/data"),
        )
        self.pid = self.process.pid
        for _ in range(600):
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                return
            except OSError:
                time.sleep(0.05)
        sys.exit(f"{command[0]} does not listen: {pathlib.Path(self.log.name).read_text()}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        self.log.close()

    def cpu(self):
        """Seconds of user and system time, of all its processes."""
        children = pathlib.Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text().split()
        total = 0
        for pid in [self.pid, *children]:
            fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            total += int(fields[11]) + int(fields[12])
        return total / TICK


def nginx(work, port, tls):
    """One worker, the body as a file, over HTTP/2 or HTTP/1.1 as the client begins."""
    folder = work / f"nginx-{port}"
    folder.mkdir()
    (folder / "www").mkdir()
    (folder / "www/file").write_bytes(BODY)
    options = {
        "h1": "", "h2c": "http2",
        "h2": f"ssl http2; ssl_certificate {work}/leaf.pem; ssl_certificate_key {work}/key.pem",
    }[tls]
    (folder / "nginx.conf").write_text(f"""
        worker_processes 1; error_log stderr error; pid {folder}/pid; daemon off;
        events {{ worker_connections 1024; }}
        http {{
            access_log off; sendfile on; keepalive_requests 100000000; default_type application/octet-stream;
            open_file_cache max=10; client_body_temp_path {folder}/a; proxy_temp_path {folder}/b;
            fastcgi_temp_path {folder}/c; uwsgi_temp_path {folder}/d; scgi_temp_path {folder}/e;
            server {{ listen 127.0.0.1:{port} {options}; root {folder}/www; }}
        }}""")
    return Server(port, "nginx", "-c", folder / "nginx.conf", "-p", folder, cwd=folder)


def load(server, url, version):
    """CPU microseconds of the server per request."""
    options = ["--h1", "-c", str(STREAMS)] if version == "h1" else ["-c", "1", "-m", str(STREAMS)]
    before = server.cpu()
    said = subprocess.run(["h2load", "-n", str(REQUESTS), *options, url], capture_output=True, text=True, check=True).stdout
    spent = server.cpu() - before
    if f"{REQUESTS} 2xx" not in said or f"{REQUESTS} succeeded, 0 failed" not in said:
        sys.exit(f"wrong answers from {url}:\n{said}")
    if version != "h1" and "Application protocol: " + ("h2" if "https" in url else "h2c") not in said:
        sys.exit(f"another protocol at {url}:\n{said}")
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
    missing = [name for name in ("nginx", "h2load", "openssl") if not shutil.which(name)]
    if missing:
        sys.exit(f"missing: {', '.join(missing)}; apt-get install nginx nghttp2-client openssl")
    if not os.access(BINARY, os.X_OK):
        sys.exit(f"no binary at {BINARY}: build it with 'swift build -c release', or set TAPEDECK")
    for name in list(os.environ):
        if name.lower().endswith("_proxy"):
            del os.environ[name]
    with tempfile.TemporaryDirectory() as folder:
        measure(pathlib.Path(folder))


def measure(work):
    work.chmod(0o755)
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
         "-keyout", work / "key.pem", "-out", work / "leaf.pem", "-subj", "/CN=localhost",
         "-addext", "subjectAltName=DNS:localhost"], check=True, capture_output=True,
    )
    (work / "x.yaml").write_text(
        'tapedeck: 1\nresponseSets:\n  - name: file\n    request: { url: "http://origin.test/file" }\n    variants:\n'
        "      - name: ok\n        takes:\n          - status: 200\n            headers:\n"
        "              - content-type: application/octet-stream\n"
        f'              - content-length: "{len(BODY)}"\n            body: {{ text: "{BODY.decode()}" }}\n'
    )
    print(f"{REQUESTS} requests, {STREAMS} streams of one connection (HTTP/1.1: {STREAMS} connections), median of {ROUNDS} pairs")
    print(f"{'':52} {'CPU us per request':>15} {'ratio':>6}   {'requests per second':>17}")

    port = free_port()
    replay = ["replay", "x.yaml", "--reverse", "http://origin.test", "--port", str(port), "--control-port", str(free_port())]
    with Server(port, BINARY, *replay, cwd=work) as deck:
        with nginx(work, free_port(), "h2c") as peer:
            compare(
                "replay, cleartext: Tapedeck, nginx",
                (deck, f"http://127.0.0.1:{port}/file", "h2"), (peer, f"http://127.0.0.1:{peer.port}/file", "h2"),
            )
        with nginx(work, free_port(), "h2") as peer:
            compare(
                "replay, TLS: Tapedeck, nginx",
                (deck, f"https://127.0.0.1:{port}/file", "h2"), (peer, f"https://127.0.0.1:{peer.port}/file", "h2"),
            )
        compare(
            "replay, cleartext: HTTP/2, HTTP/1.1",
            (deck, f"http://127.0.0.1:{port}/file", "h2"), (deck, f"http://127.0.0.1:{port}/file", "h1"),
        )
    with nginx(work, free_port(), "h2c") as two, nginx(work, free_port(), "h1") as one:
        decks = []
        for name, peer in (("two", two), ("one", one)):
            (work / name).mkdir()
            port = free_port()
            decks.append(Server(
                port, BINARY, "record", "y", "--loopback", "--reverse", f"http://127.0.0.1:{peer.port}", "--h2c",
                f"127.0.0.1:{two.port}", "--port", str(port), "--control-port", str(free_port()), cwd=work / name,
            ))
        with decks[0], decks[1]:
            compare(
                "record, cleartext: HTTP/2, HTTP/1.1",
                (decks[0], f"http://127.0.0.1:{decks[0].port}/file", "h2"),
                (decks[1], f"http://127.0.0.1:{decks[1].port}/file", "h1"),
            )


if __name__ == "__main__":
    main()
