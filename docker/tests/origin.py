#!/usr/bin/env python3
"""A live API for docker/test.sh: `origin.py ADDRESS CERT KEY`, HTTPS on port 443. Says `ready` when it listens.

`/WHO/NUMBER` answers with both and with how many requests there were, so that no two live answers are the same. `/gate` waits
until somebody asks for `/open`, and `/arrived` until somebody has asked for `/gate`. `/redirect?URL` leads to that URL.
"""

import http.server
import itertools
import json
import ssl
import sys
import threading

requests = itertools.count(1)
gate = threading.Event()
arrived = threading.Event()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        path, _, query = self.path.partition("?")
        if path == "/open":
            gate.set()
        elif path == "/gate":
            arrived.set()
            gate.wait(60)
        elif path == "/arrived":
            arrived.wait(60)
        who, _, number = path[1:].partition("/")
        body = json.dumps({"who": who, "number": number, "served": next(requests)}).encode()
        if path == "/redirect":
            self.send_response(302)
            self.send_header("Location", query)
        else:
            self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 128


address, certificate, key = sys.argv[1:]
server = Server((address, 443), Handler)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(certificate, key)
server.socket = context.wrap_socket(server.socket, server_side=True)
print("ready", flush=True)
server.serve_forever()
