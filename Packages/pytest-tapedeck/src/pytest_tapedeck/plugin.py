"""The hooks of pytest: options, the marker `cassette`, the fixture `tapedeck`, and the checks of each test."""

from __future__ import annotations

import argparse
import contextlib
import os
from collections.abc import Generator, Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import Any, Optional

import pytest

from .cassettes import open_request, variants
from .deck import Decks
from .errors import TapedeckError
from .guard import Guard
from .modes import Run, checked_mode
from .names import session_name
from .options import CassetteFile, CassetteOptions, cassette_files, options_of
from .recordings import RecordingReports
from .report import TestCase
from .routing import routed
from .session import Session
from .tapedeck import Tapedeck

_DECKS = pytest.StashKey[Decks]()
_RUN = pytest.StashKey[Run]()
_GUARD = pytest.StashKey[Guard]()
_CASE = pytest.StashKey[TestCase]()

_MARKER = (
    "cassette(*names, select={SET: VARIANT}, profile=NAME, state={}, seed=None, mode=None, allow_unmatched=False, "
    "require_use=False, folder=None, variants=SET): the test plays these cassettes of a Tapedeck; without a name, one "
    "that is named after the test"
)


_WRONG = "tapedeck: what is wrong"
"""The section of a report that has the issues of a session."""


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("tapedeck", "recorded HTTP")
    group.addoption(
        "--tapedeck-mode",
        type=_mode_argument,
        metavar="MODE",
        help="replay: cassettes are played, and a missing cassette or an unmatched request fails the test (default). "
        "once: a cassette that is missing when the run begins is recorded. new: what is not on tape is recorded. "
        "all: what the tests request is recorded anew.",
    )
    group.addoption(
        "--tapedeck-block-network",
        action="store_true",
        default=None,
        help="every test has a session, so that no request reaches the network without a cassette",
    )
    group.addoption(
        "--tapedeck-learn",
        action="store_true",
        help="requests that differ from recorded ones of the same test are answered, and the cassettes note what varies",
    )
    group.addoption(
        "--tapedeck-fast",
        action="store_true",
        help="polls are shortened, and no client waits for Retry-After",
    )
    group.addoption(
        "--tapedeck-bin",
        metavar="PATH",
        help="the tapedeck program that is started (default: a deck that runs at TAPEDECK_URL, else the program "
        "TAPEDECK_BIN, else that of the package tapedeck-bin, else `tapedeck` on the path)",
    )
    parser.addini(
        "tapedeck_mode", "the mode unless --tapedeck-mode or the variable TAPEDECK_MODE says another", default="replay"
    )
    parser.addini("tapedeck_block_network", "true is the same as --tapedeck-block-network", type="bool", default=False)
    parser.addini(
        "tapedeck_cassettes",
        "the folder of cassettes, from the root of the project (default: `cassettes` beside the file of the test)",
    )


def _mode_argument(word: str) -> str:
    try:
        return checked_mode(word, "the mode")
    except TapedeckError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", _MARKER)
    try:
        _mode(config)
    except TapedeckError as error:
        raise pytest.UsageError(str(error)) from error
    run = Run(getattr(config, "workerinput", {}).get("tapedeck_run"))
    config.stash[_RUN] = run
    options = [f"--{word}" for word in ("learn", "fast") if config.getoption(f"--tapedeck-{word}")]
    config.stash[_DECKS] = Decks(config.rootpath, config.getoption("--tapedeck-bin"), run.began, options)
    config.pluginmanager.register(RecordingReports(), "tapedeck-recordings")


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Tells a worker of pytest-xdist which run it belongs to."""
    node.workerinput["tapedeck_run"] = node.config.stash[_RUN].shared


def pytest_unconfigure(config: pytest.Config) -> None:
    if _GUARD in config.stash:
        with contextlib.suppress(TapedeckError):
            config.stash[_GUARD].close()
    if _DECKS in config.stash:
        config.stash[_DECKS].close()
    if _RUN in config.stash:
        config.stash[_RUN].close()


def _mode(config: pytest.Config) -> str:
    """The mode of tests whose marker names none."""
    option: Optional[str] = config.getoption("--tapedeck-mode")
    if option:
        return option
    variable = os.environ.get("TAPEDECK_MODE")
    if variable:
        return checked_mode(variable, "TAPEDECK_MODE")
    return checked_mode(config.getini("tapedeck_mode"), "tapedeck_mode")


def _blocks(config: pytest.Config) -> bool:
    """Returns true if every test has a session, also one that names no cassette."""
    return bool(config.getoption("--tapedeck-block-network") or config.getini("tapedeck_block_network"))


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Guards the network from before the first module of tests is imported."""
    config = session.config
    # With pytest-xdist the workers import and run the tests.
    if not _blocks(config) or config.option.collectonly or getattr(config.option, "dist", "no") != "no":
        return
    try:
        config.stash[_GUARD] = Guard(config.stash[_DECKS])
    except TapedeckError as error:
        raise pytest.UsageError(str(error)) from error
    config.stash[_GUARD].begin()


def pytest_collection_finish(session: pytest.Session) -> None:
    issues = _guard_issues(session.config, "while modules of tests were imported")
    if issues:
        raise pytest.UsageError(*issues)


def _guard_issues(config: pytest.Config, source: str) -> list[str]:
    return config.stash[_GUARD].issues(source) if _GUARD in config.stash else []


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    node = metafunc.definition
    try:
        options = options_of(node)
    except TapedeckError:
        # The set-up of the test says so, and the other tests of the module run.
        return
    if options.variants is None:
        return
    try:
        cases = _cases(options, node)
    except TapedeckError as error:
        raise _failure(node, error) from None
    metafunc.parametrize(
        _selections.__name__,
        [pytest.param(case, id="-".join(case.values())) for case in cases],
        indirect=True,
    )


def _cases(options: CassetteOptions, node: pytest.Item) -> list[dict[str, str]]:
    wanted = options.variants
    if isinstance(wanted, str):
        if not options.names:
            raise TapedeckError("`variants` needs the name of the cassette that has them")
        files = cassette_files(options, node, _folder(node))
        wanted = {wanted: variants(wanted, files, node.config.stash[_DECKS])}
    if not isinstance(wanted, Mapping):
        raise TapedeckError("`variants` is the name of a response set, or lists of variants by response set")
    return [dict(zip(wanted, choice)) for choice in product(*wanted.values())]


def _folder(node: pytest.Item) -> Path:
    """The folder of a test's cassettes, unless its markers name another."""
    folder = node.config.getini("tapedeck_cassettes")
    return node.config.rootpath / folder if folder else node.path.parent / "cassettes"


@pytest.fixture(autouse=True)
def _selections(request: pytest.FixtureRequest) -> Mapping[str, str]:
    """The variants of this case of the test, where its marker asks for several."""
    selections: Mapping[str, str] = getattr(request, "param", {})
    return selections


@pytest.fixture(autouse=True)
def _session(request: pytest.FixtureRequest, _selections: Mapping[str, str]) -> None:
    """Begins the session of a test before its other fixtures, also where the test does not ask for it."""
    is_marked = request.node.get_closest_marker("cassette") is not None
    if is_marked or "tapedeck" in request.fixturenames or _blocks(request.config):
        request.getfixturevalue("tapedeck")


@pytest.fixture
def tapedeck(request: pytest.FixtureRequest, _selections: Mapping[str, str]) -> Iterator[Tapedeck]:
    """The session of this test: requests of the process are led to it, and nothing else, while the test runs."""
    node = request.node
    try:
        deck = _open(node, _selections)
    except TapedeckError as error:
        raise _failure(node, error) from None
    node.stash[_CASE] = TestCase(deck, node)
    guard = request.config.stash.get(_GUARD, None)
    with guard.paused() if guard else contextlib.nullcontext(), routed(deck._route):
        yield deck


def _open(node: pytest.Item, selections: Mapping[str, str]) -> Tapedeck:
    config = node.config
    options = options_of(node)
    mode = options.mode or _mode(config)
    files = cassette_files(options, node, _folder(node))
    decks = config.stash[_DECKS]
    name = session_name(node)
    deck, request = open_request(name, options, files, selections, decks, mode, config.stash[_RUN])
    cassette = _recorded(files[0], decks) if request["mode"] != "replay" else None
    session = Session(deck, request)
    return Tapedeck(session, options, selections, _place(node), config.rootpath, mode, cassette)


def _recorded(file: CassetteFile, decks: Decks) -> str:
    """The cassette that a test records, as reports call it."""
    return decks.place(file.path, file.name) if decks.is_running else decks.shown(file.path)


def _failure(node: pytest.Item, error: TapedeckError) -> BaseException:
    return pytest.fail.Exception(f"{_place(node)}: {error}", pytrace=False)


def _place(node: pytest.Item) -> str:
    path, line, _ = node.location
    return path if line is None else f"{path}:{line + 1}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, Any, Any]:
    result = yield
    issues = _guard_issues(item.config, "by a fixture")
    if issues:
        pytest.fail("\n".join(issues), pytrace=False)
    return result


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    case = item.stash.get(_CASE, None)
    if case is None:
        return (yield)
    try:
        result = yield
    except (pytest.skip.Exception, pytest.xfail.Exception):
        case.forgive()
        raise
    except Exception:
        # The text of the body comes first; the report has the rest below it.
        case.check()
        raise
    issues = case.check()
    if issues:
        case.is_told = True
        pytest.fail("\n".join(issues), pytrace=False)
    return result


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None, Any, Any]:
    """Ends the session behind all fixtures, and behind what captures their output."""
    result = yield
    case = item.stash.get(_CASE, None)
    issues = case.end() if case is not None else []
    issues += _guard_issues(item.config, "by a fixture as it ended")
    if issues:
        pytest.fail("\n".join(issues), pytrace=False)
    return result


def _shorten(report: Any, item: pytest.Item) -> None:
    """Leaves the place of the test out of the line of the summary, which is short and begins with the test."""
    crash = getattr(report.longrepr, "reprcrash", None)
    if crash is not None:
        prefix = f"Failed: {_place(item)}: "
        crash.message = crash.message[len(prefix) :] if crash.message.startswith(prefix) else crash.message


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[Any]) -> Generator[None, Any, Any]:
    report: Any = yield
    case: Optional[TestCase] = item.stash.get(_CASE, None)
    if report.failed:
        _shorten(report, item)
    if case is not None and report.failed:
        if report.when == "setup":
            # A fixture failed, maybe for what is wrong with the session: both are one failure.
            case.check()
        case.complete(report)
        if report.when == "teardown":
            # A fixture failed, so that the session has not ended yet.
            report.sections += [(_WRONG, issue) for issue in case.end()]
    if report.failed:
        # A fixture of a wider scope failed, as its request was refused.
        report.sections += [(_WRONG, issue) for issue in _guard_issues(item.config, "by a fixture")]
    if case is not None and report.when == "teardown":
        RecordingReports.attach(report, case.recording)
    return report
