#!/usr/bin/env python3
"""Runs a deck many times for a moment, and expects nothing on standard error but lines of its own.

    short_runs.py TAPEDECK [--runs 3000]

Prints what else there was, and how many runs there were. Exits with 1 if anything was printed, or if a run ended with
an exit code that it should not have.
"""

import argparse
import os
import subprocess
import sys
import tempfile

CONTROL = 'curl -sS --noproxy "*" --max-time 20 -o /dev/null'
PLAYED = "curl -sS --max-time 20 -o /dev/null http://short.test/"
# Further work of a command, so that it ends while the control API is idle, has answered, keeps a connection, or sends events.
COMMANDS = [
    "true",
    f'{CONTROL} "$TAPEDECK_URL/v1/health"',
    f'{CONTROL} "$TAPEDECK_URL/v1/deck" && {CONTROL} "$TAPEDECK_URL/v1/sessions" "$TAPEDECK_URL/v1/health"',
    f'{CONTROL} "$TAPEDECK_URL/v1/events" > /dev/null 2>&1 & {CONTROL} "$TAPEDECK_URL/v1/health"',
    f'{CONTROL} -X POST -d "{{}}" -H "Content-Type: application/json" "$TAPEDECK_URL/v1/sessions"',
]
CASSETTE = """tapedeck: 1
responseSets:
  - name: short
    request: { method: GET, url: http://short.test/ }
    variants: [{ name: found, takes: [{ status: 200, body: { text: hello } }] }]
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tapedeck")
    parser.add_argument("--runs", type=int, default=3000)
    options = parser.parse_args()
    program = os.path.abspath(options.tapedeck)
    failures = 0
    with tempfile.TemporaryDirectory(prefix="tapedeck-short-") as folder:
        os.mkdir(os.path.join(folder, "cassettes"))
        with open(os.path.join(folder, "cassettes", "short.yaml"), "w") as file:
            file.write(CASSETTE)
        environment = {"PATH": os.environ["PATH"], "HOME": folder, "TMPDIR": folder, "LC_ALL": "C.UTF-8"}
        for number in range(options.runs):
            command = COMMANDS[number % len(COMMANDS)]
            mode = ["replay", "append", "serve"][number // len(COMMANDS) % 3]
            run = subprocess.run(
                [program, mode, "short", "--port", "0", "--control-port", "0", "--", "sh", "-c", f"{PLAYED}; {command}"],
                cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE, timeout=120,
            )
            lines = run.stderr.decode(errors="replace").splitlines()
            strange = [line for line in lines if not line.startswith("tapedeck: ")]
            if strange or run.returncode != 0:
                failures += 1
                print(f"run {number}, {mode}, {command}: exit code {run.returncode}", *lines, sep="\n  ")
    print(f"{options.runs} runs, {failures} with something else on standard error or another exit code")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
