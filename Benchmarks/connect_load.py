#!/usr/bin/env python3
"""Closed-loop HTTPS load over kept-alive connections, through a proxy's CONNECT or straight to a server.

    connect_load.py (--proxy HOST:PORT | --connect HOST:PORT) --body FILE --pid PID [options] https://HOST/PATH

ab and wrk cannot do this: ab -X begins TLS with the proxy itself instead of sending CONNECT.
Prints one line: requests, seconds, p50 µs, p99 µs, CPU µs of PID and its children, TLS version and cipher.
The clock and the CPU count start when every connection has had its first answer, so handshakes are outside.
Each answer must be a 200 that ends in the very bytes of FILE; anything else ends the run with status 1.
The certificate is not checked: this measures, it does not test trust.
"""

import argparse
import os
import select
import socket
import ssl
import sys
import time
import urllib.parse
from array import array

OK = b"HTTP/1.1 200"


def die(message):
    sys.exit(f"connect_load.py: {message}")


def cpu_time(pid):
    """User and system time of a process, its threads and its children, in microseconds."""
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        processes = [str(pid), *file.read().split()]
    ticks = 0
    for process in processes:
        with open(f"/proc/{process}/stat") as file:
            fields = file.read().rpartition(") ")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks * 1000000 // os.sysconf("SC_CLK_TCK")


def connect(options, host, context):
    name, _, port = (options.proxy or options.connect).rpartition(":")
    sock = socket.create_connection((name, int(port)), timeout=20)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if options.proxy:
        sock.sendall(f"CONNECT {host}:443 HTTP/1.1\r\nHost: {host}:443\r\n\r\n".encode())
        answer = b""
        while not answer.endswith(b"\r\n\r\n"):
            byte = sock.recv(1)  # One at a time: what follows the head belongs to TLS.
            if not byte:
                die(f"the proxy closed the connection after {answer!r}")
            answer += byte
        if answer.split(b" ", 2)[1] != b"200":
            die(f"the proxy refused CONNECT: {answer!r}")
    return context.wrap_socket(sock, server_hostname=host)


def first_answer(sock, request, body):
    sock.sendall(request)
    answer = b""
    while not (b"\r\n\r\n" in answer and answer.endswith(body)):
        piece = sock.recv(65536)
        if not piece or len(answer) > len(body) + 65536:
            die(f"wrong first answer: {answer[:300]!r}")
        answer += piece
    if not answer.startswith(OK) or len(answer) - answer.index(b"\r\n\r\n") - 4 != len(body):
        die(f"wrong first answer: {answer[:300]!r}")
    return len(answer)


def main():
    parser = argparse.ArgumentParser(description="HTTPS load through CONNECT.")
    parser.add_argument("--proxy", help="HOST:PORT of a proxy that is sent CONNECT")
    parser.add_argument("--connect", help="HOST:PORT of a TLS server")
    parser.add_argument("--connections", type=int, default=32)
    parser.add_argument("--duration", type=float, default=5)
    parser.add_argument("--body", required=True)
    parser.add_argument("--pid", type=int, required=True)
    parser.add_argument("url")
    options = parser.parse_args()
    if bool(options.proxy) == bool(options.connect):
        parser.error("give either --proxy or --connect")
    url = urllib.parse.urlsplit(options.url)
    host = url.hostname
    with open(options.body, "rb") as file:
        body = file.read()

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    request = f"GET {url.path} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode()

    poll = select.epoll()
    reads, writes, rest, sent = {}, {}, {}, {}
    sockets = []
    length = 0
    for _ in range(options.connections):
        sock = connect(options, host, context)
        length = first_answer(sock, request, body)
        sock.setblocking(False)
        sockets.append(sock)
        descriptor = sock.fileno()
        reads[descriptor], writes[descriptor], rest[descriptor] = sock.read, sock.write, b""
        poll.register(descriptor, select.EPOLLIN)
    version, cipher = sockets[0].version(), sockets[0].cipher()[0]

    clock = time.perf_counter
    latencies = array("d")
    note = latencies.append
    want_read = ssl.SSLWantReadError
    cpu_before = cpu_time(options.pid)
    start = now = clock()
    end = start + options.duration
    for descriptor, write in writes.items():
        sent[descriptor] = clock()
        write(request)
    while now < end:
        events = poll.poll(10)
        if not events:
            die("no answer for 10 s")
        for descriptor, _ in events:
            try:
                data = reads[descriptor](65536)
            except want_read:
                continue  # A session ticket, or half a record.
            if not data:
                die("the server closed a connection that should be kept alive")
            if rest[descriptor]:
                data = rest[descriptor] + data
            if len(data) < length:
                rest[descriptor] = data
                # More may wait inside the TLS library, where epoll does not see it.
                try:
                    data += reads[descriptor](65536)
                except want_read:
                    continue
                rest[descriptor] = data
                if len(data) < length:
                    continue
            if len(data) != length or not data.startswith(OK) or not data.endswith(body):
                die(f"wrong answer: {data[:300]!r}")
            rest[descriptor] = b""
            now = clock()
            note(now - sent[descriptor])
            sent[descriptor] = now
            if writes[descriptor](request) != len(request):
                die("a request did not fit into the socket buffer")
    seconds = clock() - start
    cpu = cpu_time(options.pid) - cpu_before

    ordered = sorted(latencies)
    count = len(ordered)
    p50, p99 = (ordered[min(count - 1, int(count * part))] * 1e6 for part in (0.50, 0.99))
    print(count, f"{seconds:.6f}", f"{p50:.0f}", f"{p99:.0f}", cpu, f"{version} {cipher}", sep="\t")


try:
    main()
except OSError as error:
    die(error)
