"""Kinds of secrets, made up from a source of randomness, and the ways in which a text spells them."""

import base64
import json
import string
import urllib.parse

LOWER = string.ascii_lowercase
UPPER = string.ascii_uppercase
LETTERS = string.ascii_letters
DIGITS = string.digits
WORD = LETTERS + DIGITS
URL = WORD + "-_"
HEX = "0123456789abcdef"


def draw(source, letters, count):
    return "".join(source.choice(letters) for _ in range(count))


def b64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def jwt(source, header=None, claims=None):
    header = header or {"alg": "RS256", "typ": "JWT", "kid": "k1"}
    claims = claims or {"iss": "https://id.example.com", "sub": draw(source, WORD, 12), "exp": 4102444800}
    parts = [b64url(json.dumps(part).encode()) for part in (header, claims)]
    return ".".join(parts) + ".", b64url(source.randbytes(64))


def lines(source, count, width=64):
    """The base64 lines of a key in PEM."""
    return "\n".join(draw(source, WORD + "+/", width) for _ in range(count))


# Each makes what is public about a secret and stands before it, what must not be kept, and maybe a public end.
GENERAL = {
    "word": lambda s: ("", draw(s, WORD, 32)),
    "long": lambda s: ("", draw(s, WORD, 64)),
    "hex": lambda s: ("", draw(s, HEX, 64)),
    "hex32": lambda s: ("", draw(s, HEX, 32)),
    "base64": lambda s: ("", base64.b64encode(s.randbytes(32)).decode()),
    "base64url": lambda s: ("", b64url(s.randbytes(32))),
    "uuid": lambda s: ("", "-".join(draw(s, HEX, n) for n in (8, 4, 4, 4, 12))),
    "digits": lambda s: ("", draw(s, DIGITS, 12)),
    # As people choose them, with a digit; and with characters that every place has to escape in its own way.
    "password": lambda s: ("", draw(s, WORD, 12) + '7"\\&%/+ü<' + draw(s, WORD, 12)),
    "simple": lambda s: ("", draw(s, WORD, 9) + "7!" + draw(s, WORD, 9)),
    "verifier": lambda s: ("", draw(s, WORD + "-._~", 64)),
    "jwt": lambda s: jwt(s),
    "hs256": lambda s: jwt(s, {"alg": "HS256"}, {"sub": draw(s, DIGITS, 10), "scope": "read write"}),
    "jwe": lambda s: (
        b64url(b'{"alg":"RSA-OAEP","enc":"A256GCM"}') + ".",
        ".".join(b64url(s.randbytes(n)) for n in (96, 12, 48, 16)),
    ),
    "key": lambda s: ("", lines(s, 6)),
    "pem": lambda s: ("-----BEGIN PRIVATE KEY-----\n", lines(s, 6), "\n-----END PRIVATE KEY-----\n"),
    "readme": lambda s: ("# Read me\n\nThe token of the example is ghp_", draw(s, WORD, 36), " and more text follows it here.\n"),
    "account": lambda s: ("", base64.b64encode(s.randbytes(64)).decode()),
}


def issued(start, letters, count, end=""):
    return lambda source: (start, draw(source, letters, count), end)


# Tokens as issuers document them. Those of letters alone are as likely as the issuer's alphabet makes them.
ISSUERS = {
    "github personal": issued("ghp_", WORD, 36),
    "github personal of letters": issued("ghp_", LETTERS, 36),
    "github oauth": issued("gho_", WORD, 36),
    "github user": issued("ghu_", WORD, 36),
    "github server": issued("ghs_", WORD, 36),
    "github refresh": issued("ghr_", WORD, 36),
    "github fine-grained": lambda s: ("github_pat_", draw(s, WORD, 22) + "_" + draw(s, WORD, 59)),
    "gitlab personal": issued("glpat-", URL.replace("-", ""), 20),
    "gitlab personal of letters": issued("glpat-", LETTERS, 20),
    "gitlab deploy": issued("gldt-", WORD, 20),
    "gitlab runner": issued("glrt-", WORD, 20),
    "gitlab trigger": issued("glptt-", HEX, 40),
    "aws key id": issued("AKIA", UPPER + "234567", 16),
    "aws key id of letters": issued("AKIA", UPPER, 16),
    "aws temporary key id": issued("ASIA", UPPER + "234567", 16),
    "google api key": issued("AIza", WORD, 35),
    "google access token": issued("ya29.", WORD, 60),
    "google client secret": issued("GOCSPX-", WORD, 28),
    "google client secret of letters": issued("GOCSPX-", LETTERS, 28),
    "slack bot": lambda s: ("xoxb-", draw(s, DIGITS, 12) + "-" + draw(s, DIGITS, 12) + "-" + draw(s, WORD, 24)),
    "slack user": lambda s: (
        "xoxp-",
        "-".join(draw(s, DIGITS, 12) for _ in range(3)) + "-" + draw(s, HEX, 32),
    ),
    "slack app": lambda s: (
        "xapp-1-",
        "A" + draw(s, UPPER + DIGITS, 10) + "-" + draw(s, DIGITS, 13) + "-" + draw(s, HEX, 64),
    ),
    "slack webhook": lambda s: (
        "https://hooks.slack.com/services/",
        f"T{draw(s, UPPER + DIGITS, 8)}/B{draw(s, UPPER + DIGITS, 8)}/{draw(s, WORD, 24)}",
    ),
    "stripe secret": issued("sk_live_", WORD, 24),
    "stripe secret of letters": issued("sk_live_", LETTERS, 24),
    "stripe restricted": issued("rk_live_", WORD, 24),
    "stripe webhook": issued("whsec_", WORD, 32),
    "openai": issued("sk-proj-", WORD, 74),
    "anthropic": issued("sk-ant-api03-", URL, 93, "AA"),
    "npm": issued("npm_", WORD, 36),
    "pypi": issued("pypi-AgEIcHlwaS5vcmc", URL, 76),
    "docker": issued("dckr_pat_", WORD, 27),
    "docker of letters": issued("dckr_pat_", LETTERS, 27),
    "sendgrid": lambda s: ("SG.", draw(s, WORD, 22) + "." + draw(s, WORD, 43)),
    "twilio key": issued("SK", HEX, 32),
    "mailgun": issued("key-", HEX, 32),
    "shopify": issued("shpat_", HEX, 32),
    "shopify secret": issued("shpss_", HEX, 32),
    "digitalocean": issued("dop_v1_", HEX, 64),
    "hugging face": issued("hf_", LETTERS, 34),
    "databricks": issued("dapi", HEX, 32),
    "linear": issued("lin_api_", WORD, 40),
    "postman": lambda s: ("PMAK-", draw(s, HEX, 24) + "-" + draw(s, HEX, 34)),
    "rubygems": issued("rubygems_", HEX, 48),
    "grafana": issued("glsa_", WORD, 32, "_0123abcd"),
    "grafana cloud": issued("glc_eyJ", WORD, 60),
    "vault": issued("hvs.", URL.replace("-", ""), 95),
    "square": issued("sq0csp-", WORD, 43),
    "telegram": lambda s: (draw(s, DIGITS, 10) + ":AA", draw(s, WORD, 33)),
    "age": issued("AGE-SECRET-KEY-1", "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58),
    "doppler": issued("dp.pt.", WORD, 43),
    "new relic": issued("NRAK-", UPPER + DIGITS, 27),
    "atlassian": issued("ATATT3", URL, 186),
    "perplexity": issued("pplx-", WORD, 48),
    "planetscale": issued("pscale_tkn_", WORD, 43),
    "supabase": issued("sbp_", HEX, 40),
    "prefect": issued("pnu_", LOWER + DIGITS, 36),
    "pulumi": issued("pul-", HEX, 40),
    "replicate": issued("r8_", WORD, 37),
    "notion": issued("ntn_", WORD, 46),
    "figma": issued("figd_", URL.replace("-", ""), 40),
    "dynatrace": lambda s: ("dt0c01.", draw(s, UPPER + "234567", 24) + "." + draw(s, UPPER + "234567", 64)),
    "sentry": issued("sntryu_", HEX, 64),
    "brevo": lambda s: ("xkeysib-", draw(s, HEX, 64) + "-" + draw(s, WORD, 16)),
    "groq": issued("gsk_", WORD, 52),
    "airtable": lambda s: ("pat", draw(s, WORD, 14) + "." + draw(s, HEX, 64)),
    "artifactory": issued("AKCp", WORD, 69),
    "easypost": issued("EZAK", WORD, 54),
    "hashicorp": lambda s: (draw(s, WORD, 14), ".atlasv1." + draw(s, WORD, 67)),
    "tavily": issued("tvly-", WORD, 32),
    "pinecone": lambda s: ("pcsk_", draw(s, WORD, 6) + "_" + draw(s, WORD, 60)),
    "e2b": issued("e2b_", HEX, 40),
    "jina": issued("jina_", WORD, 60),
    "weights and biases": lambda s: ("wandb_v1_", draw(s, WORD, 27) + "_" + draw(s, WORD, 50)),
    "posthog": issued("phx_", WORD, 43),
    "apify": issued("apify_api_", WORD, 36),
    "slack client": lambda s: (
        "xoxc-",
        "-".join(draw(s, DIGITS, 12) for _ in range(3)) + "-" + draw(s, HEX, 64),
    ),
    "bitbucket": lambda s: ("ATBB", draw(s, WORD, 24) + draw(s, DIGITS + "ABCDEF", 8)),
    "hubspot": lambda s: ("pat-na1-", "-".join(draw(s, HEX, n) for n in (8, 4, 4, 4, 12))),
    "xai": issued("xai-", WORD, 80),
    "openrouter": issued("sk-or-v1-", HEX, 64),
    "langsmith": lambda s: ("lsv2_pt_", draw(s, HEX, 32) + "_" + draw(s, HEX, 10)),
    "nvidia": issued("nvapi-", URL, 64),
    "render": issued("rnd_", WORD, 28),
    # The end is a signature's: a full stop there is the sentence's.
    "github app": lambda s: ("ghs_", draw(s, WORD + "_.-", 79) + draw(s, URL, 1)),
    "flutterwave": issued("FLWSECK-", HEX, 32, "-X"),
}

KINDS = {**GENERAL, **{f"issuer {name}": make for name, make in ISSUERS.items()}}


def html(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")


# How a template writes a value.
FORMS = {
    "": lambda text: text,
    "percent": lambda text: urllib.parse.quote(text, safe=""),
    "plus": urllib.parse.quote_plus,
    "percent lower": lambda text: "".join(
        c if c in WORD else "".join(f"%{byte:02x}" for byte in c.encode()) for c in text
    ),
    "percent all": lambda text: "".join(f"%{byte:02X}" for byte in text.encode()),
    "percent twice": lambda text: urllib.parse.quote(urllib.parse.quote(text, safe=""), safe=""),
    "json": lambda text: json.dumps(text, ensure_ascii=False)[1:-1],
    "json ascii": lambda text: json.dumps(text)[1:-1],
    "json slashes": lambda text: json.dumps(text)[1:-1].replace("/", "\\/"),
    "json twice": lambda text: json.dumps(json.dumps(text)[1:-1])[1:-1],
    "json all": lambda text: "".join(f"\\u{ord(c):04x}" for c in text),
    "html": html,
    "base64": lambda text: base64.b64encode(text.encode()).decode(),
    "base64url": lambda text: b64url(text.encode()),
    "user": lambda text: base64.b64encode(f"ada:{text}".encode()).decode(),
    "hexdump": lambda text: text.encode().hex(),
}

# How much of a secret gives it away, in characters.
WINDOW = 12


def spellings(text):
    """The bytes that would give a part of a secret away: as it is, and in every form."""
    raw = text.encode()
    found = {FORMS[name](text).encode() for name in FORMS if name not in ("base64", "base64url", "user", "hexdump")}
    found |= {raw, raw.hex().encode(), raw.hex().upper().encode()}
    for shift in range(3):
        # Only the characters that nothing around it can change.
        packed = base64.b64encode(b"\0" * shift + raw + b"\0\0")
        inner = packed[-(-shift * 8 // 6) : (shift + len(raw)) * 8 // 6]
        found |= {inner, inner.replace(b"+", b"-").replace(b"/", b"_")}
    return found


def windows(text):
    """The parts of a secret that are looked for: its beginning, its middle and its end."""
    if len(text) <= WINDOW:
        return {text}
    middle = (len(text) - WINDOW) // 2
    return {text[:WINDOW], text[middle : middle + WINDOW], text[-WINDOW:]}
