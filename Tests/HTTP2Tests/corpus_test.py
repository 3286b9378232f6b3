#!/usr/bin/env python3
"""The corpus of secrets of Tests/EndToEndTests/Redaction/Forms over HTTP/2: nothing of them on disk, and replay with others.

    TAPEDECK=.build/debug/tapedeck python3 Tests/HTTP2Tests/corpus_test.py

Needs the package h2. TAPEDECK_TEST_SEED=N repeats a run.
"""

import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

TAPEDECK = os.path.abspath(os.environ.get("TAPEDECK", ".build/debug/tapedeck"))
CORPUS = pathlib.Path(__file__).parent.parent.resolve() / "EndToEndTests/Redaction/Forms/form_corpus.py"


class Corpus(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())
        self.environment = {name: value for name, value in os.environ.items() if "proxy" not in name.lower()}
        self.environment |= {"TAPEDECK_CA_DIR": f"{self.folder}/ca", "XDG_DATA_HOME": f"{self.folder}/data"}

    def run_all(self, *command):
        done = subprocess.run(command, cwd=self.folder, env=self.environment, capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, f"{command[:3]}: {done.stdout[-1000:]}{done.stderr[-3000:]}")
        return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]

    def test_no_secret_on_disk(self):
        seed = int(os.environ.get("TAPEDECK_TEST_SEED") or random.randrange(1, 10_001))
        print("seed", seed)
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
                        "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", "key.pem", "-out",
                        "leaf.pem"], cwd=self.folder, check=True, capture_output=True)
        origin = subprocess.Popen([sys.executable, CORPUS, "origin", "--cert", "leaf.pem", "--key", "key.pem"], cwd=self.folder,
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.addCleanup(origin.wait)
        self.addCleanup(origin.stdin.close)
        self.addCleanup(origin.stdout.close)
        port = json.loads(origin.stdout.readline())["https"]

        def client(seed):
            return ["--", sys.executable, str(CORPUS), "client", "--h2", "--seed", str(seed), "--https", str(port)]

        live = self.run_all(TAPEDECK, "record", "forms", "--loopback", "--upstream-ca", "leaf.pem", *client(seed))
        self.assertGreater(len(live), 350)
        wrong = [line for line in live if not line.get("isRight") or not line.get("isSame")]
        self.assertEqual(wrong, [])
        self.run_all(sys.executable, CORPUS, "check", "--seed", str(seed), f"{self.folder}/cassettes")
        origin.stdin.close()
        origin.wait()
        for other in [seed, seed + 1_000_000]:
            played = self.run_all(TAPEDECK, "replay", "forms", *client(other))
            self.assertEqual(len(played), len(live))
            wrong = [line for line in played if not line.get("isRight") or line["hasPlaceholder"]]
            self.assertEqual(wrong, [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
