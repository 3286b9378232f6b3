"""Sends files and forms, and downloads in ranges: client.py requests|httpx|aiohttp|boto3 URL forward|backward."""

import asyncio
import hashlib
import sys

NAMES = ["a", "b", "c"]
SIZE = 300_000


def content(name):
    return (name.encode() * 7 + bytes(range(256))) * 40


def jobs(order):
    """What is asked, in this run's order, with this run's sizes of pieces."""
    piece = 65_536 if order == "forward" else 50_000
    ranges = [(start, min(start + piece, SIZE) - 1) for start in range(0, SIZE, piece)]
    every = [("upload", name) for name in NAMES] + [("form", name) for name in NAMES] + [("range", one) for one in ranges]
    return every if order == "forward" else every[::-1]


def form(name, order):
    fields = [("name", name), ("text", "naïve & more"), ("tag", "1"), ("tag", "2")]
    return fields if order == "forward" else [fields[1], fields[2], fields[3], fields[0]]


def say(uploads, pieces):
    """The same in every order."""
    for line in sorted(uploads):
        print(line)
    body = b"".join(pieces[start] for start in sorted(pieces))
    print("download", len(body), hashlib.sha256(body).hexdigest())


def simple(ask, url, order):
    uploads, pieces = [], {}
    for kind, value in jobs(order):
        if kind == "upload":
            files = {"file": (f"{value}.bin", content(value), "application/octet-stream"), "note": (None, "of " + value)}
            uploads.append(f"upload {value} " + ask("POST", f"{url}/upload", files=files))
        elif kind == "form":
            uploads.append(f"form {value} " + ask("POST", f"{url}/form", fields=form(value, order)))
        else:
            pieces[value[0]] = ask("GET", f"{url}/blob", headers={"Range": f"bytes={value[0]}-{value[1]}"}, raw=True)
    say(uploads, pieces)


def encoded(fields):
    from urllib.parse import urlencode

    return urlencode(fields), {"Content-Type": "application/x-www-form-urlencoded"}


def with_requests(url, order):
    import requests

    def ask(method, target, files=None, fields=None, headers=None, raw=False):
        response = requests.request(method, target, files=files, data=fields, headers=headers)
        response.raise_for_status()
        return response.content if raw else response.text

    simple(ask, url, order)


def with_httpx(url, order):
    import httpx

    def ask(method, target, files=None, fields=None, headers=None, raw=False):
        body, more = encoded(fields) if fields else (None, {})
        response = httpx.request(method, target, files=files, content=body, headers={**(headers or {}), **more})
        response.raise_for_status()
        return response.content if raw else response.text

    simple(ask, url, order)


def with_aiohttp(url, order):
    import aiohttp

    async def run():
        uploads, pieces = [], {}
        async with aiohttp.ClientSession(trust_env=True, raise_for_status=True) as session:

            async def do(kind, value):
                if kind == "range":
                    fields = {"Range": f"bytes={value[0]}-{value[1]}"}
                    async with session.get(f"{url}/blob", headers=fields) as response:
                        pieces[value[0]] = await response.read()
                    return
                if kind == "upload":
                    data = aiohttp.FormData()
                    data.add_field("file", content(value), filename=f"{value}.bin", content_type="application/octet-stream")
                    data.add_field("note", "of " + value)
                else:
                    data = form(value, order)
                async with session.post(f"{url}/{kind}", data=data) as response:
                    uploads.append(f"{kind} {value} {await response.text()}")

            await asyncio.gather(*[do(kind, value) for kind, value in jobs(order)])
        say(uploads, pieces)

    asyncio.run(run())


def with_boto3(url, order):
    import io

    import boto3
    import boto3.s3.transfer
    import botocore.config

    piece = 5 << 20
    transfer = boto3.s3.transfer.TransferConfig(
        multipart_threshold=piece, multipart_chunksize=piece if order == "forward" else 6 << 20, max_concurrency=4
    )
    s3 = boto3.client(
        "s3", endpoint_url=url, region_name="us-east-1", aws_access_key_id="test", aws_secret_access_key="test",
        config=botocore.config.Config(s3={"addressing_style": "path"}),
    )
    lines = []
    for name in NAMES if order == "forward" else NAMES[::-1]:
        s3.upload_fileobj(io.BytesIO(content(name)), "bucket", name)
        got = io.BytesIO()
        s3.download_fileobj("bucket", name, got)
        lines.append(f"{name} {hashlib.sha256(got.getvalue()).hexdigest()}")
    got = io.BytesIO()
    s3.download_fileobj("bucket", "large", got, Config=transfer)
    lines.append(f"large {hashlib.sha256(got.getvalue()).hexdigest()}")
    print("\n".join(sorted(lines)))


if __name__ == "__main__":
    globals()["with_" + sys.argv[1]](sys.argv[2], sys.argv[3])
