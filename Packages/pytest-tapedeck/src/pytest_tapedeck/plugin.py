"""The hooks of pytest: options, the marker `cassette`, the fixture `tapedeck`, and the checks of each test."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import Any, Optional

import pytest

from .cassettes import open_request, variants
from .deck import Decks
from .errors import TapedeckError
from .options import RECORD_MODES, CassetteOptions, cassette_files, options_of
from .report import TestCase
from .routing import routed
from .session import Session
from .tapedeck import Tapedeck

_DECKS = pytest.StashKey[Decks]()
_CASE = pytest.StashKey[TestCase]()

_MARKER = (
    "cassette(*names, select={SET: VARIANT}, profile=NAME, state={}, seed=None, record=None, allow_unmatched=False, "
    "require_use=False, folder=None, variants=SET): the test plays these cassettes of a Tapedeck; without a name, one "
    "that is named after the test"
)


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("tapedeck", "recorded HTTP")
    group.addoption(
        "--tapedeck-record",
        choices=RECORD_MODES,
        help="none: cassettes are played, and what is not on tape fails the test (default). once: a cassette that "
        "is not there is recorded. new: what is not on tape is recorded. all: cassettes are recorded anew.",
    )
    group.addoption(
        "--tapedeck-bin",
        metavar="PATH",
        help="the tapedeck program that is started (default: a deck that runs at TAPEDECK_URL, else the program "
        "TAPEDECK_BIN, else `tapedeck` on the path)",
    )
    parser.addini("tapedeck_record", "what --tapedeck-record is unless it is given", default="none")
    parser.addini(
        "tapedeck_cassettes",
        "the folder of cassettes, from the root of the project (default: `cassettes` beside the file of the test)",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", _MARKER)
    mode = config.getini("tapedeck_record")
    if mode not in RECORD_MODES:
        raise pytest.UsageError(f'tapedeck_record is "{mode}"; it must be one of {", ".join(RECORD_MODES)}')
    config.stash[_DECKS] = Decks(config.rootpath, config.getoption("--tapedeck-bin"))


def pytest_unconfigure(config: pytest.Config) -> None:
    if _DECKS in config.stash:
        config.stash[_DECKS].close()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    node = metafunc.definition
    try:
        options = options_of(node)
        if options.variants is None:
            return
        cases = _cases(options, node)
    except TapedeckError as error:
        pytest.fail(f"{node.nodeid}: {error}", pytrace=False)
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
    """Begins the session of a marked test before its other fixtures, also where the test does not ask for it."""
    if "tapedeck" in request.fixturenames or request.node.get_closest_marker("cassette") is not None:
        request.getfixturevalue("tapedeck")


@pytest.fixture
def tapedeck(request: pytest.FixtureRequest, _selections: Mapping[str, str]) -> Iterator[Tapedeck]:
    """The session of this test: requests of the process are led to it, and nothing else, while the test runs."""
    node = request.node
    try:
        deck = _open(node, _selections)
    except TapedeckError as error:
        pytest.fail(f"{_place(node)}: {error}", pytrace=False)
    node.stash[_CASE] = TestCase(deck, node)
    with routed(deck._route):
        yield deck


def _open(node: pytest.Item, selections: Mapping[str, str]) -> Tapedeck:
    config = node.config
    options = options_of(node)
    record = options.record or config.getoption("--tapedeck-record") or config.getini("tapedeck_record")
    files = cassette_files(options, node, _folder(node))
    deck, request = open_request(node.nodeid, options, files, selections, config.stash[_DECKS], record)
    return Tapedeck(Session(deck, request), options, selections, _place(node), config.rootpath)


def _place(node: pytest.Item) -> str:
    path, line, _ = node.location
    return path if line is None else f"{path}:{line + 1}"


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
    if issues:
        pytest.fail("\n".join(issues), pytrace=False)
    return result


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[Any]) -> Generator[None, Any, Any]:
    report: Any = yield
    case: Optional[TestCase] = item.stash.get(_CASE, None)
    if case is not None and report.failed:
        case.complete(report)
        if report.when == "teardown":
            # A fixture failed, so that the session has not ended yet.
            report.sections += [("tapedeck: what is wrong", issue) for issue in case.end()]
    return report
