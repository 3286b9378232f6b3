#!/usr/bin/env python3
"""Asks for a URL until it answers with success, and says when that was, in milliseconds since 1970."""

import sys
import time
import urllib.request

while True:
    try:
        urllib.request.urlopen(sys.argv[1], timeout=1).close()
        break
    except OSError:
        time.sleep(0.005)
print(int(time.time() * 1000))
