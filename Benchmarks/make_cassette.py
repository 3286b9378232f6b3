#!/usr/bin/env python3
"""Writes a cassette of SETS response sets, half http, half https, all with the body in a file.

    make_cassette.py SETS BODY_FILE > tape.yaml
"""

import sys

from support import response_set


def main():
    count = int(sys.argv[1])
    with open(sys.argv[2], encoding="ascii") as file:
        text = file.read()
    if "\n" in text or text != text.strip():
        sys.exit("make_cassette.py: the body must be one line without spaces at its ends")
    sys.stdout.write("tapedeck: 1\nresponseSets:\n")
    for number in range(count // 2):
        for scheme, name in (("http", f"GET api.example.test/items/{number}"),
                             ("https", f"GET https://api.example.test/items/{number}")):
            url = f"{scheme}://api.example.test/items/{number}"
            sys.stdout.write(response_set(name, f"{{ method: GET, url: '{url}' }}", text))


main()
