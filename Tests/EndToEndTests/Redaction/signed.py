#!/usr/bin/env python3
"""Files whose digests and signatures are checked by those who fetch them, and a program that checks them.

    signed.py origin FOLDER [--dumb]      makes files in a folder and serves them; prints its port; ends with standard input
    signed.py verify FOLDER URL           fetches metadata through the proxy of the environment and verifies it with the
                                          public key in the folder; exits with 1 if anything does not fit

Served are a simple index with a wheel (PEP 503), a registry with a package of npm, an envelope of DSSE, metadata of TUF, and
a repository of Git: by the smart protocol, or with `--dumb` as files. The texts in them are full of words that are also the
names of secrets. Needs `openssl` and `git`; standard library only.
"""

import base64
import hashlib
import http.server
import io
import json
import os
import subprocess
import sys
import tarfile
import threading
import urllib.request
import zipfile

SOURCE = """import os

password = os.environ.get("PASSWORD")
token = "token"  # secret: none
api_key = getattr(os, "api_key", None)


def login(password, token=None):
    return {"password": password, "access_token": token, "code": "Uint8Array"}
"""
NAME, VERSION = "sample-package", "1.0.0"


def run(*command, **rest):
    return subprocess.run(command, check=True, capture_output=True, **rest).stdout


def sign(folder, data):
    """The signature of bytes: ECDSA over SHA-256, in DER."""
    return run("openssl", "dgst", "-sha256", "-sign", f"{folder}/key.pem", input=data)


def verify(folder, data, signature):
    with open(f"{folder}/signature", "wb") as file:
        file.write(signature)
    command = ["openssl", "dgst", "-sha256", "-verify", f"{folder}/public.pem", "-signature", f"{folder}/signature"]
    return subprocess.run(command, input=data, capture_output=True).returncode == 0


def encoded(kind, payload):
    """What a signature of DSSE is about: its pre-authentication encoding."""
    return b"DSSEv1 %d %s %d %s" % (len(kind), kind.encode(), len(payload), payload)


def canonical(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def wheel():
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as file:
        info = "sample_package-1.0.0.dist-info"
        file.writestr("sample_package.py", SOURCE)
        file.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {NAME}\nVersion: {VERSION}\n")
        file.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        file.writestr(f"{info}/RECORD", "")
    return data.getvalue()


def package():
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w:gz") as file:
        for name, text in {
            "package.json": json.dumps({"name": NAME, "version": VERSION, "main": "index.js"}),
            "index.js": "var password=document.getElementById('password').value;var token=getToken();\n",
        }.items():
            entry = tarfile.TarInfo(f"package/{name}")
            entry.size = len(text)
            file.addfile(entry, io.BytesIO(text.encode()))
    return data.getvalue()


def make(folder):
    """Every path with its media type and bytes; `BASE` stands for the origin's URL."""
    run("openssl", "ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", f"{folder}/key.pem")
    run("openssl", "ec", "-in", f"{folder}/key.pem", "-pubout", "-out", f"{folder}/public.pem")
    built, packed = wheel(), package()
    name = "sample_package-1.0.0-py3-none-any.whl"
    digest = hashlib.sha256(built).hexdigest()
    with open(f"{folder}/requirements.txt", "w") as file:
        file.write(f"{NAME}=={VERSION} --hash=sha256:{digest}\n")
    integrity = "sha512-" + base64.b64encode(hashlib.sha512(packed).digest()).decode()
    dist = {
        "tarball": f"BASE/{NAME}/-/{NAME}-{VERSION}.tgz",
        "shasum": hashlib.sha1(packed).hexdigest(),
        "integrity": integrity,
        "signatures": [
            {
                "keyid": "SHA256:jl3bwswu80PjjokCgh0o2w5c2U4LhQAE57gj9cz1kzA",
                "sig": base64.b64encode(sign(folder, f"{NAME}@{VERSION}:{integrity}".encode())).decode(),
            }
        ],
    }
    version = {"name": NAME, "version": VERSION, "dist": dist, "_hasShrinkwrap": False}
    packument = {"name": NAME, "dist-tags": {"latest": VERSION}, "versions": {VERSION: version}}
    kind, payload = "application/vnd.in-toto+json", json.dumps({"_type": "statement", "token": "word"}).encode()
    envelope = {
        "payloadType": kind,
        "payload": base64.b64encode(payload).decode(),
        "signatures": [{"keyid": "", "sig": base64.b64encode(sign(folder, encoded(kind, payload))).decode()}],
    }
    targets = {"_type": "targets", "version": 1, "targets": {name: {"length": len(built), "hashes": {"sha256": digest}}}}
    keyid = hashlib.sha256(b"key").hexdigest()
    tuf = {"signatures": [{"keyid": keyid, "sig": sign(folder, canonical(targets)).hex()}], "signed": targets}
    index = f'<!DOCTYPE html><code>Uint8Array</code><a href="/files/{name}#sha256={digest}">{name}</a>'
    return {
        f"/simple/{NAME}/": ("text/html", index.encode()),
        f"/files/{name}": ("application/octet-stream", built),
        f"/{NAME}": ("application/json", json.dumps(packument).encode()),
        f"/{NAME}/-/{NAME}-{VERSION}.tgz": ("application/octet-stream", packed),
        "/envelope.json": ("application/json", json.dumps(envelope).encode()),
        "/targets.json": ("application/json", json.dumps(tuf, indent=1).encode()),
    }


def repository(folder):
    """A bare repository of some commits: loose objects and a pack."""
    work, bare = f"{folder}/work", f"{folder}/git/sample.git"
    git = ["git", "-C", work, "-c", "user.name=Ada", "-c", "user.email=ada@example.com"]
    run("git", "init", "-q", "-b", "main", work)
    for number in range(3):
        with open(f"{work}/source{number}.py", "w") as file:
            file.write(SOURCE * (number * 40 + 1))
        run(*git, "add", ".")
        run(*git, "commit", "-q", "-m", f"password: change {number}")
        if number == 1:
            run(*git, "gc", "-q")
    run("git", "clone", "-q", "--bare", work, bare)
    run("git", "-C", bare, "update-server-info")
    run("git", "-C", bare, "config", "http.receivepack", "true")
    with open(f"{folder}/head", "wb") as file:
        file.write(run("git", "-C", bare, "rev-parse", "HEAD"))


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    folder = ""
    files = {}
    is_dumb = False

    def log_message(self, *arguments):
        pass

    def reply(self, status, kind, body, headers=()):
        self.send_response(status)
        for name, value in [("Content-Type", kind), ("Content-Length", str(len(body))), *headers]:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def git(self, body):
        path, _, query = self.path.partition("?")
        if self.is_dumb:
            file = f"{self.folder}{path}"
            if not os.path.isfile(file):
                return self.reply(404, "text/plain", b"no such file")
            with open(file, "rb") as opened:
                return self.reply(200, "text/plain" if "/info/" in path else "application/octet-stream", opened.read())
        environment = {
            "PATH": os.environ["PATH"],
            "GIT_PROJECT_ROOT": f"{self.folder}/git",
            "GIT_HTTP_EXPORT_ALL": "1",
            "PATH_INFO": path.removeprefix("/git"),
            "QUERY_STRING": query,
            "REMOTE_USER": "ada",
            "REQUEST_METHOD": self.command,
            "CONTENT_TYPE": self.headers.get("Content-Type", ""),
            "CONTENT_LENGTH": str(len(body)),
            "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
            "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
        }
        answer = subprocess.run(["git", "http-backend"], input=body, env=environment, stdout=subprocess.PIPE).stdout
        head, _, content = answer.partition(b"\r\n\r\n")
        fields = [line.split(": ", 1) for line in head.decode().split("\r\n")]
        status = next((int(value.split()[0]) for name, value in fields if name == "Status"), 200)
        kind = next((value for name, value in fields if name == "Content-Type"), "text/plain")
        self.reply(status, kind, content, [("Cache-Control", "no-cache")])

    def do_GET(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path.startswith("/git/"):
            return self.git(body)
        kind, content = self.files.get(self.path, (None, b""))
        if kind is None:
            return self.reply(404, "application/json", b"{}")
        base = f"http://{self.headers['Host']}".encode()
        self.reply(200, kind, content.replace(b"BASE", base) if kind == "application/json" else content)

    do_POST = do_GET


def serve(folder, is_dumb):
    Handler.folder, Handler.files, Handler.is_dumb = folder, make(folder), is_dumb
    repository(folder)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(server.server_address[1], flush=True)
    sys.stdin.read()


def fetch(url):
    with urllib.request.urlopen(url) as answer:
        return answer.read()


def check(folder, base):
    """What does not fit, by name."""
    dist = json.loads(fetch(f"{base}/{NAME}"))["versions"][VERSION]["dist"]
    packed = fetch(dist["tarball"])
    if "sha512-" + base64.b64encode(hashlib.sha512(packed).digest()).decode() != dist["integrity"]:
        yield "the integrity of a package of npm"
    signed = f"{NAME}@{VERSION}:{dist['integrity']}".encode()
    if not verify(folder, signed, base64.b64decode(dist["signatures"][0]["sig"])):
        yield "the signature of a package of npm"
    envelope = json.loads(fetch(f"{base}/envelope.json"))
    payload = base64.b64decode(envelope["payload"])
    signature = base64.b64decode(envelope["signatures"][0]["sig"])
    if not verify(folder, encoded(envelope["payloadType"], payload), signature):
        yield "an envelope of DSSE"
    tuf = json.loads(fetch(f"{base}/targets.json"))
    if not verify(folder, canonical(tuf["signed"]), bytes.fromhex(tuf["signatures"][0]["sig"])):
        yield "metadata of TUF"


def main():
    what, folder, *rest = sys.argv[1:]
    if what == "origin":
        serve(folder, "--dumb" in rest)
        return
    wrong = list(check(folder, rest[0]))
    for name in wrong:
        print(f"does not verify: {name}")
    print("verified" if not wrong else "")
    sys.exit(1 if wrong else 0)


main()
