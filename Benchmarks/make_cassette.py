#!/usr/bin/env python3
"""Writes a cassette of SETS response sets, half http, half https, all with the body in a file.

    make_cassette.py SETS BODY_FILE > tape.yaml
"""

import sys

SET = """\
  - name: {name}
    request:
      method: GET
      url: {scheme}://api.example.test/items/{number}
    variants:
      - name: recorded
        takes:
          - status: 200
            headers:
              - content-type: text/plain
              - content-length: "{length}"
            body:
              text: |-
                {text}
"""


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
            sys.stdout.write(SET.format(name=name, scheme=scheme, number=number, length=len(text), text=text))


main()
