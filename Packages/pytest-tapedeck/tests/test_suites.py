"""Suites that are recorded: cassettes of one test, shared ones, and what must not reach the network."""

from __future__ import annotations

import os
import re
import subprocess

import pytest
from conftest import Origin

SHOP = """
    import json, os
    import pytest, requests

    def get(path, user="nobody"):
        return requests.get(os.environ["ORIGIN"] + path, headers={"X-User": user})

    @pytest.mark.cassette("shop")
    @pytest.mark.parametrize("user", ["ada", "bob"])
    def test_knows_who_asks(user):
        assert get("/me", user).json() == {"user": user}
        assert get(f"/users/{user}").json()["path"] == f"/users/{user}"

    @pytest.mark.cassette("shop")
    def test_has_stock(tapedeck):
        assert get("/stock").json()["path"] == "/stock"
"""

SOLD_OUT = """
    import os
    import pytest, requests

    SET = "GET " + os.environ["ORIGIN"].split("//")[1] + "/stock"

    @pytest.mark.cassette("shop", select={SET: "sold out"}, mode="replay")
    def test_is_sold_out():
        assert requests.get(os.environ["ORIGIN"] + "/stock").text == "sold out"
"""


@pytest.fixture
def shop(project: pytest.Pytester, origins: list[Origin], monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A suite whose tests share a cassette, which is still missing."""
    monkeypatch.setenv("ORIGIN", origins[0].url)
    project.makepyfile(test_shop=SHOP)
    return project


def _is_green(shop: pytest.Pytester, count: int, *options: str) -> str:
    result = shop.runpytest_subprocess(*options)
    result.assert_outcomes(passed=count)
    return result.stdout.str()


def test_tests_that_share_a_cassette_play_what_each_of_them_recorded(
    shop: pytest.Pytester, origins: list[Origin]
) -> None:
    cassette = shop.path / "cassettes" / "shop.yaml"
    _is_green(shop, 3, "--tapedeck-mode=all")
    _is_green(shop, 3)

    # A variant of somebody's own.
    name = f"GET {origins[0].url.split('//')[1]}/stock"
    copy = [os.environ["TAPEDECK_BIN"], "variant", "copy", "shop", name, "recorded", "sold out"]
    subprocess.run(copy, cwd=shop.path, check=True)
    answer = "        takes: [{ status: 200, body: { text: sold out } }]\n"
    text, count = re.subn(r"( {6}- name: sold out\n)(?: {8}.*\n)+", rf"\1{answer}", cassette.read_text())
    assert count == 1
    cassette.write_text(text)
    shop.makepyfile(test_sold_out=SOLD_OUT)
    _is_green(shop, 4)

    for options in (["--tapedeck-mode=all"], ["--tapedeck-mode=all", "-k", "bob"], ["--tapedeck-mode=all", "-n", "2"]):
        _is_green(shop, 1 if "-k" in options else 4, *options)
        assert "sold out" in cassette.read_text(), options
        _is_green(shop, 4)
    while origins:
        origins.pop().stop()
    _is_green(shop, 4)
    _is_green(shop, 4, "-n", "2")


@pytest.mark.parametrize("processes", ["0", "2"])
def test_once_records_what_was_missing_when_the_run_began(
    shop: pytest.Pytester, origins: list[Origin], processes: str
) -> None:
    text = _is_green(shop, 3, "--tapedeck-mode=once", "-n", processes)
    cassette = shop.path / "cassettes" / "shop.yaml"
    tape = cassette.read_text()
    for path in ("/me", "/users/ada", "/users/bob", "/stock"):
        assert path in tape
    assert "cassettes/shop.yaml: 5 exchanges recorded" in text
    while origins:
        origins.pop().stop()
    assert "cassettes/shop.yaml: " not in _is_green(shop, 3, "--tapedeck-mode=once", "-n", processes)
    assert cassette.read_text() == tape


def test_the_mode_comes_from_the_marker_the_option_the_variable_and_the_setting_in_this_order(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.makepyfile("""
        import pytest

        @pytest.mark.cassette("github")
        def test_mode(tapedeck):
            with open("mode", "w") as file:
                file.write(tapedeck.mode)

        @pytest.mark.cassette("github", mode="replay")
        def test_marker(tapedeck):
            assert tapedeck.mode == "replay"
    """)

    def mode(*options: str) -> str:
        project.runpytest_inprocess(*options).assert_outcomes(passed=2)
        return (project.path / "mode").read_text()

    assert mode() == "replay"
    project.makeini("[pytest]\ntapedeck_mode = once\n")
    assert mode() == "once"
    monkeypatch.setenv("TAPEDECK_MODE", "new")
    assert mode() == "new"
    assert mode("--tapedeck-mode=replay") == "replay"

    for word, meant in {"record": "all", "al": "all", "none": "replay"}.items():
        result = project.runpytest_subprocess(f"--tapedeck-mode={word}")
        result.stderr.fnmatch_lines([f'*the mode is "{word}"; it must be one of *; did you mean "{meant}"[?]*'])
        assert result.ret == pytest.ExitCode.USAGE_ERROR
    monkeypatch.setenv("TAPEDECK_MODE", "append")
    result = project.runpytest_subprocess()
    result.stderr.fnmatch_lines(['*TAPEDECK_MODE is "append"; it must be one of *; did you mean "new"[?]*'])


def test_every_case_has_a_cassette_of_its_own(
    project: pytest.Pytester, origins: list[Origin], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ORIGIN", origins[0].url)
    module = """
        import os
        import pytest
        from small_client import by_requests

        CASES = ["plain", "Plain", "a b", "a-b", "a/b", "\\U0001f600", "\\U0001f601", "a.yaml", ""]
        CASES += ["x" * 300, "x" * 299 + "y"]

        @pytest.mark.cassette
        @pytest.mark.parametrize("number, case", list(enumerate(CASES)), ids=CASES)
        def test_case(number, case):
            assert by_requests("GET", f"{os.environ['ORIGIN']}/{number}")[0] == 200

        @pytest.mark.cassette
        class TestCase:
            def test_case(self):
                test_case(77, "")

        @pytest.mark.cassette
        def test_lower():
            test_case(88, "")

        @pytest.mark.cassette
        def test_Lower():
            test_case(99, "")
    """
    project.makepyfile(test_names=module)
    folder = project.path / "cassettes" / "test_names"
    project.runpytest_inprocess("--tapedeck-mode=once").assert_outcomes(passed=14)
    names = sorted(path.name for path in folder.glob("*.yaml"))
    assert len({name.lower() for name in names}) == 14
    assert {"test_case-plain.yaml", "test_case-a-b.yaml", "test_lower.yaml"} < set(names)
    assert all(re.fullmatch(r"[A-Za-z0-9._-]{1,110}", name) for name in names)
    while origins:
        origins.pop().stop()
    project.runpytest_inprocess("-p", "no:randomly").assert_outcomes(passed=14)


def test_the_names_are_the_same_everywhere() -> None:
    from pytest_tapedeck.names import file_name

    # In repositories of users: these never change.
    assert file_name("test_login") == "test_login"
    assert file_name("test_login[ada]", "test_login-ada") == "test_login-ada"
    assert file_name("TestLogin") == "TestLogin-92886090"
    assert file_name("a b") == "a-b-c8687a08"
    assert file_name("\U0001f600") == "f0443a34"
    assert file_name("x" * 300) == "x" * 91 + "-0d4e2ca9"


def test_modules_in_one_folder_of_cassettes_share_none(
    project: pytest.Pytester, origins: list[Origin], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ORIGIN", origins[0].url)
    project.makeini("[pytest]\ntapedeck_cassettes = tapes\naddopts = --import-mode=importlib\n")
    for module in ("one", "two"):
        folder = project.mkdir(module)
        (folder / "test_asks.py").write_text(
            "import os, pytest, requests\n"
            "@pytest.mark.cassette\n"
            f"def test_asks(): assert requests.get(os.environ['ORIGIN'] + '/{module}').ok\n"
        )
    project.runpytest_inprocess("--tapedeck-mode=all").assert_outcomes(passed=2)
    tapes = {path.relative_to(project.path).as_posix() for path in project.path.glob("tapes/**/*.yaml")}
    assert tapes == {"tapes/one/test_asks/test_asks.yaml", "tapes/two/test_asks/test_asks.yaml"}


def test_a_recording_that_failed_fails_its_test(
    project: pytest.Pytester, origins: list[Origin], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GONE", origins[0].url)
    origins.pop(0).stop()
    project.makepyfile("""
        import os
        import pytest
        from small_client import NoNetwork, by_requests

        @pytest.mark.cassette
        def test_asks():
            try:
                by_requests("GET", os.environ["GONE"])
            except NoNetwork:
                pass
    """)
    result = project.runpytest_inprocess("--tapedeck-mode=once")
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["*localhost:*refused*"])
    assert not list(project.path.glob("cassettes/test_*/*.yaml"))
    # Nor is it played the next time.
    project.runpytest_inprocess("--tapedeck-mode=once").assert_outcomes(passed=1, errors=1)


def test_no_test_of_a_suite_that_blocks_the_network_reaches_it(
    project: pytest.Pytester, origins: list[Origin], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ORIGIN", origins[0].url)
    project.makepyfile("""
        import os, subprocess, unittest
        import pytest, requests
        from small_client import GitHub, LIBRARIES, by_requests

        def test_plain():
            by_requests("GET", "https://api.github.example/users/octocat")

        @pytest.mark.parametrize("library", LIBRARIES)
        def test_library(library):
            assert LIBRARIES[library]("GET", "https://api.github.example/")[0] == 501

        class TestClassic(unittest.TestCase):
            def test_it(self):
                by_requests("GET", "https://api.github.example/classic")

        @pytest.mark.cassette("github")
        def test_cassette():
            assert GitHub().user("octocat") == "The Octocat"

        def test_this_machine():
            assert by_requests("GET", os.environ["ORIGIN"] + "/live")[0] == 200

        def test_child():
            command = ["curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", "http://api.github.example/child"]
            assert subprocess.run(command, capture_output=True, text=True).stdout == "501"

        @pytest.fixture(scope="module")
        def token():
            return by_requests("GET", "https://api.github.example/token")

        def test_fixture(token):
            pass

        def test_beside(token):
            pass
    """)
    for options in (["--tapedeck-block-network"], ["--tapedeck-block-network", "-n", "2"]):
        result = project.runpytest_subprocess(*options)
        text = result.stdout.str()
        for name in ("test_plain", "test_library", "test_child"):
            assert re.search(rf"^FAILED .*{name}", text, re.M), (name, text)
        assert re.search(r"^FAILED .*TestClassic", text, re.M)
        assert not re.search(r"^(FAILED|ERROR) .*(test_cassette|test_this_machine)", text, re.M)
        assert "the test plays no cassette: mark it with @pytest.mark.cassette, and record one with" in text
        assert re.search(r"^ERROR .*(test_fixture|test_beside)", text, re.M)
        assert "it was sent by a fixture: send it in a test or in a fixture of the scope `function`" in text


def test_a_suite_may_block_the_network_by_its_settings_and_from_the_first_import(project: pytest.Pytester) -> None:
    project.makeini("[pytest]\ntapedeck_block_network = true\n")
    project.makepyfile("""
        from small_client import by_requests

        by_requests("GET", "https://api.github.example/import")

        def test_it():
            pass
    """)
    result = project.runpytest_subprocess()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        [
            "*nothing on tape answers GET https://api.github.example/import*",
            "*it was sent while modules of tests were imported: *",
        ]
    )
