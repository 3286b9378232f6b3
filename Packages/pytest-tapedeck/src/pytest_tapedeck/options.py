"""The options of a session, from the markers of its test."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Optional, Union

import pytest

from .errors import TapedeckError
from .modes import checked_mode
from .names import own_cassette

_KEYS = {
    "select",
    "profile",
    "state",
    "seed",
    "mode",
    "allow_unmatched",
    "require_use",
    "folder",
    "variants",
}


@dataclass(frozen=True)
class CassetteOptions:
    """The options of a test's `cassette` markers, those of its class and module included."""

    is_marked: bool = False
    names: tuple[str, ...] = ()
    """Cassettes, one over the other; the first is recorded into."""
    select: Mapping[str, str] = field(default_factory=dict)
    """Variants by the names of their response sets."""
    profiles: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Profiles with what each is limited to, the last one on top."""
    state: Mapping[str, str] = field(default_factory=dict)
    seed: Optional[int] = None
    mode: Optional[str] = None
    """A mode of `MODES` that counts instead of that of the command line."""
    allow_unmatched: bool = False
    require_use: bool = False
    folder: Optional[str] = None
    """The folder of cassettes, relative to that of the test's file."""
    variants: Union[None, str, Mapping[str, Sequence[str]]] = None
    """The response set that the test runs with every variant of, or variants by response set."""


def options_of(node: pytest.Item) -> CassetteOptions:
    """The options of a test. What is said nearer to the test wins; selections, profiles and state add up."""
    names: list[str] = []
    select: dict[str, str] = {}
    profiles: list[tuple[str, tuple[str, ...]]] = []
    state: dict[str, str] = {}
    rest: dict[str, Any] = {}
    markers = list(node.iter_markers("cassette"))
    for marker in reversed(markers):
        unknown = sorted(set(marker.kwargs) - _KEYS)
        if unknown:
            raise TapedeckError(f"the marker `cassette` has no `{unknown[0]}`; it has: {', '.join(sorted(_KEYS))}")
        if not all(isinstance(name, str) for name in marker.args):
            raise TapedeckError("the marker `cassette` takes names of cassettes, and all else by keyword")
        names = [*marker.args, *(name for name in names if name not in marker.args)]
        arguments = dict(marker.kwargs)
        select.update(arguments.pop("select", {}))
        profiles += _profiles(arguments.pop("profile", ()))
        state.update(arguments.pop("state", {}))
        rest.update(arguments)
    mode = rest.get("mode")
    if mode is not None:
        checked_mode(mode, "`mode` of the marker `cassette`")
    return CassetteOptions(bool(markers), tuple(names), select, tuple(profiles), state, **rest)


def _profiles(
    value: Union[str, Sequence[str], Mapping[str, Sequence[str]]],
) -> list[tuple[str, tuple[str, ...]]]:
    if isinstance(value, str):
        return [(value, ())]
    if isinstance(value, Mapping):
        return [(name, tuple(only)) for name, only in value.items()]
    return [(name, ()) for name in value]


@dataclass(frozen=True)
class CassetteFile:
    """A cassette of a test, and where it is or would be."""

    path: Path
    """Absolute; with its ending."""
    folder: Path
    """The folder of cassettes that it is in, maybe in a folder within."""
    is_named: bool
    """True if the markers name it; otherwise it is named after the test."""

    @property
    def name(self) -> str:
        """The name that the deck has for it, which begins with the folders within `folder`."""
        return self.path.relative_to(self.folder).with_suffix("").as_posix()

    @property
    def exists(self) -> bool:
        return self.path.is_file()


def cassette_files(options: CassetteOptions, node: pytest.Item, folder: Path) -> list[CassetteFile]:
    """The cassettes of a test. Where the markers name none, it has one that is named after it.

    `folder` is where cassettes are unless the markers say so.
    """
    if options.folder is not None:
        folder = node.path.parent / options.folder
    if options.is_marked and not options.names:
        return [_file(folder, own_cassette(node, folder), False)]
    return [_file(folder, name, True) for name in options.names]


def _file(folder: Path, name: str, is_named: bool) -> CassetteFile:
    path = Path(os.path.normpath(_path(folder, name)))
    folder = Path(os.path.normpath(folder))
    return CassetteFile(path, folder if folder in path.parents else path.parent, is_named)


def _path(folder: Path, name: str) -> Path:
    path = folder / name
    if path.suffix in (".yaml", ".yml"):
        return path
    plain, short = path.with_name(path.name + ".yaml"), path.with_name(path.name + ".yml")
    return short if short.is_file() and not plain.is_file() else plain
