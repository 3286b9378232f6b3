#!/usr/bin/env python3
"""An HTTP proxy that says what it is asked, for tests of upstream proxies.

    python3 proxy.py [--credentials USER:PASSWORD] [--refuse STATUS] [--scheme Basic] [--cert FILE --key FILE]

Prints its port, then one JSON line for each request, before it answers: `{"connection": N, "request": "CONNECT a:1",
"credentials": "USER:PASSWORD" or null}`. Every name is on this machine for it. Serves until standard input ends.
"""

import argparse
import base64
import http.client
import itertools
import json
import os
import socket
import ssl
import sys
import threading
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

arguments = argparse.ArgumentParser()
arguments.add_argument("--credentials")
arguments.add_argument("--refuse", type=int)
arguments.add_argument("--scheme", default="Basic")
arguments.add_argument("--cert")
arguments.add_argument("--key")
options = arguments.parse_args()
connections = itertools.count(1)
printing = threading.Lock()


def tell(line):
    with printing:
        print(line, flush=True)


def pump(source, target):
    try:
        while data := source.recv(65536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        pass


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def setup(self):
        super().setup()
        self.number = next(connections)

    def log_message(self, *_):
        pass

    def is_refused(self):
        field = self.headers.get("Proxy-Authorization", "")
        credentials = base64.b64decode(field[6:]).decode() if field.startswith("Basic ") else None
        request = f"{self.command} {self.path}"
        tell(json.dumps({"connection": self.number, "request": request, "credentials": credentials}))
        status = options.refuse or (407 if options.credentials != credentials else None)
        if not status:
            return False
        self.send_response(status)
        if status == 407:
            self.send_header("Proxy-Authenticate", f'{options.scheme} realm="a"')
        self.send_header("Content-Length", "7")
        self.end_headers()
        self.wfile.write(b"refused")
        return True

    def do_CONNECT(self):
        if self.is_refused():
            return
        port = int(self.path.rpartition(":")[2])
        with socket.create_connection(("127.0.0.1", port)) as origin:
            self.send_response(200)
            self.end_headers()
            other = threading.Thread(target=pump, args=(origin, self.connection), daemon=True)
            other.start()
            pump(self.connection, origin)
            other.join()
        self.close_connection = True

    def do_GET(self):
        if self.is_refused():
            return
        url = urllib.parse.urlsplit(self.path)
        origin = http.client.HTTPConnection("127.0.0.1", url.port or 80)
        fields = {name: value for name, value in self.headers.items() if name.lower() != "proxy-authorization"}
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        origin.request(self.command, url.path + (f"?{url.query}" if url.query else ""), body, fields)
        answer = origin.getresponse()
        body = answer.read()
        self.send_response_only(answer.status, answer.reason)
        for name, value in answer.getheaders():
            if name.lower() not in ("transfer-encoding", "content-length", "connection"):
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        origin.close()

    do_POST = do_GET


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
if options.cert:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(options.cert, options.key)
    server.socket = context.wrap_socket(server.socket, server_side=True)
tell(server.server_address[1])
threading.Thread(target=server.serve_forever, daemon=True).start()
sys.stdin.read()
os._exit(0)
