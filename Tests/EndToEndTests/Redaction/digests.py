#!/usr/bin/env python3
"""Responses with digests of their bodies, and a client that checks them.

    digests.py origin                  prints {"port": N}, serves until standard input ends
    digests.py client PROXY URL        checks what it gets through a proxy, prints each field that is right
"""

import base64
import gzip
import hashlib
import http.client
import http.server
import json
import secrets
import sys
import threading
import urllib.parse
import zlib


def text(data):
    return base64.b64encode(data).decode()


def fields(body):
    """The fields of a body, as it is sent."""
    md5, sha1, sha256, sha512 = (hashlib.new(name, body).digest() for name in ("md5", "sha1", "sha256", "sha512"))
    crc32 = text(zlib.crc32(body).to_bytes(4, "big"))
    return {
        "Content-MD5": text(md5),
        "Digest": f"SHA-256={text(sha256)},MD5={text(md5)}",
        "Content-Digest": f"sha-256=:{text(sha256)}:, sha-512=:{text(sha512)}:",
        "Repr-Digest": f"sha-256=:{text(sha256)}:",
        "x-amz-checksum-crc32": crc32,
        "x-amz-checksum-sha1": text(sha1),
        "x-amz-checksum-sha256": text(sha256),
        "x-goog-hash": f"md5={text(md5)}",
        "ETag": f'"{md5.hex()}"',
    }


class Origin(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def do_GET(self):
        body = json.dumps({"access_token": secrets.token_urlsafe(32), "hint": "{{secret.x}}"}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        if self.path == "/gzip":
            body = gzip.compress(body)
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(body)))
        sent = fields(body if self.path != "/wrong" else b"another body")
        for name, value in sent.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)


def origin():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Origin)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(json.dumps({"port": server.server_address[1]}), flush=True)
    sys.stdin.read()


def client(proxy, url):
    connection = http.client.HTTPConnection(urllib.parse.urlsplit(proxy).netloc)
    for headers in ({"Accept-Encoding": "gzip"}, {}):
        for path in ("/plain", "/gzip", "/wrong"):
            if path == "/gzip" and not headers:
                continue
            connection.request("GET", url + path, headers=headers)
            response = connection.getresponse()
            body = response.read()
            right = [name for name, value in fields(body).items() if response.getheader(name) == value]
            plain = gzip.decompress(body) if response.getheader("Content-Encoding") else body
            print(json.dumps({"path": path, "right": right, "token": json.loads(plain)["access_token"]}))


if __name__ == "__main__":
    origin() if sys.argv[1] == "origin" else client(sys.argv[2], sys.argv[3])
