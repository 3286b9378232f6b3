"""Forms of secrets in heads: authorization, keys, cookies, URLs, and what answers have in their headers."""

from exchange import Form, Message

JSON = "application/json"
FORM = "application/x-www-form-urlencoded"
OK = Message([("Content-Type", JSON)], '{"ok": true}')


def head(name, *headers, target="", **rest):
    return Form(name, target=target, request=Message(list(headers)), answer=OK, **rest)


def query(name, target):
    return head(f"query {name}", target=target)


def answered(name, *headers, status=200, **rest):
    return Form(name, answer=Message(list(headers) + [("Content-Type", JSON)], '{"ok": true}', **rest), status=status)


SIGV4 = (
    "AWS4-HMAC-SHA256 Credential=<<issuer aws key id>>/20260101/eu-west-1/s3/aws4_request, "
    "SignedHeaders=host;x-amz-date, Signature=<<hex>>"
)
SCHEMES = {
    "Basic": "Basic <<simple|user>>",
    "basic in lower case": "basic <<word|user>>",
    "Bearer": "Bearer <<word>>",
    "Bearer JWT": "Bearer <<jwt>>",
    "Bearer of an issuer": "Bearer <<issuer github personal>>",
    "Digest": 'Digest username="ada", realm="r", nonce="<<hex32>>", uri="/", qop=auth, nc=00000001, '
    'cnonce="<<hex32>>", response="<<hex32>>"',
    "AWS4-HMAC-SHA256": SIGV4,
    "AWS of version 2": "AWS <<issuer aws key id>>:<<base64>>",
    "Negotiate": "Negotiate <<account>>",
    "NTLM": "NTLM <<account>>",
    "Token": "Token <<word>>",
    "Token in quotes": 'Token token="<<word>>"',
    "ApiKey": "ApiKey <<word>>",
    "ApiKey in base64": "ApiKey <<word|user>>",
    "SSWS": "SSWS <<word>>",
    "GenieKey": "GenieKey <<uuid>>",
    "SharedKey": "SharedKey account:<<base64>>",
    "Hawk": 'Hawk id="<<word>>", ts="1353832234", nonce="j4h3g2", mac="<<base64>>"',
    "DPoP": "DPoP <<jwt>>",
    "OAuth 1": 'OAuth oauth_consumer_key="<<word>>", oauth_token="<<word>>", oauth_signature_method="HMAC-SHA1", '
    'oauth_signature="<<base64|percent>>", oauth_timestamp="1353832234", oauth_nonce="4572616e48616d"',
    "a scheme of its own": "Acme-Sig <<word>>",
    "no scheme": "<<word>>",
}
KEY_HEADERS = """
    X-Api-Key Api-Key apikey X-Api-Secret X-Api-Token X-Auth-Token X-Auth-Key X-Access-Token X-Refresh-Token X-Id-Token
    X-Session-Token X-Client-Secret X-App-Token X-Application-Key X-Secret-Key X-Token Private-Token Job-Token
    Deploy-Token X-Gitlab-Token X-Vault-Token X-Consul-Token X-Shopify-Access-Token Circle-Token DD-API-KEY
    DD-APPLICATION-KEY X-Algolia-API-Key X-RapidAPI-Key Fastly-Key X-Postmark-Server-Token X-Figma-Token X-Plex-Token
    X-Emby-Token X-Buildkite-Token CF-Access-Client-Secret X-CSRF-Token X-XSRF-Token X-Amz-Security-Token X-Goog-Api-Key
    Ocp-Apim-Subscription-Key x-functions-key X-MS-TOKEN-AAD-ACCESS-TOKEN X-Authorization
    Grpc-Metadata-Authorization X-Forwarded-Authorization X-Hub-Signature-256 X-Slack-Signature Webhook-Signature X-Acme-Secret X-Tenant-Token X-Acme-Api-Key
""".split()
COOKIES = """
    sid session sessionid session_id PHPSESSID JSESSIONID connect.sid _session_id auth auth_token access_token
    remember_token csrftoken XSRF-TOKEN __Host-session laravel_session ASP.NET_SessionId .AspNetCore.Cookies
""".split()

HEADS = (
    [head(f"authorization {name}", ("Authorization", value)) for name, value in SCHEMES.items()]
    + [head(f"header {name}", (name, "<<word>>")) for name in KEY_HEADERS]
    + [
        Form(
            f"cookie {name}",
            request=Message([("Cookie", f"theme=dark; {name}=<<word>>; lang=en")]),
            answer=Message(
                [("Set-Cookie", f"{name}=<<word>>; Path=/; HttpOnly; Secure"), ("Set-Cookie", "theme=dark; Path=/")],
                "plain",
            ),
        )
        for name in COOKIES
    ]
    + [
        head("cookie with a JWT", ("Cookie", "id=<<jwt>>; lang=en")),
        head("cookie percent-encoded", ("Cookie", "connect.sid=s%3A<<word>>.<<base64|percent>>")),
        head("header with a JWT", ("X-Identity", "<<jwt>>")),
        head("header with a token of an issuer", ("X-Whatever", "<<issuer gitlab personal of letters>>")),
        head("header with credentials in a URL", ("X-Upstream", "https://app:<<word>>@db.example.com/main")),
        head("referer", ("Referer", "https://app.example.com/?access_token=<<word>>&page=2")),
        head("session token beside SigV4", ("Authorization", SIGV4), ("X-Amz-Security-Token", "<<account>>")),
        head("signature and token in one header", ("X-Auth", 'token="<<word>>", page="2"')),
    ]
)

QUERIES = [
    query("api_key", "?api_key=<<word>>&page=1"),
    query("apikey last", "?page=1&apikey=<<word>>"),
    query("key of an API", "?q=a&key=<<issuer google api key>>"),
    query("key that looks like one", "?key=<<word>>"),
    query("access_token", "?access_token=<<word>>"),
    query("token", "?token=<<word>>&page=2"),
    query("auth_token", "?auth_token=<<hex32>>"),
    query("private_token", "?private_token=<<issuer gitlab personal>>"),
    query("id_token_hint", "/logout?id_token_hint=<<jwt>>"),
    query("password percent-encoded", "?user=ada&password=<<password|percent>>"),
    query("password with plus", "?user=ada&password=<<password|plus>>"),
    query("every byte percent-encoded", "?api_key=<<word|percent all>>"),
    query("base64 percent-encoded", "?access_token=<<base64|percent>>"),
    query("name percent-encoded", "?api%5Fkey=<<word>>"),
    query("name in upper case", "?API_KEY=<<word>>"),
    query("client_secret", "?client_id=app&client_secret=<<word>>"),
    query("authorization code", "/callback?code=<<word>>&state=x1"),
    query("shared access signature", "?sv=2024-01-01&se=2026-01-01&sp=r&sig=<<base64|percent>>"),
    query(
        "SigV4",
        "?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=<<issuer aws key id>>%2F20260101%2Feu-west-1%2Fs3"
        "%2Faws4_request&X-Amz-Security-Token=<<base64|percent>>&X-Amz-Signature=<<hex>>",
    ),
    query("S3 of version 2", "?AWSAccessKeyId=<<issuer aws key id>>&Expires=1700000000&Signature=<<base64|percent>>"),
    query(
        "GCS",
        "?X-Goog-Algorithm=GOOG4-RSA-SHA256&X-Goog-Credential=a%40b.iam.gserviceaccount.com%2F20260101"
        "&X-Goog-Signature=<<hex>><<hex>>",
    ),
    query("CloudFront", "?Expires=1700000000&Signature=<<base64url>>&Key-Pair-Id=APKAEIBAERJR2EXAMPLE"),
    query("HMAC", "?timestamp=1700000000&hmac=<<hex>>"),
    query("SAML response", "/acs?SAMLResponse=<<account|percent>>&RelayState=home"),
    query("URL in a parameter", "/go?to=https%3A%2F%2Fapp.example.com%2F%3Faccess_token%3D<<word>>%26page%3D2"),
    query("URL with credentials in a parameter", "/go?to=https%3A%2F%2Fapp%3A<<word>>%40db.example.com%2F"),
    query("name with brackets", "?user%5Bpassword%5D=<<simple|percent>>"),
    query("webhook_secret", "?webhook_secret=<<word>>"),
    query("license key", "?license_key=<<word>>"),
    query("session_token", "?session_token=<<base64|percent>>"),
    query("matrix parameter", "/m;token=<<word>>/x?page=1"),
    query("matrix parameter before a query", "/m;access_token=<<word>>/x?y=1;api_key=<<word>>"),
    query("token of an issuer as a segment", "/bot<<issuer telegram>>/getMe"),
    query("link to reset", "/reset/<<word>>?lang=en"),
    query("link to confirm", "/confirm-email/<<base64url>>"),
    query("link of an invitation", "/invitations/<<hex>>/accept"),
    query("GraphQL", "/graphql?query=mutation%20%7B%20login(password%3A%20%22<<word>>%22)%20%7B%20ok%20%7D%20%7D"),
    query("session_id", "?session_id=<<word>>"),
    query("JWT as a segment", "/verify/<<jwt>>/status"),
    query("token of an issuer as a value", "?q=<<issuer npm>>"),
    head("path with the bearer token", ("Authorization", "Bearer <<word>>"), target="/tokens/<<=1>>/info"),
    head("path with the key in base64", ("X-Api-Key", "<<word>>"), target="/packed/<<=1|user>>"),
    head("query with the bearer token", ("Authorization", "Bearer <<word>>"), target="?t=<<=1>>"),
    head("user in the path", ("Authorization", "Basic <<word|user>>"), target="/check?p=<<=1>>"),
]

ANSWERS = [
    answered("location with a code", ("Location", "/callback?code=<<word>>&state=x1"), status=302),
    answered(
        "location with a fragment",
        ("Location", "https://app.example.com/cb#access_token=<<word>>&token_type=bearer&expires_in=3600"),
        status=302,
    ),
    answered("location with an id token", ("Location", "https://app.example.com/cb#id_token=<<jwt>>"), status=302),
    answered("location with credentials", ("Location", "https://app:<<word>>@files.example.com/"), status=302),
    answered("content location", ("Content-Location", "/a?access_token=<<word>>")),
    answered("link with a signature", ("Link", '<https://f.example.com/?X-Amz-Signature=<<hex>>&page=2>; rel="next"')),
    answered("link with a token", ("Link", '</p?page=2&private_token=<<word>>>; rel="next", </p>; rel="first"')),
    answered("key in an answer", ("X-Api-Key", "<<word>>")),
    answered("subject token", ("X-Subject-Token", "<<word>>")),
    answered("token in an answer", ("X-Auth-Token", "<<word>>")),
    answered("CSRF token in an answer", ("X-CSRF-Token", "<<word>>")),
    answered("refresh header", ("Refresh", "0; url=https://app.example.com/?access_token=<<word>>")),
    answered("trailer", chunk=5, trailers=[("X-Auth-Token", "<<word>>")]),
    answered("trailer with a JWT", chunk=5, trailers=[("X-Result", "<<jwt>>")]),
    Form("early hints", answer=OK, hints=[("Link", "</s.css?access_token=<<word>>>; rel=preload")]),
    head("HTTP/1.0", ("Authorization", "Bearer <<word>>"), target="?api_key=<<word>>", version="HTTP/1.0"),
]


def echo(name, header, form=""):
    """An error that says what the request had."""
    body = f'{{"error": "the key <<=1{form}>> is not valid", "page": 1}}'
    request = Message([(header, "<<word>>")])
    return Form(f"echo {name}", request=request, answer=Message([("Content-Type", JSON)], body), status=401)


KNOWN = [
    echo("as it is", "X-Api-Key"),
    echo("percent-encoded", "X-Api-Key", "|percent"),
    echo("in base64", "X-Api-Key", "|user"),
    Form(
        "echo of headers",
        request=Message([("Authorization", "Bearer <<word>>"), ("X-Api-Key", "<<word>>")]),
        answer=Message([("Content-Type", JSON)], '{"seen": {"authorization": "Bearer <<=1>>", "value": "<<=2>>"}}'),
    ),
    Form(
        "echo in HTML",
        target="?api_key=<<word>>",
        answer=Message([("Content-Type", "text/html")], "<h1>Bad key</h1><p>Not known: <<=1>></p>"),
        status=403,
    ),
    Form(
        "echo of a cookie",
        request=Message([("Cookie", "session=<<word>>")]),
        answer=Message([("Content-Type", "text/plain")], "no session <<=1>>"),
        status=403,
    ),
]

FORMS = HEADS + QUERIES + ANSWERS + KNOWN
