"""Attributes that are replaced for a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_MISSING = object()


class Patches:
    """Attributes of classes and modules that are replaced for a time, and then put back."""

    def __init__(self) -> None:
        self._originals: list[tuple[Any, str, object, object]] = []
        self._endings: list[Callable[[], object]] = []

    def replace(self, owner: Any, name: str, value: object) -> None:
        """Replaces an attribute until `undo`."""
        self._originals.append((owner, name, vars(owner).get(name, _MISSING), value))
        setattr(owner, name, value)

    def keep(self, owner: Any, name: str) -> None:
        """Puts an attribute back at `undo`, whatever it is by then."""
        self._originals.append((owner, name, vars(owner).get(name, _MISSING), _MISSING))

    def at_end(self, ending: Callable[[], object]) -> None:
        """Calls a function at `undo`, once everything has been put back."""
        self._endings.append(ending)

    def undo(self) -> None:
        """Puts back what was there, the last replacement first."""
        while self._originals:
            owner, name, original, value = self._originals.pop()
            # A later patch is removed by the code that made it.
            if value is not _MISSING and vars(owner).get(name, _MISSING) is not value:
                continue
            if original is _MISSING:
                delattr(owner, name)
            else:
                setattr(owner, name, original)
        while self._endings:
            self._endings.pop()()
