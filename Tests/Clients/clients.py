#!/usr/bin/env python3
"""Tries every client that is installed with a bare `tapedeck record NAME -- CLIENT`, and prints a table.

    Tests/Clients/clients.py path/to/tapedeck [--only "NAME; NAME"] [--require]

For each client and for http and https: a request is recorded, the origin stops, the recording is replayed, and the output
must be the same. "yes" means that all of it worked without a setting of the client's own. With --require the exit code is 1 if a client is missing or is not reached.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HOST = "api.example.test"
HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = HERE / "programs"
ORIGIN = HERE.parent / "EndToEndTests" / "origin.py"


class Client:
    """A client: its name, the programs it needs, and the command for a URL."""

    def __init__(self, name, command, module=None, package=None):
        self.name, self.command, self.module, self.package = name, command, module, package

    def is_installed(self):
        if not shutil.which(self.command[0]):
            return False
        checks = []
        if self.module:
            checks.append([sys.executable, "-c", f"import {self.module}"])
        if self.package and self.command[0] == "perl":
            checks.append(["perl", f"-M{self.package}", "-e", "1"])
        elif self.package and self.command[0] == "node":
            checks.append(["node", "-e", f"require('{self.package}')"])
        elif self.package and self.command[0] == "php":
            checks.append(["php", "-r", f"exit(extension_loaded('{self.package}') ? 0 : 1);"])
        return all(subprocess.run(check, capture_output=True).returncode == 0 for check in checks)

    def for_url(self, url):
        return [part.replace("@", url) for part in self.command]


def python(name, code, module=None):
    return Client(name, [sys.executable, "-c", code.replace("@", "'@'")], module=module)


def node(name, code, package=None, program="node"):
    return Client(name, [program, "-e", code.replace("@", "'@'")], package=package)


SHOW = ".then(text => console.log(text))"
GET = (
    "const client = require(@.split(':')[0]); client.get(@, {OPTIONS}, response => { let text = '';"
    " response.on('data', piece => text += piece).on('end', () => console.log(text)) })"
)
SOCKS = ["env", "-u", "http_proxy", "-u", "https_proxy", "-u", "HTTP_PROXY", "-u", "HTTPS_PROXY", "sh", "-c"]

CLIENTS = [
    Client("curl", ["curl", "-sS", "@"]),
    Client("curl, SOCKS5", SOCKS + ['ALL_PROXY="socks5h://${TAPEDECK_PROXY#http://}" exec curl -sS @']),
    Client("curl, SOCKS4a", SOCKS + ['ALL_PROXY="socks4a://${TAPEDECK_PROXY#http://}" exec curl -sS @']),
    Client("wget", ["wget", "-qO-", "@"]),
    Client("wget2", ["wget2", "-qO-", "@"]),
    Client("aria2", ["aria2c", "-q", "-d", "/tmp", "--allow-overwrite=true", "-o", "tapedeck-aria2", "@"]),
    Client("apt", ["sh", "-c", "/usr/lib/apt/apt-helper -q download-file @ apt.out >&2 && cat apt.out"]),
    Client("w3m", ["w3m", "-dump_source", "@"]),
    Client("lynx", ["lynx", "-source", "@"]),
    python("Python urllib", "from urllib.request import urlopen; print(urlopen(@).read())"),
    python("Python requests", "import requests; print(requests.get(@).text)", "requests"),
    python("Python httpx", "import httpx; print(httpx.get(@).text)", "httpx"),
    python("Python urllib3", "import urllib3; print(urllib3.PoolManager().request('GET', @, retries=0).data)", "urllib3"),
    python("Python httplib2", "import httplib2; print(httplib2.Http().request(@)[1])", "httplib2"),
    python(
        "Python pycurl",
        "import pycurl, sys; c = pycurl.Curl(); c.setopt(c.URL, @); c.setopt(c.WRITEFUNCTION, sys.stdout.buffer.write); c.perform()",
        "pycurl",
    ),
    python(
        "Python tornado",
        "from tornado.httpclient import HTTPClient; print(HTTPClient().fetch(@).body)",
        "tornado",
    ),
] + [
    python(
        f"Python aiohttp{', trust_env=True' if trusts else ''}",
        f"""import aiohttp, asyncio
async def main():
    async with aiohttp.ClientSession(trust_env={trusts}) as session, session.get(@) as response:
        print(await response.text())
asyncio.run(main())""",
        "aiohttp",
    )
    for trusts in (False, True)
] + [
    node("Node fetch", "fetch(@).then(response => response.text())" + SHOW),
    node("Node http, https", GET.replace("OPTIONS", "")),
    node("Node, agent of its own", GET.replace("OPTIONS", "agent: new client.Agent({keepAlive: false})")),
    node("Node, agent: false", GET.replace("OPTIONS", "agent: false")),
    node("axios", "require('axios').get(@).then(response => console.log(response.data))", "axios"),
    node("got", "require('got').get(@).text()" + SHOW, "got"),
    node("superagent", "require('superagent').get(@).then(response => console.log(response.text))", "superagent"),
    node("node-fetch", "require('node-fetch')(@).then(response => response.text())" + SHOW, "node-fetch"),
    node("undici", "require('undici').request(@).then(response => response.body.text())" + SHOW, "undici"),
    node("Node 22 fetch", "fetch(@).then(response => response.text())" + SHOW, program="node22"),
    node("Node 22 http, https", GET.replace("OPTIONS", ""), program="node22"),
    node("Node 24 fetch", "fetch(@).then(response => response.text())" + SHOW, program="node24"),
    node("Node 24 http, https", GET.replace("OPTIONS", ""), program="node24"),
    node("Bun fetch", "fetch(@).then(response => response.text())" + SHOW, program="bun"),
    Client("Deno fetch", ["deno", "eval", "console.log(await (await fetch('@')).text())"]),
    Client("Java HttpURLConnection", ["java", str(PROGRAMS / "Connection.java"), "@"]),
    Client("Java HttpClient", ["java", str(PROGRAMS / "Client.java"), "@"]),
    Client("PHP curl", ["php", str(PROGRAMS / "curl.php"), "@"], package="curl"),
    Client("PHP streams", ["php", str(PROGRAMS / "streams.php"), "@"]),
    Client("Perl LWP", ["perl", "-MLWP::Simple", "-e", "getprint('@')"], package="LWP::Protocol::https"),
    Client(
        "Perl HTTP::Tiny",
        ["perl", "-MHTTP::Tiny", "-e", "my $r = HTTP::Tiny->new->get('@'); print $r->{content}; exit !$r->{success}"],
        package="IO::Socket::SSL",
    ),
    Client(
        "Perl Mojo",
        ["perl", "-MMojo::UserAgent", "-e", "print Mojo::UserAgent->new->get('@')->result->body"],
        package="Mojo::UserAgent",
    ),
    Client("Ruby Net::HTTP", ["ruby", "-rnet/http", "-e", "puts Net::HTTP.get(URI('@'))"]),
    Client("Ruby open-uri", ["ruby", "-ropen-uri", "-e", "puts URI.open('@').read"]),
    Client("Go net/http", ["go-client", "@"]),
    Client("Go net/http, SOCKS5", SOCKS + ['HTTPS_PROXY="socks5://${TAPEDECK_PROXY#http://}" HTTP_PROXY="socks5://${TAPEDECK_PROXY#http://}" exec go-client @']),
]


class Trial:
    """An origin and a folder for the recordings of all clients."""

    def __init__(self, tapedeck, folder):
        self.tapedeck, self.folder = tapedeck, folder
        self.environment = {
            name: value for name, value in os.environ.items() if "proxy" not in name.lower()
        } | {"HOME": str(folder), "TAPEDECK_CA_DIR": str(folder / "ca"), "NODE_PATH": os.environ.get("NODE_PATH", "")}
        self.make_certificates()

    def make_certificates(self):
        extension = self.folder / "leaf.ext"
        extension.write_text(f"subjectAltName=DNS:{HOST}\n")
        ec = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
        for command in (
            ["req", "-x509", *ec, "-keyout", "root.key", "-out", "root.pem", "-subj", "/CN=Origin", "-days", "2"],
            ["req", *ec, "-keyout", "leaf.key", "-out", "leaf.csr", "-subj", f"/CN={HOST}"],
            ["x509", "-req", "-in", "leaf.csr", "-CA", "root.pem", "-CAkey", "root.key", "-CAcreateserial", "-days", "2",
             "-extfile", "leaf.ext", "-out", "leaf.pem"],
        ):
            subprocess.run(["openssl", *command], cwd=self.folder, check=True, capture_output=True)

    def start(self):
        command = [sys.executable, str(ORIGIN), "--cert", "leaf.pem", "--key", "leaf.key"]
        self.origin = subprocess.Popen(
            command, cwd=self.folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=self.environment
        )
        ports = json.loads(self.origin.stdout.readline())
        self.ports = {scheme: ports[scheme] for scheme in ("http", "https")}

    def stop(self):
        self.origin.stdin.close()
        self.origin.wait()

    def url(self, client, scheme):
        return f"{scheme}://{HOST}:{self.ports[scheme]}/counter?key={self.name(client, scheme)}"

    @staticmethod
    def name(client, scheme):
        return re.sub(r"\W+", "-", client.name.lower()) + "-" + scheme

    def run(self, mode, client, scheme):
        options = []
        if mode == "record":
            options = ["--upstream-ca", "root.pem"]
            options += [f"--resolve={HOST}:{port}:127.0.0.1" for port in self.ports.values()]
        command = [self.tapedeck, mode, self.name(client, scheme), *options, "--", *client.for_url(self.url(client, scheme))]
        try:
            return subprocess.run(
                command, cwd=self.folder, env=self.environment, capture_output=True, stdin=subprocess.DEVNULL, timeout=40
            )
        except subprocess.TimeoutExpired as late:
            return subprocess.CompletedProcess(command, 124, late.stdout or b"", late.stderr or b"")


def verdict(recorded, replayed):
    """What a client's two runs say: "yes", or why not."""
    text = recorded.stderr.decode(errors="replace")
    if "1 exchanges recorded" not in text and "1 exchange recorded" not in text:
        untrusting = "does not trust" in text or "probably does not" in text or "hung up during" in text
        return "refuses the certificate" if untrusting else "goes past"
    if recorded.returncode or replayed.returncode:
        return f"fails ({recorded.returncode}, {replayed.returncode})"
    return "yes" if recorded.stdout == replayed.stdout else "differs"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tapedeck", type=pathlib.Path)
    parser.add_argument("--only", default="", help="names of clients, separated by semicolons")
    parser.add_argument("--require", action="store_true", help="exit with 1 unless all of them are reached")
    parser.add_argument("--verbose", action="store_true", help="print what failing clients wrote")
    arguments = parser.parse_args()
    names = [name.strip() for name in arguments.only.split(";") if name.strip()]
    unknown = [name for name in names if name not in [client.name for client in CLIENTS]]
    if unknown:
        parser.error(f"no such client: {', '.join(unknown)}")
    clients = [client for client in CLIENTS if not names or client.name in names]
    rows = {}
    with tempfile.TemporaryDirectory(prefix="tapedeck-clients-") as folder:
        trial = Trial(arguments.tapedeck.resolve(), pathlib.Path(folder))
        if shutil.which("go"):
            programs = pathlib.Path(folder) / "bin"
            environment = {**os.environ, "GOCACHE": str(pathlib.Path(folder) / "go"), "GO111MODULE": "off", "CGO_ENABLED": "0"}
            go = ["go", "build", "-o", str(programs / "go-client"), str(PROGRAMS / "client.go")]
            if subprocess.run(go, env=environment).returncode == 0:
                os.environ["PATH"] += f":{programs}"
                trial.environment["PATH"] = os.environ["PATH"]
        installed = [client for client in clients if client.is_installed()]
        trial.start()
        recorded = {(c, s): trial.run("record", c, s) for c in installed for s in ("http", "https")}
        trial.stop()
        for client in installed:
            rows[client.name] = {}
            for scheme in ("http", "https"):
                live = recorded[client, scheme]
                played = trial.run("replay", client, scheme)
                rows[client.name][scheme] = verdict(live, played)
                if arguments.verbose and rows[client.name][scheme] != "yes":
                    for run in (live, played):
                        print(f"--- {client.name} {scheme}\n{(run.stdout + run.stderr).decode(errors='replace')[-1500:]}", file=sys.stderr)
    print("| client | HTTP | HTTPS |\n|---|---|---|")
    for client in clients:
        row = rows.get(client.name, {"http": "not installed", "https": "not installed"})
        print(f"| {client.name} | {row['http']} | {row['https']} |")
    reached = [name for name, row in rows.items() if set(row.values()) == {"yes"}]
    print(f"\n{len(reached)} of {len(rows)} clients that are installed are recorded and replayed by a bare `--`.")
    missed = [client.name for client in clients if client.name not in reached]
    if arguments.require and missed:
        print(f"not reached: {', '.join(missed)}", file=sys.stderr)
        sys.exit(1)


main()
