"""What is wrong with a session fails the test that it belongs to, in words that help and without secrets."""

from __future__ import annotations

from fnmatch import fnmatch

import pytest

SECRET = "ghp_abcdefghijklmnopqrstuvwxyz0123456789"


def test_an_unmatched_request_fails_its_own_test_with_the_near_miss(project: pytest.Pytester) -> None:
    project.makepyfile("""
        import pytest
        from small_client import GitHub, by_requests

        pytestmark = pytest.mark.cassette("github")

        def test_before():
            assert GitHub().login("octocat", "open sesame") == "Octocat"

        def test_culprit():
            by_requests("GET", "https://api.github.example/login")

        def test_after():
            assert GitHub().login("octocat", "open sesame") == "Octocat"
    """)
    result = project.runpytest_inprocess()
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(
        [
            "*test_culprit*",
            '*.py:9: nothing on tape answers GET https://api.github.example/login: nearest is "login": *',
            '  near is "login" of github',
            "    method is GET, the tape has POST",
            "  to record what is missing, run the test with --tapedeck-mode=new",
            "*- tapedeck -*",
            "session *test_culprit, replay, seed *",
            "    1  GET https://api.github.example/login → 501 unmatched",
            "FAILED *test_culprit*",
        ]
    )


def test_the_error_of_the_test_itself_comes_first(project: pytest.Pytester) -> None:
    project.makepyfile("""
        import pytest, requests

        @pytest.mark.cassette("github")
        def test_raises():
            requests.get("https://api.github.example/login").raise_for_status()
    """)
    result = project.runpytest_inprocess()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["E *HTTPError: 501 *", "*- tapedeck: what is wrong -*", "*nothing on tape answers GET *", "*- tapedeck -*"]
    )


def test_no_failure_has_a_secret_in_it(project: pytest.Pytester) -> None:
    project.makepyfile(f"""
        import logging
        import pytest, requests

        pytestmark = pytest.mark.cassette("github")
        URL = "https://api.github.example/login?access_token=" + "{SECRET[:20]}" + "{SECRET[20:]}"
        HEADERS = {{"Authorization": "Bearer " + "{SECRET[:20]}" + "{SECRET[20:]}"}}

        def test_unmatched():
            print("asking", URL)
            logging.warning("asking %s", URL)
            requests.get(URL, headers=HEADERS)

        def test_raised(tapedeck):
            key = tapedeck.proxy_url
            token = key.split(":")[2].split("@")[0]
            with open("token", "w") as file:
                file.write(token)
            response = requests.get(URL, headers=HEADERS)
            print("got", response.status_code, "by", key, "with", token)
            assert response.url == key

        def test_expected(tapedeck):
            tapedeck.expect("POST", URL)
            tapedeck.expect("GET", URL, headers=HEADERS, times=7)
            requests.get(URL, headers=HEADERS)

        def test_waited(tapedeck):
            requests.get(URL, headers=HEADERS)
            tapedeck.wait_for("POST", URL, timeout=0.01)

        def test_shown(tapedeck):
            requests.get(URL, headers=HEADERS)
            assert repr(tapedeck.requests()) == str(tapedeck.requests()[0])

        @pytest.fixture
        def asks_late(tapedeck):
            yield
            print("asking late", URL)
            requests.get(URL, headers=HEADERS)

        def test_late(asks_late):
            pass
    """)
    result = project.runpytest_inprocess("-rA", "--showlocals", "--junitxml=report.xml")
    result.assert_outcomes(passed=1, failed=5, errors=1)
    report = (project.path / "report.xml").read_text()
    token = (project.path / "token").read_text()
    for text in (result.stdout.str(), result.stderr.str(), report):
        assert SECRET not in text
        assert token not in text
    result.stdout.fnmatch_lines(["*nothing on tape answers GET *access_token={{secret.access_token}}*"])
    assert "asking late https://api.github.example/login?access_token={{secret." in result.stdout.str()


def test_expectations_are_checked_at_the_end_and_name_their_line(project: pytest.Pytester) -> None:
    project.makepyfile("""
        import re
        import pytest
        from small_client import GitHub

        @pytest.fixture
        def asks_twice():
            GitHub().login("ada", "one")
            GitHub().login("bob", "two")

        pytestmark = pytest.mark.cassette("github")

        def test_met(tapedeck, asks_twice):
            tapedeck.expect("POST", "https://api.github.example/login", times=2)
            tapedeck.expect("POST", re.compile(r"/log.*"), at_least=1, at_most=2)
            tapedeck.expect("POST", "/login", body={"jsonSubset": {"user": "ada"}}, times=1)
            tapedeck.expect("DELETE", "/users/{login}", times=0)

        def test_too_many(tapedeck, asks_twice):
            tapedeck.expect("POST", "/login", times=1)

        def test_too_few(tapedeck, asks_twice):
            tapedeck.expect("POST", "/login", body={"jsonSubset": {"user": "eve"}})

        def test_order(tapedeck, asks_twice):
            tapedeck.expect_in_order(("POST", "/login"), ("GET", "/users/{login}"))

        def test_pattern(tapedeck):
            tapedeck.expect("GET", re.compile("/\\\\N{DIGIT ONE}"), times=0)
            tapedeck.expect("GET", "/missing")

        def test_verify(tapedeck, asks_twice):
            tapedeck.expect("GET", "/missing")
            with pytest.raises(AssertionError, match="expected at least 1 request to match GET /missing, and saw 0"):
                tapedeck.verify()
    """)
    result = project.runpytest_inprocess()
    result.assert_outcomes(passed=2, failed=4)
    result.stdout.fnmatch_lines(
        [
            "*.py:19: expected exactly 1 request to match POST /login, and saw 2",
            '    1  POST https://api.github.example/login → 200 "login", accepted',
            "*.py:22: expected at least 1 request to match POST /login body *, and saw 0",
            "*.py:25: expected POST /login, then GET /users/{login}; no request matches * after request 1, *",
            "*.py:28: the deck does not understand what is expected: *",
            "*.py:29: expected at least 1 request to match GET /missing, and saw 0",
        ]
    )


def test_unmatched_requests_may_be_allowed_and_expected_to_fail(project: pytest.Pytester) -> None:
    project.makepyfile("""
        import unittest
        import pytest
        from small_client import by_requests

        def ask():
            return by_requests("GET", "https://api.github.example/nowhere")[0]

        @pytest.mark.cassette("github", allow_unmatched=True)
        def test_allowed():
            assert ask() == 501

        @pytest.mark.cassette("github")
        def test_allowed_in_a_block(tapedeck):
            with tapedeck.unmatched_allowed():
                assert ask() == 501

        @pytest.mark.cassette("github")
        def test_not_behind_the_block(tapedeck):
            with tapedeck.unmatched_allowed():
                ask()
            ask()

        @pytest.mark.xfail(strict=True)
        @pytest.mark.cassette("github")
        def test_known():
            ask()

        @pytest.mark.cassette("github")
        def test_skipped():
            ask()
            pytest.skip("it was skipped before anybody looked")

        @pytest.mark.cassette("github")
        class TestClassic(unittest.TestCase):
            def test_unmatched(self):
                ask()

            def test_matched(self):
                pass
    """)
    result = project.runpytest_inprocess("-rsf")
    result.assert_outcomes(passed=3, failed=2, xfailed=1, skipped=1)
    result.stdout.fnmatch_lines(["FAILED *test_not_behind_the_block*", "FAILED *TestClassic::test_unmatched*"])


def test_unused_sets_fail_a_test_that_requires_use(project: pytest.Pytester) -> None:
    project.makepyfile("""
        import pytest
        from small_client import GitHub

        @pytest.mark.cassette("github", require_use=True)
        def test_unused(tapedeck):
            tapedeck.stub("GET", "/never", text="")
            GitHub().login("ada", "one")
    """)
    result = project.runpytest_inprocess()
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(
        [
            '*.py:6: no request used the response set "stub 1: GET /never"',
            '*.py:4: no request used the response set "user"',
        ],
        consecutive=False,
    )


@pytest.mark.parametrize(
    ("marker", "message"),
    [
        ('"githup"', 'no cassette cassettes/githup.yaml; did you mean "github"? If not, * --tapedeck-mode=once'),
        ('"other"', "there is no cassette cassettes/other.yaml; record it by * --tapedeck-mode=once"),
        ("", "there is no cassette cassettes/test_*/test_it.yaml; record it by * --tapedeck-mode=once"),
        ('"github", variants="lgin"', '*there is no response set "lgin"; did you mean "login"?*'),
        ('"github", select={"login": "offlin"}', '*no variant "offlin"; did you mean "offline"?*'),
        ('"github", profile="bad days"', "*bad days*bad day*"),
        ('"github", selects={}', "*the marker `cassette` has no `selects`; it has: *select*"),
        (
            '"github", mode="ones"',
            '*`mode` of * is "ones"; it must be one of replay, once, new, all; did you mean "once"[?]',
        ),
        ('"github", "other/github"', '*two cassettes are called "github"*'),
        ('"broken"', "*broken.yaml:3:5: error: a response set has no key `nam`; did you mean `name`?*"),
    ],
)
def test_a_marker_that_is_wrong_says_so(project: pytest.Pytester, marker: str, message: str) -> None:
    project.mkdir("cassettes/other")
    (project.path / "cassettes" / "other" / "github.yaml").write_text("tapedeck: 1\nresponseSets: []\n")
    (project.path / "cassettes" / "broken.yaml").write_text("tapedeck: 1\nresponseSets:\n  - nam: x\n")
    project.makepyfile(f"""
        import pytest

        @pytest.mark.cassette({marker})
        def test_it():
            pass
    """)
    # Without the summary, in which pytest repeats the beginning of each failure.
    result = project.runpytest_inprocess("-rN")
    result.stdout.fnmatch_lines([f"*{message}"])
    result.stdout.no_fnmatch_line("During handling of *")
    lines = [line for line in result.outlines if fnmatch(line, f"*{message}")]
    assert len(lines) == 1
    assert result.ret != 0


def test_a_fixture_that_fails_is_one_failure_with_what_is_wrong(project: pytest.Pytester) -> None:
    project.makepyfile("""
        import pytest, requests

        @pytest.fixture
        def user():
            response = requests.get("https://api.github.example/login")
            response.raise_for_status()

        @pytest.mark.cassette("github")
        def test_it(user):
            pass
    """)
    result = project.runpytest_inprocess("-rN")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(
        ["E *HTTPError: 501 *", "*- tapedeck: what is wrong -*", "*nothing on tape answers GET *"],
    )


@pytest.mark.parametrize("workers", ["0", "1"])
def test_the_summary_has_the_text_of_each_failure(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, workers: str
) -> None:
    project.makepyfile(f"""
        import pytest, requests

        pytestmark = pytest.mark.cassette("github")
        HEADERS = {{"Authorization": "Bearer " + "{SECRET[:20]}" + "{SECRET[20:]}"}}

        def test_raised():
            requests.get("https://api.github.example/login", headers=HEADERS)
            raise ValueError("no user for " + HEADERS["Authorization"])

        def test_unmatched():
            requests.get("https://api.github.example/login")

        @pytest.mark.cassette("github", select={{"login": "offlin"}})
        def test_selected():
            pass
    """)
    monkeypatch.setenv("COLUMNS", "300")
    result = project.runpytest_subprocess("-n", workers)
    result.assert_outcomes(failed=2, errors=1)
    result.stdout.fnmatch_lines_random(
        [
            "FAILED *.py::test_raised - ValueError: no user for Bearer {{secret.authorization}}",
            "FAILED *.py::test_unmatched - nothing on tape answers GET https://api.github.example/login: nearest *",
            'ERROR *.py::test_selected - the response set "login" has no variant "offlin"; did you mean "offline"? *',
        ]
    )


def test_a_wrong_name_shows_the_line_of_the_test(project: pytest.Pytester) -> None:
    project.makepyfile("""
        import pytest

        @pytest.mark.cassette("github")
        def test_select(tapedeck):
            tapedeck.select("login", "offlin")

        @pytest.mark.cassette("github")
        def test_profile(tapedeck):
            tapedeck.apply_profile("bad days")

        @pytest.mark.cassette("github")
        def test_stub(tapedeck):
            tapedeck.stub("GET", "/users", fault="reset")

        @pytest.mark.cassette("github")
        def test_wait(tapedeck):
            tapedeck.wait_for("GET", "/users", timeout=0.01)

        @pytest.mark.cassette("github")
        def test_hold(tapedeck):
            tapedeck.hold("GET", "/users").next(timeout=0.01)
    """)
    result = project.runpytest_inprocess()
    result.assert_outcomes(failed=5)
    result.stdout.fnmatch_lines(
        [
            '>       tapedeck.select("login", "offlin")',
            'E       pytest_tapedeck.TapedeckError: *did you mean "offline"*',
            '>       tapedeck.apply_profile("bad days")',
            'E       pytest_tapedeck.TapedeckError: *did you mean "bad day"*',
            '>       tapedeck.stub("GET", "/users", fault="reset")',
            "E       pytest_tapedeck.TapedeckError: *`fault` is one of *",
            '>       tapedeck.wait_for("GET", "/users", timeout=0.01)',
            "E       AssertionError: waited 0.01 s for 1 request *",
            '>       tapedeck.hold("GET", "/users").next(timeout=0.01)',
            "E       pytest_tapedeck.TapedeckError: no request came for *",
        ]
    )
    result.stdout.no_fnmatch_line("*pytest_tapedeck/*.py*")


def test_a_test_without_a_marker_is_told_that_it_plays_no_cassette(project: pytest.Pytester) -> None:
    project.makepyfile("""
        from small_client import by_requests

        def test_asks(tapedeck):
            by_requests("GET", "https://api.github.example/login")

        def test_select(tapedeck):
            tapedeck.select("login", "offline")

        def test_profile(tapedeck):
            tapedeck.apply_profile("bad day")
    """)
    result = project.runpytest_inprocess()
    result.assert_outcomes(failed=3)
    remedy = "the test plays no cassette: mark it with @pytest.mark.cassette, and record one with --tapedeck-mode=once"
    result.stdout.fnmatch_lines(
        [
            "*.py:3: nothing on tape answers GET https://api.github.example/login: *",
            f"  {remedy}",
            f'E * there is no response set "login"; {remedy}',
            f'E * there is no profile "bad day"*; {remedy}',
        ]
    )
