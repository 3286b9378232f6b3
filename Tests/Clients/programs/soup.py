"""Prints what a URL answers, by libsoup 3."""

import sys

import gi

gi.require_version("Soup", "3.0")
from gi.repository import Soup  # noqa: E402

body = Soup.Session().send_and_read(Soup.Message.new("GET", sys.argv[1]), None)
sys.stdout.buffer.write(body.get_data())
