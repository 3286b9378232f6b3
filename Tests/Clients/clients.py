#!/usr/bin/env python3
"""Tries every client that is installed with `tapedeck record NAME -- CLIENT`, and prints a table.

    Tests/Clients/clients.py path/to/tapedeck [--only "NAME; NAME"] [--isolate] [--require] [--jobs N] [--verbose]

For each client and for http and https: a request is recorded, the origin stops, the recording is replayed, and the output
must be the same. "yes" means that all of it worked without a setting of the client's own.

With --isolate each client is tried a second time, with `--isolate always` and as an ordinary user (the user with the
number 65534, if the script runs as root). With --require the exit code is 1 if a client is missing or is not reached: by
a bare `--`, or with --isolate by one of the two. --verbose prints what failing clients wrote. The clients are in catalogue.py.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import catalogue

HOST = "api.example.test"
NOBODY = 65534
ORIGIN = pathlib.Path(__file__).resolve().parent.parent / "EndToEndTests" / "origin.py"
SCHEMES = ("http", "https")
BARE, ISOLATED = "bare", "isolated"


class Trial:
    """An origin and a folder for the recordings of all clients."""

    def __init__(self, tapedeck, folder):
        self.tapedeck, self.folder = tapedeck, folder
        self.environment = {name: value for name, value in os.environ.items() if "proxy" not in name.lower()}
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
        self.ports = {scheme: ports[scheme] for scheme in SCHEMES}

    def stop(self):
        self.origin.stdin.close()
        self.origin.wait()

    def run(self, mode, client, way, scheme):
        """Runs a client, in a folder of its own, through a deck that records or replays."""
        number = catalogue.CLIENTS.index(client)
        name = f"{number}-" + re.sub(r"\W+", "-", client.name.lower()) + f"-{way}-{scheme}"
        folder = self.folder / name
        folder.mkdir(exist_ok=True)
        url = f"{scheme}://{HOST}:{self.ports[scheme]}{client.path}{name}"
        options, user = [], []
        if mode == "record":
            options += ["--upstream-ca", str(self.folder / "root.pem")]
            options += [f"--resolve={HOST}:{port}:127.0.0.1" for port in self.ports.values()]
        if way == ISOLATED:
            options += ["--isolate", "always"]
            if mode == "record":
                options += [f"--ports={port}" for port in self.ports.values()]
            if os.geteuid() == 0:
                user = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
                os.chown(folder, NOBODY, NOBODY)
        authority = folder if user else self.folder
        environment = {**self.environment, "HOME": str(folder), "TAPEDECK_CA_DIR": str(authority / "ca"), "TMPDIR": str(folder)}
        command = [*user, self.tapedeck, mode, "x", *options, "--", *client.for_url(url)]
        try:
            return subprocess.run(
                command, cwd=folder, env=environment, capture_output=True, stdin=subprocess.DEVNULL, timeout=60
            )
        except subprocess.TimeoutExpired as late:
            return subprocess.CompletedProcess(command, 124, late.stdout or b"", late.stderr or b"")


def verdict(recorded, replayed):
    """What a client's two runs say: "yes", or why not."""
    text = recorded.stderr.decode(errors="replace")
    if not re.search(r"\b[1-9]\d* exchanges? recorded", text):
        return "refuses the certificate" if "does not trust" in text or "hung up during" in text else "goes past"
    if recorded.returncode or replayed.returncode:
        return f"fails ({recorded.returncode}, {replayed.returncode})"
    return "yes" if recorded.stdout == replayed.stdout else "differs"


def try_all(trial, clients, ways, jobs):
    """The two runs of each client in each way and scheme."""
    tries = [(client, way, scheme) for client in clients for way in ways for scheme in SCHEMES]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        trial.start()
        recorded = list(pool.map(lambda one: trial.run("record", *one), tries))
        trial.stop()
        return dict(zip(tries, zip(recorded, pool.map(lambda one: trial.run("replay", *one), tries))))


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tapedeck", type=pathlib.Path)
    parser.add_argument("--only", default="", help="names of clients, separated by semicolons")
    parser.add_argument("--isolate", action="store_true", help="try them with --isolate always, too")
    parser.add_argument("--require", action="store_true", help="exit with 1 unless all of them are reached")
    parser.add_argument("--jobs", type=int, default=2, help="how many run at once")
    parser.add_argument("--verbose", action="store_true", help="print what failing clients wrote")
    arguments = parser.parse_args()
    names = [name.strip() for name in arguments.only.split(";") if name.strip()]
    unknown = [name for name in names if name not in [client.name for client in catalogue.CLIENTS]]
    if unknown:
        parser.error(f"no such client: {', '.join(unknown)}")
    return arguments, [client for client in catalogue.CLIENTS if not names or client.name in names]


def main():
    arguments, clients = parse()
    ways = [BARE, ISOLATED] if arguments.isolate else [BARE]
    with tempfile.TemporaryDirectory(prefix="tapedeck-clients-") as name:
        folder = pathlib.Path(name)
        folder.chmod(0o755)
        (folder / "bin").mkdir()
        catalogue.compile_into(folder / "bin", clients)
        os.environ["PATH"] += f":{folder / 'bin'}"
        installed = [client for client in clients if client.is_installed()]
        results = try_all(Trial(arguments.tapedeck.resolve(), folder), installed, ways, arguments.jobs)
    verdicts = {key: verdict(*runs) for key, runs in results.items()}
    if arguments.verbose:
        for (client, *how), runs in results.items():
            for run in runs if verdicts[client, *how] != "yes" else ():
                text = (run.stdout + run.stderr).decode(errors="replace")[-1500:]
                print(f"--- {client.name} {' '.join(how)}\n{text}", file=sys.stderr)
    isolated = " isolated, HTTP | isolated, HTTPS |" if arguments.isolate else ""
    print(f"| client | HTTP | HTTPS |{isolated}\n|---|---|---|{'---|---|' if isolated else ''}")
    for client in clients:
        cells = [verdicts.get((client, way, scheme), "not installed") for way in ways for scheme in SCHEMES]
        print(f"| {client.name} | {' | '.join(cells)} |")

    def reached(client, way):
        return all(verdicts.get((client, way, scheme)) == "yes" for scheme in SCHEMES)

    print(f"\nOf {len(installed)} clients that are installed, recorded and replayed:")
    for way, words in zip(ways, ("by a bare `--`", "with `--isolate always`, as an ordinary user")):
        print(f"- {sum(reached(client, way) for client in installed)} {words}")
    missed = [client.name for client in clients if not any(reached(client, way) for way in ways)]
    if arguments.require and missed:
        print(f"not reached: {', '.join(missed)}", file=sys.stderr)
        sys.exit(1)


main()
