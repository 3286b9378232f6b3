#!/usr/bin/env python3
"""Ends recordings, refreshes, saves and take-ups with `kill -9`, and expects that nothing is lost, torn or left behind.

    kill_rounds.py TAPEDECK [--rounds 100] [--seed 1]

A round kills one of them at a moment that the seed chooses. Then a replay takes up what is left, and every exchange that
a client had seen complete must be played whole. Beside the cassette there may be its body files and nothing else.
Exits with 1 at the first round in which that does not hold, and keeps its folder.
"""

import argparse
import contextlib
import hashlib
import http.client
import http.server
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

KINDS = ["record", "append", "refresh", "take-up", "save", "save a rewrite"]
generation = 0


def body(number):
    """A body that can be told to be whole, another one in each generation, of a size and type that follow from its number."""
    source = random.Random(f"{generation} {number}")
    if number % 4 == 2:
        content = source.randbytes(300_000)
    else:
        content = "".join(f"line {source.random()}\n" for _ in range(5_000 if number % 4 == 1 else 5)).encode()
    return hashlib.sha256(content).hexdigest().encode() + b"\n" + content


def is_whole(content):
    digest, _, rest = content.partition(b"\n")
    return hashlib.sha256(rest).hexdigest().encode() == digest


class Origin(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        number = int(self.path.rpartition("/")[2])
        content = body(number)
        self.send_response(200)
        self.send_header("Content-Type", "application/octet-stream" if number % 4 == 2 else "text/plain")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        """A deck that is killed resets its connections."""


class Problem(Exception):
    pass


class Trial:
    """A folder with a cassette `x`, and the numbers of the exchanges that must be in it."""

    def __init__(self, program, folder, port, source):
        self.program, self.folder, self.port, self.source = program, folder, port, source
        self.known = set()
        self.next = 0
        os.makedirs(folder)
        with open(os.path.join(folder, "tapedeck.yaml"), "w") as file:
            file.write("redact: off\n")
        self.environment = {"PATH": os.environ["PATH"], "HOME": folder, "TMPDIR": folder, "LC_ALL": "C.UTF-8"}

    def start(self, *arguments):
        return subprocess.Popen(
            [self.program, *arguments], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace",
        )

    def serve(self, mode, *options):
        deck = self.start(mode, "x", "--port", "0", *options)
        lines = []
        for line in deck.stderr:
            lines.append(line)
            if "to trust it:" in line:
                # The rest is short, and is not read before the end.
                return deck, int(re.search(r"at http://127\.0\.0\.1:(\d+)", "".join(lines)).group(1))
        raise Problem(f"{mode} ended:\n{''.join(lines)}")

    def ask(self, port, number):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        with contextlib.closing(connection):
            connection.request("GET", f"http://127.0.0.1:{self.port}/n/{number}")
            answer = connection.getresponse()
            return answer.status, answer.read()

    def ask_new(self, port, wanted):
        """Asks for new things until there are enough of them, or the deck is gone. Notes those that came whole."""
        done = threading.Semaphore(0)
        lock = threading.Lock()
        stopping = threading.Event()

        def work():
            while not stopping.is_set():
                with lock:
                    number, self.next = self.next, self.next + 1
                try:
                    status, content = self.ask(port, number)
                except (OSError, http.client.HTTPException):
                    break
                if status == 200 and is_whole(content):
                    with lock:
                        self.known.add(number)
                    done.release()
            done.release()

        threads = [threading.Thread(target=work) for _ in range(3)]
        for thread in threads:
            thread.start()
        for _ in range(wanted):
            done.acquire()
        return threads, stopping

    # The kinds of rounds

    def record_and_kill(self, mode):
        deck, port = self.serve(mode, "--loopback")
        threads, _ = self.ask_new(port, self.source.randint(1, 25))
        deck.kill()
        deck.communicate()
        for thread in threads:
            thread.join()

    def save_and_kill(self, mode):
        deck, port = self.serve(mode, "--loopback")
        before = set(self.known)
        threads, stopping = self.ask_new(port, self.source.randint(5, 25))
        stopping.set()
        for thread in threads:
            thread.join()
        if mode == "record":
            # A whole recording takes the place of what was there.
            self.known -= before
        deck.send_signal(signal.SIGINT)
        self.kill_soon(deck, 0.25)

    def kill_soon(self, process, most):
        time.sleep(self.source.uniform(0, most))
        process.kill()
        process.communicate()

    def run(self, kind):
        global generation
        if kind in ("record", "append"):
            self.record_and_kill(kind)
        elif kind == "save":
            self.save_and_kill("append")
        elif kind == "save a rewrite":
            self.save_and_kill("record")
        elif kind == "refresh":
            generation += 1
            self.kill_soon(self.start("refresh", "x"), 1.5)
        else:
            self.record_and_kill("append")
            for _ in range(3):
                self.kill_soon(self.start("replay", "x", "--", "true"), 0.5)

    def check(self):
        deck, port = self.serve("replay")
        for number in sorted(self.known):
            status, content = self.ask(port, number)
            if status != 200 or not is_whole(content):
                raise Problem(f"/n/{number} is lost or torn: {status}, {len(content)} bytes, {content[:200]}")
        deck.send_signal(signal.SIGINT)
        errors = deck.communicate()[1]
        if deck.returncode != 0:
            raise Problem(f"replay ended with {deck.returncode}:\n{errors}")
        cassettes = os.path.join(self.folder, "cassettes")
        found = set(os.listdir(cassettes))
        if not found <= {"x.yaml", "x"}:
            raise Problem(f"left behind: {sorted(found)}")
        with open(os.path.join(cassettes, "x.yaml")) as file:
            named = set(re.findall(r"file: '?x/([^\s']+)", file.read()))
        files = set(os.listdir(os.path.join(cassettes, "x"))) if "x" in found else set()
        if files != named:
            raise Problem(f"body files left behind: {sorted(files - named)}, missing: {sorted(named - files)}")
        said = subprocess.run(
            [self.program, "check", "x"], cwd=self.folder, env=self.environment, capture_output=True, text=True
        )
        if "no problems" not in said.stdout:
            raise Problem(f"check: {said.stdout}{said.stderr}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tapedeck")
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    source = random.Random(options.seed)
    server = Server(("127.0.0.1", 0), Origin)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    folder = tempfile.mkdtemp(prefix="tapedeck-kills-")
    trial, exchanges = None, 0
    for number in range(options.rounds):
        kind = KINDS[number % len(KINDS)]
        if kind == KINDS[0]:
            path = os.path.join(folder, str(number))
            trial = Trial(os.path.abspath(options.tapedeck), path, server.server_port, source)
        try:
            trial.run(kind)
            trial.check()
            exchanges += len(trial.known)
        except Problem as problem:
            print(f"round {number}, {kind}, in {trial.folder}: {problem}")
            sys.exit(1)
    shutil.rmtree(folder)
    print(f"{options.rounds} rounds, {exchanges} exchanges looked for: nothing lost, nothing torn, nothing left behind")


if __name__ == "__main__":
    main()
