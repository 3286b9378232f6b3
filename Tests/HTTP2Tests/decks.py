"""Decks, and a client of HTTP/2 whose every frame a test can see."""

import os
import pathlib
import socket
import subprocess

import h2.config
import h2.connection
import h2.events
import h2.exceptions

TAPEDECK = os.path.abspath(os.environ["TAPEDECK"])


class Deck:
    """A deck that runs until the end of a block."""

    def __init__(self, folder, *arguments):
        environment = dict(os.environ, TAPEDECK_CA_DIR=f"{folder}/ca", XDG_DATA_HOME=f"{folder}/data")
        self.program = subprocess.Popen(
            [TAPEDECK, *arguments, "--port", "0"],
            cwd=folder, env=environment, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True,
        )
        self.said = ""
        for line in self.program.stderr:
            self.said += line
            if "http://127.0.0.1:" in line:
                self.port = int(line.split("http://127.0.0.1:")[1].split()[0].strip("/,;"))
                break
        else:
            raise AssertionError(self.said)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.program.terminate()
        with self.program.stderr as stream:
            self.said += stream.read()
        self.program.wait()

    @property
    def is_running(self):
        return self.program.poll() is None

    def memory(self, name="VmRSS"):
        status = pathlib.Path(f"/proc/{self.program.pid}/status").read_text()
        return int(status.split(f"{name}:")[1].split()[0]) << 10


def ask(port, path, method="GET", body=None, fields=(), pseudo=(":method", ":scheme", ":authority", ":path"), timeout=20):
    """One request on a connection of its own, in cleartext. Returns what the client sees, as a dictionary."""
    config = h2.config.H2Configuration(
        header_encoding=None, normalize_outbound_headers=False, validate_outbound_headers=False,
    )
    client = h2.connection.H2Connection(config)
    client.initiate_connection()
    values = {":method": method, ":scheme": "http", ":authority": f"127.0.0.1:{port}", ":path": path}
    client.send_headers(1, [(name, values[name]) for name in pseudo] + list(fields), end_stream=body is None)
    if body is not None:
        client.send_data(1, body, end_stream=True)
    seen = {"interim": [], "status": None, "headers": [], "body": b"", "trailers": [], "reset": None, "goaway": None,
            "ended": False}
    with socket.create_connection(("127.0.0.1", port), timeout=timeout) as connection:
        connection.sendall(client.data_to_send())
        while not seen["ended"] and seen["reset"] is None:
            try:
                data = connection.recv(65536)
            except TimeoutError:
                seen["reset"] = "silence"
                break
            except ConnectionResetError:
                # Behind a GOAWAY it depends on which of the client's frames were still on their way.
                if seen["goaway"] is None:
                    seen["reset"] = "connection"
                break
            if not data:
                break
            try:
                events = client.receive_data(data)
            except h2.exceptions.ProtocolError as error:
                seen["reset"] = type(error).__name__
                break
            for event in events:
                note(seen, event, client)
            try:
                connection.sendall(client.data_to_send())
            except (ConnectionResetError, BrokenPipeError):
                # The other side has closed behind its last frame, which is still to be read, or was.
                continue
    return seen


def note(seen, event, client):
    def fields(event):
        return [(name.decode("latin-1"), value.decode("latin-1")) for name, value in event.headers]

    if isinstance(event, h2.events.InformationalResponseReceived):
        seen["interim"].append(fields(event))
    elif isinstance(event, h2.events.ResponseReceived):
        seen["status"] = fields(event)[0][1]
        seen["headers"] = fields(event)[1:]
    elif isinstance(event, h2.events.DataReceived):
        seen["body"] += event.data
        if event.flow_controlled_length:
            client.acknowledge_received_data(event.flow_controlled_length, 1)
    elif isinstance(event, h2.events.TrailersReceived):
        seen["trailers"] = fields(event)
    elif isinstance(event, h2.events.StreamReset):
        seen["reset"] = int(event.error_code)
    elif isinstance(event, h2.events.StreamEnded):
        seen["ended"] = True
    elif isinstance(event, h2.events.ConnectionTerminated):
        seen["goaway"] = (int(event.error_code), event.last_stream_id)
