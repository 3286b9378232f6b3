"""What a test does with its session: variants, selections, profiles, state, stubs, held requests."""

from __future__ import annotations

import pytest


def test_a_test_runs_once_for_each_variant(project: pytest.Pytester) -> None:
    project.makepyfile("""
        import pytest
        from small_client import GitHub, NoNetwork

        @pytest.mark.cassette("github", variants="login")
        def test_of_a_set(tapedeck):
            wanted = {"accepted": "Octocat", "wrong password": None}[tapedeck.selections["login"]]
            assert GitHub().login("octocat", "open sesame") == wanted

        @pytest.mark.cassette("github", variants={"login": ["accepted", "offline"], "user": ["found", "gone"]})
        @pytest.mark.parametrize("library", ["requests", "httpx"])
        def test_of_several(library, tapedeck):
            client = GitHub(library)
            assert client.user("octocat") == {"found": "The Octocat", "gone": None}[tapedeck.selections["user"]]
            if tapedeck.selections["login"] == "offline":
                with pytest.raises(NoNetwork):
                    client.login("octocat", "open sesame")
    """)
    project.makepyfile(
        test_wrong="""
        import pytest

        @pytest.mark.cassette("github", variants="log in")
        def test_of_none():
            pass
    """
    )
    result = project.runpytest_inprocess("-v", "--continue-on-collection-errors")
    result.assert_outcomes(passed=10, errors=1)
    result.stdout.fnmatch_lines_random(
        [
            "*::test_of_a_set?accepted] PASSED*",
            "*::test_of_a_set?wrong password] PASSED*",
            '*there is no response set "log in"; did you mean "login"?',
        ]
    )


def test_markers_of_module_class_and_test_add_up(project: pytest.Pytester) -> None:
    extra = project.mkdir("fixtures")
    (extra / "extra.yaml").write_text(
        "tapedeck: 1\nresponseSets:\n"
        "  - name: login of the extra\n"
        "    request: { method: POST, url: https://api.github.example/login }\n"
        '    variants: [{ name: extra, takes: [{ status: 200, body: { json: \'{"name": "Extra"}\' } }] }]\n'
    )
    project.makepyfile("""
        import pytest
        from small_client import GitHub

        pytestmark = pytest.mark.cassette("github", select={"login": "wrong password"})

        class TestUsers:
            pytestmark = pytest.mark.cassette(select={"user": "gone"})

            def test_both(self, tapedeck):
                assert (GitHub().login("a", "b"), GitHub().user("octocat")) == (None, None)

            @pytest.mark.cassette(select={"user": "found"})
            def test_nearer(self):
                assert (GitHub().login("a", "b"), GitHub().user("octocat")) == (None, "The Octocat")

        @pytest.mark.cassette("../fixtures/extra")
        def test_over(tapedeck):
            assert GitHub().login("a", "b") == "Extra"
    """)
    project.runpytest_inprocess().assert_outcomes(passed=3)


def test_a_session_is_steered_while_the_test_runs(project: pytest.Pytester) -> None:
    project.makepyfile("""
        import pytest
        from pytest_tapedeck import TapedeckError
        from small_client import GitHub, NoNetwork

        @pytest.mark.cassette("github", state={"cart": "full"}, seed=7)
        def test_steering(tapedeck):
            client = GitHub()
            tapedeck.select("login", "wrong password")
            assert client.login("a", "b") is None
            tapedeck.reset("login")
            assert client.login("a", "b") == "Octocat"
            tapedeck.apply_profile("offline", only=["login"])
            with pytest.raises(NoNetwork):
                client.login("a", "b")
            assert client.user("octocat") == "The Octocat"
            tapedeck.revert_profile("offline")
            assert client.login("a", "b") == "Octocat"
            with pytest.raises(TapedeckError, match="did you mean"):
                tapedeck.select("login", "acepted")

            assert tapedeck.seed == 7 and tapedeck.mode == "replay"
            tapedeck.set_state({"cart": None, "user": "ada"})
            assert tapedeck.state() == {"user": "ada"}
            tapedeck.reset()
            assert tapedeck.state() == {"cart": "full"}

            sent = tapedeck.requests("POST", "/login")
            assert [one.variant for one in sent] == ["wrong password", "accepted", "offline", "accepted"]
            assert sent[0].request.json() == {"user": "a", "password": "b"}
            assert sent[0].response.text == "wrong password"
            assert sent[1].response.header("Content-Type") == "application/json"
            assert (sent[2].fault, sent[2].status) == ("connectionReset", None)
    """)
    project.runpytest_inprocess().assert_outcomes(passed=1)


def test_stubs_answer_before_the_cassettes(project: pytest.Pytester) -> None:
    project.makepyfile("""
        import re
        import pytest, requests
        from pytest_tapedeck import TapedeckError
        from small_client import GitHub, NoNetwork, by_requests

        @pytest.mark.cassette("github")
        def test_stubs(tapedeck):
            tapedeck.stub("GET", "/users/{login}", json={"name": "Stub"}, delay="1ms")
            tapedeck.stub("GET", re.compile("/TEAMS/.*", re.I), text="teams")
            tapedeck.stub("GET", "/users/nobody", status=200)
            tapedeck.stub("GET", "/users/nobody", status=404)
            tapedeck.stub("POST", "/login", fault="emptyResponse", when={"body": {"jsonSubset": {"user": "eve"}}})
            tapedeck.stub(None, None, content=b"\\x00\\xff", when={"headers": {"accept": "image/png"}})
            client = GitHub()
            assert client.user("octocat") == "Stub"
            assert client.user("nobody") is None
            assert client.login("ada", "b") == "Octocat"
            with pytest.raises(NoNetwork):
                client.login("eve", "b")
            assert by_requests("GET", "https://api.example.com/teams/7") == (200, b"teams")
            assert by_requests("GET", "https://api.example.com/teams/7?page=2") == (200, b"teams")
            assert [one.response_set for one in tapedeck.requests()][:3] == [
                "stub 1: GET /users/{login}", "stub 4: GET /users/nobody", "login"]
            with requests.Session() as session:
                image = session.get("https://api.example.com/7.png", headers={"Accept": "image/png"})
            assert image.content == b"\\x00\\xff"
            for wrong in ({"json": 1, "text": ""}, {"fault": "timeout", "status": 500}):
                with pytest.raises(TapedeckError):
                    tapedeck.stub("GET", "/", **wrong)
            with pytest.raises(TapedeckError, match="no condition `queri`"):
                tapedeck.expect("GET", "/", queri={})
    """)
    project.runpytest_inprocess().assert_outcomes(passed=1)


def test_requests_are_held_until_the_test_lets_them_go(project: pytest.Pytester) -> None:
    project.makepyfile("""
        from concurrent.futures import ThreadPoolExecutor
        import pytest
        from pytest_tapedeck import TapedeckError
        from small_client import GitHub, NoNetwork

        pytestmark = pytest.mark.cassette("github")

        def test_holds(tapedeck):
            held = tapedeck.hold("POST", "/login")
            with ThreadPoolExecutor() as threads:
                login = threads.submit(GitHub().login, "ada", "b")
                request = held.next()
                assert not login.done()
                assert request.exchange.request.json() == {"user": "ada", "password": "b"}
                request.release(json={"name": "Held"})
                assert login.result() == "Held"

                login = threads.submit(GitHub().login, "bob", "b")
                held.next().let_go()
                assert login.result() == "Octocat"

                login = threads.submit(GitHub().login, "eve", "b")
                held.next().release(fault="connectionReset")
                with pytest.raises(NoNetwork):
                    login.result()
            with pytest.raises(TapedeckError, match="no request came"):
                held.next(timeout=0.01)
            held.stop()
            assert GitHub().login("ada", "b") == "Octocat"
            assert len(tapedeck.wait_for("POST", "/login", count=4)) == 4

        def test_forgets(tapedeck):
            held = tapedeck.hold("POST", "/login")
            threads = ThreadPoolExecutor()
            threads.submit(GitHub().login, "ada", "b")
            held.next()
            threads.shutdown(wait=False)
    """)
    result = project.runpytest_inprocess()
    result.assert_outcomes(passed=2, errors=1)
    result.stdout.fnmatch_lines(["*.py:33: 1 request still held at the end; release each, let it go, or *"])
