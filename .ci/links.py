#!/usr/bin/env python3
"""Checks the links of the pages to files and headings of this repository. Exits with 1 if one leads nowhere."""

import functools
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PATTERNS = ["*.md", "docs/*.md", "Benchmarks/*.md", "docker/**/*.md", "Packages/*/README.md", "Examples/*/README.md"]


def prose(page: pathlib.Path) -> str:
    """The text of a page without its blocks of code."""
    return re.sub(r"^```.*?^```", "", page.read_text(), flags=re.S | re.M)


@functools.cache
def anchors(page: pathlib.Path) -> set[str]:
    """The anchors of a page's headings, as GitHub and GitLab form them."""
    found: set[str] = set()
    for heading in re.findall(r"^#+ (.*)$", prose(page), flags=re.M):
        text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        anchor = re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", "-")
        name, number = anchor, 0
        while name in found:
            number += 1
            name = f"{anchor}-{number}"
        found.add(name)
    return found


def problems(page: pathlib.Path) -> list[str]:
    found = []
    for link in re.findall(r"\]\(([^)\s]+)\)", prose(page)):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.exists():
            found.append(f"{page.relative_to(ROOT)}: there is no file {link}")
        elif anchor and target.suffix == ".md" and anchor not in anchors(target):
            found.append(f"{page.relative_to(ROOT)}: there is no heading {link}")
    return found


pages = sorted({page for pattern in PATTERNS for page in ROOT.glob(pattern)})
found = [problem for page in pages for problem in problems(page)]
print("\n".join(found) or f"{len(pages)} pages, every link leads somewhere")
sys.exit(1 if found else 0)
