#!/usr/bin/env python3
"""Logins of all kinds, by the libraries that programs use: recorded, then replayed without the origin and with other secrets.

    python3 -m venv venv && venv/bin/pip install requests stripe pyotp google-auth authlib pyjwt cryptography boto3
    TAPEDECK=.build/debug/tapedeck venv/bin/python Tests/Clients/flows_test.py [--require]

With --require all libraries must be installed.
"""

import base64
import hashlib
import http.server
import importlib.util
import json
import os
import pathlib
import secrets
import string
import subprocess
import sys
import tempfile
import threading
import unittest
import urllib.parse

TAPEDECK = os.path.abspath(os.environ.get("TAPEDECK", ".build/debug/tapedeck"))
CLIENT = pathlib.Path(__file__).parent.resolve() / "flows" / "client.py"
REQUIRE = "--require" in sys.argv
HOST = "api.example.test"


def word(length=32):
    return "".join(secrets.choice(string.ascii_letters + string.digits) for _ in range(length))


def key():
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import rsa

    private = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    return private.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()).decode()


def environment():
    """The secrets of the program; each call makes others."""
    return {
        "API_TOKEN": word(), "STRIPE_KEY": "sk_live_" + word(24), "GOOGLE_KEY": key(), "GOOGLE_KEY_ID": secrets.token_hex(20),
        "PASSWORD_ADA": word(16) + "1", "PASSWORD_BOB": word(16) + "2", "CLIENT_SECRET": word(40), "GITHUB_KEY": key(),
        "AWS_ID": "AKIA" + "".join(secrets.choice(string.ascii_uppercase + "234567") for _ in range(16)),
        "AWS_KEY": base64.b64encode(secrets.token_bytes(30)).decode(),
    }


class Denied(Exception):
    pass


class Origin(http.server.BaseHTTPRequestHandler):
    """Lets in whoever has the right secrets, and notes those that it makes."""

    protocol_version = "HTTP/1.1"
    known = {}
    made = []
    state = {}

    def log_message(self, *_):
        pass

    def make(self, name, value=None):
        value = value or word()
        self.made.append(value)
        self.state[name] = value
        return value

    def need(self, condition):
        if not condition:
            raise Denied

    def token(self):
        scheme, _, token = self.headers.get("Authorization", "").partition(" ")
        self.need(scheme.lower() in ("bearer", "token"))
        return token

    def form(self):
        return dict(urllib.parse.parse_qsl(self.body.decode()))

    def handle_one(self):
        import jwt

        url = urllib.parse.urlsplit(self.path)
        query = dict(urllib.parse.parse_qsl(url.query))
        known, state, make, need = self.known, self.state, self.make, self.need
        cookies = dict(part.strip().split("=", 1) for part in self.headers.get("Cookie", "").split(";") if "=" in part)
        match self.command, url.path:
            case "POST", "/v1/payment_intents":
                need(self.token() == known["STRIPE_KEY"])
                state["intent"] = "pi_" + word(24)
                return {"id": state["intent"], "object": "payment_intent", "amount": 2000, "status": "requires_confirmation",
                        "client_secret": make("client", f"{state['intent']}_secret_{word(25)}")}
            case method, path if path.startswith("/v1/payment_intents/"):
                need(self.token() == known["STRIPE_KEY"] and state["intent"] in path)
                need(method == "GET" or self.form()["client_secret"] == state["client"])
                return {"id": state["intent"], "object": "payment_intent", "amount": 2000, "status": "succeeded"}
            case "POST", "/totp":
                need(self.token() == known["API_TOKEN"])
                return {"totp_secret": make("totp", base64.b32encode(secrets.token_bytes(20)).decode())}
            case "POST", "/totp/verify":
                import pyotp

                need(pyotp.TOTP(state["totp"]).verify(json.loads(self.body)["otp"], valid_window=2))
                return {"verified": True, "recovery_codes": [make(f"code{n}", word(5) + "7-" + word(5)) for n in range(3)]}
            case "POST", "/totp/recover":
                need(json.loads(self.body)["recovery_code"] == state["code1"])
                return {}
            case "POST", "/google/token":
                claims = jwt.decode(self.form()["assertion"], self.public("GOOGLE_KEY"), ["RS256"],
                                    options={"verify_aud": False})
                need(claims["iss"] == "robot@project.example")
                return {"access_token": make("google", "ya29." + word(60)), "expires_in": 3600, "token_type": "Bearer"}
            case "GET", "/google/buckets":
                need(self.token() == state["google"])
                return ["one", "two"]
            case "GET", "/saml/sso":
                signature = base64.b64encode(secrets.token_bytes(256)).decode()
                self.made.append(signature)
                message = (
                    '<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" ID="_' + secrets.token_hex(16) + '">'
                    '<saml:Assertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"><saml:Subject><saml:NameID>ada@corp.example'
                    '</saml:NameID></saml:Subject><ds:Signature xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:SignatureValue>'
                    f"{signature}</ds:SignatureValue></ds:Signature></saml:Assertion></samlp:Response>")
                return (f'<form method="post" action="/saml/acs"><input type="hidden" name="SAMLResponse" value="'
                        f'{make("saml", base64.b64encode(message.encode()).decode())}"/>'
                        f'<input type="hidden" name="RelayState" value="{state.setdefault("relay", word())}"/></form>')
            case "POST", "/saml/acs":
                need(self.form() == {"SAMLResponse": state["saml"], "RelayState": state["relay"]})
                self.cookie = "session=" + make("session")
                return {"user": "ada@corp.example"}
            case "GET", "/session":
                need(state.get("session") and cookies.get("session") == state["session"])
                return {"session": "open"}
            case "POST", "/login":
                login = json.loads(self.body)
                need(login["password"] == known[f"PASSWORD_{login['username'].upper()}"])
                return {"access_token": make(f"token {login['username']}", word(48)), "token_type": "Bearer"}
            case "GET", "/me":
                names = [name for name, value in state.items() if name.startswith("token ") and value == self.token()]
                need(names)
                return {"name": names[0].split()[1], "plan": "gold" if names[0] == "token ada" else "free"}
            case "GET", "/authorize":
                state["challenge"] = query["code_challenge"]
                self.location = f"{query['redirect_uri']}?code={make('code', word(40))}&state={query['state']}"
                return {}
            case "POST", "/token":
                form = self.form()
                basic = base64.b64encode(f"app:{known['CLIENT_SECRET']}".encode()).decode()
                need(self.headers["Authorization"] == f"Basic {basic}")
                if form["grant_type"] == "authorization_code":
                    digest = hashlib.sha256(form["code_verifier"].encode()).digest()
                    need(base64.urlsafe_b64encode(digest).decode().rstrip("=") == state["challenge"])
                    need(form["code"] == state["code"])
                else:
                    need(form["refresh_token"] == state["refresh"])
                return {"access_token": make("token eve", word(48)), "refresh_token": make("refresh", word(48)),
                        "expires_in": 3600, "token_type": "Bearer"}
            case "POST", "/oidc/token":
                need(self.form()["password"] == known["PASSWORD_ADA"])
                claims = {"iss": "https://id.example", "aud": "app", "sub": "ada", "exp": 1_990_000_000, "nonce": self.form()["nonce"]}
                return {"id_token": make("id", jwt.encode(claims, state["key"], "RS256", headers={"kid": "k1"}))}
            case "GET", "/oidc/keys":
                public = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(self.public_of(state["key"])))
                return {"keys": [public | {"kid": "k1", "use": "sig", "alg": "RS256"}]}
            case "GET", "/form":
                self.cookie = "session=" + make("before")
                return f'<form><input type="hidden" name="csrf_token" value="{make("csrf")}"></form>'
            case "POST", "/form":
                form = self.form()
                need(form["csrf_token"] == state["csrf"] and form["password"] == known["PASSWORD_ADA"])
                need(cookies["session"] == state["before"])
                self.cookie = "session=" + make("session")
                return {}
            case "POST", "/form/logout":
                need(cookies["session"] == state.pop("session"))
                return {}
            case method, path if path.startswith("/keys") and path != "/keys/used":
                basic = base64.b64encode(f"ada:{known['PASSWORD_ADA']}".encode()).decode()
                need(self.headers["Authorization"] == f"Basic {basic}")
                return {"id": 17, "label": "ci", "api_key": make("key", "key_" + word(30))} if method == "POST" else {}
            case "GET", "/keys/used":
                need(self.headers["X-Api-Key"] == state["key"])
                return {"uses": 1}
            case "POST", "/app/installations/7/access_tokens":
                jwt.decode(self.token(), self.public("GITHUB_KEY"), ["RS256"], options={"verify_iat": False})
                return {"token": make("github", "ghs_" + word(36)), "expires_at": "2030-01-01T00:00:00Z"}
            case "GET", "/repositories":
                need(self.token() == state["github"])
                return ["tapedeck"]
            case "POST", "/":
                need(f"Credential={known['AWS_ID']}/" in self.headers["Authorization"])
                keys = (f"<AccessKeyId>{make('id', 'ASIA' + word(16).upper())}</AccessKeyId>"
                        f"<SecretAccessKey>{make('aws', base64.b64encode(secrets.token_bytes(30)).decode())}</SecretAccessKey>"
                        f"<SessionToken>{make('session', base64.b64encode(secrets.token_bytes(150)).decode())}</SessionToken>"
                        "<Expiration>2030-01-01T00:00:00Z</Expiration>")
                return ('<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleResult><Credentials>'
                        f"{keys}</Credentials></AssumeRoleResult></AssumeRoleResponse>")
            case "GET", "/bucket/greeting":
                need(f"Credential={state['id']}/" in self.headers["Authorization"])
                need(self.headers["X-Amz-Security-Token"] == state["session"])
                return "hello"
            case "POST", "/link":
                return {}
            case "GET", "/outbox":
                need(self.token() == known["API_TOKEN"])
                return f"Hello Ada,\n\nlog in at {self.url('/confirm/' + make('link', word(43)))}.\n"
            case "GET", path if path.startswith("/confirm/"):
                need(path == "/confirm/" + state["link"])
                return {"session_token": make("token ada", word(43))}
            case "GET", path if path.startswith("/digest/"):
                fields = dict(part.strip().split("=", 1) for part in self.headers.get("Authorization", "").partition(" ")[2].split(",") if part)
                fields = {name: value.strip('"') for name, value in fields.items()}
                if "nonce" not in fields or fields["nonce"] != state.get("nonce"):
                    self.challenge = f'Digest realm="r", nonce="{state.setdefault("nonce", word())}", qop="auth", algorithm=SHA-256'
                    raise Denied
                sha = lambda text: hashlib.sha256(text.encode()).hexdigest()
                one, two = sha(f"ada:r:{known['PASSWORD_ADA']}"), sha(f"GET:{self.path}")
                need(fields["response"] == sha(f"{one}:{fields['nonce']}:{fields['nc']}:{fields['cnonce']}:auth:{two}"))
                return {"number": path[8:]}
        raise Denied

    @staticmethod
    def public_of(pem):
        from cryptography.hazmat.primitives import serialization

        return serialization.load_pem_private_key(pem.encode(), None).public_key()

    def public(self, name):
        return self.public_of(self.known[name])

    def url(self, path):
        return f"http://{HOST}:{self.server.server_port}{path}"

    def do_GET(self):
        self.body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.cookie = self.location = self.challenge = None
        try:
            status, answer = 200, self.handle_one()
        except Denied:
            status, answer = 401, {"error": "denied"}
        text = answer if isinstance(answer, str) else json.dumps(answer)
        kind = "application/json" if text is not answer else "text/html" if "<form" in text else \
            "text/xml" if text.startswith("<") else "text/plain"
        self.send_response(302 if self.location else status)
        for name, value in [("Location", self.location), ("WWW-Authenticate", self.challenge),
                            ("Set-Cookie", self.cookie and self.cookie + "; Path=/; HttpOnly")]:
            if value:
                self.send_header(name, value)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(text.encode())))
        self.end_headers()
        self.wfile.write(text.encode())

    do_POST = do_DELETE = do_GET


class Flows(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())

    def tapedeck(self, own, *arguments):
        inherited = {name: value for name, value in os.environ.items() if "proxy" not in name.lower()}
        inherited |= {"TAPEDECK_CA_DIR": f"{self.folder}/ca", "XDG_DATA_HOME": f"{self.folder}/data"}
        done = subprocess.run([TAPEDECK, *arguments], cwd=self.folder, env=inherited | own, capture_output=True, text=True,
                              timeout=120)
        self.assertEqual(done.returncode, 0, f"{arguments}: {done.stdout[-2000:]}{done.stderr[-4000:]}")
        return done.stdout, done.stderr

    def round_trip(self, flow, *modules):
        missing = [name for name in ("requests", *modules) if not importlib.util.find_spec(name)]
        if missing:
            (self.fail if REQUIRE else self.skipTest)(f"{missing} are needed")
        own = environment()
        Origin.known, Origin.made, Origin.state = own, [], {"key": key()}
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Origin)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        client = ["--", sys.executable, str(CLIENT), flow, f"http://{HOST}:{server.server_port}"]
        live, _ = self.tapedeck(own, "record", "x", f"--resolve={HOST}:{server.server_port}:127.0.0.1", *client)
        server.shutdown()
        server.server_close()
        for _ in range(2):
            replayed, said = self.tapedeck(environment(), "replay", "x", *client)
            self.assertEqual(replayed, live)
            self.assertIn(" 0 unmatched", said)
        used = [value for value in own.values() if value in " ".join(Origin.made) or len(value) < 100 and value != own["GOOGLE_KEY_ID"]]
        for path in pathlib.Path(self.folder, "cassettes").rglob("*"):
            text = path.read_text() if path.is_file() else ""
            for secret in Origin.made + used:
                for form in [secret, urllib.parse.quote(secret, safe=""), base64.b64encode(secret.encode()).decode().rstrip("=")]:
                    self.assertNotIn(form, text, path)
        return live

    def test_stripe_payment_intent(self):
        self.assertIn("id within True\nsucceeded 2000", self.round_trip("stripe", "stripe"))

    def test_totp(self):
        self.assertEqual(self.round_trip("totp", "pyotp"), "20 bytes\nTrue 3\n")

    def test_google_service_account(self):
        self.round_trip("google", "google.auth", "jwt")

    def test_saml(self):
        self.assertIn("Response ada@corp.example", self.round_trip("saml"))

    def test_two_users_interleaved(self):
        self.assertEqual(self.round_trip("users").count("gold"), 2)

    def test_authorization_code_with_pkce(self):
        self.assertIn("state True", self.round_trip("pkce", "authlib"))

    def test_openid_connect(self):
        self.assertIn("True https://id.example", self.round_trip("oidc", "jwt"))

    def test_form_with_cookies(self):
        self.assertIn("401", self.round_trip("form"))

    def test_api_key_made_by_basic_credentials(self):
        self.round_trip("keys")

    def test_github_app(self):
        self.assertIn("ghs_", self.round_trip("github", "jwt"))

    def test_aws_role(self):
        self.assertIn("ASIA hello", self.round_trip("aws", "boto3"))

    def test_link_in_a_mail(self):
        self.assertIn("gold", self.round_trip("link"))

    def test_digest_credentials(self):
        self.round_trip("digest")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
