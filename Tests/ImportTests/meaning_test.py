#!/usr/bin/env python3
"""Imports the stubs of Rows/*.jsonl, plays each row in a session of its own, and compares with what its tool answers.

  TAPEDECK=path/to/tapedeck python3 Tests/ImportTests/meaning_test.py [ROWS.jsonl ...] [--only ID ...] [-v] [--keep] [--again]

With --again each cassette is exported as WireMock mappings, and these are imported and played: what is lost on the way must be
reported, too.

Row: {"id", "tool", "stub", "files"?, "side"?, "stubs"?, "name"?, "requests": [...]}
- tool wiremock: `stub` goes to mappings/stub.json (or `stubs`: {"sub/a.json": ...} to mappings/...), `files` to __files/...
- other tools: `stub` goes to stub.json, or to "name" (a text is written as it is); `files` and `side` {"name": text or
  {"base64": ...}} beside it.
- request: {"method", "path", "headers"?, "body"? | "bodyBase64"?, "scheme"?, "host"?, "expect"}, {"control": "reset"} or
  {"wait": seconds}.
- expect: "miss", or {"status", "body"?, "bodyBase64"?, "bodyPattern"?, "json"?, "headers"?, "reason"?, "minMs"?, "maxMs"?},
  or {"fault": "reset" | "empty" | "garbage" | "cut" | "any"}.

The expectations are the answers of WireMock 3.13.2, Hoverfly 1.10 and MockServer's matchers, else of the tool's pages. A row
agrees, or the import reports by entry what it leaves out or changes, or it is listed in Rows/differences.json with the reason.
Exits with 1 for any other row, and for a listed one that agrees.
"""
import argparse, concurrent.futures, glob, json, os, re, shutil, subprocess, sys, tempfile, time, urllib.request
HERE = os.path.dirname(os.path.abspath(__file__))
# Rows that --again plays otherwise, as docs/import-and-export.md says of the format as a whole.
OF_THE_EXPORT = {
    "wiremock/scheme-host-port": "of a cassette of one origin no mapping asks for the host",
    "hoverfly/v2-exact": "of a cassette of one origin no mapping asks for the host",
    "hoverfly/response-encoded-gzip": "bodies have no content coding",
    "wiremock/response-content-encoding-gzip-body-file": "bodies have no content coding",
}
sys.path.insert(0, HERE)
import rows as rowlib

def write(path, content):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if isinstance(content, dict) and set(content) == {"base64"}:
        import base64
        data = base64.b64decode(content["base64"])
    elif isinstance(content, str):
        data = content.encode("utf-8", "surrogateescape")
    else:
        data = json.dumps(content, indent=2, ensure_ascii=False).encode()
    with open(path, "wb") as f:
        f.write(data)

def lay(row, folder):
    """Writes the row's files; returns what to import."""
    if row["tool"] == "wiremock":
        stubs = row.get("stubs") or {"stub.json": row["stub"]}
        for name, stub in stubs.items():
            write(f"{folder}/mappings/{name}", stub)
        for name, text in {**row.get("files", {}), **row.get("side", {})}.items():
            write(f"{folder}/__files/{name}", text)
        return folder + "/mappings"
    name = row.get("name", "stub.json")
    write(f"{folder}/{name}", row["stub"])
    for side, text in {**row.get("files", {}), **row.get("side", {})}.items():
        write(f"{folder}/{side}", text)
    return f"{folder}/{name}"

def export_and_import(row, binary, cassette, env):
    """Replaces a cassette by what its export becomes; returns what was reported as lost."""
    folder = cassette.removesuffix(".yaml") + "-again"
    os.makedirs(folder)
    export = f"{folder}/stubs.json"
    command = [binary, "export", cassette, "--format", "wiremock", "-o", export, "--json", "--with-made-up-values"]
    done = subprocess.run(command, capture_output=True, text=True, env=env, cwd=folder, timeout=120)
    if done.returncode not in (0, 1):
        return [f"export: {done.stderr.strip()[:400]}"]
    lost = [f"export: {item['reason']}" for item in json.loads(done.stdout)["leftOut"]]
    os.remove(cassette)
    command = [binary, "import", export, "--format", "wiremock", "--out", cassette, "--no-project", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, env=env, cwd=folder, timeout=120)
    if done.returncode not in (0, 1):
        return lost + [f"import: {done.stderr.strip()[:400]}"]
    report = json.loads(done.stdout)
    return lost + [f"import: {item['reason']}" for kind in ("leftOut", "notes", "unread") for item in report[kind]]

def convert(row, binary, root, env, again):
    folder = f"{root}/in/{row['id']}"
    source = lay(row, folder)
    out = f"{root}/out/{row['id']}.yaml"
    command = [binary, "import", source, "--out", out, "--no-project", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, env=env, cwd=folder, timeout=120)
    lines, leftout, notes = [], [], []
    try:
        report = json.loads(done.stdout)
        for item in report.get("leftOut", []):
            leftout.append(item.get("reason", json.dumps(item)))
        for item in report.get("notes", []):
            notes.append(item.get("reason", json.dumps(item)))
        for item in report.get("unread", []):
            leftout.append("unread: " + json.dumps(item))
    except ValueError:
        leftout.append((done.stdout + done.stderr).strip()[:400])
    errors = done.stderr.strip()
    if errors and done.returncode not in (0, 1):
        leftout.append(errors[:400])
    if again and os.path.exists(out):
        leftout += export_and_import(row, binary, out, env)
    lines = [f"left out: {r}" for r in leftout] + [f"note: {r}" for r in notes]
    return {"rc": done.returncode, "leftOut": leftout, "notes": notes, "lines": lines, "out": out if os.path.exists(out) else None}

class Deck:
    def __init__(self, binary, root, env):
        self.log = open(f"{root}/serve.log", "w+b")
        self.process = subprocess.Popen(
            [binary, "serve", "--port", "0", "--control-port", "0", "--cassettes", f"{root}/out", "--no-project",
             "--sessions", "required"], stdout=self.log, stderr=subprocess.STDOUT, env=env, cwd=root)
        for _ in range(200):
            time.sleep(0.1)
            text = open(f"{root}/serve.log", encoding="utf-8", errors="replace").read()
            ports = re.findall(r"(?:serve at|to steer it:)\s+http://127\.0\.0\.1:(\d+)", text)
            if len(ports) >= 2:
                break
            if self.process.poll() is not None:
                raise SystemExit("tapedeck serve ended: " + text)
        else:
            raise SystemExit("tapedeck serve did not start: " + text)
        self.port, self.control = int(ports[0]), int(ports[1])

    def api(self, method, path, value=None):
        request = urllib.request.Request(f"http://127.0.0.1:{self.control}{path}", method=method,
                                         data=None if value is None else json.dumps(value).encode(),
                                         headers={"Content-Type": "application/json"})
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=30) as answer:
                data = answer.read()
        except urllib.error.HTTPError as e:
            raise RuntimeError(e.read().decode()[:600])
        return json.loads(data) if data else None

    def ask(self, session, r):
        scheme = r.get("scheme", "http")
        host = rowlib.authority(r)
        if scheme == "https":
            connect = (f"CONNECT {host if ':' in host else host + ':443'} HTTP/1.1\r\nHost: {host}\r\n"
                       f"X-Tapedeck-Session: {session}\r\n\r\n").encode()
            return rowlib.send(("127.0.0.1", self.port), rowlib.request_bytes(r, r["path"]), r.get("method", "GET"),
                               tls_host=host.split(":")[0], connect=connect)
        data = rowlib.request_bytes(r, f"http://{host}{r['path']}", [("X-Tapedeck-Session", session)])
        return rowlib.send(("127.0.0.1", self.port), data, r.get("method", "GET"))

    def stop(self):
        rowlib.stop(self.process)

def is_miss(got):
    """True if Tapedeck said that nothing on tape answers."""
    if got.get("status") != 501 or "body" not in got:
        return False
    return any(n.lower().startswith("x-tapedeck") for n, _ in got["headers"]) or b'"error"' in got["body"][:40]

def play(row, imported, deck):
    """The differences of a row: (request, kind, what)."""
    result = []
    session = None
    problem = None
    if imported["out"]:
        try:
            session = deck.api("POST", "/v1/sessions", {"name": row["id"][:60], "cassettes": [row["id"]]})["id"]
        except RuntimeError as e:
            problem = str(e)
    for r in row["requests"]:
        if "control" in r:
            if session and r["control"] == "reset":
                deck.api("POST", f"/v1/sessions/{session}/reset")
            continue
        if "wait" in r:
            time.sleep(r["wait"])
            continue
        if session:
            got = deck.ask(session, r)
            miss = is_miss(got)
        else:
            got, miss = {"status": 501, "reason": "", "headers": [], "body": b""}, True
        wrong = rowlib.differs(r["expect"], got, miss)
        if wrong:
            result.append((r, *wrong))
    if session:
        deck.api("DELETE", f"/v1/sessions/{session}")
    return result, problem

def known_differences():
    """The reason of each row that differs and that no import reports, by id."""
    with open(f"{HERE}/Rows/differences.json", encoding="utf-8") as f:
        listed = json.load(f)
    return {row: reason for reason, rows in listed.items() for row in rows}

def verdict_of(differences, imported, problem):
    if problem:
        return "WRONG"
    kinds = {kind for _, kind, _ in differences}
    if not kinds:
        return "agree"
    if imported["leftOut"] or imported["notes"]:
        return "reported"
    return "WRONG" if "WRONG" in kinds else "MISS"

def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("rows", nargs="*")
    p.add_argument("--only", nargs="*", default=[], help="ids, or beginnings of ids followed by *")
    p.add_argument("-v", "--verbose", action="store_true", help="also list reported rows")
    p.add_argument("--again", action="store_true", help="play what the exported cassettes become")
    p.add_argument("--keep", action="store_true", help="keep the temporary folder")
    a = p.parse_args()
    binary = os.path.abspath(os.environ.get("TAPEDECK", ".build/debug/tapedeck"))
    known, failed = known_differences(), False
    for path in a.rows or sorted(glob.glob(f"{HERE}/Rows/*.jsonl")):
        failed = run(path, binary, known, a) or failed
    return 1 if failed else 0

def run(path, binary, known, a):
    """Plays the rows of a file; returns True if one fails."""
    rows = rowlib.rows_of(path)
    if a.only:
        rows = [r for r in rows if any(r["id"] == o or o.endswith("*") and r["id"].startswith(o[:-1]) for o in a.only)]
    if not rows:
        return False
    tool = os.path.basename(path).removesuffix(".jsonl")
    root = tempfile.mkdtemp(prefix="tapedeck-rows-")
    os.makedirs(f"{root}/out")
    env = {k: v for k, v in os.environ.items()
           if not k.startswith("TAPEDECK_") and k.lower() not in ("http_proxy", "https_proxy", "all_proxy", "no_proxy")}
    totals, failed = {"agree": 0, "reported": 0, "listed": 0, "MISS": 0, "WRONG": 0}, False
    try:
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            imports = list(pool.map(lambda row: convert(row, binary, root, env, a.again), rows))
        deck = Deck(binary, root, env)
        try:
            for row, imported in zip(rows, imports):
                differences, problem = play(row, imported, deck)
                verdict = verdict_of(differences, imported, problem)
                name = f"{tool}/{row['id']}"
                if name in known or a.again and name in OF_THE_EXPORT:
                    if not a.again and verdict in ("agree", "reported"):
                        failed = True
                        print(f"{name} is listed in differences.json, and is fine: take it out")
                    verdict = "listed"
                totals[verdict] += 1
                failed = failed or verdict in ("MISS", "WRONG")
                if verdict in ("MISS", "WRONG") or a.verbose and verdict == "reported":
                    what = problem or " || ".join(f"{rowlib.show_request(r)} -> {k} {w}" for r, k, w in differences)
                    print(f"{verdict} {name}: {what}"[:1000])
                    for line in imported["lines"]:
                        print(f"    {line}"[:1000])
        finally:
            deck.stop()
    finally:
        if a.keep:
            print("kept:", root)
        else:
            shutil.rmtree(root, ignore_errors=True)
    print(f"{tool}: {len(rows)} rows: " + ", ".join(f"{n} {k}" for k, n in totals.items()))
    return failed

if __name__ == "__main__":
    sys.exit(main())
