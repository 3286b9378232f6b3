"""Decks that are started, that run already, and that end; tests side by side; what is recorded."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from conftest import Origin

TEN_TESTS = """
    import pytest
    from small_client import LIBRARIES, GitHub

    @pytest.mark.cassette("github")
    @pytest.mark.parametrize("number", range(10))
    def test_alone(number, tapedeck):
        if number % 2:
            tapedeck.select("login", "wrong password")
        client = GitHub(list(LIBRARIES)[number % len(LIBRARIES)])
        for _ in range(5):
            assert client.login(f"user {number}", "b") == (None if number % 2 else "Octocat")
        tapedeck.expect(None, None, times=5)
        assert {one.request.json()["user"] for one in tapedeck.requests()} == {f"user {number}"}
        assert number != 7, "this one fails"
"""


def test_ten_tests_in_parallel_see_nothing_of_each_other(project: pytest.Pytester) -> None:
    project.makepyfile(TEN_TESTS)
    result = project.runpytest_subprocess("-n", "2")
    result.assert_outcomes(passed=9, failed=1)
    result.stdout.fnmatch_lines(["session *test_alone?7], replay, seed *", "FAILED *test_alone?7]*"])


def test_tests_in_parallel_share_a_deck_that_runs(project: pytest.Pytester) -> None:
    project.makepyfile(TEN_TESTS)
    command = [os.environ["TAPEDECK_BIN"], "serve", "--", sys.executable, "-m", "pytest", "-n", "2"]
    result = project.run(*command)
    result.assert_outcomes(passed=9, failed=1)
    result.stderr.fnmatch_lines(["tapedeck: 10 sessions: 50 requests played, *"])


def test_a_wrong_name_on_a_shared_deck_names_the_deck_and_the_file_of_the_tests(project: pytest.Pytester) -> None:
    project.mkdir("server")
    (project.path / "cassettes").rename(project.path / "server" / "cassettes")
    project.makepyfile("""
        import pytest

        @pytest.mark.cassette("github")
        def test_there():
            pass

        @pytest.mark.cassette("githup")
        def test_nowhere():
            pass
    """)
    program = os.environ["TAPEDECK_BIN"]
    tests = [sys.executable, "-m", "pytest", "-rN"]
    result = project.run(program, "serve", "--cassettes", str(project.path / "server" / "cassettes"), "--", *tests)
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(
        [
            "*.py:7: there is no cassette cassettes/githup.yaml, and the deck at http://127.0.0.1:* has no "
            '"githup"; did you mean "github"? If not, record it by running the test with --tapedeck-mode=once'
        ]
    )
    result.stdout.no_fnmatch_line("*server/cassettes*")


def test_a_deck_ends_with_a_run_that_is_killed(project: pytest.Pytester) -> None:
    test = project.makepyfile("""
        import sys, time
        from pytest_tapedeck.plugin import _DECKS

        def test_hangs(tapedeck, request, capfd):
            with capfd.disabled():
                print("deck", *request.config.stash[_DECKS].pids, flush=True)
            time.sleep(600)
    """)
    # What it writes for clients is left behind.
    environment = os.environ | {"TMPDIR": str(project.path)}
    run = subprocess.Popen([sys.executable, "-m", "pytest", "-q", str(test)], stdout=subprocess.PIPE, text=True, env=environment)
    assert run.stdout is not None
    with run, run.stdout:
        line = next(line for line in run.stdout if "deck " in line)
        deck = os.pidfd_open(int(line.split()[-1]))
        try:
            run.send_signal(signal.SIGKILL)
            ended, _, _ = select.select([deck], [], [], 60)
            assert ended
        finally:
            os.close(deck)


def test_nothing_is_started_or_changed_where_no_test_asks_for_it(project: pytest.Pytester) -> None:
    project.makepyfile("""
        import os, sys
        from pytest_tapedeck.plugin import _DECKS

        def test_plain(request):
            assert "http_proxy" not in os.environ
            assert request.config.stash[_DECKS].pids == []
            assert not {"requests", "httpx", "aiohttp", "urllib3"} & set(sys.modules)
    """)
    project.runpytest_subprocess("-n", "0").assert_outcomes(passed=1)


@pytest.mark.parametrize(
    ("variable", "value", "message"),
    [
        ("TAPEDECK_BIN", "/nonexistent/tapedeck", "*no deck: there is no program /nonexistent/tapedeck; *TAPEDECK_URL"),
        ("TAPEDECK_BIN", "/bin/false", "*the deck cannot be started: *"),
        ("TAPEDECK_URL", "http://127.0.0.1:9", "*the deck at http://127.0.0.1:9 does not answer: *"),
        ("TAPEDECK_URL", "127.0.0.1:4748", '*"127.0.0.1:4748" names no deck: write a URL such as *'),
    ],
)
def test_a_deck_that_is_not_there_is_told(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, variable: str, value: str, message: str
) -> None:
    monkeypatch.setenv(variable, value)
    project.makepyfile("def test_it(tapedeck): pass")
    result = project.runpytest_inprocess()
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([message])


# Recording

ASKS = """
    import os
    import pytest
    from small_client import by_requests

    @pytest.mark.cassette("users")
    def test_asks():
        for path in os.environ["PATHS"].split():
            assert by_requests("GET", os.environ["ORIGIN"] + path)[0] == 200
"""


def test_record_modes_do_as_they_say(
    project: pytest.Pytester, origins: list[Origin], monkeypatch: pytest.MonkeyPatch
) -> None:
    project.makepyfile(ASKS)
    monkeypatch.setenv("ORIGIN", origins[0].url)
    cassette = project.path / "cassettes" / "users.yaml"

    def run(mode: str, paths: str) -> tuple[dict[str, int], list[str]]:
        monkeypatch.setenv("PATHS", paths)
        outcomes = project.runpytest_inprocess(f"--tapedeck-mode={mode}").parseoutcomes()
        text = cassette.read_text() if cassette.exists() else ""
        return outcomes, [path for path in ("/one", "/two", "/three") if path in text]

    assert "passed" not in run("replay", "/one")[0]
    assert not cassette.exists()
    assert run("once", "/one") == ({"passed": 1}, ["/one"])
    # A live server is not asked for what is not on tape, even on this machine.
    assert run("once", "/one /two") == ({"failed": 1}, ["/one"])
    assert run("new", "/one /two") == ({"passed": 1}, ["/one", "/two"])
    # A recording keeps the sets that it did not request.
    assert run("all", "/three") == ({"passed": 1}, ["/one", "/two", "/three"])
    monkeypatch.setenv("CI", "true")
    assert "passed" not in run("all", "/one")[0]
    assert run("once", "/three") == ({"passed": 1}, ["/one", "/two", "/three"])


VARIES = """
    import os, random, time, urllib.request
    import pytest

    @pytest.mark.cassette("jobs")
    def test_job(tapedeck):
        name = random.choice(["swift", "calm", "keen", "shy"]) + "-" + random.choice(["otter", "lion", "eagle", "mouse"])
        body = f'{{"took": {time.perf_counter_ns() % 1000003}, "by": "{name}", "kind": "{os.environ["KIND"]}"}}'
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(os.environ["ORIGIN"] + "/jobs", body.encode(), headers)
        assert urllib.request.urlopen(request).status == 201
"""


def test_what_varies_is_learned_for_a_suite(
    project: pytest.Pytester, origins: list[Origin], monkeypatch: pytest.MonkeyPatch
) -> None:
    project.makepyfile(VARIES)
    monkeypatch.setenv("ORIGIN", origins[0].url)
    monkeypatch.setenv("KIND", "nightly")
    cassette = project.path / "cassettes" / "jobs.yaml"

    def run(*options: str) -> dict[str, int]:
        return project.runpytest_subprocess(*options).parseoutcomes()

    assert run("--tapedeck-mode=once") == {"passed": 1}
    assert run() == {"failed": 1}
    # A name of few words is sometimes the same in two runs.
    for _ in range(20):
        assert run("--tapedeck-learn") == {"passed": 1}
        if "$.by: word" in cassette.read_text():
            break
    assert "    varies:\n      $.took: number\n      $.by: " in cassette.read_text()
    assert run("--tapedeck-fast") == {"passed": 1}
    monkeypatch.setenv("KIND", "weekly")
    assert run() == {"failed": 1}


def test_options_of_decks_are_for_those_that_pytest_starts(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.makepyfile("def test_it(tapedeck): pass")
    monkeypatch.setenv("TAPEDECK_URL", "http://127.0.0.1:9")
    result = project.runpytest_subprocess("--tapedeck-learn")
    result.stdout.fnmatch_lines(["*runs already: give --learn to it, as `tapedeck serve --learn`*"])


def test_secrets_and_the_session_reach_no_cassette(
    project: pytest.Pytester, origins: list[Origin], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATHS", "/one?access_token=ghp_abcdefghijklmnopqrstuvwxyz0123456789")
    monkeypatch.setenv("ORIGIN", origins[1].url)
    project.makepyfile(ASKS)
    project.runpytest_inprocess("--tapedeck-mode=all").assert_outcomes(passed=1)
    text = (project.path / "cassettes" / "users.yaml").read_text()
    assert "ghp_abc" not in text and "{{secret.access_token}}" in text
    assert "proxy-authorization" not in text.lower()


def test_marker_and_settings_decide_the_recording_and_its_file(
    project: pytest.Pytester, origins: list[Origin], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ORIGIN", origins[0].url)
    project.makeini("[pytest]\ntapedeck_mode = all\ntapedeck_cassettes = tapes/http\n")
    project.makepyfile("""
        import os
        import pytest
        from small_client import by_requests

        def ask():
            return by_requests("GET", os.environ["ORIGIN"] + "/one")[0]

        @pytest.mark.cassette("by setting")
        def test_setting(tapedeck):
            assert (ask(), tapedeck.mode, tapedeck.is_recording) == (200, "all", True)

        @pytest.mark.cassette("by setting", mode="replay")
        def test_marker(tapedeck):
            assert (ask(), tapedeck.mode, tapedeck.is_recording) == (200, "replay", False)
            tapedeck.expect("GET", "/one", times=1)

        @pytest.mark.cassette("github", folder="cassettes", mode="replay")
        def test_folder(tapedeck):
            assert tapedeck.mode == "replay"

        def test_no_cassette(tapedeck):
            assert not tapedeck.is_recording

        class TestNames:
            @pytest.mark.cassette
            @pytest.mark.parametrize("way", ["a/b c"])
            def test_own(self, way):
                assert ask() == 200
    """)
    project.runpytest_inprocess().assert_outcomes(passed=5)
    tapes = sorted(str(path.relative_to(project.path)) for path in Path(project.path).glob("tapes/**/*.yaml"))
    assert tapes[0] == "tapes/http/by setting.yaml"
    folder = "tapes/http/test_marker_and_settings_decide_the_recording_and_its_file/"
    assert len(tapes) == 2 and tapes[1].startswith(folder + "TestNames.test_own-a-b-c-")


def test_two_processes_that_record_a_cassette_at_once_add_up(
    project: pytest.Pytester, origins: list[Origin], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each has a deck of its own."""
    monkeypatch.setenv("ORIGIN", origins[0].url)
    inner = project.mkdir("inner")
    (inner / "small_client.py").write_text((project.path / "small_client.py").read_text())
    test = """
        import os, subprocess, sys
        import pytest
        from small_client import by_requests

        @pytest.mark.cassette("users", folder="{folder}")
        def test_{name}():
            {before}
            assert by_requests("GET", os.environ["ORIGIN"] + "/{name}")[0] == 200
    """
    run_inner = 'subprocess.run([sys.executable, "-m", "pytest", "--tapedeck-mode=all", "inner"], check=True)'
    outer = test.format(folder="cassettes", name="outer", before=run_inner)
    project.makepyfile(outer)
    (inner / "test_inner.py").write_text(textwrap.dedent(test.format(folder="../cassettes", name="inner", before="")))
    project.runpytest_inprocess("--tapedeck-mode=all", "--ignore=inner").assert_outcomes(passed=1)
    text = (project.path / "cassettes" / "users.yaml").read_text()
    assert "/inner" in text and "/outer" in text
