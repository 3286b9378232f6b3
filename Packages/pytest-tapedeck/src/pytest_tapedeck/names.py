"""The names of a test's session and of its own cassette: the same on every machine, and no other test has them."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path, PurePosixPath

import pytest

_SESSION_LIMIT = 200
"""Characters of a session's name. The deck's limit."""
_FILE_LIMIT = 100
"""Characters of a file's name without its ending, so that the names of files beside it are valid, too."""
_ENDINGS = (".yaml", ".yml", ".journal")
"""The endings of a cassette's files, which no name may seem to have."""


def session_name(node: pytest.Item) -> str:
    """The name of a test's session: the test's id, without the group that pytest-xdist adds to it."""
    assert node.parent is not None
    exact = f"{node.parent.nodeid}::{node.name}"
    # A variant of a cassette may be named after the session, and the name of one has neither of these.
    name = re.sub(r"[\x00-\x1f\x7f-\x9f]", " ", exact).replace("=", ":")
    if name == exact and len(name) <= _SESSION_LIMIT:
        return name
    mark = f" {_digest(exact)}"
    room = _SESSION_LIMIT - len(mark)
    # The end of a name tells more than its middle.
    return (name if len(name) <= room else f"{name[:60]}…{name[61 - room :]}") + mark


def own_cassette(node: pytest.Item, folder: Path) -> str:
    """The name of a test's own cassette in a folder, as in `test_users/test_login-ada`.

    In a folder that is not beside the test's file, the name begins with the folders of the test.
    """
    is_beside = folder.parent == node.path.parent and not node.config.getini("tapedeck_cassettes")
    root = node.path.parent if is_beside else node.config.rootpath
    path = node.path.with_suffix("") if node.path.suffix == ".py" else node.path
    try:
        module = path.relative_to(root)
    except ValueError:
        module = Path(*path.parts[1:])
    return str(PurePosixPath(*(file_name(part) for part in module.parts), _own_file(node)))


def _own_file(node: pytest.Item) -> str:
    classes = [parent.name for parent in node.listchain() if isinstance(parent, pytest.Class)]
    exact = "::".join([*classes, node.name])
    # Python's names have neither `.` nor `-`, so that no two tests look alike here.
    return file_name(exact, ".".join([*classes, re.sub(r"^([^\[]*)\[(.*)\]$", r"\1-\2", node.name)]))


def file_name(exact: str, readable: str = "") -> str:
    """A file's name for something, which nothing else has, also on a disk that ignores case.

    It is `readable`, by default `exact`, as far as a file's name may be. Where that loses anything, has capital letters
    or is too long, a digest of `exact` follows.
    """
    readable = readable or exact
    slug = re.sub(r"[^A-Za-z0-9._-]+", "-", readable).strip("-.")
    if slug == readable and slug == slug.lower() and len(slug) <= _FILE_LIMIT and not slug.endswith(_ENDINGS):
        return slug
    mark = _digest(exact)
    start = slug[: _FILE_LIMIT - len(mark) - 1].rstrip("-.")
    return f"{start}-{mark}" if start else mark


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:8]
