"""Every client library is led to the session, and nowhere else once the test is over."""

from __future__ import annotations

import pytest
from conftest import Origin

RECORDING = """
    import json, os
    import pytest
    from small_client import LIBRARIES

    @pytest.mark.cassette
    @pytest.mark.parametrize("scheme", ["HTTP", "HTTPS"])
    @pytest.mark.parametrize("library", LIBRARIES)
    def test_asks(library, scheme, tapedeck):
        ask, origin = LIBRARIES[library], os.environ[f"{scheme}_ORIGIN"]
        status, content = ask("GET", f"{origin}/users/7?by={library}")
        assert (status, json.loads(content)) == (200, {"path": f"/users/7?by={library}", "scheme": scheme.lower()})
        status, content = ask("POST", f"{origin}/users", b'{"name": "ada"}')
        assert (status, json.loads(content)) == (201, {"path": "/users", "sent": {"name": "ada"}})
        tapedeck.expect_in_order(("GET", "/users/{id}"), ("POST", "/users"))
        tapedeck.expect(None, None, times=2)
"""


def test_each_library_records_from_an_origin_and_replays_once_it_is_gone(
    project: pytest.Pytester, origins: list[Origin], monkeypatch: pytest.MonkeyPatch
) -> None:
    project.makepyfile(RECORDING)
    for origin in origins:
        monkeypatch.setenv(f"{origin.url.split(':')[0].upper()}_ORIGIN", origin.url)
    project.runpytest_inprocess("--tapedeck-mode=once").assert_outcomes(passed=12)
    own = next((project.path / "cassettes").glob("test_*"))
    assert len(list(own.glob("*.yaml"))) == 12

    while origins:
        origins.pop().stop()
    for mode in ("replay", "once"):
        project.runpytest_inprocess(f"--tapedeck-mode={mode}").assert_outcomes(passed=12)


def test_each_library_meets_variants_and_faults(project: pytest.Pytester) -> None:
    project.makepyfile("""
        import pytest
        from small_client import LIBRARIES, GitHub, NoNetwork

        pytestmark = [pytest.mark.cassette("github"), pytest.mark.parametrize("library", LIBRARIES)]

        def test_default(library):
            assert GitHub(library).login("octocat", "open sesame") == "Octocat"
            assert GitHub(library).user("octocat") == "The Octocat"

        @pytest.mark.cassette(select={"login": "wrong password"}, profile="bad day")
        def test_variant_and_profile(library):
            assert GitHub(library).login("octocat", "open sesame") is None
            assert GitHub(library).user("octocat") is None

        @pytest.mark.cassette(profile="offline")
        def test_fault(library):
            for ask in (lambda: GitHub(library).login("a", "b"), lambda: GitHub(library).user("octocat")):
                with pytest.raises(NoNetwork):
                    ask()
    """)
    project.runpytest_inprocess().assert_outcomes(passed=18)


def test_a_request_outside_of_a_session_goes_its_own_way(project: pytest.Pytester, origins: list[Origin]) -> None:
    """No library, opener or variable stays led: the same clients ask the live server before and behind a session."""
    plain = origins[0].url
    project.makepyfile(f"""
        import os, urllib.request
        import pytest
        from small_client import CLIENT, LIBRARIES

        @pytest.fixture(scope="module", autouse=True)
        def closing():
            yield
            CLIENT.close()

        def variables():
            return {{name: value for name, value in os.environ.items() if name != "PYTEST_CURRENT_TEST"}}

        VARIABLES = variables()

        def ask_all():
            for ask in LIBRARIES.values():
                assert ask("GET", "{plain}/live")[0] == 200
            with urllib.request.urlopen("{plain}/live") as response:
                assert response.status == 200

        def test_before():
            ask_all()

        @pytest.mark.cassette("github")
        def test_with_a_session(tapedeck):
            tapedeck.stub("GET", "/live", status=200, text="not live")
            ask_all()
            tapedeck.expect("GET", "{plain}/live", times=7)

        def test_behind():
            ask_all()
            assert variables() == VARIABLES

        @pytest.mark.cassette("github")
        def test_with_another_session(tapedeck):
            tapedeck.stub("GET", "/live", status=200, text="not live")
            ask_all()
            tapedeck.expect("GET", "{plain}/live", times=7)
    """)
    project.runpytest_inprocess("-p", "no:randomly").assert_outcomes(passed=4)


def test_libraries_that_the_test_imports_first_are_led(project: pytest.Pytester) -> None:
    project.makepyfile("""
        import sys
        import pytest

        @pytest.mark.cassette("github")
        @pytest.mark.parametrize("library", ["urllib3", "httpx", "aiohttp"])
        def test_imports(library, tapedeck):
            assert library not in sys.modules
            module = __import__(library)
            tapedeck.stub("GET", "https://api.example.com/", text="led")
            if library == "urllib3":
                text = module.PoolManager().request("GET", "https://api.example.com/").data.decode()
            elif library == "httpx":
                text = module.get("https://api.example.com/", trust_env=False).text
            else:
                import asyncio

                async def ask():
                    async with module.ClientSession() as session, session.get("https://api.example.com/") as response:
                        return await response.text()

                text = asyncio.run(ask())
            assert text == "led"
    """)
    project.runpytest_subprocess().assert_outcomes(passed=3)


def test_redirects_retries_proxies_and_trust_of_a_client_lead_to_the_session(project: pytest.Pytester) -> None:
    project.makepyfile("""
        import urllib.request
        import httpx, pytest, requests, urllib3

        @pytest.fixture(params=["http", "https"])
        def base(request, tapedeck):
            base = f"{request.param}://api.example.com"
            tapedeck.stub("GET", "/from", status=302, headers={"Location": "/to"})
            tapedeck.stub("GET", "/to", text="arrived")
            return base

        def test_requests(base):
            with requests.Session() as session:
                session.proxies = {"http": "http://127.0.0.1:9", "https": "http://127.0.0.1:9"}
                assert session.get(f"{base}/from", verify=False).text == "arrived"

        def test_httpx(base):
            with httpx.Client(proxy="http://127.0.0.1:9", verify=False, follow_redirects=True) as client:
                assert client.get(f"{base}/from").text == "arrived"

        def test_urllib3(base):
            with urllib3.ProxyManager("http://127.0.0.1:9") as manager:
                assert manager.request("GET", f"{base}/from").data == b"arrived"
            with urllib3.connection_from_url(base) as pool:
                assert pool.request("GET", "/from").data == b"arrived"

        def test_urllib(base):
            proxies = urllib.request.ProxyHandler({"http": "http://127.0.0.1:9", "https": "http://127.0.0.1:9"})
            with urllib.request.build_opener(proxies).open(f"{base}/from") as response:
                assert response.read() == b"arrived"
            none = urllib.request.ProxyHandler({})
            request = urllib.request.Request(f"{base}/from")
            with urllib.request.build_opener(none).open(request) as response:
                assert response.read() == b"arrived"
            assert request.host == "api.example.com" and not request.has_proxy()

        def test_retries(base, tapedeck):
            tapedeck.add("flaky", {"request": {"url": "/flaky"}, "variants": [
                {"name": "stub", "takes": [{"status": 503}, {"status": 200, "body": {"text": "arrived"}}]}]})
            retries = urllib3.Retry(2, status_forcelist=[503])
            with urllib3.PoolManager(retries=retries) as manager:
                assert manager.request("GET", f"{base}/flaky").data == b"arrived"
            tapedeck.expect("GET", f"{base}/flaky", times=2)
    """)
    project.runpytest_inprocess().assert_outcomes(passed=10)


def test_child_processes_and_base_urls_lead_to_the_session(project: pytest.Pytester) -> None:
    project.makepyfile("""
        import http.client, subprocess, urllib.parse

        def test_child(tapedeck):
            tapedeck.stub("GET", "https://api.example.com/", text="led")
            for environment in (None, tapedeck.environment):
                command = ["curl", "-sS", "https://api.example.com/"]
                assert subprocess.run(command, env=environment, capture_output=True, text=True).stdout == "led"
            assert tapedeck.certificate_authority.read_text().startswith("-----BEGIN CERTIFICATE-----")

        def test_base_url(tapedeck):
            tapedeck.stub("GET", "https://api.example.com/v1/users", text="led")
            base = urllib.parse.urlsplit(tapedeck.base_url("https://api.example.com/v1"))
            connection = http.client.HTTPConnection(base.hostname, base.port)
            connection.request("GET", base.path + "/users")
            assert connection.getresponse().read() == b"led"
            connection.close()
    """)
    project.runpytest_inprocess().assert_outcomes(passed=2)
