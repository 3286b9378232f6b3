#!/usr/bin/env python3
"""gRPC calls of all four kinds, with grpcio, Go and grpc-swift: recorded, read, and played with the server gone.

    TAPEDECK=.build/debug/tapedeck grpc_test.py

The test with Go needs Debian's golang-google-grpc-dev. The one with grpc-swift, whose build takes minutes, runs if
GRPC_SWIFT_CALLS names the program of Tests/GRPCSwiftCalls.
"""

import base64
import datetime
import http.client
import http.server
import importlib
import os
import pathlib
import queue
import secrets
import socket
import subprocess
import sys
import tempfile
import threading
import unittest
import uuid
from concurrent import futures

import grpc
from decks import Deck
from google.protobuf import descriptor_pb2, descriptor_pool
from grpc_reflection.v1alpha import reflection, reflection_pb2_grpc
from grpc_tools import protoc

OPTIONS = [("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1)]
PROTO = """
syntax = "proto3";
package demo;

service Greeter {
  rpc SayHello(HelloRequest) returns (HelloReply);
  rpc Fail(HelloRequest) returns (HelloReply);
  rpc Count(HelloRequest) returns (stream HelloReply);
  rpc Join(stream HelloRequest) returns (HelloReply);
  rpc Echo(stream HelloRequest) returns (stream HelloReply);
  rpc Large(Blob) returns (Blob);
  rpc Packed(HelloRequest) returns (HelloReply);
  rpc LogIn(Credentials) returns (HelloReply);
  rpc Watch(HelloRequest) returns (stream HelloReply);
  rpc Subscribe(stream HelloRequest) returns (stream HelloReply);
  rpc Never(HelloRequest) returns (HelloReply);
  rpc Refuse(stream HelloRequest) returns (HelloReply);
  rpc Late(HelloRequest) returns (HelloReply);
}

message HelloRequest { string name = 1; int32 count = 2; }
message HelloReply { string message = 1; Detail detail = 2; }
message Detail { int64 number = 1; repeated string tags = 2; }
message Blob { bytes content = 1; }
message Credentials { string password = 1; }
"""


def compile_protocol(folder):
    """Makes the Python modules and the descriptor set of PROTO; returns the modules."""
    (pathlib.Path(folder) / "tapedeck_demo.proto").write_text(PROTO)
    status = protoc.main([
        "protoc", f"-I{folder}", f"--python_out={folder}", f"--grpc_python_out={folder}",
        f"--descriptor_set_out={folder}/demo.binpb", "--include_imports", f"{folder}/tapedeck_demo.proto",
    ])
    assert status == 0
    sys.path.insert(0, str(folder))
    return importlib.import_module("tapedeck_demo_pb2"), importlib.import_module("tapedeck_demo_pb2_grpc")


PROTOCOL = tempfile.TemporaryDirectory()
pb, rpc = compile_protocol(PROTOCOL.name)


class Greeter(rpc.GreeterServicer):
    def SayHello(self, request, context):
        context.send_initial_metadata((("x-first", "1"), ("x-first-bin", b"\x00\x01")))
        context.set_trailing_metadata((("x-last", "2"),))
        return pb.HelloReply(message=f"Hello {request.name}", detail=pb.Detail(number=7, tags=["a", "b"]))

    def Fail(self, request, context):
        context.set_trailing_metadata((("x-detail", "yes"), ("x-detail-bin", b"\x00\xff")))
        context.abort(grpc.StatusCode.NOT_FOUND, "nö such thing")

    def Count(self, request, context):
        for number in range(request.count):
            yield pb.HelloReply(message=f"{request.name} {number}")

    def Join(self, requests, context):
        return pb.HelloReply(message=" ".join(request.name for request in requests))

    def Echo(self, requests, context):
        yield pb.HelloReply(message="ready")
        for request in requests:
            yield pb.HelloReply(message=f"echo {request.name}")
            if request.name == "fail":
                context.abort(grpc.StatusCode.ABORTED, "as asked")

    def Large(self, request, context):
        return pb.Blob(content=request.content * 2)

    def LogIn(self, request, context):
        return pb.HelloReply(message="welcome")

    def Packed(self, request, context):
        context.set_compression(grpc.Compression.Gzip)
        return pb.HelloReply(message="packed " * 100)


    def Watch(self, request, context):
        yield from self.news(request, context)

    def Subscribe(self, requests, context):
        yield from self.news(next(requests), context)

    def news(self, request, context):
        """As many messages as are asked for, then silence."""
        left = threading.Event()
        context.add_callback(left.set)
        for number in range(request.count):
            yield pb.HelloReply(message=f"{request.name} {number}")
        left.wait()

    def Never(self, request, context):
        left = threading.Event()
        context.add_callback(left.set)
        left.wait()
        return pb.HelloReply()

    def Late(self, request, context):
        context.abort(grpc.StatusCode.DEADLINE_EXCEEDED, "no answer behind me")

    def Refuse(self, requests, context):
        context.abort(grpc.StatusCode.FAILED_PRECONDITION, f"not {next(requests).name}")


class Conversation:
    """A bidirectional call whose client waits for each answer before it goes on."""

    def __init__(self, stub):
        self.requests = queue.Queue()
        self.call = stub.Echo(iter(self.requests.get, None), timeout=30)

    def ask(self, name):
        self.requests.put(pb.HelloRequest(name=name))
        return next(self.call).message

    def end(self):
        self.requests.put(None)
        return [reply.message for reply in self.call]


def failure(call):
    """What a client is told of a call that fails."""
    try:
        call()
    except grpc.RpcError as error:
        return error.code(), error.details(), [tuple(pair) for pair in error.trailing_metadata() or ()]
    return None


def conversations(stub):
    """Two that differ in their second message, one that the server ends, and one of which the client waits for nothing."""
    results = []
    for second in ["grace", "alan"]:
        talk = Conversation(stub)
        results.append([next(talk.call).message, talk.ask("ada"), talk.ask(second), talk.end()])
    talk = Conversation(stub)
    results.append([next(talk.call).message, talk.ask("fail"), failure(lambda: next(talk.call))])
    names = iter(pb.HelloRequest(name=f"n{number}") for number in range(3))
    results.append([reply.message for reply in stub.Echo(names, timeout=30)])
    return results


def calls(channel):
    """What a client gets from each method."""
    stub = rpc.GreeterStub(channel)
    results = {}
    for name in ["ada", "grace"]:
        reply, call = stub.SayHello.with_call(pb.HelloRequest(name=name), timeout=30, metadata=(("x-id", "7"),))
        results[f"SayHello {name}"] = (
            reply, dict(call.initial_metadata()), [tuple(pair) for pair in call.trailing_metadata()]
        )
    results["Fail"] = failure(lambda: stub.Fail(pb.HelloRequest(), timeout=30))
    results["Count"] = [r.message for r in stub.Count(pb.HelloRequest(name="n", count=1000), timeout=60)]
    results["Join"] = stub.Join((pb.HelloRequest(name=f"n{number}") for number in range(1000)), timeout=60)
    results["Echo"] = conversations(stub)
    results["Large"] = len(stub.Large(pb.Blob(content=bytes(5_000_000)), timeout=60).content)
    results["Packed"] = stub.Packed(pb.HelloRequest(), timeout=30)
    return results


def certify(folder, name):
    """Makes a certificate of its own for a name: leaf.pem, with key.pem."""
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
         "-keyout", f"{folder}/key.pem", "-out", f"{folder}/leaf.pem", "-subj", f"/CN={name}",
         "-addext", f"subjectAltName=DNS:{name}"],
        check=True, capture_output=True,
    )


class CallsTest(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.server = grpc.server(futures.ThreadPoolExecutor(8), options=OPTIONS)
        rpc.add_GreeterServicer_to_server(Greeter(), self.server)
        self.addCleanup(lambda: self.server.stop(None).wait())

    def start(self):
        port = self.server.add_insecure_port("127.0.0.1:0")
        self.server.start()
        return ["--reverse", f"http://127.0.0.1:{port}"]

    def channel(self, deck):
        return grpc.insecure_channel(f"127.0.0.1:{deck.port}", options=OPTIONS + [("grpc.enable_http_proxy", 0)])

    def deck(self, *arguments):
        return Deck(self.folder, *arguments)

    def cassette(self):
        return (self.folder / "cassettes/calls.yaml").read_text()

    def record(self, base, use, channel=None, *options):
        with self.deck("record", "calls", "--loopback", "--max-body", "50M", *options, *base) as deck:
            with (channel or self.channel)(deck) as client:
                result = use(client)
        self.server.stop(None).wait()
        return result, deck.said

    def round_trip(self, base, channel=None, *options):
        """Records all calls, stops the server, and plays them."""
        live, said = self.record(base, calls, channel, *options)
        self.assertIn("11 exchanges recorded", said)
        with self.deck("replay", "calls", *base) as deck:
            with (channel or self.channel)(deck) as client:
                replayed = calls(client)
        self.assertIn("11 requests played, 0 unmatched, 0 connections opened upstream", deck.said)
        self.assertEqual(live["Fail"][:2], (grpc.StatusCode.NOT_FOUND, "nö such thing"))
        self.assertEqual(live["Large"], 10_000_000)
        self.assertEqual(len(live["Count"]), 1000)
        self.assertEqual(live["Echo"][2][2][:2], (grpc.StatusCode.ABORTED, "as asked"))
        self.assertEqual(replayed, live)

    def test_in_cleartext(self):
        self.round_trip(self.start())
        text = self.cassette()
        self.assertIn('proto: |\n                  1: "Hello ada"\n', text)
        self.assertIn("grpcStatus: NOT_FOUND\n            grpcMessage: nö such thing\n", text)

    def test_over_tls(self):
        certify(self.folder, "localhost")
        pair = ((self.folder / "key.pem").read_bytes(), (self.folder / "leaf.pem").read_bytes())
        port = self.server.add_secure_port("localhost:0", grpc.ssl_server_credentials([pair]))
        self.server.start()

        def channel(deck):
            trust = grpc.ssl_channel_credentials((self.folder / "ca/ca.pem").read_bytes())
            return grpc.secure_channel(
                f"localhost:{port}", trust, options=OPTIONS + [("grpc.http_proxy", f"http://127.0.0.1:{deck.port}")]
            )

        self.round_trip([], channel, "--upstream-ca", "leaf.pem")

    def test_conversations_that_begin_alike(self):
        base = self.start()
        kinds = (["ada", "alan"], ["ada"], ["ada", "grace", "one"], ["ada", "grace", "two"])

        def talk(client, names):
            conversation = Conversation(rpc.GreeterStub(client))
            replies = [next(conversation.call).message] + [conversation.ask(name) for name in names]
            return replies + conversation.end()

        def all_of_them(client):
            return [talk(client, names) for names in kinds]

        live, _ = self.record(base, all_of_them)
        with self.deck("replay", "calls", *base) as deck, self.channel(deck) as client:
            self.assertEqual(all_of_them(client), live)
        # A call with which nothing on tape goes on ends with a status, even if it could be recorded.
        with self.deck("append", "calls", "--loopback", *base) as deck, self.channel(deck) as client:
            self.assertEqual(talk(client, kinds[0]), live[0])
            with self.assertRaises(grpc.RpcError) as failed:
                talk(client, ["ada", "new"])
            self.assertEqual(failed.exception.code(), grpc.StatusCode.UNAVAILABLE)

    def test_conversations_that_begin_alike_and_get_other_answers(self):
        """In their order they replay; in another one, a call is not answered with what is another's, and that counts."""

        class Counting(Greeter):
            count = 0

            def Echo(self, requests, context):
                Counting.count += 1
                number = Counting.count
                for request in requests:
                    yield pb.HelloReply(message=f"{number} {request.name}")

        server = grpc.server(futures.ThreadPoolExecutor(4), options=OPTIONS)
        rpc.add_GreeterServicer_to_server(Counting(), server)
        base = ["--reverse", f"http://127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"]
        server.start()

        def talk(client, names):
            conversation = Conversation(rpc.GreeterStub(client))
            replies = [conversation.ask(name) for name in names]
            return replies + conversation.end()

        def all_of_them(client):
            return [talk(client, ["login", name]) for name in ("b", "c", "d")]

        with self.deck("record", "calls", "--loopback", *base) as deck, self.channel(deck) as client:
            live = all_of_them(client)
        server.stop(None).wait()
        with self.deck("replay", "calls", *base) as deck, self.channel(deck) as client:
            self.assertEqual(all_of_them(client), live)
        self.assertIn("0 unmatched", deck.said)
        with self.deck("replay", "calls", *base) as deck, self.channel(deck) as client:
            with self.assertRaises(grpc.RpcError) as failed:
                talk(client, ["login", "c"])
            self.assertEqual(failed.exception.code(), grpc.StatusCode.UNAVAILABLE)
        self.assertIn("1 unmatched", deck.said)

    def test_conversations_that_go_on_in_another_way(self):
        """What the tape has for the start of a call is no answer to what it has not."""
        base = self.start()

        def talk(client, names):
            conversation = Conversation(rpc.GreeterStub(client))
            replies = [next(conversation.call).message]
            try:
                for name in names:
                    replies.append(conversation.ask(name))
                return replies + conversation.end()
            except grpc.RpcError as error:
                return replies + [error.code()]

        live, _ = self.record(base, lambda client: talk(client, ["ada", "grace", "one"]))
        with self.deck("replay", "calls", *base) as deck, self.channel(deck) as client:
            ended = grpc.StatusCode.UNIMPLEMENTED
            self.assertEqual(talk(client, ["ada", "alan"]), ["ready", "echo ada", ended])
            self.assertEqual(talk(client, ["ada", "grace", "two"]), ["ready", "echo ada", "echo grace", ended])
            self.assertEqual(talk(client, ["ada", "grace"]), ["ready", "echo ada", "echo grace", ended])
            self.assertEqual(talk(client, ["ada", "grace", "one", "two"]), live + [ended])
            self.assertEqual(talk(client, ["ada", "grace", "one"]), live)
        self.assertIn("4 unmatched", deck.said)

    def test_calls_that_the_client_ends(self):
        """A call that is left goes on as it did until then, and is silent after it."""
        base = self.start()

        def take(call, count):
            messages = [next(call).message for _ in range(count)]
            call.cancel()
            return messages

        def subscribe(stub, name, count):
            requests = queue.Queue()
            requests.put(pb.HelloRequest(name=name, count=count))
            messages = take(stub.Subscribe(iter(requests.get, None), timeout=30), count)
            requests.put(None)
            return messages

        def use(client):
            stub = rpc.GreeterStub(client)
            return [
                take(stub.Watch(pb.HelloRequest(name="one", count=2), timeout=30), 2),
                take(stub.Watch(pb.HelloRequest(name="two", count=3), timeout=30), 3),
                # The deadline ends these two.
                [reply for reply in self.until_deadline(stub.Watch(pb.HelloRequest(name="three", count=1), timeout=1))],
                failure(lambda: stub.Never(pb.HelloRequest(name="waits"), timeout=1))[0],
                subscribe(stub, "a", 1),
                subscribe(stub, "b", 2),
            ]

        live, said = self.record(base, use)
        self.assertEqual(live[:4], [
            ["one 0", "one 1"], ["two 0", "two 1", "two 2"], ["three 0"], grpc.StatusCode.DEADLINE_EXCEEDED,
        ])
        self.assertIn("6 exchanges recorded", said)
        text = self.cassette()
        self.assertIn("name: stalledBody\n              after: 2 messages\n", text)
        self.assertIn("fault: hang\n", text)
        self.assertNotIn("more:", text)
        with self.deck("replay", "calls", *base) as deck, self.channel(deck) as client:
            self.assertEqual(use(client), live)
            stub = rpc.GreeterStub(client)
            for call in [
                lambda: next(stub.Watch(pb.HelloRequest(name="four", count=2), timeout=30)),
                lambda: stub.Never(pb.HelloRequest(name="waits not"), timeout=30),
                lambda: subscribe(stub, "c", 1),
            ]:
                self.assertEqual(failure(call)[0], grpc.StatusCode.UNIMPLEMENTED)
        self.assertIn("3 unmatched", deck.said)

    def until_deadline(self, call):
        try:
            for reply in call:
                yield reply.message
        except grpc.RpcError as error:
            self.assertEqual(error.code(), grpc.StatusCode.DEADLINE_EXCEEDED)

    def test_calls_that_the_server_ends(self):
        """Its answer belongs to the messages that had come by then."""
        base = self.start()

        def refused(client, name):
            requests = queue.Queue()
            requests.put(pb.HelloRequest(name=name))
            outcome = failure(lambda: rpc.GreeterStub(client).Refuse(iter(requests.get, None), timeout=30))
            requests.put(None)
            return outcome[:2]

        names = ["ada", "grace"]
        live, _ = self.record(base, lambda client: [refused(client, name) for name in names])
        self.assertEqual(live[0], (grpc.StatusCode.FAILED_PRECONDITION, "not ada"))
        self.assertIn("- more: true\n", self.cassette())
        with self.deck("replay", "calls", *base) as deck, self.channel(deck) as client:
            self.assertEqual([refused(client, name) for name in reversed(names)], live[::-1])
            self.assertEqual(refused(client, "alan")[0], grpc.StatusCode.UNIMPLEMENTED)

    def test_a_server_whose_own_call_was_late(self):
        """It says so before the deadline of its client, which is an answer."""
        base = self.start()

        def late(client):
            return failure(lambda: rpc.GreeterStub(client).Late(pb.HelloRequest(), timeout=30))[:2]

        live, _ = self.record(base, late)
        self.assertEqual(live, (grpc.StatusCode.DEADLINE_EXCEEDED, "no answer behind me"))
        self.assertNotIn("fault:", self.cassette())
        with self.deck("replay", "calls", *base) as deck, self.channel(deck) as client:
            self.assertEqual(late(client), live)

    def test_large_answers_over_one_connection(self):
        base = self.start()

        def ask(client):
            stub = rpc.GreeterStub(client)
            return [len(stub.Large(pb.Blob(content=bytes(size)), timeout=30).content) for size in (90_000, 100_000) * 4]

        live, _ = self.record(base, ask)
        self.assertEqual(live, [180_000, 200_000] * 4)

    def test_an_unmatched_call_gets_a_status(self):
        base = self.start()
        self.record(base, lambda client: [
            rpc.GreeterStub(client).SayHello(pb.HelloRequest(name=name), timeout=30) for name in ["ada", "grace"]
        ])
        with self.deck("replay", "calls", *base) as deck, self.channel(deck) as client:
            stub = rpc.GreeterStub(client)
            code, message, _ = failure(lambda: stub.SayHello(pb.HelloRequest(name="alan"), timeout=30))
            self.assertEqual(code, grpc.StatusCode.UNIMPLEMENTED)
            self.assertIn("message 1 field 1 is \"alan\", the tape has", message)
            # A client that waits for an answer is not left waiting.
            talk = Conversation(stub)
            code, message, _ = failure(lambda: next(talk.call))
            self.assertEqual(code, grpc.StatusCode.UNIMPLEMENTED)
            self.assertIn("Nothing on tape answers POST", message)
        self.assertIn("2 unmatched", deck.said)

    def test_values_that_vary(self):
        """Names, ids and times that the client makes; the answers have those of the call."""
        def use(client, count=2):
            stub = rpc.GreeterStub(client)
            # Digits alone are a number, which says what is asked for.
            words = [word for word in (secrets.token_hex(5) for _ in range(20)) if not word.isdigit()]
            names = [f"job-{word} {uuid.uuid4()} {datetime.datetime.now().isoformat()}" for word in words[:2]]
            for name in names:
                reply = stub.SayHello(pb.HelloRequest(name=name, count=count), timeout=30)
                self.assertEqual(reply.message, f"Hello {name}")
            joined = stub.Join(iter([pb.HelloRequest(name=name) for name in names]), timeout=30)
            self.assertEqual(joined.message, " ".join(names))

        for reflects in [False, True]:
            with self.subTest(reflects=reflects):
                if reflects:
                    self.setUp()
                    self.reflect()
                base = self.start()
                self.record(base, use)
                with self.deck("replay", "calls", *base) as deck, self.channel(deck) as client:
                    use(client)
                    # What is asked for counts.
                    code, _, _ = failure(lambda: use(client, count=3))
                    self.assertEqual(code, grpc.StatusCode.UNIMPLEMENTED)
                self.assertIn("3 requests played, 1 unmatched", deck.said)
                self.assertIn("json:" if reflects else "proto:", self.cassette())

    def test_variants(self):
        base = self.start()
        self.record(base, lambda client: rpc.GreeterStub(client).SayHello(pb.HelloRequest(name="ada"), timeout=30))
        text = self.cassette()
        text += "      - name: down\n        grpcStatus: UNAVAILABLE\n        grpcMessage: try again\n"
        (self.folder / "cassettes/calls.yaml").write_text(text)
        expected = {
            "down": (grpc.StatusCode.UNAVAILABLE, "try again", []),
            "offline": (grpc.StatusCode.UNAVAILABLE, "the network is down", []),
            "server-error": (grpc.StatusCode.INTERNAL, "internal server error", []),
            "rate-limited": (grpc.StatusCode.RESOURCE_EXHAUSTED, "too many requests", []),
            "unauthorized": (grpc.StatusCode.UNAUTHENTICATED, "unauthorized", []),
        }
        for variant, outcome in expected.items():
            with self.deck("replay", "calls", "--select", f"demo.Greeter/SayHello={variant}", *base) as deck:
                with self.channel(deck) as client:
                    stub = rpc.GreeterStub(client)
                    found = failure(lambda: stub.SayHello(pb.HelloRequest(name="ada"), timeout=30))
            self.assertEqual(found, outcome, variant)

    def describe(self, text=""):
        """A cassette with the descriptors of the service."""
        cassettes = self.folder / "cassettes"
        cassettes.mkdir()
        (cassettes / "demo.binpb").write_bytes(pathlib.Path(PROTOCOL.name, "demo.binpb").read_bytes())
        (cassettes / "calls.yaml").write_text(f"tapedeck: 1\ndescriptors: [demo.binpb]\n{text}")

    def test_with_descriptors_messages_are_json(self):
        self.describe()
        self.round_trip(self.start())
        text = self.cassette()
        self.assertIn('- json: \'{"name": "ada"}\'\n', text)
        self.assertIn('"message": "Hello ada"', text)
        self.assertIn('- json: \'{"message": "echo ada"}\'\n                after: 1\n', text)

    def reflect(self):
        reflection.enable_server_reflection(["demo.Greeter", reflection.SERVICE_NAME], self.server)

    def test_descriptors_by_server_reflection(self):
        self.reflect()
        self.round_trip(self.start())
        text = self.cassette()
        self.assertIn("\ndescriptors: [calls.descriptors.binpb]\nresponseSets:\n", text)
        self.assertIn('"message": "Hello ada"', text)
        self.assertNotIn("proto:", text)
        self.assertNotIn("reflection", text)

    def test_descriptors_for_an_existing_cassette(self):
        self.reflect()
        base = self.start()
        cassettes = self.folder / "cassettes"
        cassettes.mkdir()
        (cassettes / "calls.yaml").write_text("""\
# Of the greeter.
tapedeck: 1

# Its answer:
responseSets:
  - name: by hand
    request: { url: https://example.test/ }
    variants: [{ name: fine, takes: [{ status: 200 }] }]
""")
        with self.deck("append", "calls", "--loopback", *base) as deck, self.channel(deck) as client:
            rpc.GreeterStub(client).SayHello(pb.HelloRequest(name="ada"), timeout=30)
        text = self.cassette()
        self.assertTrue(text.startswith("""\
# Of the greeter.
tapedeck: 1

descriptors: [calls.descriptors.binpb]
# Its answer:
responseSets:
"""), text)
        self.assertIn('- json: \'{"name": "ada"}\'', text)
        self.assertIn("- name: by hand\n", text)

    def test_descriptors_outlive_a_kill(self):
        self.reflect()
        base = self.start()
        with self.deck("record", "calls", "--loopback", *base) as deck:
            with self.channel(deck) as client:
                rpc.GreeterStub(client).SayHello(pb.HelloRequest(name="ada"), timeout=30)
            deck.program.kill()
            deck.program.wait()
        self.server.stop(None).wait()
        with self.deck("replay", "calls", *base) as deck, self.channel(deck) as client:
            reply = rpc.GreeterStub(client).SayHello(pb.HelloRequest(name="ada"), timeout=30)
        self.assertEqual(reply.message, "Hello ada")
        self.assertIn('"message": "Hello ada"', self.cassette())

    def test_descriptors_of_the_project(self):
        (self.folder / "demo.binpb").write_bytes(pathlib.Path(PROTOCOL.name, "demo.binpb").read_bytes())
        (self.folder / "tapedeck.yaml").write_text("descriptors: demo.binpb\n")
        self.round_trip(self.start())
        text = self.cassette()
        self.assertIn("\ndescriptors: [calls.descriptors.binpb]\n", text)
        self.assertIn('- json: \'{"name": "ada"}\'\n', text)

    def test_a_secret_by_the_name_of_its_field(self):
        self.reflect()
        base = self.start()
        self.record(base, lambda client: rpc.GreeterStub(client).LogIn(pb.Credentials(password="hunter22"), timeout=30))
        text = self.cassette()
        self.assertNotIn("hunter22", text)
        self.assertIn('"password": "{{secret.', text)

    def test_answers_by_hand(self):
        self.describe("""
responseSets:
  - name: hello
    request:
      grpc: demo.Greeter/SayHello
      messages:
        - json: '{"name": "{{any.string}}"}'
          ignore: [$.count]
    variants:
      - name: greets
        template: true
        takes:
          - messages:
              - json: '{"message": "Good day, {{json.name}}", "detail": {"number": "{{take}}", "tags": ["x"]}}'
  - name: count
    request: { grpc: demo.Greeter/Count }
    variants:
      - name: breaks off
        takes:
          - messages:
              - json: '{"message": "one"}'
            grpcStatus: RESOURCE_EXHAUSTED
            grpcMessage: that is enough
  - name: join
    request:
      grpc: demo.Greeter/Join
      messages:
        - jsonPath: { $.name: { prefix: a } }
        - {}
    variants:
      - name: joined
        takes:
          - messages: [{ json: '{"message": "joined"}' }]
""")
        with self.deck("replay", "calls", "--reverse", "http://127.0.0.1:1") as deck, self.channel(deck) as client:
            stub = rpc.GreeterStub(client)
            for number in [1, 2]:
                reply = stub.SayHello(pb.HelloRequest(name='a "b"', count=number), timeout=30)
                self.assertEqual(reply.message, 'Good day, a "b"')
                self.assertEqual((reply.detail.tags[0], reply.detail.number), ("x", number))
            counting = stub.Count(pb.HelloRequest(), timeout=30)
            self.assertEqual(next(counting).message, "one")
            code, message, _ = failure(lambda: next(counting))
            self.assertEqual((code, message), (grpc.StatusCode.RESOURCE_EXHAUSTED, "that is enough"))
            names = [pb.HelloRequest(name="ada"), pb.HelloRequest(name="x")]
            self.assertEqual(stub.Join(iter(names), timeout=30).message, "joined")
            names = [pb.HelloRequest(name="bob"), pb.HelloRequest(name="x")]
            code, message, _ = failure(lambda: stub.Join(iter(names), timeout=30))
            self.assertEqual(code, grpc.StatusCode.UNIMPLEMENTED)
            self.assertIn("message 1 $.name is bob, the tape has", message)

    def test_secrets_in_messages(self):
        token = "ghp_" + "".join("abcdefghijklmnopqrstuvwxyzABCDEFGHIJ0123456789"[(i * 7) % 46] for i in range(36))
        base = self.start()

        def greet(client):
            return rpc.GreeterStub(client).SayHello(pb.HelloRequest(name=token), timeout=30)

        self.record(base, greet)
        text = self.cassette()
        self.assertNotIn(token, text)
        self.assertIn("{{secret.", text)
        with self.deck("replay", "calls", *base) as deck, self.channel(deck) as client:
            message = greet(client).message
        # Another token of the same form plays, and the lengths around it are right.
        self.assertRegex(message, "^Hello ghp_[A-Za-z0-9]{36}$")

    def test_deadlines_and_cancellation(self):
        base = self.start()
        self.record(base, lambda client: list(rpc.GreeterStub(client).Count(pb.HelloRequest(count=3), timeout=30)))
        text = self.cassette().replace("- name: recorded\n", "- name: recorded\n        delay: 30s\n")
        (self.folder / "cassettes/calls.yaml").write_text(text)
        with self.deck("replay", "calls", *base) as deck, self.channel(deck) as client:
            stub = rpc.GreeterStub(client)
            # Another deadline than that of the recording is the same call.
            late = failure(lambda: list(stub.Count(pb.HelloRequest(count=3), timeout=0.5)))
            self.assertEqual(late[0], grpc.StatusCode.DEADLINE_EXCEEDED)
            call = stub.Count(pb.HelloRequest(count=3), timeout=30)
            threading.Timer(0.2, call.cancel).start()
            self.assertEqual(failure(lambda: list(call))[0], grpc.StatusCode.CANCELLED)
        self.assertIn("0 unmatched", deck.said)


class ChangingServer:
    """A server without types of its own, which sends descriptors by reflection."""

    def __init__(self, proto=None, port=0, folder=None):
        self.server = grpc.server(futures.ThreadPoolExecutor(4))
        self.server.add_generic_rpc_handlers([self])
        if proto:
            pool = descriptor_pool.DescriptorPool()
            for file in descriptor_pb2.FileDescriptorSet.FromString(describe(folder, proto)).file:
                pool.AddSerializedFile(file.SerializeToString())
            servicer = reflection.ReflectionServicer(["demo.People"], pool=pool)
            reflection_pb2_grpc.add_ServerReflectionServicer_to_server(servicer, self.server)
        self.port = self.server.add_insecure_port(f"127.0.0.1:{port}")
        self.server.start()

    def service(self, call):
        if "reflection" in call.method:
            return None
        return grpc.unary_unary_rpc_method_handler(lambda request, context: request)

    def stop(self):
        self.server.stop(None).wait()


def describe(folder, proto):
    """The descriptor set of a file."""
    (pathlib.Path(folder) / "people.proto").write_text('syntax = "proto3"; package demo;' + proto)
    status = protoc.main(["protoc", f"-I{folder}", f"--descriptor_set_out={folder}/people.binpb", f"{folder}/people.proto"])
    assert status == 0
    return (pathlib.Path(folder) / "people.binpb").read_bytes()


class ChangingDescriptorsTest(unittest.TestCase):
    """Servers whose types change between recordings, or that become known late: no secret stays, no cassette breaks."""

    NAMED = "message Person { string name = 1; }"
    RENAMED = "message Person { string nick = 1; }"
    LOGIN = "message Login { string user = 1; string password = 2; }"
    GET = "rpc Get(Person) returns (Person);"
    LOG_IN = "rpc LogIn(Login) returns (Login);"
    OLD = f"service People {{ {GET} }} {NAMED}"
    NEW = f"service People {{ {GET} {LOG_IN} }} {NAMED} {LOGIN}"
    ADA = b"\n\x03ada"
    SECRET = b"\n\x03bob\x12\x08hunter22"

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def call(self, address, method, message, proxy=None):
        options = [("grpc.http_proxy", proxy)] if proxy else [("grpc.enable_http_proxy", 0)]
        with grpc.insecure_channel(address, options=options) as channel:
            return channel.unary_unary(method)(message, timeout=15)

    def run_deck(self, mode, port, *calls, extra=("--loopback",)):
        with Deck(self.folder, mode, "calls", *extra, "--reverse", f"http://127.0.0.1:{port}") as deck:
            for method, message in calls:
                self.assertEqual(self.call(f"127.0.0.1:{deck.port}", method, message), message)
        return (self.folder / "cassettes/calls.yaml").read_text()

    def test_a_method_that_is_new_at_the_server(self):
        server = ChangingServer(self.OLD, folder=self.folder)
        self.run_deck("record", server.port, ("/demo.People/Get", self.ADA))
        server.stop()
        server = ChangingServer(self.NEW, server.port, self.folder)
        text = self.run_deck(
            "record", server.port, ("/demo.People/Get", self.ADA), ("/demo.People/LogIn", self.SECRET)
        )
        server.stop()
        self.assertNotIn("hunter22", text)
        self.assertIn('"password": "{{secret.password}}"', text)

    def test_a_field_whose_new_name_does_not_go_with_the_cassette(self):
        server = ChangingServer(self.OLD, folder=self.folder)
        self.run_deck("record", server.port, ("/demo.People/Get", self.ADA))
        server.stop()
        changed = f"service People {{ {self.GET} {self.LOG_IN} }} {self.RENAMED} {self.LOGIN}"
        server = ChangingServer(changed, server.port, self.folder)
        text = self.run_deck("append", server.port, ("/demo.People/LogIn", self.SECRET))
        server.stop()
        self.assertNotIn("hunter22", text)
        self.assertIn('{"name": "ada"}', text)
        self.run_deck("replay", server.port, ("/demo.People/Get", self.ADA), extra=())

    def test_descriptors_that_come_after_the_call(self):
        silent, server = ChangingServer(), ChangingServer(self.NEW, folder=self.folder)
        with Deck(self.folder, "record", "calls", "--loopback") as deck:
            proxy = f"http://127.0.0.1:{deck.port}"
            self.call(f"127.0.0.1:{silent.port}", "/demo.People/LogIn", self.SECRET, proxy)
            self.call(f"127.0.0.1:{server.port}", "/demo.People/Get", self.ADA, proxy)
        silent.stop()
        server.stop()
        text = (self.folder / "cassettes/calls.yaml").read_text()
        self.assertNotIn("hunter22", text)
        self.assertEqual(text.count('"password": "{{secret.password}}"'), 2)

    def test_the_project_knows_a_path_with_a_prefix(self):
        server = ChangingServer()
        describe(self.folder, self.NEW)
        (self.folder / "tapedeck.yaml").write_text("descriptors: people.binpb\n")
        text = self.run_deck("record", server.port, ("/api/demo.People/LogIn", self.SECRET))
        server.stop()
        self.assertNotIn("hunter22", text)
        self.assertIn('{"user": "bob", "password": "{{secret.password}}"}', text)


class OtherClientsTest(unittest.TestCase):
    """Clients and a server of other libraries: errors with details, 10 MB, 1,000 messages in each kind of stream."""

    PACKAGES = "/usr/share/gocode"

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        if not pathlib.Path(self.PACKAGES, "src/google.golang.org/grpc").exists():
            self.skipTest("Go's gRPC is not installed")
        self.program = f"{self.folder}/calls"
        subprocess.run(
            ["go", "build", "-o", self.program, "."], cwd=pathlib.Path(__file__).parent / "go_calls", check=True,
            env=dict(os.environ, GO111MODULE="off", GOPATH=self.PACKAGES),
        )

    def round_trip(self, *client, tls=False):
        """Records all calls, stops the server, and plays them. Returns what the client printed, and the cassette."""
        name = "api.demo.test"
        if tls:
            certify(self.folder, name)

        def ask(deck):
            proxy = dict(os.environ, https_proxy=f"http://127.0.0.1:{deck.port}", no_proxy="")
            address = [name, port, f"{self.folder}/ca/ca.pem"] if tls else ["127.0.0.1", str(deck.port)]
            return subprocess.run(
                [*client, *address], stdout=subprocess.PIPE, text=True, timeout=60, check=True, env=proxy
            ).stdout

        files = [f"{self.folder}/leaf.pem", f"{self.folder}/key.pem"] if tls else []
        with subprocess.Popen(
            [self.program, "serve", *files], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as server:
            port = server.stdout.readline().strip().rpartition(":")[2]
            base = ["--reverse", f"http://127.0.0.1:{port}"]
            origin = base
            if tls:
                base, origin = [], ["--upstream-ca", files[0], "--resolve", f"{name}:{port}:127.0.0.1"]
            with Deck(self.folder, "record", "calls", "--loopback", "--max-body", "50M", *origin) as deck:
                live = ask(deck)
            server.stdin.close()
            server.wait()
        with Deck(self.folder, "replay", "calls", *base) as deck:
            replayed = ask(deck)
        self.assertIn("0 unmatched", deck.said)
        self.assertEqual(replayed, live)
        return live, pathlib.Path(self.folder, "cassettes/calls.yaml").read_text()

    def test_go(self):
        self.check_go(*self.round_trip(self.program, "ask"))

    def test_go_over_tls(self):
        self.check_go(*self.round_trip(self.program, "ask", tls=True))

    def check_go(self, live, text):
        self.assertIn('unary: FailedPrecondition "not today" CLOSED demo map[day:sunday]', live)
        self.assertIn(r'["1"] ["\x00\xff"] ["true"]', live)
        self.assertIn("unary: 10500000 bytes", live)
        self.assertIn("repeat: 1000 again 999", live)
        self.assertIn("join: 3889 bytes", live)
        self.assertIn("talk: EOF", live)
        self.assertIn("cancelled: Canceled", live)
        self.assertIn("grpcStatus: FAILED_PRECONDITION", text)
        self.assertIn('"reason": "CLOSED"', text)

    @unittest.skipUnless("GRPC_SWIFT_CALLS" in os.environ, "GRPC_SWIFT_CALLS names no program")
    def test_grpc_swift(self):
        live, _ = self.round_trip(os.environ["GRPC_SWIFT_CALLS"])
        self.assertIn("unary: failedPrecondition not today 88", live)
        self.assertIn("unary: 10500000 bytes", live)
        self.assertIn("repeat: 1000 again 999", live)
        self.assertIn("join: 3889 bytes", live)
        self.assertIn("talk: 1000 messages", live)
        self.assertRegex(live, "cancelled: (cancelled|unknown)")
        self.assertIn("deadline: deadlineExceeded", live)


def frame(flags, content):
    return bytes([flags]) + len(content).to_bytes(4, "big") + content


class WebServer(http.server.BaseHTTPRequestHandler):
    """A server of gRPC-Web and Connect over HTTP/1.1, which greets."""

    protocol_version = "HTTP/1.1"
    # Set once a stream's client has gone.
    left = threading.Event()

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        kind = self.headers["content-type"]
        if kind == "application/grpc-web-text":
            body = base64.b64decode(body)
        if kind != "application/proto":
            body = body[5:]
        reply = pb.HelloReply(message=f"Hello {pb.HelloRequest.FromString(body).name}").SerializeToString()
        if kind == "application/proto":
            answer = reply
        elif kind == "application/connect+proto":
            answer = frame(0, reply) + frame(0, reply) + frame(2, b'{"metadata":{"x-last":["2"]}}')
        else:
            answer = frame(0, reply) + frame(0x80, b"grpc-status:0\r\nx-last:2\r\n")
        if kind == "application/grpc-web-text":
            answer = base64.b64encode(answer)
        self.send_response(200)
        self.send_header("content-type", kind)
        if self.path.endswith("/Watch"):
            self.send_header("transfer-encoding", "chunked")
            self.end_headers()
            for piece in [frame(0, reply), frame(0, reply) + frame(0, reply)[:3]]:
                self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
            self.rfile.read(1)
            self.close_connection = True
            self.left.set()
            return
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        pass


class WebTest(unittest.TestCase):
    def serve(self):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), WebServer)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return ["--reverse", f"http://127.0.0.1:{server.server_port}"]

    def test_kinds_of_one_method(self):
        """Calls of gRPC-Web and Connect to one URL, with one message: each client gets its own framing."""
        base = self.serve()
        kinds = self.KINDS + self.KINDS[::-1]

        def all_of_them(deck):
            return [self.ask(deck, kind, "ada", "Same")[:2] for kind in kinds]

        with tempfile.TemporaryDirectory() as folder:
            with Deck(folder, "record", "calls", "--loopback", *base) as deck:
                live = all_of_them(deck)
            with Deck(folder, "replay", "calls", *base) as deck:
                self.assertEqual(all_of_them(deck), live)

    def test_a_stream_that_is_left(self):
        base = self.serve()

        def leave(deck):
            connection = http.client.HTTPConnection("127.0.0.1", deck.port, timeout=30)
            body = frame(0, pb.HelloRequest(name="ada").SerializeToString())
            connection.request("POST", "/demo.Greeter/Watch", body, {"content-type": "application/grpc-web+proto"})
            response = connection.getresponse()
            message = frame(0, pb.HelloReply(message="Hello ada").SerializeToString())
            received = response.read(len(message) * 2)
            self.assertEqual(received, message * 2)
            # The third message has begun.
            connection.sock.shutdown(socket.SHUT_RDWR)
            connection.close()

        with tempfile.TemporaryDirectory() as folder:
            with Deck(folder, "record", "calls", "--loopback", *base) as deck:
                leave(deck)
                self.assertTrue(WebServer.left.wait(30))
            text = (pathlib.Path(folder) / "cassettes/calls.yaml").read_text()
            self.assertIn("name: stalledBody\n", text)
            self.assertEqual(text.count("- proto: '1: \"Hello ada\"'"), 2, text)
            with Deck(folder, "replay", "calls", *base) as deck:
                leave(deck)

    KINDS = ["application/grpc-web+proto", "application/grpc-web-text", "application/connect+proto", "application/proto"]

    def ask(self, deck, kind, name, method=None):
        message = pb.HelloRequest(name=name).SerializeToString()
        body = message if kind == "application/proto" else frame(0, message)
        if kind == "application/grpc-web-text":
            body = base64.b64encode(body)
        connection = http.client.HTTPConnection("127.0.0.1", deck.port, timeout=30)
        connection.request("POST", f"/demo.Greeter/{method or kind.split('/')[1]}", body, {"content-type": kind})
        response = connection.getresponse()
        result = response.status, response.read(), response.headers
        connection.close()
        return result

    def test_messages_over_http_1(self):
        base = self.serve()
        with tempfile.TemporaryDirectory() as folder:
            with Deck(folder, "record", "calls", "--loopback", *base) as deck:
                live = [self.ask(deck, kind, name)[:2] for kind in self.KINDS for name in ["ada", "grace"]]
            text = (pathlib.Path(folder) / "cassettes/calls.yaml").read_text()
            self.assertEqual(text.count("- proto: '1: \"Hello ada\"'"), 5, text)
            self.assertEqual(text.count("- trailers: |\n                  grpc-status:0\n"), 4, text)
            self.assertEqual(text.count("- end: '{\"metadata\":{\"x-last\":[\"2\"]}}'"), 2, text)
            with Deck(folder, "replay", "calls", *base) as deck:
                replayed = [self.ask(deck, kind, name)[:2] for kind in self.KINDS for name in ["ada", "grace"]]
                unmatched = [self.ask(deck, kind, "alan") for kind in self.KINDS]
        self.assertEqual(replayed, live)
        for status, body, headers in unmatched[:2]:
            self.assertEqual((status, body, headers["grpc-status"]), (200, b"", "12"))
        self.assertIn(b'{"error":{"code":"unimplemented","message":"Nothing on tape', unmatched[2][1])
        self.assertEqual(unmatched[3][0], 501)
        self.assertIn(b'{"code":"unimplemented"', unmatched[3][1])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[1:]])
