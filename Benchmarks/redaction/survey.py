#!/usr/bin/env python3
"""Records and replays thousands of files that nobody here wrote, and tells which come back with other bytes.

    survey.py [--tapedeck PATH] [--folder DIR] [--limit N] [--debian NAME...] [--wheels NAME...]

Downloads Debian packages (apt-get download) and wheels (pip download), unpacks them, serves their files on loopback,
records all of them in one cassette, replays it with the server gone, and compares. It prints the files that differ by
type, with the names of the placeholders in them, and what `tapedeck scan` reports about the cassette. Downloads are
kept in the folder and used again. Needs Debian, dpkg-deb, pip and Python 3.9.
"""

import argparse
import bisect
import collections
import http.client
import http.server
import mimetypes
import os
import pathlib
import re
import subprocess
import sys
import threading
import urllib.parse
import zipfile

DEBIAN = [
    "apache2-doc", "bash-doc", "bootstrap-icons", "ca-certificates", "cmake-data", "debian-policy", "fonts-font-awesome",
    "gnome-icon-theme", "iso-codes", "javascript-common", "libboost1.74-dev", "libjs-bootstrap4", "libjs-d3",
    "libjs-mathjax", "libjs-sphinxdoc", "libsdl2-dev", "mariadb-common", "mime-support", "node-lodash", "node-mime-db",
    "nodejs-doc", "php-symfony-translation", "python3-sphinx", "ruby-sinatra", "sqlite3-doc", "vim-runtime", "zsh-common",
    "golang-1.19-src", "libjs-jquery-ui-docs", "mediawiki", "node-typescript", "php-codesniffer", "phpmyadmin",
    "postgresql-doc-15", "roundcube-core", "ruby-aws-sdk-core", "tomcat9-docs", "wordpress",
]
WHEELS = [
    "aiohttp", "ansible-core", "bokeh", "boto3", "celery", "cryptography", "docutils", "fastapi", "google-auth",
    "jupyterlab", "kubernetes", "mkdocs-material", "numpy", "oauthlib", "openapi-spec-validator", "pandas", "pytest",
    "setuptools", "sqlalchemy", "twilio", "werkzeug",
    "anthropic", "azure-identity", "botocore", "django", "flask-appbuilder", "google-cloud-storage", "hvac", "jupyter-server",
    "moto", "msal", "openai", "plotly", "python-keycloak", "sendgrid", "stripe", "streamlit",
]
# At most so many files of one type, so that no package outweighs the others.
OF_ONE_TYPE = 800
LARGEST = 1 << 20


def run(*command, **options):
    return subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options)


def download(folder, debian, wheels):
    """Unpacks every package into a folder of its own; one that cannot be had is named and left out."""
    unpacked = folder / "unpacked"
    unpacked.mkdir(parents=True, exist_ok=True)
    for name in debian:
        target = unpacked / f"deb-{name}"
        if target.exists():
            continue
        kept = folder / "deb" / name
        kept.mkdir(parents=True, exist_ok=True)
        try:
            run("apt-get", "download", name, cwd=kept, timeout=300)
            run("dpkg-deb", "-x", next(kept.glob("*.deb")), target)
        except (subprocess.SubprocessError, StopIteration):
            print(f"left out: the Debian package {name} cannot be downloaded", file=sys.stderr)
    for name in wheels:
        target = unpacked / f"wheel-{name}"
        if target.exists():
            continue
        kept = folder / "wheel" / name
        kept.mkdir(parents=True, exist_ok=True)
        try:
            run(
                sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary", ":all:", "-d", kept, name,
                timeout=300,
            )
            zipfile.ZipFile(next(kept.glob("*.whl"))).extractall(target)
        except (subprocess.SubprocessError, StopIteration):
            print(f"left out: the wheel {name} cannot be downloaded", file=sys.stderr)
    return unpacked


def kind(path):
    return path.suffix.lower().lstrip(".") or "none"


def choose(unpacked, limit):
    """The files, of each type in the order of a digest of their paths, so that the choice is the same every time."""
    counts = collections.Counter()
    files = []
    paths = [path for path in unpacked.rglob("*") if path.is_file() and not path.is_symlink()]
    for path in sorted(paths, key=lambda path: hash_of(str(path.relative_to(unpacked)))):
        if 0 < path.stat().st_size <= LARGEST and counts[kind(path)] < OF_ONE_TYPE:
            counts[kind(path)] += 1
            files.append(path)
    return files[:limit] if limit else files


def hash_of(text):
    value = 0xCBF29CE484222325
    for byte in text.encode():
        value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return value


def serve(files):
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        # A head and a body written one after the other wait 40 ms for each other.
        wbufsize = 1 << 16

        def do_GET(self):
            path = files[int(self.path.split("/")[1])]
            body = path.read_bytes()
            self.send_response(200)
            self.send_header("Content-Type", mimetypes.guess_type(path.name)[0] or "text/plain")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *arguments):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def fetch(origin, files):
    """Asks for every file through the proxy of the environment; the numbers of those with other bytes."""
    proxy = urllib.parse.urlsplit(os.environ["http_proxy"])
    connection = http.client.HTTPConnection(proxy.hostname, proxy.port, timeout=300)
    differing = []
    for number, path in enumerate(files):
        connection.request("GET", f"{origin}/{number}/{urllib.parse.quote(path.name)}")
        response = connection.getresponse()
        body = response.read()
        if response.status != 200 or body != path.read_bytes():
            differing.append(number)
    return differing


def deck(arguments, origin, listing, folder):
    """Runs the deck with this script as its command; the numbers of the files that differed."""
    command = [*arguments, "--", sys.executable, __file__, "--fetch", origin, "--listing", str(listing)]
    result = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    # 70 is a replay in which a request was unmatched: a file that the recording left out, and named.
    if result.returncode not in (0, 70):
        sys.exit(result.stderr)
    print("\n".join(line for line in result.stderr.splitlines() if "recorded" in line or "played" in line))
    return [int(line) for line in result.stdout.split()]


def placeholders(folder, number):
    """The names of the placeholders in a take, from the cassette or the body file that it names."""
    text = (folder / "cassettes" / "survey.yaml").read_text(errors="replace")
    part = text.split(f"/{number}/", 1)[-1].split("\n  - name:", 1)[0]
    file = re.search(r"file: (\S+)", part)
    if file:
        part += (folder / "cassettes" / file.group(1).strip('"')).read_text(errors="replace")
    return sorted(set(re.findall(r"\{\{secret\.([a-z_0-9]+)", part)))


def survey(options):
    folder = pathlib.Path(options.folder).resolve()
    files = choose(download(folder, options.debian, options.wheels), options.limit)
    types = collections.Counter(kind(path) for path in files)
    print(f"{len(files)} files of {len(types)} types")
    listing = folder / "files.txt"
    listing.write_text("\n".join(map(str, files)))
    for old in [*(folder / "cassettes").rglob("*")]:
        if old.is_file():
            old.unlink()
    server = serve(files)
    origin = f"http://127.0.0.1:{server.server_address[1]}"
    tapedeck = str(pathlib.Path(options.tapedeck).resolve())
    live = deck([tapedeck, "record", "survey", "--loopback"], origin, listing, folder)
    server.shutdown()
    server.server_close()
    differing = deck([tapedeck, "replay", "survey", "--no-local"], origin, listing, folder)
    print(f"{len(live)} files differ while recording, {len(differing)} of {len(files)} in replay, with those not recorded")
    changed = collections.Counter(kind(files[number]) for number in differing)
    for name, count in changed.most_common():
        print(f"  {name}: {count} of {types[name]}")
    for number in differing:
        names = ", ".join(placeholders(folder, number)) or "no placeholder"
        print(f"  {files[number].relative_to(folder / 'unpacked')}: {names}")
    scan = subprocess.run([tapedeck, "scan", "survey"], cwd=folder, capture_output=True, text=True)
    lines = [line for line in scan.stdout.splitlines() if re.match(r"\S+:\d+:\d+:", line)]
    print(f"scan reports {len(lines)} words in {len(scanned(folder, lines))} files")
    for line in lines[:40]:
        print(f"  {line}")


def scanned(folder, lines):
    """The takes and body files that a scan's lines are about."""
    text = (folder / "cassettes" / "survey.yaml").read_text(errors="replace").split("\n")
    starts = [number for number, line in enumerate(text, 1) if line.startswith("  - name:")]
    places = set()
    for line in lines:
        file, number = line.split(":")[:2]
        places.add(bisect.bisect(starts, int(number)) if file.endswith("survey.yaml") else file)
    return places


def main():
    parser = argparse.ArgumentParser(description="Records and replays files of public packages.")
    parser.add_argument("--tapedeck", default=os.environ.get("TAPEDECK", ".build/release/tapedeck"))
    parser.add_argument("--folder", default="survey", help="where packages are kept and the cassette is written")
    parser.add_argument("--limit", type=int, default=0, help="at most this many files")
    parser.add_argument("--debian", nargs="*", default=DEBIAN)
    parser.add_argument("--wheels", nargs="*", default=WHEELS)
    parser.add_argument("--fetch", help=argparse.SUPPRESS)
    parser.add_argument("--listing", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.fetch:
        files = [pathlib.Path(line) for line in pathlib.Path(options.listing).read_text().split("\n")]
        print("\n".join(map(str, fetch(options.fetch, files))))
    else:
        survey(options)


if __name__ == "__main__":
    main()
