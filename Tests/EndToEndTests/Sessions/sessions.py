"""Many sessions at once through one proxy port, each with another variant of one response set.

Each session is one thread with its own connections, and names itself in one of three ways: by a header of each request,
by a header of the CONNECT, or by the user of the proxy's credentials. Prints how many answers were another session's.

    sessions.py CONTROL PROXY_PORT AUTHORITY SESSIONS REQUESTS
"""
import base64
import http.client
import json
import ssl
import sys
import threading
import urllib.request

control, proxy_port, authority = sys.argv[1], int(sys.argv[2]), sys.argv[3]
sessions, requests = int(sys.argv[4]), int(sys.argv[5])
direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
trust = ssl.create_default_context(cafile=authority)
wrong, problems, done = [], [], []


def ask(method, path, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(control + path, data, {"Content-Type": "application/json"}, method=method)
    with direct.open(request, timeout=60) as answer:
        return json.load(answer)


def connection(secure, kind, key):
    """A connection, what it asks for, and the fields of its requests."""
    host = "secure.example.test" if secure else "plain.example.test"
    credentials = "Basic " + base64.b64encode(f"{key['id']}:{key['token']}".encode()).decode()
    named = {"header": {"X-Tapedeck-Session": key["id"]}, "user": {"Proxy-Authorization": credentials}}
    if secure:
        through = http.client.HTTPSConnection("127.0.0.1", proxy_port, context=trust, timeout=60)
        tunnel = {"connect": {"X-Tapedeck-Session": key["id"]}, "user": named["user"]}.get(kind, {})
        through.set_tunnel(host, 443, tunnel)
        return through, "/who", named["header"] if kind == "header" else {}
    through = http.client.HTTPConnection("127.0.0.1", proxy_port, timeout=60)
    # A plain request has no CONNECT.
    return through, f"http://{host}/who", named.get(kind, named["header"])


def run(number, key, start):
    kind = ["header", "connect", "user"][number % 3]
    try:
        pairs = [connection(secure, kind, key) for secure in (False, True)]
        start.wait()
        for count in range(requests):
            through, target, fields = pairs[count % 2]
            through.request("GET", target, headers=fields)
            answer = through.getresponse()
            text = answer.read().decode()
            if text != f"variant {number}":
                wrong.append((number, kind, answer.status, text[:200]))
            done.append(1)
    except Exception as problem:
        problems.append((number, kind, repr(problem)))


keys = []
for number in range(sessions):
    wanted = {"name": f"test {number}", "selections": {"who": f"variant {number}"}}
    keys.append(ask("POST", "/v1/sessions", wanted))
start = threading.Barrier(sessions)
threads = [threading.Thread(target=run, args=(number, key, start)) for number, key in enumerate(keys)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
reports = [ask("DELETE", "/v1/sessions/" + key["id"]) for key in keys]
played = {report["played"] for report in reports}
print(json.dumps({
    "answers": len(done), "wrong": wrong[:5], "problems": problems[:5], "played": sorted(played),
    "unmatched": sum(report["unmatchedRequests"] for report in reports),
    "connectionsOpened": sum(report["connectionsOpened"] for report in reports),
}))
