"""A small client of an API, over each of the libraries that a user may have, with clients of their own making."""

from __future__ import annotations

import asyncio
import json
import urllib.error
import urllib.request

import aiohttp
import httpx
import requests
import urllib3

SESSION = requests.Session()
SESSION.trust_env = False
CLIENT = httpx.Client(trust_env=False)
POOLS = urllib3.PoolManager()
OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class NoNetwork(Exception):
    pass


def by_requests(method, url, body=None):
    try:
        response = SESSION.request(method, url, data=body, timeout=10)
    except requests.ConnectionError as error:
        raise NoNetwork from error
    return response.status_code, response.content


def by_httpx(method, url, body=None):
    try:
        response = CLIENT.request(method, url, content=body, timeout=10)
    except httpx.TransportError as error:
        raise NoNetwork from error
    return response.status_code, response.content


def by_httpx_async(method, url, body=None):
    async def ask():
        async with httpx.AsyncClient(timeout=10) as client:
            return await client.request(method, url, content=body)

    try:
        response = asyncio.run(ask())
    except httpx.TransportError as error:
        raise NoNetwork from error
    return response.status_code, response.content


def by_aiohttp(method, url, body=None):
    async def ask():
        async with aiohttp.ClientSession() as session, session.request(method, url, data=body) as response:
            return response.status, await response.read()

    try:
        return asyncio.run(ask())
    except aiohttp.ClientError as error:
        raise NoNetwork from error


def by_urllib3(method, url, body=None):
    try:
        response = POOLS.request(method, url, body=body, retries=False, timeout=10)
    except urllib3.exceptions.HTTPError as error:
        raise NoNetwork from error
    return response.status, response.data


def by_urllib(method, url, body=None):
    try:
        with OPENER.open(urllib.request.Request(url, data=body, method=method), timeout=10) as response:
            return response.status, response.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read()
    except OSError as error:
        raise NoNetwork from error


LIBRARIES = {
    "requests": by_requests,
    "httpx": by_httpx,
    "httpx-async": by_httpx_async,
    "aiohttp": by_aiohttp,
    "urllib3": by_urllib3,
    "urllib": by_urllib,
}


class GitHub:
    def __init__(self, library="requests"):
        self.ask = LIBRARIES[library]

    def login(self, user, password):
        body = json.dumps({"user": user, "password": password}).encode()
        status, content = self.ask("POST", "https://api.github.example/login", body)
        return json.loads(content)["name"] if status == 200 else None

    def user(self, login):
        status, content = self.ask("GET", f"http://api.github.example/users/{login}")
        return json.loads(content)["name"] if status == 200 else None
