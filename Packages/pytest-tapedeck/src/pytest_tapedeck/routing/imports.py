"""Calls that follow the first import of a module."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType, TracebackType
from typing import Any, Optional


class ImportWatch(MetaPathFinder):
    """Calls functions once modules have been imported for the first time, for the time of a `with` block."""

    def __init__(self) -> None:
        self._callbacks: dict[str, Callable[[], None]] = {}

    def on_import(self, name: str, callback: Callable[[], None]) -> None:
        self._callbacks[name] = callback

    def __enter__(self) -> ImportWatch:
        sys.meta_path.insert(0, self)
        return self

    def __exit__(
        self,
        kind: Optional[type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        sys.meta_path.remove(self)
        # An import that another thread has begun meanwhile is none of this block's.
        self._callbacks.clear()

    def find_spec(
        self, fullname: str, path: Optional[Sequence[str]], target: Optional[ModuleType] = None
    ) -> Optional[ModuleSpec]:
        callback = self._callbacks.pop(fullname, None)
        if callback is None:
            return None
        # It is found by the others, as this one does not know it any more.
        spec = importlib.util.find_spec(fullname)
        if spec is None or spec.loader is None:
            return spec
        loader: Any = spec.loader
        execute = loader.exec_module

        def exec_module(module: ModuleType) -> None:
            del loader.exec_module
            execute(module)
            callback()

        loader.exec_module = exec_module
        return spec
