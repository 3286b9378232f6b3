#!/usr/bin/env python3
"""Asks WireMock itself what each row's requests get, and corrects `expect`.

  ask_wiremock.py ROWS.jsonl --jar JAR [--write] [--only ID ...]

Starts one WireMock (standalone, loopback, free ports, local response templating as in WireMock 3) with a temporary root
folder. For each row the folder gets mappings/ and __files/, WireMock reads them (POST /__admin/mappings/reset), and the
requests go out by a raw socket as written. With --write the file gets the corrected rows; rows whose stub WireMock
refuses are printed and dropped.
"""
import argparse, json, os, re, shutil, subprocess, sys, tempfile, time, urllib.request
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import rows as rowlib
from meaning_test import write

class WireMock:
    def __init__(self, jar):
        self.root = tempfile.mkdtemp(prefix="wmrows-")
        os.makedirs(f"{self.root}/mappings")
        os.makedirs(f"{self.root}/__files")
        self.log = open(f"{self.root}/log", "wb")
        self.process = subprocess.Popen(
            ["java", "-Xmx512m", "-Duser.timezone=UTC", "-jar", jar, "--port", "0", "--https-port", "0", "--bind-address", "127.0.0.1",
             "--root-dir", self.root, "--disable-banner", "--local-response-templating", "--no-request-journal"],
            stdout=self.log, stderr=subprocess.STDOUT, cwd=self.root)
        for _ in range(300):
            time.sleep(0.2)
            text = open(f"{self.root}/log", errors="replace").read()
            port = re.search(r"^port:\s+(\d+)", text, re.M)
            https = re.search(r"^https-port:\s+(\d+)", text, re.M)
            if port and https:
                break
            if self.process.poll() is not None:
                raise SystemExit("WireMock ended: " + text[-3000:])
        else:
            raise SystemExit("WireMock did not start: " + text[-3000:])
        self.port, self.https = int(port[1]), int(https[1])

    def admin(self, method, path):
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}/__admin{path}", method=method, data=b"" if method == "POST" else None)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(request, timeout=30) as answer:
            return answer.read()

    def load(self, row):
        shutil.rmtree(f"{self.root}/mappings")
        shutil.rmtree(f"{self.root}/__files")
        os.makedirs(f"{self.root}/mappings")
        os.makedirs(f"{self.root}/__files")
        for name, stub in (row.get("stubs") or {"stub.json": row["stub"]}).items():
            write(f"{self.root}/mappings/{name}", stub)
        for name, text in {**row.get("files", {}), **row.get("side", {})}.items():
            write(f"{self.root}/__files/{name}", text)
        try:
            self.admin("POST", "/mappings/reset")
        except urllib.error.HTTPError as e:
            return e.read().decode("utf-8", "replace")[:1500]
        return None

    def ask(self, r):
        data = rowlib.request_bytes(r, r["path"])
        if r.get("scheme") == "https":
            return rowlib.send(("127.0.0.1", self.https), data, r.get("method", "GET"), tls_host="localhost")
        return rowlib.send(("127.0.0.1", self.port), data, r.get("method", "GET"))

    def stop(self):
        rowlib.stop(self.process)
        shutil.rmtree(self.root, ignore_errors=True)

def answer(got, old):
    """What WireMock answered, as an `expect`, with the keys that the row asks about."""
    if got.get("fault"):
        return {"fault": got["fault"]}
    old = old if isinstance(old, dict) else {}
    if not rowlib.values(got["headers"], "Matched-Stub-Id"):
        if got["status"] in (403, 404):
            return "miss"
        return {"status": got["status"], "anyBody": True}
    new = {"status": got["status"]}
    if old.get("anyBody"):
        got = {**got, "body": b""}
    try:
        text = got["body"].decode("utf-8")
    except UnicodeDecodeError:
        import base64
        new["bodyBase64"] = base64.b64encode(got["body"]).decode()
        text = ""
    if "bodyPattern" in old:
        new["bodyPattern"] = old["bodyPattern"]
    elif "json" in old:
        new["json"] = json.loads(text)
    elif "bodyBase64" not in new and not old.get("anyBody"):
        new["body"] = text
    if old.get("anyBody"):
        new["anyBody"] = True
    if "headers" in old:
        new["headers"] = {n: rowlib.values(got["headers"], n) for n in old["headers"]}
    if "reason" in old:
        new["reason"] = got["reason"]
    for key in ("minMs", "maxMs"):
        if key in old:
            new[key] = old[key]
    return new

def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("rows")
    p.add_argument("--jar", type=os.path.abspath, required=True, help="WireMock standalone")
    p.add_argument("--write", action="store_true", help="write the corrected rows back")
    p.add_argument("--only", nargs="*", default=[])
    p.add_argument("--quiet", action="store_true", help="do not print corrections")
    a = p.parse_args()
    rows = rowlib.rows_of(a.rows)
    mock = WireMock(a.jar)
    kept, corrected, dropped, asked = [], 0, 0, 0
    try:
        for row in rows:
            if a.only and row["id"] not in a.only:
                kept.append(row)
                continue
            refusal = mock.load(row)
            if refusal:
                dropped += 1
                print(f"REFUSED {row['id']}: {refusal[:600]}")
                continue
            matched = missed = 0
            for r in row["requests"]:
                if "control" in r:
                    mock.admin("POST", "/scenarios/reset")
                    continue
                if "wait" in r:
                    time.sleep(r["wait"])
                    continue
                asked += 1
                got = mock.ask(r)
                old = r.get("expect")
                new = answer(got, old)
                bad = rowlib.differs(new, got, new == "miss")
                if bad:
                    print(f"ODD {row['id']}: {rowlib.show_request(r)}: {bad[1]}")
                r["expect"] = new
                missed += new == "miss"
                matched += new != "miss"
                guess = "miss" if old in ("miss", None) else "hit"
                if guess != ("miss" if new == "miss" else "hit") or isinstance(old, dict) and isinstance(new, dict) and any(
                        k in old and old[k] != new.get(k) for k in ("status", "body", "fault", "json", "reason")):
                    corrected += 1
                    if not a.quiet:
                        print(f"CORRECTED {row['id']}: {rowlib.show_request(r)}: {json.dumps(old)} -> {json.dumps(new, ensure_ascii=False)[:300]}")
            if not (matched and missed):
                print(f"ONE-SIDED {row['id']}: {matched} match, {missed} miss")
            kept.append(row)
    finally:
        mock.stop()
    if a.write:
        with open(a.rows + ".new", "w", encoding="utf-8") as f:
            for row in kept:
                f.write(json.dumps(row, ensure_ascii=False) + "\n")
        os.replace(a.rows + ".new", a.rows)
    print(f"{len(kept)} rows, {asked} requests asked, {corrected} expectations corrected, {dropped} rows refused")

if __name__ == "__main__":
    main()
