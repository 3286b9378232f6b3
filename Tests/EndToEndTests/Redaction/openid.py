#!/usr/bin/python3
"""A login with OpenID Connect, both sides of it.

    openid.py provider                     prints {"port": N}, serves until standard input ends
    openid.py client URL [--algorithm A]   logs in, verifies, prints what it saw as JSON

The provider signs with a key that it makes at its start, so a token of a later run verifies only against that run's
JWKS. The client is a strict one: authorization code with PKCE (RFC 7636), state and nonce made afresh, and the id_token
verified by PyJWT: signature, iss, aud, exp, iat, nonce, at_hash (OpenID Connect Core section 3.1.3.7).
"""

import base64
import hashlib
import http.server
import json
import secrets
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa

CLIENT_ID = "photo-app"
REDIRECT_URI = "http://localhost:8765/callback"


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def half_hash(token, algorithm):
    name = "sha512" if algorithm == "EdDSA" else "sha" + algorithm[2:]
    digest = hashlib.new(name, token.encode()).digest()
    return base64url(digest[: len(digest) // 2])


def elliptic_key():
    """A key whose coordinates have no leading zero byte, which this version of PyJWT would leave out of a JWK."""
    while True:
        key = ec.generate_private_key(ec.SECP256R1())
        numbers = key.public_key().public_numbers()
        if min(numbers.x, numbers.y).bit_length() > 248:
            return key


class Provider(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    keys = {
        "RS256": rsa.generate_private_key(public_exponent=65537, key_size=2048),
        "ES256": elliptic_key(),
        "EdDSA": ed25519.Ed25519PrivateKey.generate(),
    }
    codes = {}
    refresh_tokens = {}

    def log_message(self, *arguments):
        pass

    @property
    def issuer(self):
        return f"http://127.0.0.1:{self.server.server_address[1]}"

    def reply(self, status, body=None, **headers):
        data = b"" if body is None else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        query = dict(urllib.parse.parse_qsl(url.query))
        if url.path == "/.well-known/openid-configuration":
            self.reply(200, {
                "issuer": self.issuer,
                "authorization_endpoint": self.issuer + "/authorize",
                "token_endpoint": self.issuer + "/token",
                "jwks_uri": self.issuer + "/jwks",
            })
        elif url.path == "/jwks":
            documents = []
            for name, key in self.keys.items():
                public = jwt.get_algorithm_by_name(name).to_jwk(key.public_key())
                document = json.loads(public) if isinstance(public, str) else public
                documents.append({"kid": f"live-{name}", "use": "sig", "alg": name, **document})
                documents[-1].pop("key_ops", None)
            self.reply(200, {"keys": documents})
        elif url.path == "/authorize":
            code = secrets.token_hex(24)
            self.codes[code] = query
            answer = urllib.parse.urlencode({"code": code, "state": query["state"]})
            self.reply(302, Location=f"{query['redirect_uri']}?{answer}")
        else:
            self.reply(404, {"error": "not_found"})

    def do_POST(self):
        form = dict(urllib.parse.parse_qsl(self.rfile.read(int(self.headers["Content-Length"])).decode()))
        if form["grant_type"] == "authorization_code":
            session = self.codes.pop(form["code"])
            challenge = base64url(hashlib.sha256(form["code_verifier"].encode()).digest())
            if challenge != session["code_challenge"]:
                return self.reply(400, {"error": "invalid_grant"})
        else:
            session = dict(self.refresh_tokens.pop(form["refresh_token"]))
            session.pop("nonce", None)
        algorithm = session["algorithm"]
        access_token = secrets.token_urlsafe(32)
        refresh_token = secrets.token_urlsafe(32)
        self.refresh_tokens[refresh_token] = session
        now = int(time.time())
        claims = {
            "iss": self.issuer,
            "aud": CLIENT_ID,
            "azp": CLIENT_ID,
            "sub": "248289761001",
            "email": "jane.doe@company.example",
            "email_verified": True,
            "name": "Jane Doe",
            "iat": now,
            "auth_time": now,
            "exp": now + 300,
            "at_hash": half_hash(access_token, algorithm),
        }
        if "nonce" in session:
            claims["nonce"] = session["nonce"]
        token = jwt.encode(claims, self.keys[algorithm], algorithm, headers={"kid": f"live-{algorithm}"})
        self.reply(200, {
            "access_token": access_token,
            "token_type": "Bearer",
            "expires_in": 300,
            "refresh_token": refresh_token,
            "id_token": token,
        })


def provider():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Provider)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(json.dumps({"port": server.server_address[1]}), flush=True)
    sys.stdin.read()


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *arguments):
        return None


def client(base, algorithm):
    opener = urllib.request.build_opener(NoRedirect)

    def get(url):
        with opener.open(url) as response:
            return json.load(response)

    def post(url, **form):
        with opener.open(url, urllib.parse.urlencode(form).encode()) as response:
            return json.load(response)

    configuration = get(base + "/.well-known/openid-configuration")
    keys = jwt.PyJWKClient(configuration["jwks_uri"])

    def verified(answer):
        token = answer["id_token"]
        claims = jwt.decode(
            token,
            keys.get_signing_key_from_jwt(token).key,
            algorithms=[algorithm],
            audience=CLIENT_ID,
            issuer=configuration["issuer"],
            options={"require": ["iss", "sub", "aud", "exp", "iat"]},
        )
        assert jwt.get_unverified_header(token)["alg"] == algorithm
        assert claims["at_hash"] == half_hash(answer["access_token"], algorithm), "at_hash"
        return claims

    state, nonce, verifier = (secrets.token_hex(24) for _ in range(3))
    query = urllib.parse.urlencode({
        "response_type": "code",
        "client_id": CLIENT_ID,
        "redirect_uri": REDIRECT_URI,
        "scope": "openid email",
        "algorithm": algorithm,
        "state": state,
        "nonce": nonce,
        "code_challenge": base64url(hashlib.sha256(verifier.encode()).digest()),
        "code_challenge_method": "S256",
    })
    try:
        opener.open(f"{configuration['authorization_endpoint']}?{query}")
        raise AssertionError("no redirect")
    except urllib.error.HTTPError as error:
        assert error.code == 302, error
        location = urllib.parse.urlsplit(error.headers["Location"])
    callback = dict(urllib.parse.parse_qsl(location.query))
    assert callback["state"] == state, "state"
    login = post(
        configuration["token_endpoint"],
        grant_type="authorization_code",
        code=callback["code"],
        redirect_uri=REDIRECT_URI,
        client_id=CLIENT_ID,
        code_verifier=verifier,
    )
    claims = verified(login)
    assert claims["nonce"] == nonce, "nonce"
    refreshed = post(
        configuration["token_endpoint"],
        grant_type="refresh_token",
        refresh_token=login["refresh_token"],
        client_id=CLIENT_ID,
    )
    again = verified(refreshed)
    assert again["sub"] == claims["sub"], "sub"
    print(json.dumps({"claims": claims, "login": login, "refreshed": refreshed}))


if __name__ == "__main__":
    if sys.argv[1] == "provider":
        provider()
    else:
        client(sys.argv[2], sys.argv[3])
