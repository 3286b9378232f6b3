#!/usr/bin/env python3
"""Measures what a new TLS connection costs `tapedeck replay`, beside nginx: to one host again and again, and to 1,000 hosts for
the first time, which have their certificates made meanwhile.

    swift build -c release && Benchmarks/connections.py

TAPEDECK=PATH     the binary (.build/release/tapedeck)
COUNT=2000        connections to one host              HOSTS=1000       hosts

A connection is CONNECT (for Tapedeck), a handshake of TLS 1.3 without resumption, one answer of 1 KiB, and the end. nginx has
one certificate of P-256 for all hosts. Loopback only. Exits non-zero on the first wrong answer.
"""

import os
import socket
import ssl

from support import BODY, Bench, fail, response_set

COUNT = int(os.environ.get("COUNT", 2000))
HOSTS = int(os.environ.get("HOSTS", 1000))


def ask(context, port, host, is_proxy):
    with socket.create_connection(("127.0.0.1", port), timeout=20) as sock:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if is_proxy:
            sock.sendall(f"CONNECT {host}:443 HTTP/1.1\r\nHost: {host}:443\r\n\r\n".encode())
            answer = sock.recv(4096)
            if not answer.startswith(b"HTTP/1.1 200") or not answer.endswith(b"\r\n\r\n"):
                fail(f"CONNECT was answered with {answer!r}")
        with context.wrap_socket(sock, server_hostname=host) as tls:
            tls.sendall(f"GET /item HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
            answer = b""
            while piece := tls.recv(65536):
                answer += piece
    if not answer.startswith(b"HTTP/1.1 200") or not answer.endswith(b"\r\n\r\n" + BODY.encode()):
        fail(f"wrong answer from {host}: {answer[:300]!r}")


def main():
    with Bench("nginx", "openssl") as bench:
        nginx_port, deck_port = bench.ports(2)
        certificate, key, _ = bench.certificate("api.example.test")
        nginx = bench.nginx("nginx", nginx_port, f"""
server {{
    listen 127.0.0.1:{nginx_port} ssl;
    ssl_certificate {certificate};
    ssl_certificate_key {key};
    ssl_protocols TLSv1.2 TLSv1.3;
    location / {{ return 200 '{BODY}'; }}
}}""")
        tape = bench.folder / "tape.yaml"
        request = "{ method: GET, urlTemplate: 'https://{host}.example.test/item' }"
        tape.write_text("tapedeck: 1\nresponseSets:\n" + response_set("item", request))
        deck = bench.tapedeck("tapedeck", deck_port, "replay", tape)
        # The certificate is not checked: this measures, it does not test trust.
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        print(f"{'connections':<24} {'server':<10} {'CPU µs':>8} {'/nginx':>8} {'peak MiB':>9}")
        rows = {
            f"{COUNT} to one host": ["api.example.test"] * COUNT,
            f"{HOSTS} hosts, first time": [f"host-{number}.example.test" for number in range(HOSTS)],
        }
        for row, hosts in rows.items():
            reference = None
            for server, port in ((nginx, nginx_port), (deck, deck_port)):
                ask(context, port, "api.example.test", server is deck)
                cpu = server.cpu()
                for host in hosts:
                    ask(context, port, host, server is deck)
                each = (server.cpu() - cpu) / len(hosts) * 1e6
                reference = reference or each
                print(f"{row:<24} {server.name:<10} {each:>8.1f} {each / reference:>8.2f} {server.memory():>9.0f}", flush=True)


if __name__ == "__main__":
    try:
        main()
    except OSError as error:
        fail(error)
