"""What the benchmarks share: servers of every kind on loopback, and what they cost.

A benchmark makes a `Bench`, starts its servers with it, and measures each with `Server.cpu()` before and after. CPU is the
user and system time of a server's processes, which counts the server alone and holds on a busy machine, too.
"""

import contextlib
import os
import pathlib
import platform
import shutil
import socket
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
BODY = "Tapedeck records" * 64


def fail(message):
    sys.exit(f"{pathlib.Path(sys.argv[0]).name}: {message}")


class Server:
    """A process that was started, with its children."""

    def __init__(self, name, process, log):
        self.name, self.process, self.log = name, process, log
        self.pid = process.pid

    def pids(self):
        with open(f"/proc/{self.pid}/task/{self.pid}/children") as file:
            return [self.pid, *map(int, file.read().split())]

    def cpu(self):
        """User and system time so far, in seconds."""
        nanoseconds = 0
        for pid in self.pids():
            for task in os.listdir(f"/proc/{pid}/task"):
                with contextlib.suppress(FileNotFoundError), open(f"/proc/{pid}/task/{task}/schedstat") as file:
                    nanoseconds += int(file.read().split()[0])
        return nanoseconds / 1e9

    def memory(self, field="VmHWM"):
        """The peak of its memory, or what it holds now (`VmRSS`), in MiB."""
        kib = 0
        for pid in self.pids():
            with open(f"/proc/{pid}/status") as file:
                kib += sum(int(line.split()[1]) for line in file if line.startswith(field))
        return kib / 1024

    def stop(self, signal=15, timeout=60):
        """Ends it. Returns wall seconds, CPU seconds and the peak of its memory in MiB of the end alone."""
        before, begin = self.cpu(), time.monotonic()
        self.process.send_signal(signal)
        cpu, peak = before, 0
        while self.process.poll() is None:
            # The last reading before it ends counts.
            with contextlib.suppress(OSError, ValueError):
                cpu, peak = max(cpu, self.cpu()), max(peak, self.memory())
            if time.monotonic() - begin > timeout:
                self.process.kill()
                fail(f"{self.name} did not end within {timeout} s")
            time.sleep(0.01)
        return time.monotonic() - begin, cpu - before, peak


class Bench:
    """A temporary folder, free ports, and servers that end with it."""

    def __init__(self, *tools):
        missing = [tool for tool in tools if not shutil.which(tool)]
        if missing:
            fail(f"missing: install with 'apt-get install {' '.join(missing)}'")
        self.binary = pathlib.Path(os.environ.get("TAPEDECK", HERE.parent / ".build/release/tapedeck")).resolve()
        if not os.access(self.binary, os.X_OK):
            fail(f"no binary at {self.binary}: build it with 'swift build -c release', or set TAPEDECK")
        for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
            os.environ.pop(name, None)
            os.environ.pop(name.upper(), None)
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="tapedeck-bench."))
        self.servers = []
        os.environ["TAPEDECK_CA_DIR"] = str(self.folder / "ca")
        (self.folder / "ca").mkdir(mode=0o700)
        model = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "")
        print(f"machine: {os.cpu_count()} cores, {model}, {platform.system()} {platform.release()}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for server in self.servers:
            if server.process.poll() is None:
                server.process.terminate()
        for server in self.servers:
            try:
                server.process.wait(10)
            except subprocess.TimeoutExpired:
                server.process.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    @staticmethod
    def ports(count):
        sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
        ports = [each.getsockname()[1] for each in sockets]
        for each in sockets:
            each.close()
        return ports

    def start(self, name, port, command, limit=120):
        log = self.folder / f"{name}.log"
        with open(log, "w") as file:
            process = subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=file, stderr=file)
        server = Server(name, process, log)
        self.servers.append(server)
        deadline = time.monotonic() + limit
        while True:
            with contextlib.suppress(OSError):
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                return server
            if process.poll() is not None:
                fail(f"{name} ended before it listened: {log.read_text()}")
            if time.monotonic() > deadline:
                fail(f"{name} does not listen on port {port}")
            time.sleep(0.005)

    def nginx(self, name, port, blocks):
        """nginx with one worker, no access log, and a cache of open files."""
        home = self.folder / name
        (home / "temp").mkdir(parents=True)
        user = "user root;" if os.geteuid() == 0 else ""  # Its default user cannot read the folder.
        temporary = "\n".join(f"{kind}_temp_path temp/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        (home / "nginx.conf").write_text(f"""
{user}
daemon off;
pid nginx.pid;
worker_processes 1;
error_log stderr warn;
events {{ worker_connections 4096; }}
http {{
    access_log off;
    default_type text/plain;
    sendfile on;
    tcp_nopush on;
    keepalive_requests 1000000000;
    keepalive_timeout 600s;
    open_file_cache max=1000;
    {temporary}
    {blocks}
}}
""")
        return self.start(name, port, ["nginx", "-p", home, "-c", "nginx.conf", "-e", "stderr"])

    def haproxy(self, name, port, bind, server):
        """HAProxy with one thread, which keeps its connections to the server."""
        path = self.folder / f"{name}.cfg"
        path.write_text(f"""
global
    nbthread 1
    maxconn 8192
defaults
    mode http
    timeout connect 10s
    timeout client 600s
    timeout server 600s
    http-reuse always
listen front
    bind 127.0.0.1:{port} {bind}
    server origin {server}
""")
        return self.start(name, port, ["haproxy", "-f", path])

    def tapedeck(self, name, port, *arguments):
        command = [self.binary, *arguments, "--no-project", "--port", port, "--control-port", 0]
        return self.start(name, port, command)

    def certificate(self, name="localhost"):
        """The paths of a certificate that signs itself, of its key, and of both in one file."""
        paths = [self.folder / f"{name}.{ending}" for ending in ("crt", "key", "pem")]
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
             "-subj", f"/CN={name}", "-addext", f"subjectAltName=DNS:{name}", "-keyout", paths[1], "-out", paths[0]],
            check=True, capture_output=True)
        paths[2].write_text(paths[0].read_text() + paths[1].read_text())
        return paths


def run(*command, **options):
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)
    if result.returncode:
        fail(f"{command[0]} failed: {result.stdout}{result.stderr}")
    return result.stdout


def response_set(name, request, text=BODY):
    """A response set of a cassette, which answers with `text`, one line.

    `request` is one line of YAML, a mapping of conditions.
    """
    return f"""\
  - name: {name}
    request: {request}
    variants:
      - name: recorded
        takes:
          - status: 200
            headers:
              - content-type: text/plain
              - content-length: "{len(text)}"
            body:
              text: |-
                {text}
"""
