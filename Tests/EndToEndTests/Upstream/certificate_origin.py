#!/usr/bin/env python3
"""An origin that answers only clients with a certificate, with the name in it.

    python3 certificate_origin.py --cert FILE --key FILE --authority FILE [--tls 1.2]

Prints its port and serves until standard input ends. `--authority` is whom client certificates must be from.
"""

import argparse
import os
import socket
import ssl
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

arguments = argparse.ArgumentParser()
arguments.add_argument("--cert")
arguments.add_argument("--key")
arguments.add_argument("--authority")
arguments.add_argument("--tls", default="1.3")
options = arguments.parse_args()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        names = [value for part in self.connection.getpeercert()["subject"] for key, value in part if key == "commonName"]
        body = f"hello {names[0]}".encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/plain")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def finish_request(self, request, address):
        try:
            request.do_handshake()
        except ssl.SSLError:
            # Data that the client sends meanwhile is read, or the system would reset the connection over the alert.
            while socket.socket.recv(request, 4096):
                pass
            return
        super().finish_request(request, address)

    def handle_error(self, *_):
        pass


context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(options.cert, options.key)
context.load_verify_locations(options.authority)
context.verify_mode = ssl.CERT_REQUIRED
if options.tls == "1.2":
    context.maximum_version = ssl.TLSVersion.TLSv1_2
server = Server(("127.0.0.1", 0), Handler)
server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
print(server.server_address[1], flush=True)
threading.Thread(target=server.serve_forever, daemon=True).start()
sys.stdin.read()
os._exit(0)
