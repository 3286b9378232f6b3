"""Ordinary answers that hold words which are also the names of secrets, or values that look like nothing in particular.

Each must come back byte for byte from a cassette that has them all, as none of them is a secret.
"""

import base64
import gzip
import hashlib
import json

from exchange import Form, Message

JSON = "application/json"
HTML = "text/html; charset=utf-8"
JS = "text/javascript"
CSS = "text/css"
TEXT = "text/plain; charset=utf-8"


def digest(text, name="sha256"):
    return hashlib.new(name, text.encode()).digest()


def hexdigest(text, name="sha256"):
    return digest(text, name).hex()


def packed(text, name="sha256"):
    return base64.b64encode(digest(text, name)).decode()


def compact(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


SIGNATURE = base64.b64encode(b"".join(digest(f"s{n}") for n in range(2)) + b"\x30\x45\x02").decode()

PAGES = {
    "page with code": "<p>Use <code>Uint8Array</code>, <code>new Map()</code> and <code>token</code>.</p>",
    "page with code of a name": '<pre><code class="language-js">const password = prompt("Password?")</code></pre>',
    "page with a form": '<form action="/login"><label>Password <input type="password" name="password"></label></form>',
    "page with a script": "<script>var password=document.getElementById('password').value;</script>",
    "page with a table": "<table><tr><th>Code</th><th>Token</th></tr><tr><td>EUR</td><td>noun</td></tr></table>",
    "page with links": '<a href="/docs?code=overview">Code</a> <a href="?token=next&page=2">next</a>',
    "page with metadata": '<meta name="description" content="Password manager"><meta name="theme-color" content="#fff">',
    "page with integrity": f'<script src="/a.js" integrity="sha384-{packed("a", "sha384")}"></script>',
    "page with definitions": "<dl><dt>secret:</dt><dd>a thing that nobody else knows</dd><dt>key:</dt><dd>C major</dd></dl>",
    "page with a select": '<select name="code"><option value="DE">Germany</option><option value="FR">France</option></select>',
    "page with inputs": '<input name="q" value="swift"><input type="hidden" name="page" value="2">',
    "page with an SVG": '<svg viewBox="0 0 9 9"><path d="M0 0L9 9" id="key-4f3a9c2b7d1e"/></svg>',
    "page of API docs": "<p>Send <code>Authorization: Bearer &lt;token&gt;</code> or <code>api_key=YOUR_API_KEY</code>.</p>",
    "page with JSON": '<script type="application/ld+json">{"@type":"Article","code":"A1","token":"word"}</script>',
}
SCRIPTS = {
    "script of a form": "var password=document.getElementById('password').value;var token=getToken();\n",
    "script of arrays": "const key = new Uint8Array(8), code = [1, 2, 3];\nexport default class Token extends Node {}\n",
    "script with defaults": "function login({password=null,token=''}={}){return fetch('/login',{method:'POST'})}\n",
    "script, minified": 'const a={password:"Password",secret:"Secret",token:e.token,apiKey:t.apiKey||void 0};\n',
    "script with tests": 'expect(parse("token=abc&code=200")).toEqual({token:"abc",code:"200"});\n',
    "script of a parser": 'case"token":return this.token=this.next();case"password":return"*".repeat(8);\n',
    "script with a regular expression": "const tokens=/(?:token|secret|password)=([^&]+)/g;\n",
    "script with placeholders": "headers: { Authorization: `Bearer ${token}`, 'X-Api-Key': process.env.API_KEY }\n",
    "script of types": "interface Session { token: string; password?: string; apiKey: ApiKey; secret: Secret<string> }\n",
    "script of Python": 'def login(user, password, token=None):\n    """Token: str"""\n    api_key = os.environ["API_KEY"]\n',
    "script of a shell": 'PASSWORD="$1"\nTOKEN=$(cat /run/secrets/token)\nexport API_KEY="${API_KEY:-}"\nread -s PGPASSWORD\n',
    "script of C": "static const char *password = NULL;\nint token = next_token(&lexer);\nif (secret == key) return code;\n",
    "script of Java": "private final String password;\npublic Token getToken() { return token; }\nkey = keyStore.getKey(alias);\n",
    "script of Go": "func (c *Client) Token() (token string, err error) { token = c.cfg.Token; return }\n",
    "script of Rust": "let token: Token<'a> = self.bump()?;\nlet secret = Secret::new(password);\n",
    "script of Ruby": "validates :password, length: { minimum: 8 }\nsecret: ENV.fetch('SECRET_KEY_BASE')\n",
    "script of PHP": "<?php $password = $_POST['password']; $token = csrf_token(); define('AUTH_KEY', 'put your unique phrase here');\n",
    "script of SQL": "CREATE TABLE users (id int, password varchar(255), api_key text, token char(36));\n",
    "script of GraphQL": "type Mutation { login(user: String!, password: String!): Token }\ntype Token { token: String! }\n",
    "script of a protocol": 'message Login { string password = 1; string token = 2; bytes signature = 3; }\n',
    "script of CSS": ".token.keyword{color:#07a}.password:focus{outline:0}.code-key{width:1em}#secret{display:none}\n",
    "script of a source map": compact(
        {"version": 3, "sources": ["token.js"], "names": ["password", "token"], "mappings": "AAAA,SAASA,MAAMC,EAASC"}
    ),
    "script of LaTeX": "\\newcommand{\\token}[1]{\\texttt{#1}} % password: see section 2\n",
    "script of Docker": "FROM debian:12\nARG TOKEN\nENV PASSWORD_FILE=/run/secrets/password\nRUN --mount=type=secret,id=token make\n",
    "script of make": "KEY := $(shell cat key)\npassword: build\n\t@echo token\n",
    "script of Nix": 'src = fetchurl { url = "https://a.example.com/a.tgz"; sha256 = "0ssi1wpaf7plaswqqjwigppsg5fyh99vdlb9kzl7c9lng89ndq1i"; };\n',
}
DATA = {
    "validation error": {"errors": {"password": "is too short (minimum is 8 characters)"}},
    "validation errors": {"errors": {"password": ["can't be blank"], "token": ["is invalid"]}},
    "translations": {"password": "Passwort", "token": "Zeichen", "secret": "Geheimnis", "api_key": "API-Schlüssel"},
    "translations of sentences": {"password": "Forgot your password?", "login.password": "Enter your password again"},
    "translations of French": {"password": "Mot de passe", "passwordConfirmation": "Confirmez le mot de passe"},
    "labels": {"passwordLabel": "Password", "tokenPlaceholder": "Paste your token here", "apiKeyHint": "32 characters"},
    "not found": {"code": "NOT_FOUND", "message": "no such token", "status": 404},
    "invalid grant": {"error": "invalid_grant", "error_description": "The refresh token is expired or revoked."},
    "countries": [{"code": "DE", "name": "Germany"}, {"code": "FR", "name": "France"}, {"code": "US", "name": "USA"}],
    "currencies": {"currency": {"code": "EUR", "symbol": "€"}, "rates": {"USD": 1.0842, "GBP": 0.8561}},
    "error codes": {"errors": [{"code": 1045, "token": "SELECT"}, {"code": "E_AUTH", "key": "user.email"}]},
    "keys and values": [{"key": "Environment", "value": "production"}, {"key": "Name", "value": "web-1"}],
    "issues": {"items": [{"key": "PROJ-123", "fields": {"summary": "Password reset fails"}}]},
    "page of results": {"items": [], "nextPageToken": "CAUQAA", "next_cursor": "dXNlcjpVMDYxTkZUVDI=", "pageToken": "CAEQAQ"},
    "AWS page": {"NextToken": "AAMA-EFRSURBSGhZOWJvZ3lQ", "IsTruncated": True, "KeyCount": 12},
    "npm package": {
        "dist": {
            "integrity": "sha512-" + packed("npm", "sha512"),
            "shasum": hexdigest("npm", "sha1"),
            "signatures": [{"keyid": "SHA256:" + packed("key")[:43], "sig": SIGNATURE}],
        }
    },
    "DSSE envelope": {
        "payloadType": "application/vnd.in-toto+json",
        "payload": base64.b64encode(b'{"_type":"https://in-toto.io/Statement/v1"}').decode(),
        "signatures": [{"keyid": "", "sig": SIGNATURE}],
    },
    "TUF metadata": {
        "signatures": [{"keyid": hexdigest("tuf"), "sig": hexdigest("sig") + hexdigest("sig2")}],
        "signed": {"_type": "targets", "keys": {hexdigest("tuf"): {"keytype": "ed25519", "keyval": {"public": hexdigest("p")}}}},
    },
    "JWKS": {"keys": [{"kty": "EC", "crv": "P-256", "kid": "2026-01", "use": "sig", "x": packed("x")[:43], "y": packed("y")[:43]}]},
    "package lock": {"packages": {"node_modules/a": {"version": "1.0.0", "integrity": "sha512-" + packed("a", "sha512")}}},
    "manifest of an image": {"config": {"digest": "sha256:" + hexdigest("c"), "size": 7023}, "layers": [{"digest": "sha256:" + hexdigest("l")}]},
    "commit": {"sha": hexdigest("commit", "sha1"), "parents": [{"sha": hexdigest("parent", "sha1")}], "verification": {"verified": False}},
    "tree": {"tree": [{"path": "token.c", "sha": hexdigest("t", "sha1"), "type": "blob"}]},
    "uuids": {"id": "5f3a9c2b-7d1e-4c8b-9a6f-0e2d4b6c8a01", "request_id": "0b9c3f4e-2d1a-4b5c-8e7f-6a5b4c3d2e1f"},
    "ids": {"id": "org_5f3a9c2b7d1e", "user": "usr_8d7c6b5a4f3e", "parent": "cus_NffrFeUfNV2Hib"},
    "OpenAPI": {
        "components": {
            "securitySchemes": {"api_key": {"type": "apiKey", "in": "header", "name": "X-Api-Key"}},
            "schemas": {"Login": {"properties": {"password": {"type": "string", "format": "password"}, "token": {"type": "string"}}}},
        }
    },
    "JSON Schema": {"properties": {"password": {"type": "string", "minLength": 8}, "apiKey": {"$ref": "#/$defs/key"}}, "required": ["password"]},
    "form of settings": {"fields": [{"name": "password", "type": "password", "value": ""}, {"name": "token", "value": None}]},
    "flags": {"password": True, "token": False, "secret": None, "hasPassword": True, "tokenCount": 4096},
    "usage": {"usage": {"prompt_tokens": 12, "completion_tokens": 34, "total_tokens": 46}, "max_tokens": 1024},
    "tokens of a lexer": {"tokens": [{"token": "hello", "start": 0}, {"token": "world", "start": 6}]},
    "vocabulary": {"vocab": {"token": 1, "secret": 2, "password": 3, "##ing": 4}},
    "policy": {"policy": {"passwordPolicy": "minimum 12 characters, one digit", "tokenLifetime": "PT1H"}},
    "masked": {"password": "********", "token": "xxxxxxxx", "api_key": "<hidden>", "secret": "[REDACTED]"},
    "placeholders": {"password": "${DB_PASSWORD}", "token": "{{ token }}", "api_key": "$API_KEY", "secret": "%SECRET%"},
    "examples": {"api_key": "YOUR_API_KEY", "token": "your-token-here", "password": "changeme"},
    "cursors": {
        "next_page_token": hexdigest("c1"), "$skiptoken": packed("c2"), "@odata.deltaToken": packed("c3"),
        "resume_token": packed("c4"), "hashed_token": hexdigest("c5"), "lock_token": hexdigest("c6"),
    },
    "passes": {"pass": 12, "fail": 3, "compass": "N42W", "boarding_pass": True, "bypass": "0x1F4", "result": {"pass": "ok"}},
    "passes with digits": {
        "pass": "2026-01-02T10:00:00Z", "day_pass": "2026-01-01", "season_pass": "SP2026-0012", "hall_pass": "Room204",
        "high_pass": "100Hz-2", "render_pass": "gbuffer_v2", "pass_rate": "12of14",
    },
    "keys of objects": [{"key": hexdigest("k1"), "doc_count": 2}, {"Key": hexdigest("k2", "sha1"), "Size": 1}, {"key": hexdigest("k3", "md5")}],
    "ledger": {
        "token": "0x" + hexdigest("l1", "sha1"), "token_hash": "0x" + hexdigest("l2"), "signature": packed("l3") + packed("l4"),
        "accountKeys": ["9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM"], "url": "https://scan.example.com/verify/0x" + hexdigest("l5", "sha1"),
    },
    "rules of fields": [{"name": "password", "value": "required|min:8"}, {"name": "password", "value": "^[a-z0-9]{8}$"}],
    "no key": {"kty": "none", "d": packed("n1")[:43], "k": packed("n2")[:43]},
    "pins": [{"pin": 13, "mode": "output"}, {"pin": "A0", "mode": "input"}],
    "names and values": [
        {"name": "token", "value": "noun"}, {"key": "password_policy", "value": "12 characters"},
        {"name": "PASSWORD_FILE", "value": "/run/secrets/password"}, {"key": "api_key", "value": "${API_KEY}"},
    ],
    "objects below names": {
        "password": {"value": "", "minLength": 8}, "tokens": ["the", "cat", "sat"], "secrets": [], "token": {"type": "word"},
        "keys": [{"value": "Escape"}], "secret": {"name": "db", "namespace": "prod"},
    },
    "thought": {"type": "thinking", "thinking": "Let me see.", "signature": packed("t1") + packed("t2") + packed("t3") + "=="},
    "keys of AWS's documentation": {"id": "AKIAIOSFODNN7EXAMPLE", "text": "AKIAI44QH8DHBEXAMPLE is an access key."},
    "paths": {"links": ["https://a.example.com/verify/email", "https://a.example.com/reset/2026-01-01T00:00:00Z"]},
    "music": {"key": "C# minor", "code": "ISRC", "signature": "4/4", "pitch": {"key": "F major"}},
    "coupon": {"coupon": {"code": "SUMMER", "percent_off": 10}, "promotion_code": "WELCOME"},
    "airports": {"from": {"code": "FRA"}, "to": {"code": "SFO"}, "carrier": {"code": "LH"}},
    "bar code": {"code": "4006381333931", "sku": "A-4711", "key": "shelf"},
    "key bindings": {"bindings": [{"key": "ctrl+shift+p", "command": "palette"}, {"key": "f12", "command": "go"}]},
    "map": {"key": "value", "keys": ["a", "b"], "primary_key": "id", "foreign_key": "user_id", "sort_key": "created_at"},
    "public key": {"public_key": "-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE\n-----END PUBLIC KEY-----\n"},
    "OpenID configuration": {"issuer": "https://id.example.com", "token_endpoint": "https://id.example.com/token", "userinfo_endpoint": "https://id.example.com/me"},
    "grants": {"grant_types_supported": ["authorization_code", "refresh_token"], "code_challenge_methods_supported": ["S256"]},
    "auth methods": {"auth": "none", "authentication": "basic", "auth_type": "oauth2", "ticket": "closed", "sessions": 3},
    "questions": {"question": "What is a bearer token?", "answer": "Bearer tokens are tokens that a bearer presents."},
    "log": {"message": "login failed: wrong password for ada", "token": "none", "session": "expired"},
    "geometry": {"type": "Polygon", "coordinates": [[[13.4, 52.5], [13.5, 52.6]]], "key": "u33db"},
    "times": {"at": "2026-11-22T17:04:05Z", "exp": 1795370645, "code": 0, "pin": None},
    "notebook": {"cells": [{"source": ["password = getpass()\n", "token = login(password)\n"], "outputs": []}]},
    "analytics": {"event": "password_changed", "properties": {"token_type": "bearer", "auth_method": "password"}},
}
TEXTS = {
    "man page": (TEXT, ".TH PASSWD 1\n.SH NAME\npasswd \\- change user password\n.BI \\-\\-key= token\n"),
    "markdown": ("text/markdown", "# Tokens\n\nSet `token: <TOKEN>` and `password=...`.\n\n| code | key |\n|---|---|\n| 200 | ok |\n"),
    "changelog": (TEXT, "1.2.0\n* secret: allow a key: value form\n* password=prompt works again\n* Bearer tokens are optional\n"),
    "comma-separated": ("text/csv", "code,token,password_changed\nDE,noun,2026-01-01\nFR,verb,2025-12-24\n"),
    "comma-separated names": ("text/csv", "name,password,api_key\nada,required,optional\nbob,hidden,\n"),
    "commands": (TEXT, "curl -u \"$USER:$PASSWORD\" https://a.example.com\ncurl --user user:password https://a.example.com\n"
        "curl -u user:pass123 https://a.example.com\ncurl -u admin:admin1 https://a.example.com\n"),
    "Basic words": (TEXT, "Chapter 1: Basic Operations. HTTP Basic OpenID for basic Oracle users, a machine login password.\n"),
    "YAML": ("application/yaml", "components:\n  password: input\n  token: string\nkey: value\ncode: E42\n"),
    "YAML of a workflow": ("application/yaml", "env:\n  TOKEN: ${{ secrets.GITHUB_TOKEN }}\n  API_KEY: ${{ vars.KEY }}\n"),
    "TOML": ("application/toml", 'code = "utf-8"\nkey = "name"\n[token]\nkind = "word"\n'),
    "settings": (TEXT, "password_file=/etc/app/password\ntoken_url=https://id.example.com/token\nkey=value\nsecret_length=32\n"),
    "variables without values": (TEXT, "DB_PASSWORD=\nAPI_KEY=\nTOKEN=changeme\nSECRET=${SECRET}\n"),
    "translations of gettext": (TEXT, 'msgid "Password"\nmsgstr "Passwort"\n\nmsgid "Token: %s"\nmsgstr "Zeichen: %s"\n'),
    "subtitles": (TEXT, "1\n00:00:01,000 --> 00:00:02,000\nThe secret: nobody knows the password.\n"),
    "calendar": ("text/calendar", "BEGIN:VEVENT\nUID:5f3a9c2b7d1e@example.com\nSUMMARY:Token ring\nEND:VEVENT\n"),
    "feed": ("application/xml", "<rss><item><title>Passwords</title><code>Uint8Array</code><guid>5f3a9c2b</guid></item></rss>"),
    "XML of countries": ("application/xml", "<countries><country><code>DE</code><key>de</key></country></countries>"),
    "XML of labels": ("application/xml", "<resources><string name='password'>Passwort</string><string name='token'>Zeichen</string></resources>"),
    "WSDL": ("text/xml", '<element name="password" type="xsd:string"/><element name="token" type="xsd:token"/>'),
    "checksums": (TEXT, f"{hexdigest('a')}  a.tar.gz\n{hexdigest('b')}  b.tar.gz\n"),
    "Release file": (TEXT, f"Origin: Debian\nSHA256:\n {hexdigest('p')} 1234 main/Packages\n"),
    "certificate": ("application/x-pem-file", f"-----BEGIN CERTIFICATE-----\n{packed('c')}\n-----END CERTIFICATE-----\n"),
    "public key of SSH": (TEXT, f"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{packed('k')[:43]} ada@example.com\n"),
    "signature of PGP": (TEXT, f"-----BEGIN PGP SIGNATURE-----\n\n{packed('s')}\n=abcd\n-----END PGP SIGNATURE-----\n"),
    "robots": (TEXT, "User-agent: *\nDisallow: /login?token=\nDisallow: /*?code=\n"),
    "lorem": (TEXT, "Lorem ipsum dolor sit amet, token consectetur: password adipiscing elit.\n" * 40),
    "events": ("text/event-stream", 'event: token\ndata: {"token": "Hello"}\n\nevent: token\ndata: {"token": " world"}\n\n'),
    "plain token": (TEXT, "token"),
    "data URL": (CSS, ".a{background:url(data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7)}"),
    "assembler": (TEXT, "token: .asciz \"password\"\nkey: .quad secret\nmov $code, %eax\n"),
}


def texts():
    """Every one as a name, a media type and bytes."""
    for name, text in PAGES.items():
        yield name, HTML, text.encode()
    for name, text in SCRIPTS.items():
        yield name, JSON if "source map" in name else CSS if "CSS" in name else JS, text.encode()
    for name, value in DATA.items():
        yield name, JSON, compact(value).encode()
        yield f"{name}, pretty", JSON, json.dumps(value, indent=2).encode()
    for name, (kind, text) in TEXTS.items():
        yield name, kind, text.encode()
    image = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + b"".join(digest(f"i{n}") for n in range(40))
    yield "picture", "image/png", image
    yield "font", "font/woff2", b"wOF2" + image[::-1]
    yield "archive", "application/gzip", gzip.compress(b"password=prompt\ntoken: word\n", mtime=0)
    yield "bytes with a word", "application/octet-stream", b"\0password\0token=\0\xff" + image


# Sent with every request; none of it is a secret.
COOKIES = "lang=en; theme=dark; org=org_5f3a9c2b7d1e; currency=EUR; consent=accepted-all-2026"


def form(name, kind, body):
    headers = [("Content-Type", kind), ("ETag", f'"{hexdigest(name, "md5")}"'), ("X-Request-Id", hexdigest(name)[:32])]
    return Form(
        name,
        target="?lang=en&code=DE&page=2&sort=key",
        request=Message([("Cookie", COOKIES), ("Accept", "*/*")]),
        answer=Message(headers, lambda _: body),
    )


FORMS = [form(*text) for text in texts()]
