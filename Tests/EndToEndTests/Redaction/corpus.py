#!/usr/bin/env python3
"""Planted secrets, and a program and an origin that exchange them, for tests of what a recording keeps.

    corpus.py list --seed N                          the planted secrets as JSON, name to value
    corpus.py origin                                 serves; prints its port; ends with standard input
    corpus.py client --seed N --origin URL [--proxy URL] [--stop-after N] [--only NAME] [--order shuffled]
                                                     asks for every case through a proxy (default: that of the
                                                     environment); one JSON line each
    corpus.py check --seed N PATH...                 looks for the planted secrets in files and folders, in every form;
                                                     prints a line for each one found, and exits with 1

Another seed makes other secrets of the same shapes. The client has its own secrets from the seed and the others from
the origin's answers, as a real one has. Standard library only.
"""

import argparse
import base64
import gzip
import hashlib
import http.client
import http.server
import json
import os
import random
import string
import sys
import threading
import urllib.parse
import zlib

UPPER = string.ascii_uppercase + string.digits
WORD = string.ascii_letters + string.digits


def b64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def jwt(draw, subject):
    head = b64url(json.dumps({"alg": "RS256", "typ": "JWT"}).encode())
    claims = b64url(json.dumps({"sub": subject, "jti": draw(WORD, 16), "exp": 4102444800}).encode())
    return f"{head}.{claims}.{draw(WORD, 86)}"


def secrets(seed):
    """The planted secrets by name."""
    source = random.Random(seed)

    def draw(letters, count):
        return "".join(source.choice(letters) for _ in range(count))

    def password():
        # With characters that every form has to escape in its own way.
        return draw(string.ascii_letters, 5) + '"\\&%/+ü' + draw(string.digits, 4) + draw(string.ascii_letters, 4)

    values = {
        "bearer": draw(WORD, 40),
        "basic-password": draw(WORD, 14),
        "session-cookie": draw(WORD, 32),
        "csrf-cookie": draw(WORD, 24),
        "x-api-key": draw(WORD, 32),
        "x-auth-token": draw(WORD, 36),
        "private-token": "glpat-" + draw(WORD, 20),
        "amz-security-token": draw(WORD + "/+", 96),
        "sigv4-signature": draw("0123456789abcdef", 64),
        "query-api-key": draw(WORD, 32),
        "query-access-token": draw(WORD, 40),
        "azure-sas": draw(WORD, 42),
        "amz-query-signature": draw("0123456789abcdef", 64),
        "amz-query-token": draw(WORD, 80),
        "goog-signature": draw("0123456789abcdef", 128),
        "form-password": password(),
        "form-client-secret": draw(WORD, 40),
        "form-refresh-token": draw(WORD, 48),
        "code-verifier": draw(WORD + "-._~", 64),
        "authorization-code": draw(WORD, 30),
        "json-password": password(),
        "json-nested-token": draw(WORD, 32),
        "json-in-json": draw(WORD, 32),
        "client-assertion": jwt(draw, "assertion"),
        "multipart-password": draw(WORD, 18),
        "multipart-json-token": draw(WORD, 32),
        "gzip-request-token": draw(WORD, 32),
        "deflate-request-token": draw(WORD, 32),
        "path-jwt": jwt(draw, "path"),
        "header-jwt": jwt(draw, "header"),
        "referer-token": draw(WORD, 32),
        "url-credentials": draw(WORD, 18),
        "private-key": draw(WORD + "+/", 64),
        "text-private-key": draw(WORD + "+/", 64),
        "text-bearer": draw(WORD, 36),
        "github-token": "ghp_" + draw(WORD, 36),
        "slack-token": "xoxb-" + draw(string.digits, 12) + "-" + draw(string.digits, 12) + "-" + draw(WORD, 24),
        "stripe-key": "sk_live_" + draw(WORD, 24),
        "aws-key-id": "AKIA" + draw(string.ascii_uppercase + "234567", 16),
        "aws-secret-key": draw(WORD + "/+", 40),
        "google-api-key": "AIza" + draw(WORD, 35),
        "service-account-key": draw(WORD + "+/", 64),
        "azure-account-key": base64.b64encode(source.randbytes(64)).decode(),
        "own-header": draw(WORD, 20),
        "own-json": draw(WORD, 20),
        "own-pattern": "acct_" + draw(string.ascii_lowercase + string.digits, 16),
        "own-environment": draw(WORD, 24),
        "own-query": draw(WORD, 20),
        "own-form": draw(WORD, 20),
        "login-access-token": draw(WORD, 48),
        "login-refresh-token": draw(WORD, 48),
        "login-id-token": jwt(draw, "user"),
        "login-cookie": draw(WORD, 40),
        "location-code": draw(WORD, 32),
        "location-fragment-token": draw(WORD, 36),
        "gzip-response-token": draw(WORD, 32),
        "gzip-text-bearer": draw(WORD, 32),
        "stream-token": draw(WORD, 32),
        "html-csrf": draw(WORD, 40),
        "base64-answer": draw(WORD, 20),
        "answer-header-key": draw(WORD, 32),
        "link-signature": draw(WORD, 40),
        "large-body-token": draw(WORD, 32),
        "split-chunk-token": draw(WORD, 32),
        "trailer-token": draw(WORD, 32),
        "fault-token": draw(WORD, 32),
        "late-token": draw(WORD, 32),
        "error-key": draw(WORD, 32),
        "unmatched-key": draw(WORD, 32),
        "unmatched-password": password(),
    }
    assert len(set(values.values())) == len(values)
    return values


def pem(text):
    return "-----BEGIN PRIVATE KEY-----\n" + text + "\n-----END PRIVATE KEY-----\n"


FORM = "application/x-www-form-urlencoded"
JSON = "application/json"


def form(**fields):
    return urllib.parse.urlencode({name.replace("__", "-"): value for name, value in fields.items()}).encode()


def multipart(*parts):
    boundary = "tapedeck-corpus"
    lines = []
    for name, kind, content in parts:
        lines.append(f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n'.encode())
        if kind:
            lines.append(f"Content-Type: {kind}\r\n".encode())
        lines.append(b"\r\n" + content.encode() + b"\r\n")
    lines.append(f"--{boundary}--\r\n".encode())
    return f"multipart/form-data; boundary={boundary}", b"".join(lines)


class Case:
    """One exchange. `request` gets the client's secrets and what it has learned; `answer` the origin's secrets."""

    def __init__(self, method, path, headers=None, body=b"", answer=None, learn=None, status=200):
        self.method, self.path, self.headers, self.body = method, path, headers or {}, body
        self.answer, self.learn, self.status = answer, learn, status


def cases(s, l):
    """Every case by name, with the client's secrets `s` and what it has learned so far, `l`."""
    q = urllib.parse.quote

    def get(path, **headers):
        return Case("GET", path, {name.replace("_", "-"): value for name, value in headers.items()})

    def post(path, kind, body, **headers):
        fields = {"Content-Type": kind}
        fields.update({name.replace("_", "-"): value for name, value in headers.items()})
        return Case("POST", path, fields, body)

    def json_post(path, value, **headers):
        return post(path, JSON, json.dumps(value).encode(), **headers)

    basic = base64.b64encode(f"ada:{s['basic-password']}".encode()).decode()
    sigv4 = (
        f"AWS4-HMAC-SHA256 Credential={s['aws-key-id']}/20260101/eu-west-1/s3/aws4_request, "
        f"SignedHeaders=host;x-amz-date, Signature={s['sigv4-signature']}"
    )
    parts_type, parts = multipart(
        ("user", None, "ada"),
        ("password", None, s["multipart-password"]),
        ("meta", JSON, json.dumps({"access_token": s["multipart-json-token"], "page": 2})),
    )
    return {
        "bearer": get("/bearer", Authorization=f"Bearer {s['bearer']}"),
        "basic": get("/basic", Authorization=f"Basic {basic}"),
        "echo": get("/echo", Authorization=f"Bearer {s['bearer']}", X_Api_Key=s["x-api-key"]),
        "cookies": get("/cookies", Cookie=f"sid={s['session-cookie']}; theme=dark; csrf={s['csrf-cookie']}"),
        "keys": get(
            "/keys", X_Api_Key=s["x-api-key"], X_Auth_Token=s["x-auth-token"], Private_Token=s["private-token"]
        ),
        "aws": get("/aws", Authorization=sigv4, X_Amz_Security_Token=s["amz-security-token"]),
        "query": get(f"/query?api_key={s['query-api-key']}&page=1&access_token={s['query-access-token']}"),
        "sas": get(f"/sas?sv=2024-01-01&sp=r&sig={q(s['azure-sas'] + '=', safe='')}"),
        "aws-query": get(
            f"/aws-query?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Signature={s['amz-query-signature']}"
            f"&X-Amz-Security-Token={s['amz-query-token']}"
        ),
        "goog": get(f"/goog?X-Goog-Algorithm=GOOG4-RSA-SHA256&X-Goog-Signature={s['goog-signature']}"),
        "form-login": post("/form", FORM, form(user="ada", password=s["form-password"])),
        "form-token": post(
            "/oauth/token",
            FORM,
            form(
                grant_type="refresh_token",
                client_id="app",
                client_secret=s["form-client-secret"],
                refresh_token=s["form-refresh-token"],
            ),
        ),
        "form-code": post(
            "/oauth/code",
            FORM,
            form(
                grant_type="authorization_code",
                code=s["authorization-code"],
                code_verifier=s["code-verifier"],
                client_assertion=s["client-assertion"],
            ),
        ),
        "json-login": json_post("/login", {"user": "ada", "password": s["json-password"]}),
        "json-nested": json_post("/nested", {"auth": {"credentials": [{"accessToken": s["json-nested-token"]}]}, "n": 1}),
        "json-in-json": json_post("/wrapped", {"payload": json.dumps({"access_token": s["json-in-json"], "k": 1})}),
        "multipart": post("/multipart", parts_type, parts),
        "gzip-request": post(
            "/gzip", JSON, gzip.compress(json.dumps({"token": s["gzip-request-token"], "a": 1}).encode(), mtime=0),
            Content_Encoding="gzip",
        ),
        "deflate-request": post(
            "/deflate", JSON, zlib.compress(json.dumps({"token": s["deflate-request-token"], "a": 1}).encode()),
            Content_Encoding="deflate",
        ),
        "jwt-path": get(f"/verify/{s['path-jwt']}/status"),
        "jwt-header": get("/jwt", X_Identity=s["header-jwt"]),
        "referer": get("/referer", Referer=f"https://app.example.com/?access_token={s['referer-token']}&x=1"),
        "url-credentials": json_post("/database", {"url": f"postgres://app:{s['url-credentials']}@db.example.com/main"}),
        "private-key": json_post("/key", {"pem": pem(s["private-key"])}),
        "text": post(
            "/text",
            "text/plain",
            (
                f"curl -H 'Authorization: Bearer {s['text-bearer']}'\n{s['github-token']}\n{s['slack-token']}\n"
                f"{s['stripe-key']}\n{s['google-api-key']}\n{pem(s['text-private-key'])}"
            ).encode(),
        ),
        "cloud": json_post(
            "/cloud",
            {
                "aws_access_key_id": s["aws-key-id"],
                "aws_secret_access_key": s["aws-secret-key"],
                "type": "service_account",
                "private_key": pem(s["service-account-key"]),
                "connection": "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=" + s["azure-account-key"],
            },
        ),
        "own": json_post(
            f"/own?tenant={s['own-query']}",
            {"settings": {"pin": s["own-json"]}, "account": s["own-pattern"], "note": f"<{s['own-environment']}>"},
            X_Tenant=s["own-header"],
        ),
        "own-form": post("/own-form", FORM, form(ticket=s["own-form"], a="1")),
        "login": json_post("/session", {"user": "ada"}),
        "later-bearer": get("/me", Authorization=f"Bearer {l.get('access', '-')}"),
        "later-path": get(f"/tokens/{l.get('access', '-')}/info"),
        "later-query": get(f"/search?q=1&t={q(l.get('refresh', '-'), safe='')}"),
        "later-body": json_post("/introspect", {"value": l.get("id", "-"), "n": 1}),
        "later-base64": json_post("/packed", {"data": base64.b64encode(f"x:{l.get('access', '-')}".encode()).decode()}),
        "later-cookie": get("/account", Cookie=f"auth={l.get('cookie', '-')}"),
        "location": get("/redirect"),
        "later-location": get(f"/callback?code={l.get('code', '-')}"),
        "gzip-answer": get("/gzip-answer", Accept_Encoding="gzip"),
        "gzip-text": get("/gzip-text", Accept_Encoding="gzip"),
        "stream": get("/stream"),
        "html": get("/html"),
        "base64-answer": get("/base64"),
        "answer-headers": get("/answer-headers"),
        "large": get("/large"),
        "chunks": get("/chunks"),
        "trailers": get("/trailers"),
        "early": get(f"/early/{s['late-token']}"),
        "late": json_post("/late", {"access_token": s["late-token"]}),
        "error": get(f"/error?api_key={s['error-key']}"),
        "fault": get(f"/fault?access_token={s['fault-token']}"),
    }


def answer(name, s, request_headers):
    """What the origin answers to a case: status, header fields, body in pieces, trailer fields; `None` is a reset."""
    kind = [("Content-Type", JSON)]

    def of(value, status=200, headers=()):
        return status, kind + list(headers), [json.dumps(value).encode()], []

    if name == "echo":
        return of({"seen": {"authorization": request_headers.get("Authorization"), "key": request_headers.get("X-Api-Key")}})
    if name == "login":
        return of(
            {
                "access_token": s["login-access-token"],
                "token_type": "Bearer",
                "expires_in": 3600,
                "refresh_token": s["login-refresh-token"],
                "id_token": s["login-id-token"],
            },
            headers=[("Set-Cookie", f"auth={s['login-cookie']}; Path=/; HttpOnly; Secure")],
        )
    if name == "location":
        target = f"/callback?code={s['location-code']}#access_token={s['location-fragment-token']}"
        return 302, [("Location", target)], [b""], []
    if name == "gzip-answer":
        body = gzip.compress(json.dumps({"access_token": s["gzip-response-token"]}).encode(), mtime=0)
        return 200, kind + [("Content-Encoding", "gzip")], [body], []
    if name == "gzip-text":
        body = gzip.compress(f"use Bearer {s['gzip-text-bearer']} for this".encode(), mtime=0)
        return 200, [("Content-Type", "text/plain"), ("Content-Encoding", "gzip")], [body], []
    if name == "stream":
        body = f'data: {{"n": 1}}\n\ndata: {{"access_token": "{s["stream-token"]}"}}\n\n'.encode()
        return 200, [("Content-Type", "text/event-stream"), ("Transfer-Encoding", "chunked")], [body[:20], body[20:]], []
    if name == "html":
        body = f'<input type="hidden" name="csrf_token" value="{s["html-csrf"]}"><p>Hello</p>'.encode()
        return 200, [("Content-Type", "text/html; charset=utf-8")], [body], []
    if name == "base64-answer":
        return of({"auth": base64.b64encode(f"user:{s['base64-answer']}".encode()).decode(), "password": s["base64-answer"]})
    if name == "answer-headers":
        link = f'<https://files.example.com/a?page=2&X-Amz-Signature={s["link-signature"]}>; rel="next"'
        return of({"ok": True}, headers=[("X-Api-Key", s["answer-header-key"]), ("Link", link)])
    if name == "large":
        items = [{"id": number, "text": "lorem ipsum dolor sit amet " * 3} for number in range(1500)]
        items[700]["access_token"] = s["large-body-token"]
        return of(items)
    if name == "chunks":
        body = json.dumps({"access_token": s["split-chunk-token"], "n": 1}).encode()
        middle = body.index(s["split-chunk-token"].encode()) + 9
        return 200, kind + [("Transfer-Encoding", "chunked")], [body[:middle], body[middle:]], []
    if name == "trailers":
        fields = kind + [("Transfer-Encoding", "chunked"), ("Trailer", "X-Auth-Token")]
        return 200, fields, [b'{"ok":true}'], [("X-Auth-Token", s["trailer-token"])]
    if name == "error":
        return of({"error": f"the key {s['error-key']} is not valid"}, status=401)
    if name == "fault":
        return None
    return of({"case": name, "ok": True})


# MARK: Origin


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def handle_any(self):
        length = int(self.headers.get("Content-Length", 0))
        self.rfile.read(length)
        name = self.headers.get("X-Case")
        result = answer(name, secrets(int(self.headers.get("X-Seed", 1))), self.headers)
        if result is None:
            # Closes without a word.
            self.close_connection = True
            return
        status, fields, pieces, trailers = result
        chunked = any(name == "Transfer-Encoding" for name, _ in fields)
        head = [f"HTTP/1.1 {status} {http.client.responses[status]}"] + [f"{name}: {value}" for name, value in fields]
        if not chunked:
            head.append(f"Content-Length: {sum(map(len, pieces))}")
        self.wfile.write(("\r\n".join(head) + "\r\n\r\n").encode("utf-8"))
        for piece in pieces:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece) if chunked else piece)
            self.wfile.flush()
        if chunked:
            end = "".join(f"{name}: {value}\r\n" for name, value in trailers)
            self.wfile.write(f"0\r\n{end}\r\n".encode())

    do_GET = do_POST = handle_any


def serve():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(server.server_address[1], flush=True)
    sys.stdin.read()


# MARK: Client


def learn(learned, name, fields, body):
    """Keeps what a later request needs, as a program would."""
    if name == "login":
        value = json.loads(body)
        learned.update(access=value["access_token"], refresh=value["refresh_token"], id=value["id_token"])
        cookie = [value for key, value in fields if key.lower() == "set-cookie"][0]
        learned["cookie"] = cookie.split(";")[0].split("=", 1)[1]
    elif name == "location":
        location = [value for key, value in fields if key.lower() == "location"][0]
        learned["code"] = urllib.parse.parse_qs(urllib.parse.urlsplit(location).query)["code"][0]


def ask(seed, proxy, origin, only, stop_after, order):
    own = secrets(seed)
    learned = {}
    names = list(cases(own, learned))
    if order == "shuffled":
        names = shuffled(names)
    proxy = urllib.parse.urlsplit(proxy)
    done = 0
    for name in names:
        if only and name != only:
            continue
        case = cases(own, learned)[name]
        connection = http.client.HTTPConnection(proxy.hostname, proxy.port, timeout=30)
        headers = dict(case.headers, **{"X-Case": name, "X-Seed": str(seed)})
        line = {"case": name}
        try:
            connection.request(case.method, origin + case.path, case.body or None, headers)
            response = connection.getresponse()
            body = response.read()
            line.update(status=response.status, unmatched=response.getheader("X-Tapedeck-Unmatched") == "true")
            line["bodySHA256"] = hashlib.sha256(body).hexdigest()
            plain = gzip.decompress(body) if response.getheader("Content-Encoding") == "gzip" else body
            line["text"] = plain.decode("utf-8", "replace")[:2000]
            line["headers"] = response.getheaders()
            if response.status < 400:
                learn(learned, name, response.getheaders(), body)
        except (http.client.HTTPException, ConnectionError) as error:
            line.update(status=None, unmatched=False, failure=type(error).__name__)
        finally:
            connection.close()
        print(json.dumps(line), flush=True)
        done += 1
        if stop_after and done >= stop_after:
            # If the proxy is killed now, everything so far is on its way to the disk.
            sys.stdin.read()
            return


def shuffled(names):
    """Another order, in which what depends on an answer still comes after it."""
    rest = [name for name in names if not name.startswith("later") and name not in ("login", "location", "early", "late")]
    random.Random(7).shuffle(rest)
    middle = len(rest) // 2
    late = [name for name in names if name.startswith("later")]
    return rest[:middle] + ["login", "location", "early", "late"] + rest[middle:] + late


# MARK: Check


def forms(value):
    """The spellings of a secret that would give it away."""
    raw = value.encode()
    found = {raw, urllib.parse.quote(value, safe="").encode(), urllib.parse.quote_plus(value).encode()}
    found |= {json.dumps(value, ensure_ascii=ascii)[1:-1].encode() for ascii in (True, False)}
    found |= {raw.replace(b"\n", b"\\n"), raw.hex().encode()}
    for shift in range(3):
        # Inside a longer run the first and last characters depend on what is around.
        packed = base64.b64encode(b"x" * shift + raw).rstrip(b"=")[2 if shift else 0 :]
        inner = packed[2:-2]
        found |= {inner, inner.replace(b"+", b"-").replace(b"/", b"_")}
    return found


def unpacked(data):
    """The bytes of a file, and what is packed in them."""
    yield data
    word = bytearray()
    for byte in data + b" ":
        if chr(byte) in WORD + "+/=-_":
            word.append(byte)
            continue
        if len(word) >= 16:
            text = bytes(word).replace(b"-", b"+").replace(b"_", b"/").rstrip(b"=")
            try:
                inner = base64.b64decode(text + b"=" * (-len(text) % 4))
            except ValueError:
                inner = b""
            yield inner
            try:
                yield gzip.decompress(inner)
            except (OSError, EOFError, zlib.error):
                pass
        word.clear()
    try:
        yield gzip.decompress(data)
    except (OSError, EOFError, zlib.error):
        pass


def check(seed, paths):
    planted = {name: forms(value) for name, value in secrets(seed).items()}
    files = []
    for path in paths:
        inner = [os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names]
        files += inner if os.path.isdir(path) else [path]
    leaks = set()
    for file in files:
        with open(file, "rb") as opened:
            for data in unpacked(opened.read()):
                leaks |= {f"{name} in {file}" for name, spelt in planted.items() if any(form in data for form in spelt)}
    for leak in sorted(leaks):
        print(leak)
    print(f"{len(files)} files searched for {len(planted)} secrets of seed {seed}", file=sys.stderr)
    sys.exit(1 if leaks or not files else 0)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=["list", "origin", "client", "check"])
    parser.add_argument("paths", nargs="*")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--proxy")
    parser.add_argument("--origin")
    parser.add_argument("--only")
    parser.add_argument("--stop-after", type=int)
    parser.add_argument("--order", default="usual", choices=["usual", "shuffled"])
    arguments = parser.parse_intermixed_args()
    if arguments.what == "list":
        print(json.dumps(secrets(arguments.seed)))
    elif arguments.what == "origin":
        serve()
    elif arguments.what == "check":
        check(arguments.seed, arguments.paths)
    else:
        ask(
            arguments.seed, arguments.proxy or os.environ["http_proxy"], arguments.origin, arguments.only, arguments.stop_after, arguments.order
        )


main()
