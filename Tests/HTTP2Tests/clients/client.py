"""Asks for each path, all at the same time. Prints the version, status and body of each answer."""

import asyncio
import ssl
import sys

import httpx


async def main(base, ca, *paths):
    async with httpx.AsyncClient(http2=True, verify=ssl.create_default_context(cafile=ca), timeout=60, trust_env=False) as client:
        async def get(path):
            method, _, target = path.rpartition(" ")
            answer = await client.request(method or "GET", base + target, content=b"abc" if method else None)
            return f"{answer.http_version.removeprefix('HTTP/')} {answer.status_code} {answer.text}"

        print("\n".join(await asyncio.gather(*map(get, paths))))


asyncio.run(main(*sys.argv[1:]))
