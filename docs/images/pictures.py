#!/usr/bin/env python3
"""Makes the README's pictures with the real program: terminal.svg, and page.png of the live page in Chromium.

    venv/bin/pip install playwright
    TAPEDECK=.build/debug/tapedeck venv/bin/python docs/images/pictures.py
"""

import html
import json
import os
import pathlib
import subprocess
import tempfile

from playwright.sync_api import sync_playwright

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
IMAGES = ROOT / "docs" / "images"
TAPEDECK = os.path.abspath(os.environ.get("TAPEDECK", ".build/debug/tapedeck"))
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
GITHUB = "https://api.github.com"

COMMANDS = [
    f"tapedeck replay github -- curl -s {GITHUB}/users/octocat",
    f"tapedeck replay github --select 'user octocat=gone' -- curl -s {GITHUB}/users/octocat",
    f"tapedeck explain github GET '{GITHUB}/search/repositories?q=rust' | head -8",
]


def run(command: str, environment: dict[str, str]) -> str:
    """What a terminal shows of the command, the lines of both outputs in order."""
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(TAPEDECK, f"{folder}/tapedeck")
        environment = environment | {"PATH": f"{folder}:{environment['PATH']}"}
        result = subprocess.run(
            ["bash", "-c", command], cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
    # curl ends its output without a line feed.
    return result.stdout.replace("}tapedeck:", "}\ntapedeck:").rstrip("\n")


def terminal(environment: dict[str, str]) -> str:
    lines = []
    for command in COMMANDS:
        lines += [("#9cdcfe", f"$ {command}"), *(("#d4d4d4", line) for line in run(command, environment).split("\n")), ("", "")]
    lines.pop()
    width, height = 16 + 8 * max(len(line) for _, line in lines), 24 + 19 * len(lines)
    rows = "\n".join(
        f'<text x="14" y="{30 + 19 * index}" fill="{color}" xml:space="preserve">{html.escape(line)}</text>'
        for index, (color, line) in enumerate(lines)
        if line
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="monospace" font-size="13">\n'
        f'<rect width="100%" height="100%" rx="8" fill="#1e1e1e"/>\n{rows}\n</svg>\n'
    )


def page(environment: dict[str, str]) -> None:
    command = [TAPEDECK, "replay", "github", "payments", "--port", "0", "--control-port", "0", "--log-format", "json"]
    deck = subprocess.Popen(command, cwd=ROOT, env=environment, stderr=subprocess.PIPE, text=True)
    try:
        for line in deck.stderr:
            event = json.loads(line)
            if event["message"] == "serving":
                break
        paths = ["/users/octocat", "/repos/apple/swift-nio", "/search/repositories?q=swift&sort=stars", "/users/nobody"]
        for path in paths:
            subprocess.run(
                ["curl", "-s", "-k", "-o", "/dev/null", "-x", event["url"], GITHUB + path], env=environment, check=True
            )
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
            view = browser.new_page(viewport={"width": 1200, "height": 560}, color_scheme="light")
            view.goto(event["controlURL"])
            view.get_by_text("nobody").first.wait_for()
            view.screenshot(path=str(IMAGES / "page.png"))
            browser.close()
    finally:
        deck.terminate()
        deck.wait()


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        environment = {"PATH": os.environ["PATH"], "TAPEDECK_CA_DIR": folder, "HOME": folder}
        (IMAGES / "terminal.svg").write_text(terminal(environment))
        page(environment)


main()
