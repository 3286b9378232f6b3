"""The modes of a test, and which cassettes a run records in the mode `once`."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
import uuid
from datetime import datetime, timezone
from difflib import get_close_matches
from pathlib import Path
from typing import Callable, Optional

from .errors import TapedeckError

MODES = ("replay", "once", "new", "all")

_MEANT = {"none": "replay", "play": "replay", "new_episodes": "new", "append": "new", "record": "all", "rewrite": "all"}
"""Words of other tools and of the deck, and the mode that means the same."""


def checked_mode(word: object, source: str) -> str:
    """Returns the word if it is a mode; `source` is where it was written, such as `TAPEDECK_MODE`."""
    if isinstance(word, str) and word in MODES:
        return word
    plain = str(word).strip().lower()
    near = _MEANT.get(plain) or next(iter(get_close_matches(plain, MODES, 1, 0.5)), None)
    hint = f'; did you mean "{near}"?' if near else ""
    raise TapedeckError(f'{source} is "{word}"; it must be one of {", ".join(MODES)}{hint}')


class Run:
    """One pytest command: its processes share which cassettes were missing when a test first used them."""

    def __init__(self, shared: Optional[tuple[str, str]] = None) -> None:
        """`shared` is what the process that distributes the tests has in `shared`."""
        now = datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        self.shared = shared or (uuid.uuid4().hex, now)
        """What makes several processes one run: its name, and the time at which it began (RFC 3339)."""
        self._is_own = shared is None
        # Nobody can guess its name, so nobody else has made it.
        self._folder = Path(tempfile.gettempdir()) / f"pytest-tapedeck-run-{self.shared[0]}"

    @property
    def began(self) -> str:
        """The time at which the run began. What a deck finds recorded since then is of the same run."""
        return self.shared[1]

    def lacked(self, cassette: str, exists: Callable[[], bool]) -> bool:
        """Returns true if the cassette was missing when a test of this run first used it, and notes that it was."""
        note = self._folder / hashlib.sha256(cassette.encode(errors="surrogateescape")).hexdigest()
        # The order matters: a process makes its note before it makes the cassette. So if another process of the run has
        # made the cassette that is found here, its note is found, too.
        if exists():
            return note.exists()
        self._folder.mkdir(mode=0o700, exist_ok=True)
        note.touch()
        return True

    def close(self) -> None:
        """Removes the notes, in the process that the run began with."""
        if self._is_own and os.path.isdir(self._folder):
            shutil.rmtree(self._folder, ignore_errors=True)
