/// Documents that our reader and Yams must understand alike; also the seeds of the fuzz tests.
enum YAMLSamples {
    static let accepted: [String] = [
        "", "# only a comment\n", "---\n", "---\n...\n", "plain", "--- plain\n", "'quoted'", "a: 1\n", "a: 1",
        "%YAML 1.2\n---\na: 1\n...\n# after\n", "# c\n\n---\n# c\na: 1\n", "\u{FEFF}a: 1\n",
        "a: 1\nb: two words\nc:   spaced   out   \nd:\n", "a:\n  b:\n    c: 1\n  d: 2\ne: 3\n",
        "a:\n- 1\n- 2\nb: 3\n", "a:\n  - 1\n  -\n  - 2\n", "- 1\n- - 2\n  - 3\n- - - 4\n",
        "- name: x\n  value: y\n- name: z\n  list:\n  - 1\n  - 2\n", "-\n  a: 1\n-   b: 2\n    c: 3\n",
        "- a: 1\n\n  # comment\n\n  b: 2\n# comment\n- c\n", "-\n- a\n-\n", "a:\n  - - 1\n    - 2\n  - b: 1\n",
        "a: {b: 1, c: [1, 2, {d: e}], f: }\n", "[]", "{}", "a: []\nb: {}\n", "[a, b, c,]\n", "{a: 1, b: 2,}\n",
        "a: [\n  1, # one\n  2,\n\n  3\n]\n", "a: {\n  b: 1,\n  # c\n  c: two\n     words,\n  }\n", "[a: 1, b: 2]\n",
        "{\"a\":1, 'b': 2}\n", "[http://example.com/a?b=c, x:y]\n", "{a: http://example.com/, b: c}\n",
        "[[1, 2], [3, [4]], {a: [b]}]\n", "{a, b: c}\n", "[a\n  b, c]\n", "- [a, 'b, c', \"d\"]\n- {e: f}\n",
        "url: https://example.com:8080/a?b=c#d\n", "a: b #c\nd: e#f\ng: 'h' # i\n", "a: -b\n",
        "a: one\n  two\n  three\n\n  four\nb: 5\n", "a:\n  one\n  two\n", "- one\n  two\n- three\n",
        "one\ntwo\n\nthree\n", "a: 'it''s'\nb: ''\nc: 'x: y # z'\n", "a: 'one\n  two\n\n  three'\n",
        "a: \"one\n  two\n\n\n  three  \n  \"\n",
        #"a: "\0\a\b\t\n\v\f\r\e\"\/\\\N\_\L\P\x41\u00e9\U0001F600 \  end"\#n"#,
        "a: \"one\\\n  two \\\n  \\ three\"\n", "a: \"one \\\n\n  two\"\n", "\"key\": 'v'\n'k 2' : v\n",
        "a: |\n  one\n   two\n\n  three\nb: 1\n", "a: |-\n  one\n  two\n\nb: 1\n", "a: |+\n  one\n\n\nb: 1\n",
        "a: |2\n    one\n  two\n", "a: |2-\n   one\nb: |-2\n   one\nc: >+1\n  x\n\n", "a: |\n\n\n  one\n  \n  two\n",
        "a: |   # comment\n  one\n# comment\nb: 1\n", "a: |\nb: 1\n", "a: |+\n\n\nb: 1\n", "a: >\n\nb: |-\n\nc: 1\n",
        "a: |\n  no line end", "a: |-\n  x\n  ", "a: |\n  x\n     \n  y\n", "- |\n  one\n- >\n  two\n  three\n",
        "--- |\n  a\n", "a: >\n  one\n  two\n\n  three\n    deeper\n    still\n\n  four\n\n\n",
        "a: >-\n  one\n  two\n\n\n", "a: >+\n  x\n\n", "a: >\n\n  one\n   two\n  three\n",
        "a: >\n    deep\n\n     deeper\n\n    back\n", "a: >\n  x\n  \ty\n  z\n",
        "a: |\n  tab\tinside\t\n  emoji 😀 é\n", "ключ: значение\n日本: 語\n", "a b c: d e f\n'': x\n",
        "a:\tb\nc: d\t# e\n", "x: ?y\nz: :a\nw: -b\nv: a-b\n", "a: ~\nb: null\nc: true\nd: 0x1F\n",
        "a: '&x'\nb: \"*x\"\n",
        "a: 1\r\nb:\r\n  - c\r\n  - |\r\n    one\r\n\r\n    two\r\nd: 'e\r\n  f'\r\ng: h\r\n  i\r\n", "a: x!b\n",
        "\"<<\": x\n", "- \"a\": 1\n  'b': 2\n", "a:\n    deep: 1\n    er: 2\nb:\n  c: 3\n", "a: \"one\n  # two\"\n",
        "a: b:c\n", "  a: 1\n  b: 2\n", "a: # c\n  b # d\n# e\nc: d\n",
        "a:\n  # first\n  b: 1\n    # deeper\n  c: 2\n # odd\nd: 3\n", "---\n- a\n- b\n", "a: '---'\nb: x --- y\n",
        Self.cassette,
    ]

    static let cassette = """
        tapedeck: 1
        about: GitHub search, as the app uses it          # optional
        responseSets:
          - name: search repositories
            request:
              method: GET
              url: https://api.github.com/search/repositories   # exactly one
              query: { q: swift }
            variants:
              - name: found                               # first = default
                takes:
                  - status: 200
                    headers:                              # order kept
                      - content-type: application/json; charset=utf-8
                    body:
                      json: |
                        {
                          "total_count": 1
                        }
                      layout: compact
              - name: rate limited
                takes:
                  - status: 403
                    headers:
                      - retry-after: "60"
                    body: { text: API rate limit exceeded }
              - name: offline
                fault: connectionReset
          - name: one repository
            request:
              method: GET
              urlPattern: https://api\\.github\\.com/repos/(?<owner>[^/]+)/(?<name>[^/]+)   # whole
            variants:
              - name: found
                template: true
                takes:
                  - status: 200
                    body: { json: '{"full_name": "{{url.owner}}/{{url.name}}"}' }
        profiles:
          everything down: { "*": offline }

        """
}
