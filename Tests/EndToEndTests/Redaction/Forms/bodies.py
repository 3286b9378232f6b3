"""Forms of secrets in bodies, each in a request and, unless it says otherwise, in an answer of the same text."""

from exchange import Form, Message
from kinds import ISSUERS

JSON = "application/json"
FORM = "application/x-www-form-urlencoded"
TEXT = "text/plain"
XML = "application/xml"
HTML = "text/html; charset=utf-8"
DONE = Message([("Content-Type", JSON)], '{"done": true}')


def both(name, kind, body, coding="", chunk=0):
    message = Message([("Content-Type", kind)], body, coding, chunk=chunk)
    return Form(name, "POST", request=message, answer=message)


def sent(name, kind, body, answer=DONE, **rest):
    return Form(name, "POST", request=Message([("Content-Type", kind)], body, **rest), answer=answer)


def got(name, kind, body, **rest):
    return Form(name, answer=Message([("Content-Type", kind)], body, **rest))


FIELDS = """
    password passwd passphrase current_password newPassword secret client_secret clientSecret api_key apiKey access_token
    accessToken refresh_token id_token sessionToken authToken bearer_token private_key_password secretAccessKey SessionToken
    webhook_secret signing_secret encryption_key github_token dbPassword consumer_secret device_code code_verifier
    client_assertion app_secret master_key registration_access_token
""".split()
LOGIN = '{"user": "ada", "password": "<<password|json>>", "remember": true}'
TOKEN = '{"access_token": "<<word>>", "token_type": "Bearer", "expires_in": 3600}'

# Names that tell of a secret only with a value that looks like one.
LOOKS = """
    key unlock_token exchange_token homepage_token session_id sessionId oobCode token_hash invite_code activation_key
    confirmation_code reset_code
""".split()
CHOSEN = "pass DB_PASS smtpPass security_answer recovery_code backup_code".split()
STRUCTURES = [both(f"JSON {name} that looks so", JSON, f'{{"id": 7, "{name}": "<<word>>"}}') for name in LOOKS] + [
    *[sent(f"JSON {name} of a person", JSON, f'{{"user": "ada", "{name}": "<<simple>>"}}') for name in CHOSEN],
    both("JSON pass", JSON, '{"host": "db", "pass": "<<long>>"}'),
    both("JSON signature", JSON, '{"event": "paid", "signature": "<<hex>>"}'),
    sent("JSON key in hexadecimal", JSON, '{"key": "<<hex32>>", "plan": "free"}'),
    both("object below a name", JSON, '{"client_secret": {"value": "<<word>>", "hint": "ab"}}'),
    sent("passwords below a name", JSON, '{"password": {"new": "<<simple>>", "old": "<<simple>>"}}'),
    both("list below a name", JSON, '{"tokens": ["<<word>>", "<<long>>"], "n": 2}'),
    both("objects below a name", JSON, '{"api_keys": [{"id": 1, "value": "<<word>>"}, {"id": 2, "value": "<<word>>"}]}'),
    both("value and name", JSON, '{"env": [{"value": "<<word>>", "secure": true, "name": "API_TOKEN"}]}'),
    both("tokens by name", JSON, '{"tokens": {"ci": "<<word>>", "web": "<<long>>"}}'),
    sent("recovery codes", JSON, '{"recovery_codes": ["<<simple>>", "<<simple>>"]}'),
    both("name and value", JSON, '{"env": [{"name": "DB_PASSWORD", "value": "<<simple>>"}, {"name": "LANG", "value": "en"}]}'),
    both("name and value of AWS", JSON, '{"Environment": [{"Name": "API_TOKEN", "Type": "PLAIN", "Value": "<<word>>"}]}'),
    both("key and value", JSON, '[{"key": "client_secret", "value": "<<word>>"}, {"key": "region", "value": "eu"}]'),
    both("name and value of a header", JSON, '{"headers": [{"name": "Authorization", "value": "Bearer <<word>>"}]}'),
    both("JWK", JSON, '{"kty": "EC", "crv": "P-256", "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8T", "d": "<<base64url>>"}'),
    both("JWK of octets", JSON, '{"keys": [{"kty": "oct", "kid": "1", "k": "<<base64url>>"}]}'),
    both("table", "text/csv", "id,user,password\n1,ada,<<simple>>\n2,bob,<<simple>>\n"),
    both("table with quotation marks", "text/csv", '"id";"api_key"\r\n"1";"<<word>>"\r\n'),
    both("table with tabs", "text/tab-separated-values", "id\taccess_token\n1\t<<word>>\n"),
    both("curl command with a user", TEXT, "curl -s -u ada:<<simple>> https://api.example.com/x\n"),
    both("curl command with --user", TEXT, 'curl -X POST \\\n  --user "ada:<<simple>>" \\\n  https://api.example.com/x\n'),
    both("netrc", TEXT, "machine api.example.com login ada password <<simple>>\n"),
    both("netrc in lines", TEXT, "machine api.example.com\n  login ada\n  password <<simple>>\n"),
    *[
        both(f"mail with a link to {word}", TEXT, f"Dear Ada,\n\nopen https://app.example.com/{word}/<<word>> to go on.\n")
        for word in "reset reset-password password/reset confirm verify-email activate invitation magic-link unsubscribe".split()
    ],
    both("base64 of a text", JSON, '{"encoding": "base64", "content": "<<readme|base64>>"}'),
]

JSONS = [both(f"JSON {name}", JSON, f'{{"id": 7, "{name}": "<<word>>", "note": "plain text"}}') for name in FIELDS] + [
    both("JSON with escapes", JSON, LOGIN),
    both("JSON in ASCII", JSON, '{"user": "ada", "password": "<<password|json ascii>>"}'),
    both("JSON with slashes escaped", JSON, '{"access_token": "<<base64|json slashes>>", "n": 1}'),
    both("JSON with every character escaped", JSON, '{"access_token": "<<word|json all>>", "n": 1}'),
    both("JSON with an escaped name", JSON, '{"user": "ada", "pass\\u0077ord": "<<word>>"}'),
    both("JSON nested", JSON, '{"auth": {"credentials": [{"accessToken": "<<word>>"}, {"accessToken": "<<word>>"}]}}'),
    both("JSON pretty", JSON, '{\n  "user" : "ada",\n  "password" : "<<simple>>"\n}\n'),
    both("JSON in JSON", JSON, '{"payload": "{\\"access_token\\": \\"<<word>>\\", \\"n\\": 1}"}'),
    both("JSON twice in JSON", JSON, '{"a": "{\\"b\\": \\"{\\\\\\"api_key\\\\\\": \\\\\\"<<word>>\\\\\\"}\\"}"}'),
    both("JSON of another type", TEXT, TOKEN),
    both("JSON API", "application/vnd.api+json", '{"data": {"attributes": {"api-key": "<<word>>"}}}'),
    both("JSON lines", "application/x-ndjson", '{"n": 1}\n{"access_token": "<<word>>"}\n{"api_key": "<<word>>"}\n'),
    both("JSON with a number", JSON, '{"user": "ada", "passcode": <<digits>>}'),
    both("JSON that breaks off", JSON, '{"user": "ada", "password": "<<word>>", "list": [1, 2'),
    both("JSON in base64", JSON, '{"payload": "eyJhcGlfa2V5IjogIg==", "data": "<<jwt>>"}'),
    both("JSON with basic credentials", JSON, '{"auths": {"registry.example.com": {"auth": "<<word|user>>"}}}'),
    both("JSON with a header", JSON, '{"headers": {"Authorization": "Bearer <<word>>", "Accept": "*/*"}}'),
    both("JSON with a URL", JSON, '{"url": "https://api.example.com/?api_key=<<word>>&page=2"}'),
    both("JSON with credentials in a URL", JSON, '{"url": "postgres://app:<<word>>@db.example.com/main"}'),
    both("JSON with names and values", JSON, '{"accessToken":"<<word>>","refreshToken":"<<word>>","expiresIn":3600}'),
    both(
        "service account",
        JSON,
        '{"type": "service_account", "private_key_id": "<<hex32>>", "private_key": '
        '"-----BEGIN PRIVATE KEY-----\\n<<key|json>>\\n-----END PRIVATE KEY-----\\n"}',
    ),
    both("cloud credentials", JSON, '{"AccessKeyId": "<<issuer aws key id>>", "SecretAccessKey": "<<word>>"}'),
    both("JSON of more than 64 KiB", JSON, '{"text": "' + "lorem ipsum dolor " * 4200 + '", "access_token": "<<word>>"}'),
    both("JSON in small chunks", JSON, TOKEN, chunk=7),
    both("JSON in gzip", JSON, LOGIN, coding="gzip"),
    both("JSON in deflate", JSON, LOGIN, coding="deflate"),
    both("text in gzip", TEXT, "use Bearer <<word>> or <<issuer npm>>\n", coding="gzip"),
    got("events", "text/event-stream", 'data: {"n": 1}\n\ndata: {"access_token": "<<word>>"}\n\n', chunk=25),
    sent("login with a JSON answer", JSON, LOGIN, Message([("Content-Type", JSON)], TOKEN)),
]

GRAPHQL = [
    sent(
        "GraphQL variables",
        JSON,
        '{"query": "mutation($p: String!) { login(password: $p) { ok } }", "variables": {"password": "<<word>>"}}',
    ),
    sent("GraphQL argument", JSON, '{"query": "mutation { login(user: \\"ada\\", password: \\"<<word>>\\") { ok } }"}'),
    sent("GraphQL argument without a space", JSON, '{"query": "mutation{login(password:\\"<<word>>\\"){ok}}"}'),
    sent("GraphQL input object", JSON, '{"query": "mutation{login(in:{apiKey:\\"<<word>>\\",password:\\"<<word>>\\"}){ok}}"}'),
    sent("GraphQL alone", "application/graphql", 'mutation { login(password: "<<word>>") { ok } }'),
]


def oauth(name, fields, answer=TOKEN):
    return sent(f"OAuth {name}", FORM, fields, Message([("Content-Type", JSON)], answer))


OAUTH = [
    oauth("code", "grant_type=authorization_code&code=<<word>>&code_verifier=<<verifier>>&redirect_uri=https%3A%2F%2Fa"),
    oauth("refresh", "grant_type=refresh_token&refresh_token=<<word>>&client_id=app", '{"refresh_token": "<<long>>"}'),
    oauth("client credentials", "grant_type=client_credentials&client_id=app&client_secret=<<word>>"),
    oauth("password", "grant_type=password&username=ada&password=<<password|plus>>"),
    oauth("device", "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Adevice_code&device_code=<<word>>"),
    oauth("device codes", "client_id=app&scope=a", '{"device_code": "<<word>>", "expires_in": 600, "interval": 5}'),
    oauth("JWT bearer", "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=<<jwt>>"),
    oauth(
        "token exchange",
        "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Atoken-exchange&subject_token=<<word>>&actor_token=<<word>>",
    ),
    oauth("client assertion", "grant_type=client_credentials&client_assertion=<<jwt>>"),
    oauth("revocation", "token=<<word>>&token_type_hint=refresh_token", '{"revoked": true}'),
    oauth("introspection", "token=<<base64url>>", '{"active": true, "scope": "read"}'),
    oauth("id token", "grant_type=authorization_code&code=<<word>>", '{"id_token": "<<jwt>>", "access_token": "<<hs256>>"}'),
    oauth("registration", "x=1", '{"client_id": "app", "client_secret": "<<word>>", "registration_access_token": "<<word>>"}'),
    sent("OAuth SAML", FORM, "SAMLResponse=<<account|percent>>&RelayState=home"),
    sent("form login", FORM, "user=ada&password=<<password|plus>>&next=%2Fhome"),
    sent("form login percent-encoded", FORM, "user=ada&password=<<password|percent>>"),
    sent("form with a CSRF token", FORM, "authenticity_token=<<base64|percent>>&commit=Save"),
    sent("form of Django", FORM, "csrfmiddlewaretoken=<<long>>&q=1"),
    sent("form of ASP.NET", FORM, "__RequestVerificationToken=<<base64url>>&q=1"),
    sent("form with brackets", FORM, "user%5Bname%5D=ada&user%5Bpassword%5D=<<simple|percent>>"),
    sent("form in gzip", FORM, "user=ada&password=<<word>>", coding="gzip"),
]

SOAP = (
    '<?xml version="1.0"?><s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Header><wsse:Security>'
    "<wsse:UsernameToken><wsse:Username>ada</wsse:Username>"
    '<wsse:Password Type="http://docs.example.com/#PasswordText"><<simple>></wsse:Password></wsse:UsernameToken>'
    "</wsse:Security></s:Header><s:Body/></s:Envelope>"
)
XMLS = [
    both("XML element", XML, "<login><user>ada</user><password><<simple>></password></login>"),
    both("XML with entities", XML, "<login><user>ada</user><password><<password|html>></password></login>"),
    both("XML CDATA", XML, "<login><user>ada</user><password><![CDATA[<<password>>]]></password></login>"),
    both("XML with a name space", XML, '<a:login xmlns:a="urn:a"><a:apiKey><<word>></a:apiKey></a:login>'),
    both("XML of STS", "text/xml", "<Credentials><SecretAccessKey><<word>></SecretAccessKey><SessionToken><<account>></SessionToken></Credentials>"),
    both("XML attribute", XML, '<server name="db" password="<<simple>>"/>'),
    both("SOAP", "text/xml; charset=utf-8", SOAP),
]


def multipart(*parts):
    lines = [f"--edge\r\n{head}\r\n\r\n{content}\r\n" for head, content in parts]
    return "".join(lines) + "--edge--\r\n"


def field(name, rest=""):
    return f'Content-Disposition: form-data; name="{name}"{rest}'


ENV = "DEBUG=true\nSMTP_PASSWORD=<<simple>>\nexport API_KEY=<<word>>\nPORT=8080\n"
MULTIPART = "multipart/form-data; boundary=edge"
MULTIPARTS = [
    sent("multipart field", MULTIPART, multipart((field("user"), "ada"), (field("password"), "<<password>>"))),
    sent("multipart JSON", MULTIPART, multipart((field("meta") + f"\r\nContent-Type: {JSON}", TOKEN))),
    sent("multipart file of variables", MULTIPART, multipart((field("f", '; filename=".env"'), ENV))),
    sent(
        "multipart key",
        MULTIPART,
        multipart((field("f", '; filename="key.pem"'), "-----BEGIN RSA PRIVATE KEY-----\n<<key>>\n-----END RSA PRIVATE KEY-----")),
    ),
    sent(
        "multipart beside bytes",
        MULTIPART,
        multipart((field("photo", '; filename="a.png"'), "\x89PNG\x00\x01"), (field("api_key"), "<<word>>")),
    ),
]


def pem(label, body="<<key>>"):
    return f"-----BEGIN {label}-----\n{body}\n-----END {label}-----\n"


# Keys that look like a digest are told by a name beside them.
CONTEXTS = {"mailgun": "Mailgun"}
TEXTS = [
    both("variables", TEXT, ENV),
    both("variables of PostgreSQL", TEXT, "PGHOST=db\nPGPASSWORD=<<simple>>\n"),
    both("variables in quotes", TEXT, "API_TOKEN=\"<<word>>\"\nDB_PASSWORD='<<simple>>'\n"),
    both("variables of a cloud", TEXT, "AWS_ACCESS_KEY_ID=<<issuer aws key id>>\nAWS_SECRET_ACCESS_KEY=<<word>>\n"),
    both("credentials file", TEXT, "[default]\naws_access_key_id = <<issuer aws key id>>\naws_secret_access_key = <<word>>\n"),
    both("npmrc", TEXT, "registry=https://npm.example.com/\n//npm.example.com/:_authToken=<<word>>\n"),
    both("Azure connection string", TEXT, "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=<<account>>;EndpointSuffix=core"),
    both("service bus", TEXT, "Endpoint=sb://a.example.com/;SharedAccessKeyName=Root;SharedAccessKey=<<base64>>"),
    both("connection string", TEXT, "Server=db;Database=a;User Id=sa;Password=<<word>>;Encrypt=true"),
    both("curl command", TEXT, "curl -H 'Authorization: Bearer <<word>>' https://api.example.com/\n"),
    both("curl command with basic", TEXT, "curl -H 'Authorization: Basic <<word|user>>' https://api.example.com/\n"),
    both("bearer in a sentence", TEXT, "The request had Bearer <<word>> and failed.\n"),
    both("URL in a sentence", TEXT, "GET https://api.example.com/a?api_key=<<word>>&page=2 failed\n"),
    both("Git URL", TEXT, "git clone https://<<issuer github personal>>@github.com/a/b.git\n"),
    both("Git URL with a user", TEXT, "git clone https://x-access-token:<<word>>@github.com/a/b.git\n"),
    *[
        both(f"URL of {scheme}", TEXT, f"{scheme}://app:<<word>>@db.example.com:5432/main\n")
        for scheme in ("postgres", "mysql", "mongodb+srv", "redis", "amqps", "ftp", "ldap")
    ],
    both("redis without a user", TEXT, "redis://:<<word>>@cache.example.com:6379/0\n"),
    both("JWT in a sentence", TEXT, "token <<jwt>> expired\n"),
    both("JWE", TEXT, "token <<jwe>> expired\n"),
    both("private key", TEXT, "Keep this:\n" + pem("PRIVATE KEY") + "thanks\n"),
    both("private key of RSA", TEXT, pem("RSA PRIVATE KEY")),
    both("private key of EC", TEXT, pem("EC PRIVATE KEY")),
    both("private key of OpenSSH", TEXT, pem("OPENSSH PRIVATE KEY")),
    both("encrypted private key", TEXT, pem("ENCRYPTED PRIVATE KEY")),
    both("private key of PGP", TEXT, pem("PGP PRIVATE KEY BLOCK", "\n<<key>>\n=abcd")),
    both("private key in JSON", JSON, '{"pem": "-----BEGIN EC PRIVATE KEY-----\\n<<key|json>>\\n-----END EC PRIVATE KEY-----\\n"}'),
    both("private key in base64", JSON, '{"data": {"tls.key": "<<pem|base64>>"}}'),
    *[both(f"issuer {name}", TEXT, f"use <<issuer {name}>> for {CONTEXTS.get(name, 'this')}\n") for name in ISSUERS],
]

PAGES = [
    got("hidden input", HTML, '<input type="hidden" name="csrf_token" value="<<word>>"><p>Hello</p>'),
    got("hidden input the other way round", HTML, "<input value='<<word>>' name='authenticity_token' type='hidden'>"),
    got("input of ASP.NET", HTML, '<input name="__RequestVerificationToken" type="hidden" value="<<base64url>>" />'),
    got("password input", HTML, '<form><input type="password" name="p" value="<<simple>>"></form>'),
    got("SAML input", HTML, '<input type="hidden" name="SAMLResponse" value="<<account>>">'),
    got("meta", HTML, '<head><meta name="csrf-token" content="<<base64>>"></head>'),
    got("link in a page", HTML, '<a href="https://app.example.com/cb?access_token=<<word>>&amp;page=2">go</a>'),
    got("token of an issuer in a page", HTML, "<pre>export X=<<issuer gitlab personal>></pre>"),
    got("token of an issuer in a script", "text/javascript", 'const key = "<<issuer google api key>>";\n'),
    got("JWT in a script", "text/javascript", 'window.boot = {user: "<<jwt>>"};\n'),
]

FORMS = JSONS + STRUCTURES + GRAPHQL + OAUTH + XMLS + MULTIPARTS + TEXTS + PAGES
