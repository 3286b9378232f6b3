"""The clients that clients.py tries, and how each asks for a URL, which stands as @ in its command."""

import os
import pathlib
import shutil
import subprocess
import sys

PROGRAMS = pathlib.Path(__file__).resolve().parent / "programs"


class Client:
    """A client: its name, the programs and the library it needs, and the command for a URL."""

    def __init__(self, name, command, library=None, needs=(), path="/counter?key="):
        self.name, self.command, self.library, self.needs, self.path = name, command, library, needs, path

    def is_installed(self):
        if not all(shutil.which(name) or pathlib.Path(name).exists() for name in [self.command[0], *self.needs]):
            return False
        program = self.command[0]
        check = {
            sys.executable: ["-c", f"import {self.library}"],
            "/usr/bin/python3": ["-c", f"import {self.library}"],
            "perl": [f"-M{self.library}", "-e", "1"],
            "node": ["-e", f"require('{self.library}')"],
            "php": ["-r", f"exit(extension_loaded('{self.library}') ? 0 : 1);"],
            "ruby": ["-e", f"require '{self.library}'"],
            "lua5.2": ["-e", f"require '{self.library}'"],
            "lua5.4": ["-e", f"require '{self.library}'"],
            "Rscript": ["-e", f"library({self.library})"],
        }.get(program)
        if not self.library or check is None:
            return True
        return subprocess.run([program, *check], capture_output=True, stdin=subprocess.DEVNULL).returncode == 0

    def for_url(self, url):
        return [part.replace("@", url) for part in self.command]


def python(name, code, library=None, program=sys.executable):
    return Client(name, [program, "-c", code.replace("@", "'@'")], library)


def node(name, code, library=None, program="node"):
    return Client(name, [program, "-e", code.replace("@", "'@'")], library)


def ruby(name, library, code):
    return Client(name, ["ruby", f"-r{library}", "-e", code.replace("@", "'@'")], library)


def source(name, program, file, *arguments, library=None, needs=()):
    """A client that is a file of the folder `programs`."""
    return Client(name, [*program, str(PROGRAMS / file), *arguments, "@"], library, needs)


def aiohttp(trusts):
    return python(
        f"Python aiohttp{', trust_env=True' if trusts else ''}",
        f"""import aiohttp, asyncio
async def main():
    async with aiohttp.ClientSession(trust_env={trusts}) as session, session.get(@) as response:
        print(await response.text())
asyncio.run(main())""",
        "aiohttp",
    )


def socks(name, scheme, *command):
    """A client that is led by SOCKS alone. curl takes `http_proxy` in lower case only, Go has no `ALL_PROXY`."""
    lead = f'ALL_PROXY="{scheme}://${{TAPEDECK_PROXY#http://}}"; export ALL_PROXY HTTP_PROXY=$ALL_PROXY HTTPS_PROXY=$ALL_PROXY'
    shell = f'unset http_proxy https_proxy all_proxy; {lead}; exec {" ".join(command)} "@"'
    return Client(f"{name}, {scheme}", ["sh", "-c", shell], needs=[command[0]])


SHOW = ".then(text => console.log(text))"
TEXT = ".then(response => response.text())" + SHOW
GET = (
    "const client = require(@.split(':')[0]); client.get(@, {OPTIONS}, response => { let text = '';"
    " response.on('data', piece => text += piece).on('end', () => console.log(text)) })"
)
PYCURL = (
    "import pycurl, sys; c = pycurl.Curl(); c.setopt(c.URL, @);"
    " c.setopt(c.WRITEFUNCTION, sys.stdout.buffer.write); OPTIONS c.perform()"
)
CAINFO = "import os; c.setopt(c.CAINFO, os.environ['SSL_CERT_FILE']);"
TORNADO = "from tornado.httpclient import HTTPClient; print(HTTPClient().fetch(@).body)"
TREQ = """import treq
from twisted.internet import defer, task
async def main(reactor):
    print(await treq.text_content(await treq.get(@)))
task.react(lambda reactor: defer.ensureDeferred(main(reactor)))"""
TINY = "my $r = HTTP::Tiny->new->get('@'); print $r->{content}; exit !$r->{success}"
FFMPEG = ["-f", "rawvideo", "-pixel_format", "gray", "-video_size", "1x1", "-i", "@", "-f", "rawvideo", "-"]
JARS = "/usr/share/java"


def java(name, file, *arguments, jars=()):
    paths = [f"{JARS}/{jar}.jar" for jar in jars]
    return source(name, ["java", *(["-cp", ":".join(paths)] if jars else [])], file, *arguments, needs=paths)


APACHE = ["httpclient", "httpcore", "commons-logging", "commons-codec"]
GUILE = ["guile", "--no-auto-compile"]

COMMAND_LINES = [
    Client("curl", ["curl", "-sS", "@"]),
    socks("curl", "socks5h", "curl", "-sS"),
    socks("curl", "socks4a", "curl", "-sS"),
    Client("wget", ["wget", "-qO-", "@"]),
    Client("wget2", ["wget2", "-qO-", "@"]),
    Client("BusyBox wget", ["busybox", "wget", "-qO-", "@"]),
    Client("aria2", ["aria2c", "-q", "--allow-overwrite=true", "-o", "out", "@"]),
    Client("axel", ["sh", "-c", "rm -f out; axel -q -n 1 -o out '@' >&2 && cat out"], needs=["axel"]),
    Client("HTTPie", ["/usr/bin/http", "--ignore-stdin", "--check-status", "--body", "@"]),
    Client("git", ["git", "ls-remote", "@"], path="/git/"),
    Client("apt", ["sh", "-c", "/usr/lib/apt/apt-helper -q download-file '@' out >&2 && cat out"], needs=["/usr/lib/apt/apt-helper"]),
    Client("w3m", ["w3m", "-dump_source", "@"]),
    Client("lynx", ["lynx", "-source", "@"]),
    Client("links", ["links", "-source", "@"]),
    Client("ELinks", ["elinks", "-no-home", "-source", "1", "@"]),
    Client("FFmpeg", ["ffmpeg", "-v", "error", "-nostdin", *FFMPEG]),
    Client("gio (GVfs)", ["dbus-run-session", "--", "gio", "cat", "@"], needs=["gio", "/usr/libexec/gvfsd-http"]),
]

PYTHON = [
    python("Python urllib", "from urllib.request import urlopen; print(urlopen(@).read())"),
    python("Python requests", "import requests; print(requests.get(@).text)", "requests"),
    python("Python httpx", "import httpx; print(httpx.get(@).text)", "httpx"),
    python("Python niquests", "import niquests; print(niquests.get(@).text)", "niquests"),
    python("Python urllib3", "import urllib3; print(urllib3.PoolManager().request('GET', @, retries=0).data)", "urllib3"),
    python("Python httplib2", "import httplib2; print(httplib2.Http().request(@)[1])", "httplib2"),
    python("Python pycurl", PYCURL.replace("OPTIONS", ""), "pycurl"),
    python("Python pycurl, CAINFO", PYCURL.replace("OPTIONS", CAINFO), "pycurl"),
    python("Python tornado", TORNADO, "tornado"),
    python("Python treq (Twisted)", TREQ, "treq"),
    aiohttp(False),
    aiohttp(True),
    source("Qt (PyQt5)", ["/usr/bin/python3"], "qt.py", "plain", library="PyQt5.QtNetwork"),
    source("Qt (PyQt5), system proxy", ["/usr/bin/python3"], "qt.py", "system", library="PyQt5.QtNetwork"),
    source("libsoup 3", ["/usr/bin/python3"], "soup.py", library="gi, sys; gi.require_version('Soup', '3.0')"),
]

NODE = [
    node("Node fetch", "fetch(@)" + TEXT),
    node("Node http, https", GET.replace("OPTIONS", "")),
    node("Node, agent of its own", GET.replace("OPTIONS", "agent: new client.Agent({keepAlive: false})")),
    node("Node, agent: false", GET.replace("OPTIONS", "agent: false")),
    node("axios", "require('axios').get(@).then(response => console.log(response.data))", "axios"),
    node("got", "require('got').get(@).text()" + SHOW, "got"),
    node("superagent", "require('superagent').get(@).then(response => console.log(response.text))", "superagent"),
    node("node-fetch", "require('node-fetch').default(@)" + TEXT, "node-fetch"),
    node("undici", "require('undici').request(@).then(response => response.body.text())" + SHOW, "undici"),
    node("Node 22 fetch", "fetch(@)" + TEXT, program="node22"),
    node("Node 22 http, https", GET.replace("OPTIONS", ""), program="node22"),
    node("Node 24 fetch", "fetch(@)" + TEXT, program="node24"),
    node("Node 24 http, https", GET.replace("OPTIONS", ""), program="node24"),
    node("Bun fetch", "fetch(@)" + TEXT, program="bun"),
    Client("Deno fetch", ["deno", "eval", "console.log(await (await fetch('@')).text())"]),
]

JAVA = [
    java("Java HttpURLConnection", "Connection.java"),
    java("Java HttpClient", "Client.java"),
    java("Java OkHttp", "OkHttp.java", jars=["okhttp", "okio"]),
    java("Java Apache HttpClient", "Apache.java", "plain", jars=APACHE),
    java("Java Apache HttpClient, createSystem", "Apache.java", "system", jars=APACHE),
    Client("Clojure slurp", ["clojure", "-e", '(print (slurp "@")) (flush)']),
    Client("Groovy", ["groovy", "-e", "print new URL('@').text"]),
]

SCRIPTS = [
    source("PHP curl", ["php"], "curl.php", library="curl"),
    source("PHP streams", ["php"], "streams.php"),
    source("PHP streams, context of its own", ["php"], "context.php"),
    source("PHP Guzzle", ["php"], "guzzle.php", library="curl", needs=["/usr/share/php/GuzzleHttp/autoload.php"]),
    Client("Perl LWP", ["perl", "-MLWP::Simple", "-e", "getprint('@')"], "LWP::Protocol::https"),
    Client("Perl HTTP::Tiny", ["perl", "-MHTTP::Tiny", "-e", TINY], "IO::Socket::SSL"),
    Client("Perl Mojo", ["perl", "-MMojo::UserAgent", "-e", "print Mojo::UserAgent->new->get('@')->result->body"], "Mojo::UserAgent"),
    ruby("Ruby Net::HTTP", "net/http", "puts Net::HTTP.get(URI(@))"),
    ruby("Ruby open-uri", "open-uri", "puts URI.open(@).read"),
    ruby("Ruby Typhoeus", "typhoeus", "r = Typhoeus.get(@); puts r.body; exit r.success?"),
    ruby("Ruby Excon", "excon", "puts Excon.get(@).body"),
    ruby("Ruby HTTParty", "httparty", "puts HTTParty.get(@).body"),
    ruby("Ruby rest-client", "rest-client", "puts RestClient.get(@).body"),
    ruby("Ruby Faraday", "faraday", "puts Faraday.get(@).body"),
    ruby("Ruby http.rb", "http", "puts HTTP.get(@)"),
    ruby("Ruby HTTPClient", "httpclient", "puts HTTPClient.get_content(@)"),
    ruby("Ruby Curb", "curb", "puts Curl.get(@).body_str"),
    source("Lua LuaSocket, LuaSec", ["lua5.4"], "luasec.lua", library="ssl.https"),
    source("Lua lua-http", ["lua5.2"], "http.lua", library="http.request"),
    source("Tcl http, TclTLS", ["tclsh"], "fetch.tcl", needs=["/usr/share/doc/tcl-tls"]),
    Client("R url()", ["Rscript", "-e", "cat(readLines(url('@'), warn = FALSE))"]),
    Client("R curl", ["Rscript", "-e", "cat(rawToChar(curl::curl_fetch_memory('@')$content))"], "curl"),
    Client("R httr", ["Rscript", "-e", "cat(httr::content(httr::GET('@'), 'text', encoding = 'UTF-8'))"], "httr"),
    source("Guile", GUILE, "fetch.scm"),
    source("Emacs url", ["emacs", "-Q", "--batch", "-l"], "fetch.el"),
    Client("SWI-Prolog", ["swipl", "-g", "main(['@'])", "-t", "halt", str(PROGRAMS / "fetch.prolog")]),
    source("Erlang httpc", ["escript"], "fetch.erl", needs=["/usr/lib/erlang/lib"]),
    source("Elixir, httpc", ["elixir"], "fetch.exs"),
]

# Those that clients.py compiles before it begins.
COMPILED = [
    Client("Go net/http", ["go-client", "@"]),
    socks("Go net/http", "socks5", "go-client"),
    Client("Go, Transport without Proxy", ["go-direct", "@"]),
    Client("Rust reqwest, native-tls", ["rust-reqwest", "@"]),
    Client("Rust ureq, rustls-native-certs", ["rust-ureq", "@"]),
    Client("Swift URLSession", ["swift-urlsession", "@"]),
    Client("Crystal HTTP::Client", ["crystal-client", "@"]),
    Client("Nim httpclient", ["nim-client", "@"]),
]

CLIENTS = COMMAND_LINES + PYTHON + NODE + JAVA + SCRIPTS + COMPILED


def compile_into(folder, clients):
    """Compiles the programs of `clients` that the installed compilers can compile."""
    needed = {word for client in clients for word in [client.command[0], *client.needs]}

    def name(file):
        return str(PROGRAMS / file)

    crates = ["--manifest-path", name("rust/Cargo.toml"), "--quiet", "--release"]
    registry = pathlib.Path("/usr/share/cargo/registry")
    if registry.exists():
        # Debian's crates, without a network.
        settings = ['source.crates-io.replace-with="debian"', f'source.debian.directory="{registry}"']
        crates += ["--offline", *(part for setting in settings for part in ("--config", setting))]
    commands = {
        "go-client": ["go", "build", "-o", "go-client", name("client.go")],
        "go-direct": ["go", "build", "-o", "go-direct", name("direct.go")],
        "swift-urlsession": ["swiftc", "-o", "swift-urlsession", name("URLSession.swift")],
        "rust-reqwest": ["cargo", "build", *crates, "--bin", "rust-reqwest"],
        "rust-ureq": ["cargo", "build", *crates, "--bin", "rust-ureq"],
        "crystal-client": ["crystal", "build", "--no-color", "-o", "crystal-client", name("client.cr")],
        "nim-client": ["nim", "c", "-d:ssl", "--hints:off", "--nimcache:nim", "-o:nim-client", name("client.nim")],
    }
    # Programs in Go are mostly shipped without libc.
    environment = {
        **os.environ, "GOCACHE": str(folder / "go"), "GO111MODULE": "off", "CGO_ENABLED": "0",
        "CRYSTAL_CACHE_DIR": str(folder / "crystal"), "CARGO_TARGET_DIR": str(folder / "cargo"),
    }
    for program, command in commands.items():
        if program in needed and shutil.which(command[0]):
            result = subprocess.run(command, cwd=folder, env=environment, capture_output=True, stdin=subprocess.DEVNULL)
            if result.returncode:
                print(f"{program} is not compiled: {result.stderr.decode(errors='replace').strip()[-400:]}", file=sys.stderr)
    for built in (folder / "cargo" / "release").glob("rust-*"):
        if not built.suffix:
            shutil.copy2(built, folder)
