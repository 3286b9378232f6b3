"""Rows of the tables in Rows/, a raw HTTP/1.1 client, and the comparison of answers."""
import base64, json, re, socket, ssl, subprocess, time

def rows_of(path):
    rows, seen = [], set()
    with open(path, encoding="utf-8") as f:
        for n, line in enumerate(f, 1):
            line = line.strip()
            if not line or line.startswith("#") or line.startswith("//"):
                continue
            try:
                row = json.loads(line)
            except ValueError as e:
                raise SystemExit(f"{path}:{n}: no JSON: {e}")
            if row["id"] in seen:
                raise SystemExit(f"{path}:{n}: id {row['id']} twice")
            seen.add(row["id"])
            rows.append(row)
    return rows

def body_of(r):
    if "bodyBase64" in r:
        return base64.b64decode(r["bodyBase64"])
    b = r.get("body")
    if b is None:
        return None
    if not isinstance(b, str):
        b = json.dumps(b)
    return b.encode("utf-8", "surrogateescape")

def fields_of(headers):
    out = []
    if isinstance(headers, list):
        items = [(h[0], h[1]) for h in headers]
    else:
        items = list((headers or {}).items())
    for name, value in items:
        for v in value if isinstance(value, list) else [value]:
            out.append((name, str(v)))
    return out

def authority(r, default="api.example.com"):
    for n, v in fields_of(r.get("headers")):
        if n.lower() == "host":
            return v
    return r.get("host", default)

def request_bytes(r, target, extra=()):
    body = body_of(r)
    fields = fields_of(r.get("headers"))
    names = {n.lower() for n, _ in fields}
    head = [f"{r.get('method', 'GET')} {target} HTTP/1.1"]
    if "host" not in names:
        head.append(f"Host: {authority(r)}")
    head += [f"{n}: {v}" for n, v in fields]
    head += [f"{n}: {v}" for n, v in extra]
    if body is not None and "content-length" not in names and "transfer-encoding" not in names:
        head.append(f"Content-Length: {len(body)}")
    if "connection" not in names:
        head.append("Connection: close")
    return ("\r\n".join(head) + "\r\n\r\n").encode("utf-8", "surrogateescape") + (body or b"")

def send(address, data, method="GET", timeout=20, tls_host=None, connect=None):
    """Sends and reads one answer. Returns {"status","reason","headers","body","ms"} or {"fault": kind, ...}."""
    start = time.monotonic()
    raw, error = b"", None
    s = socket.create_connection(address, timeout=timeout)
    try:
        if connect:
            s.sendall(connect)
            head = b""
            while b"\r\n\r\n" not in head:
                part = s.recv(4096)
                if not part:
                    return {"fault": "connect-refused", "detail": head.decode("latin-1")}
                head += part
            if b" 200" not in head.split(b"\r\n")[0]:
                return {"fault": "connect-refused", "detail": head.decode("latin-1")}
        if tls_host:
            context = ssl._create_unverified_context()
            s = context.wrap_socket(s, server_hostname=tls_host)
        s.sendall(data)
        while True:
            part = s.recv(65536)
            if not part:
                break
            raw += part
            done = complete(raw, method)
            if done is not None:
                break
    except (ConnectionResetError, BrokenPipeError):
        error = "reset"
    except (socket.timeout, TimeoutError):
        error = "timeout"
    except ssl.SSLError as e:
        error = "reset" if "EOF" in str(e) else f"tls {e}"
    finally:
        try:
            s.close()
        except OSError:
            pass
    result = parse(raw, method, error)
    result["ms"] = int((time.monotonic() - start) * 1000)
    return result

def split_head(raw):
    while True:
        head, sep, rest = raw.partition(b"\r\n\r\n")
        if not sep:
            return None
        if re.match(rb"HTTP/1\.[01] 1\d\d", head) and not re.match(rb"HTTP/1\.[01] 101", head):
            raw = rest
            continue
        return head, rest

def complete(raw, method):
    """The parsed answer, if all of it came; None if more may come."""
    parts = split_head(raw)
    if not parts:
        return None
    status, reason, headers = read_head(parts[0])
    if status is None:
        return None
    te = [v for n, v in headers if n.lower() == "transfer-encoding"]
    cl = [v for n, v in headers if n.lower() == "content-length"]
    if method == "HEAD" or status in (204, 304) or status // 100 == 1:
        return b""
    if te and "chunked" in te[-1].lower():
        ok, body = dechunk(parts[1])
        return body if ok else None
    if cl and cl[0].isdigit():
        n = int(cl[0])
        return parts[1][:n] if len(parts[1]) >= n else None
    return None

def read_head(head):
    lines = head.split(b"\r\n")
    m = re.match(rb"HTTP/1\.[01] (\d{3}) ?(.*)$", lines[0])
    if not m:
        return None, None, []
    headers = []
    for line in lines[1:]:
        n, sep, v = line.partition(b":")
        headers.append((n.decode("latin-1"), v.strip().decode("utf-8", "replace")))
    return int(m[1]), m[2].decode("latin-1"), headers

def dechunk(data):
    out, rest = b"", data
    while True:
        line, sep, rest = rest.partition(b"\r\n")
        if not sep:
            return False, out
        try:
            n = int(line.split(b";")[0].strip(), 16)
        except ValueError:
            return False, out
        if n == 0:
            return True, out
        if len(rest) < n + 2:
            return False, out + rest
        if rest[n:n + 2] != b"\r\n":
            return False, out
        out, rest = out + rest[:n], rest[n + 2:]

def parse(raw, method, error):
    if not raw:
        return {"fault": error or "empty"}
    parts = split_head(raw)
    if not parts:
        return {"fault": error if error == "timeout" else "garbage"}
    status, reason, headers = read_head(parts[0])
    if status is None:
        return {"fault": error if error == "timeout" else "garbage"}
    result = {"status": status, "reason": reason, "headers": headers}
    body = complete(raw, method)
    if body is None:
        framed = any(n.lower() in ("transfer-encoding", "content-length") for n, _ in headers)
        if framed or error:
            result["fault"] = error if error == "timeout" else "cut"
        body = parts[1]
    result["body"] = body
    return result

def stop(process):
    process.terminate()
    try:
        process.wait(20)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()

def values(headers, name):
    return [v for n, v in headers if n.lower() == name.lower()]

def differs(expect, got, is_miss):
    """None if the answer is the expected one; else ("WRONG" | "MISS", what)."""
    if expect == "miss":
        if is_miss:
            return None
        return "WRONG", f"expected a miss, got {short(got)}"
    if expect.get("fault"):
        if is_miss:
            return "MISS", f"expected fault {expect['fault']}, got unmatched"
        if not got.get("fault"):
            return "WRONG", f"expected fault {expect['fault']}, got {short(got)}"
        kinds = {expect["fault"], got["fault"]}
        if len(kinds) == 1 or expect["fault"] == "any" or kinds <= {"reset", "empty"} or kinds <= {"garbage", "cut"}:
            return None
        return "WRONG", f"expected fault {expect['fault']}, got fault {got['fault']}"
    if is_miss:
        return "MISS", f"expected {short_expect(expect)}, got unmatched"
    if got.get("fault"):
        return "WRONG", f"expected {short_expect(expect)}, got fault {got['fault']}"
    wrong = []
    if "status" in expect and got["status"] != expect["status"]:
        wrong.append(f"status {got['status']} instead of {expect['status']}")
    text = got["body"].decode("utf-8", "surrogateescape")
    if "bodyBase64" in expect and base64.b64decode(expect["bodyBase64"]) != got["body"]:
        wrong.append(f"body {text[:200]!r} instead of base64 {expect['bodyBase64'][:80]}")
    if "body" in expect and text != expect["body"]:
        wrong.append(f"body {text[:200]!r} instead of {expect['body'][:200]!r}")
    if "bodyPattern" in expect and not re.fullmatch(expect["bodyPattern"], text, re.S):
        wrong.append(f"body {text[:200]!r} does not match {expect['bodyPattern']!r}")
    if "json" in expect:
        try:
            same = json.loads(text) == expect["json"]
        except ValueError:
            same = False
        if not same:
            wrong.append(f"body {text[:200]!r} is not the JSON {json.dumps(expect['json'])[:200]}")
    for name, value in (expect.get("headers") or {}).items():
        want = value if isinstance(value, list) else [] if value is None else [value]
        have = values(got["headers"], name)
        if have != [str(v) for v in want]:
            wrong.append(f"header {name} {have} instead of {want}")
    if "reason" in expect and got["reason"] != expect["reason"]:
        wrong.append(f"reason {got['reason']!r} instead of {expect['reason']!r}")
    if "minMs" in expect and got["ms"] < expect["minMs"]:
        wrong.append(f"after {got['ms']} ms, expected at least {expect['minMs']}")
    if "maxMs" in expect and got["ms"] > expect["maxMs"]:
        wrong.append(f"after {got['ms']} ms, expected at most {expect['maxMs']}")
    return ("WRONG", "; ".join(wrong)) if wrong else None

def short(got):
    if got.get("fault"):
        return f"fault {got['fault']}"
    return f"{got['status']} {got['body'][:120].decode('utf-8', 'replace')!r}"

def short_expect(e):
    if e == "miss":
        return "miss"
    return f"{e.get('status', e.get('fault'))}" + (f" {e['body'][:120]!r}" if "body" in e else "")

def show_request(r):
    if "control" in r:
        return f"(control {r['control']})"
    text = f"{r.get('method', 'GET')} {r['path']}"
    fields = fields_of(r.get("headers"))
    if fields:
        text += " [" + "; ".join(f"{n}: {v}" for n, v in fields) + "]"
    b = body_of(r)
    if b is not None:
        text += f" body {b[:160]!r}"
    return text
