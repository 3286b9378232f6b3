#!/usr/bin/env python3
"""gRPC calls of all four kinds, with grpcio, recorded and played with the server gone.

    TAPEDECK=.build/debug/tapedeck grpc_test.py
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
from concurrent import futures

import grpc

TAPEDECK = os.path.abspath(os.environ["TAPEDECK"])
SERVICE = "/demo.Greeter/"
OPTIONS = [("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1)]


def same(data):
    return data


class Greeter(grpc.GenericRpcHandler):
    """Messages are bytes, so that nobody needs a schema."""

    def service(self, call):
        def fail(request, context):
            context.set_trailing_metadata((("x-detail", "yes"), ("x-detail-bin", b"\x00\xff")))
            context.abort(grpc.StatusCode.NOT_FOUND, "nö such thing")

        return {
            "Unary": grpc.unary_unary_rpc_method_handler(lambda request, _: b"hi " + request, same, same),
            "Fail": grpc.unary_unary_rpc_method_handler(fail, same, same),
            "Server": grpc.unary_stream_rpc_method_handler(lambda *_: (b"%d" % i for i in range(1000)), same, same),
            "Client": grpc.stream_unary_rpc_method_handler(lambda requests, _: b"".join(requests), same, same),
            "Both": grpc.stream_stream_rpc_method_handler(lambda requests, _: (b"echo " + r for r in requests), same, same),
            "Large": grpc.unary_unary_rpc_method_handler(lambda request, _: request * 2, same, same),
        }[call.method.rsplit("/", 1)[1]]


def calls(channel):
    """What a client gets from each method."""
    results = {}
    results["Unary"] = channel.unary_unary(SERVICE + "Unary", same, same)(b"ada", timeout=60)
    try:
        channel.unary_unary(SERVICE + "Fail", same, same)(b"", timeout=60)
    except grpc.RpcError as error:
        results["Fail"] = (error.code(), error.details(), [tuple(pair) for pair in error.trailing_metadata()])
    results["Server"] = list(channel.unary_stream(SERVICE + "Server", same, same)(b"", timeout=60))
    results["Client"] = channel.stream_unary(SERVICE + "Client", same, same)(iter([b"a", b"b"]), timeout=60)
    results["Both"] = list(channel.stream_stream(SERVICE + "Both", same, same)(iter([b"1", b"2"]), timeout=60))
    results["Large"] = len(channel.unary_unary(SERVICE + "Large", same, same)(bytes(5_000_000), timeout=60))
    return results


class Deck:
    """A deck that runs until the end of a block."""

    def __init__(self, folder, *arguments):
        environment = dict(os.environ, TAPEDECK_CA_DIR=f"{folder}/ca", XDG_DATA_HOME=f"{folder}/data")
        self.program = subprocess.Popen(
            [TAPEDECK, *arguments, "--port", "0"],
            cwd=folder, env=environment, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True,
        )
        for line in self.program.stderr:
            if "http://127.0.0.1:" in line:
                self.port = int(line.split("http://127.0.0.1:")[1].split()[0].strip("/,;"))
                break

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.program.terminate()
        with self.program.stderr as stream:
            self.said = stream.read()
        self.program.wait()


class CallsTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.server = grpc.server(futures.ThreadPoolExecutor(8), options=OPTIONS)
        self.server.add_generic_rpc_handlers((Greeter(),))

    def channel(self, port):
        return grpc.insecure_channel(f"127.0.0.1:{port}", options=OPTIONS + [("grpc.enable_http_proxy", 0)])

    def round_trip(self, base, channel, *record_options):
        """Records all calls, stops the server, and plays them."""
        with Deck(self.folder.name, "record", "calls", "--loopback", "--max-body", "50M", *record_options, *base) as deck:
            with channel(deck) as client:
                live = calls(client)
        self.assertIn("6 exchanges recorded", deck.said)
        self.server.stop(None).wait()
        with Deck(self.folder.name, "replay", "calls", *base) as deck:
            with channel(deck) as client:
                replayed = calls(client)
        self.assertIn("6 requests played, 0 unmatched, 0 connections opened upstream", deck.said)
        self.assertEqual(live["Fail"][0], grpc.StatusCode.NOT_FOUND)
        self.assertEqual(live["Large"], 10_000_000)
        self.assertEqual(replayed, live)

    def test_in_cleartext(self):
        port = self.server.add_insecure_port("127.0.0.1:0")
        self.server.start()
        self.round_trip(["--reverse", f"http://127.0.0.1:{port}"], lambda deck: self.channel(deck.port))

    def test_over_tls(self):
        folder = pathlib.Path(self.folder.name)
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
             "-keyout", folder / "key.pem", "-out", folder / "leaf.pem", "-subj", "/CN=localhost",
             "-addext", "subjectAltName=DNS:localhost"],
            check=True, capture_output=True,
        )
        pair = ((folder / "key.pem").read_bytes(), (folder / "leaf.pem").read_bytes())
        port = self.server.add_secure_port("localhost:0", grpc.ssl_server_credentials([pair]))
        self.server.start()

        def channel(deck):
            trust = grpc.ssl_channel_credentials((folder / "ca/ca.pem").read_bytes())
            return grpc.secure_channel(
                f"localhost:{port}", trust, options=OPTIONS + [("grpc.http_proxy", f"http://127.0.0.1:{deck.port}")]
            )

        self.round_trip([], channel, "--upstream-ca", "leaf.pem")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
