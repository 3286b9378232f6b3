"""The request for a session, with the cassettes that it plays."""

from __future__ import annotations

import base64
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Optional, Union

from .deck import Deck, Decks
from .errors import TapedeckError
from .modes import Run
from .options import CassetteFile, CassetteOptions

_DECK_MODES = {"replay": "replay", "once": "record", "new": "append", "all": "record"}

# Body files are named by `file:` and `encoded:` of a body. What only looks like one does no harm: if there is such a
# file beside the cassette, it is sent along.
_BODY_FILE = re.compile(r"""\b(?:file|encoded)["']?\s*:\s*(?:"([^"\n]+)"|'([^'\n]+)'|([^\s"',}][^,}\n]*))""")

SentFile = Union[str, Mapping[str, str]]


def open_request(
    name: str,
    options: CassetteOptions,
    files: Sequence[CassetteFile],
    selections: Mapping[str, str],
    decks: Decks,
    mode: str,
    run: Run,
) -> tuple[Deck, dict[str, Any]]:
    """The deck for a test, and what its session is to be there."""
    deck_mode = _deck_mode(mode, files, decks, run)
    records = deck_mode != "replay"
    if records:
        _check_recording(files[0], decks, mode)
    # A deck that learns writes into the cassette, too.
    writes = records or decks.learns and bool(files) and files[0].exists
    deck = decks.deck(files[0].folder if writes else None)
    if records and not deck.allows_dialling:
        raise TapedeckError(
            f"the deck at {deck.control.url} only replays, so nothing can be recorded there; "
            "start it with `tapedeck serve`"
        )
    request: dict[str, Any] = {
        "name": name,
        "mode": deck_mode,
        "selections": {**options.select, **selections},
        "profiles": [{"name": profile, "only": list(only)} if only else profile for profile, only in options.profiles],
        # If tests that share a cassette got different answers, each has a profile with its own.
        "ownProfile": True,
        "state": dict(options.state),
    }
    if options.seed is not None:
        request["seed"] = options.seed
    request["cassettes"], sent = _cassettes(files, decks, deck, writes)
    if sent:
        request["files"] = sent
    # Commands that the deck proposes name the files.
    request["paths"] = {name: decks.shown(file.path) for name, file in zip(request["cassettes"], files)}
    return deck, request


def _deck_mode(mode: str, files: Sequence[CassetteFile], decks: Decks, run: Run) -> str:
    if mode == "replay" or not files:
        return "replay"
    file = files[0]
    # Asked in every mode that records, so that it is noted for the tests of the mode `once`.
    lacked = run.lacked(decks.place(file.path, file.name), lambda: file.exists or _has(decks, file))
    return "replay" if mode == "once" and not lacked else _DECK_MODES[mode]


def _check_recording(file: CassetteFile, decks: Decks, mode: str) -> None:
    if _is_ci():
        raise TapedeckError(
            f'nothing is recorded where CI is set, and in the mode "{mode}" this test would record '
            f"{decks.shown(file.path)}: record on your own machine, commit the cassette, and have CI play it"
        )
    if not decks.is_running:
        file.path.parent.mkdir(parents=True, exist_ok=True)


def _has(decks: Decks, file: CassetteFile) -> bool:
    """Returns true if tests use a deck that runs already and has the cassette in its own folder."""
    if not decks.is_running:
        return False
    return file.name in _known(decks.deck())


def _cassettes(
    files: Sequence[CassetteFile], decks: Decks, deck: Deck, writes: bool
) -> tuple[list[str], dict[str, SentFile]]:
    names: list[str] = []
    sent: dict[str, SentFile] = {}
    for index, file in enumerate(files):
        # A file that is sent is in no folder, as its body files are beside it.
        name = file.path.stem if file.exists and not (writes and index == 0) else file.name
        if name in names:
            raise TapedeckError(f'two cassettes are called "{name}"; give them names of their own')
        names.append(name)
        if writes and index == 0:
            continue
        if file.exists:
            cassette = file.path.read_bytes()
            sent[f"{name}.yaml"] = _sendable(cassette)
            for path, body in _body_files(cassette, file.path.parent):
                sent[path] = _sendable(body)
        else:
            known = [] if deck.is_own else _known(deck)
            if file.name not in known:
                raise TapedeckError(_missing(file, decks, deck, known))
    return names, sent


def _known(deck: Deck) -> list[str]:
    """The cassettes that a deck has in its own folder."""
    return [cassette["name"] for cassette in deck.control.json("GET", "/v1/cassettes")["cassettes"]]


def _missing(file: CassetteFile, decks: Decks, deck: Deck, known: Sequence[str]) -> str:
    text = f"there is no cassette {decks.shown(file.path)}"
    if not deck.is_own:
        text += f', and the deck at {deck.control.url} has no "{file.name}"'
    near: list[str] = []
    if file.is_named:
        others = [path.relative_to(file.folder).with_suffix("").as_posix() for path in file.path.parent.glob("*.y*ml")]
        near = get_close_matches(file.name, [*others, *known], 1, 0.7)
    other = file.path.with_suffix("")
    if other.is_file():
        return f"{text}; {decks.shown(other)} is a file of another tool: tapedeck import makes a cassette of it"
    remedy = (
        "record it on your own machine and commit it"
        if _is_ci()
        else "record it by running the test with --tapedeck-mode=once"
    )
    return f'{text}; did you mean "{near[0]}"? If not, {remedy}' if near else f"{text}; {remedy}"


def _is_ci() -> bool:
    return os.environ.get("CI", "").lower() not in ("", "0", "false")


def _sendable(data: bytes) -> SentFile:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode()}


def _body_files(cassette: bytes, folder: Path) -> Iterator[tuple[str, bytes]]:
    names = {
        next(group for group in match.groups() if group).strip()
        for match in _BODY_FILE.finditer(cassette.decode(errors="replace"))
    }
    for name in sorted(names):
        parts = [part for part in name.split("/") if part != "."]
        # The deck reports missing files and paths that lead elsewhere: it knows the line.
        if name.startswith("/") or ".." in parts:
            continue
        content = _content(folder.joinpath(*parts))
        if content is not None:
            yield "/".join(parts), content


def _content(path: Path) -> Optional[bytes]:
    try:
        return path.read_bytes() if path.is_file() else None
    except (OSError, ValueError):
        return None


def variants(set_name: str, files: Sequence[CassetteFile], decks: Decks) -> list[str]:
    """The variants that a response set has in the cassettes, as they stand there; built-in ones are none of them."""
    deck = decks.deck()
    names, sent = _cassettes(files, decks, deck, False)
    control = deck.control
    # Every set has the variant `offline`. If there is no such set, the deck refuses the session and names the sets.
    request = {"name": "variants", "cassettes": names, "files": sent, "selections": {set_name: "offline"}}
    session = control.json("POST", "/v1/sessions", request)["id"]
    try:
        found = control.json("GET", f"/v1/sessions/{session}/sets", query={"search": set_name, "limit": 1000})["sets"]
    finally:
        control.json("DELETE", f"/v1/sessions/{session}")
    own = next(entry for entry in found if entry["name"] == set_name)
    return [variant["name"] for variant in own["variants"] if not variant["isBuiltIn"]]
