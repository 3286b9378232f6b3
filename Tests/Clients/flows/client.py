"""Logs in by one flow and prints how it went, without a secret: client.py FLOW URL. Its own secrets are in the environment."""

import base64
import os
import re
import sys
import urllib.parse
import xml.etree.ElementTree

import requests

FLOW, URL = sys.argv[1:3]


def ask(method, path, session=requests, **options):
    answer = session.request(method, path if "://" in path else URL + path, timeout=30, **options)
    answer.raise_for_status()
    return answer


def bearer(token):
    return {"Authorization": f"Bearer {token}"}


def stripe():
    import stripe

    client = stripe.StripeClient(os.environ["STRIPE_KEY"], base_addresses={"api": URL}, max_network_retries=0)
    intent = client.v1.payment_intents.create({"amount": 2000, "currency": "usd"})
    print("id within", intent.client_secret.startswith(intent.id + "_secret_"))
    paid = client.v1.payment_intents.confirm(intent.id, {"client_secret": intent.client_secret})
    print(paid.status, client.v1.payment_intents.retrieve(intent.id).amount)


def totp():
    import pyotp

    enrolled = ask("POST", "/totp", headers=bearer(os.environ["API_TOKEN"])).json()
    print(len(pyotp.TOTP(enrolled["totp_secret"]).byte_secret()), "bytes")
    code = pyotp.TOTP(enrolled["totp_secret"]).now()
    done = ask("POST", "/totp/verify", json={"otp": code}, headers=bearer(os.environ["API_TOKEN"])).json()
    print(done["verified"], len(set(done["recovery_codes"])))
    ask("POST", "/totp/recover", json={"recovery_code": done["recovery_codes"][1]}, headers=bearer(os.environ["API_TOKEN"]))


def google():
    import google.auth.transport.requests
    import google.oauth2.service_account

    account = {
        "type": "service_account", "client_email": "robot@project.example", "private_key": os.environ["GOOGLE_KEY"],
        "private_key_id": os.environ["GOOGLE_KEY_ID"], "token_uri": URL + "/google/token",
    }
    credentials = google.oauth2.service_account.Credentials.from_service_account_info(account, scopes=["storage"])
    session = google.auth.transport.requests.AuthorizedSession(credentials)
    print(ask("GET", "/google/buckets", session).json())


def saml():
    session = requests.Session()
    form = ask("GET", "/saml/sso", session).text
    message = re.search('name="SAMLResponse" value="([^"]+)"', form)[1]
    relay = re.search('name="RelayState" value="([^"]+)"', form)[1]
    tree = xml.etree.ElementTree.fromstring(base64.b64decode(message))
    print(tree.tag.split("}")[1], tree.find(".//{*}NameID").text)
    done = ask("POST", "/saml/acs", session, data={"SAMLResponse": message, "RelayState": relay})
    print(done.json(), ask("GET", "/session", session).json())


def users():
    tokens = {}
    for name in ["ada", "bob"]:
        login = {"username": name, "password": os.environ[f"PASSWORD_{name.upper()}"]}
        tokens[name] = ask("POST", "/login", json=login).json()["access_token"]
    for name in ["bob", "ada", "ada", "bob"]:
        print(name, ask("GET", "/me", headers=bearer(tokens[name])).json())


def pkce():
    import authlib.integrations.requests_client

    session = authlib.integrations.requests_client.OAuth2Session(
        "app", os.environ["CLIENT_SECRET"], redirect_uri=URL + "/callback", code_challenge_method="S256", scope="all"
    )
    verifier = base64.urlsafe_b64encode(os.urandom(36)).decode()
    url, state = session.create_authorization_url(URL + "/authorize", code_verifier=verifier)
    answer = requests.get(url, allow_redirects=False, timeout=30)
    query = urllib.parse.parse_qs(urllib.parse.urlsplit(answer.headers["Location"]).query)
    print("state", query["state"] == [state])
    session.fetch_token(URL + "/token", authorization_response=answer.headers["Location"], code_verifier=verifier)
    print(session.get(URL + "/me").json())
    session.refresh_token(URL + "/token")
    print(session.get(URL + "/me").json())


def oidc():
    import jwt

    nonce = base64.urlsafe_b64encode(os.urandom(24)).decode()
    login = {"grant_type": "password", "username": "ada", "password": os.environ["PASSWORD_ADA"], "nonce": nonce}
    token = ask("POST", "/oidc/token", data=login).json()["id_token"]
    key = jwt.PyJWKClient(URL + "/oidc/keys").get_signing_key_from_jwt(token)
    claims = jwt.decode(token, key.key, algorithms=["RS256"], audience="app")
    print(claims["nonce"] == nonce, claims["iss"])


def form():
    session = requests.Session()
    page = ask("GET", "/form", session).text
    token = re.search('name="csrf_token" value="([^"]+)"', page)[1]
    ask("POST", "/form", session, data={"csrf_token": token, "user": "ada", "password": os.environ["PASSWORD_ADA"]})
    print(ask("GET", "/session", session).json())
    ask("POST", "/form/logout", session)
    print(session.get(URL + "/session", timeout=30).status_code)


def keys():
    made = ask("POST", "/keys", auth=("ada", os.environ["PASSWORD_ADA"]), json={"label": "ci"}).json()
    print(made["label"], ask("GET", "/keys/used", headers={"X-Api-Key": made["api_key"]}).json())
    ask("DELETE", f"/keys/{made['id']}", auth=("ada", os.environ["PASSWORD_ADA"]))


def github():
    import jwt

    app = jwt.encode({"iss": "12345", "iat": 1_790_000_000, "exp": 1_990_000_000}, os.environ["GITHUB_KEY"], "RS256")
    made = ask("POST", "/app/installations/7/access_tokens", headers=bearer(app)).json()
    print(made["token"][:4], ask("GET", "/repositories", headers={"Authorization": f"token {made['token']}"}).json())


def aws():
    import boto3

    def client(service, **keys):
        return boto3.client(service, endpoint_url=URL, region_name="eu-west-1", **keys)

    own = {"aws_access_key_id": os.environ["AWS_ID"], "aws_secret_access_key": os.environ["AWS_KEY"]}
    role = client("sts", **own).assume_role(RoleArn="arn:aws:iam::123456789012:role/ci", RoleSessionName="ci")
    keys = role["Credentials"]
    store = client("s3", aws_access_key_id=keys["AccessKeyId"], aws_secret_access_key=keys["SecretAccessKey"],
                   aws_session_token=keys["SessionToken"])
    print(keys["AccessKeyId"][:4], store.get_object(Bucket="bucket", Key="greeting")["Body"].read().decode())


def link():
    ask("POST", "/link", json={"email": "ada@mail.example"})
    mail = ask("GET", "/outbox", headers=bearer(os.environ["API_TOKEN"])).text
    token = ask("GET", re.search(r"https?://\S+/confirm/\S+", mail)[0].rstrip(".")).json()["session_token"]
    print(ask("GET", "/me", headers=bearer(token)).json())


def digest():
    session = requests.Session()
    session.auth = requests.auth.HTTPDigestAuth("ada", os.environ["PASSWORD_ADA"])
    for number in range(2):
        print(ask("GET", f"/digest/{number}", session).json())


globals()[FLOW]()
