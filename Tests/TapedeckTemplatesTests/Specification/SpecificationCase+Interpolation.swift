extension SpecificationCase {
    static let interpolation: [Self] = [
        Self("No Interpolation", "Hello from {Mustache}!\n", "{}", "Hello from {Mustache}!\n"),
        Self("Basic Interpolation", "Hello, {{subject}}!\n", #"{"subject": "world"}"#, "Hello, world!\n"),
        Self(
            "No Re-interpolation",
            "{{template}}: {{planet}}",
            #"{"template": "{{planet}}", "planet": "Earth"}"#,
            "{{planet}}: Earth"
        ),
        Self(
            "Triple Mustache",
            "These characters should not be HTML escaped: {{{forbidden}}}\n",
            #"{"forbidden": "& \" < >"}"#,
            #"These characters should not be HTML escaped: & " < >\#n"#
        ),
        Self(
            "Ampersand",
            "These characters should not be HTML escaped: {{&forbidden}}\n",
            #"{"forbidden": "& \" < >"}"#,
            #"These characters should not be HTML escaped: & " < >\#n"#
        ),
        Self("Basic Integer Interpolation", #""{{mph}} miles an hour!""#, #"{"mph": 85}"#, #""85 miles an hour!""#),
        Self(
            "Triple Mustache Integer Interpolation",
            #""{{{mph}}} miles an hour!""#,
            #"{"mph": 85}"#,
            #""85 miles an hour!""#
        ),
        Self(
            "Ampersand Integer Interpolation",
            #""{{&mph}} miles an hour!""#,
            #"{"mph": 85}"#,
            #""85 miles an hour!""#
        ),
        Self("Basic Decimal Interpolation", #""{{power}} jiggawatts!""#, #"{"power": 1.21}"#, #""1.21 jiggawatts!""#),
        Self(
            "Triple Mustache Decimal Interpolation",
            #""{{{power}}} jiggawatts!""#,
            #"{"power": 1.21}"#,
            #""1.21 jiggawatts!""#
        ),
        Self(
            "Ampersand Decimal Interpolation",
            #""{{&power}} jiggawatts!""#,
            #"{"power": 1.21}"#,
            #""1.21 jiggawatts!""#
        ),
        Self("Basic Null Interpolation", "I ({{cannot}}) be seen!", #"{"cannot": null}"#, "I () be seen!"),
        Self("Triple Mustache Null Interpolation", "I ({{{cannot}}}) be seen!", #"{"cannot": null}"#, "I () be seen!"),
        Self("Ampersand Null Interpolation", "I ({{&cannot}}) be seen!", #"{"cannot": null}"#, "I () be seen!"),
        Self("Basic Context Miss Interpolation", "I ({{cannot}}) be seen!", "{}", "I () be seen!"),
        Self("Triple Mustache Context Miss Interpolation", "I ({{{cannot}}}) be seen!", "{}", "I () be seen!"),
        Self("Ampersand Context Miss Interpolation", "I ({{&cannot}}) be seen!", "{}", "I () be seen!"),
        Self(
            "Dotted Names - Basic Interpolation",
            #""{{person.name}}" == "{{#person}}{{name}}{{/person}}""#,
            #"{"person": {"name": "Joe"}}"#,
            #""Joe" == "Joe""#
        ),
        Self(
            "Dotted Names - Triple Mustache Interpolation",
            #""{{{person.name}}}" == "{{#person}}{{{name}}}{{/person}}""#,
            #"{"person": {"name": "Joe"}}"#,
            #""Joe" == "Joe""#
        ),
        Self(
            "Dotted Names - Ampersand Interpolation",
            #""{{&person.name}}" == "{{#person}}{{&name}}{{/person}}""#,
            #"{"person": {"name": "Joe"}}"#,
            #""Joe" == "Joe""#
        ),
        Self(
            "Dotted Names - Arbitrary Depth",
            #""{{a.b.c.d.e.name}}" == "Phil""#,
            #"{"a": {"b": {"c": {"d": {"e": {"name": "Phil"}}}}}}"#,
            #""Phil" == "Phil""#
        ),
        Self("Dotted Names - Broken Chains", #""{{a.b.c}}" == """#, #"{"a": {}}"#, #""" == """#),
        Self(
            "Dotted Names - Broken Chain Resolution",
            #""{{a.b.c.name}}" == """#,
            #"{"a": {"b": {}}, "c": {"name": "Jim"}}"#,
            #""" == """#
        ),
        Self(
            "Dotted Names - Initial Resolution",
            #""{{#a}}{{b.c.d.e.name}}{{/a}}" == "Phil""#,
            #"{"a": {"b": {"c": {"d": {"e": {"name": "Phil"}}}}}, "b": {"c": {"d": {"e": {"name": "Wrong"}}}}}"#,
            #""Phil" == "Phil""#
        ),
        Self("Dotted Names - Context Precedence", "{{#a}}{{b.c}}{{/a}}", #"{"a": {"b": {}}, "b": {"c": "ERROR"}}"#, ""),
        Self("Dotted Names are never single keys", "{{a.b}}", #"{"a.b": "c"}"#, ""),
        Self("Dotted Names - No Masking", "{{a.b}}", #"{"a.b": "c", "a": {"b": "d"}}"#, "d"),
        Self("Implicit Iterators - Basic Interpolation", "Hello, {{.}}!\n", #""world""#, "Hello, world!\n"),
        Self(
            "Implicit Iterators - Triple Mustache",
            "These characters should not be HTML escaped: {{{.}}}\n",
            #""& \" < >""#,
            #"These characters should not be HTML escaped: & " < >\#n"#
        ),
        Self(
            "Implicit Iterators - Ampersand",
            "These characters should not be HTML escaped: {{&.}}\n",
            #""& \" < >""#,
            #"These characters should not be HTML escaped: & " < >\#n"#
        ),
        Self(
            "Implicit Iterators - Basic Integer Interpolation",
            #""{{.}} miles an hour!""#,
            "85",
            #""85 miles an hour!""#
        ),
        Self("Interpolation - Surrounding Whitespace", "| {{string}} |", #"{"string": "---"}"#, "| --- |"),
        Self("Triple Mustache - Surrounding Whitespace", "| {{{string}}} |", #"{"string": "---"}"#, "| --- |"),
        Self("Ampersand - Surrounding Whitespace", "| {{&string}} |", #"{"string": "---"}"#, "| --- |"),
        Self("Interpolation - Standalone", "  {{string}}\n", #"{"string": "---"}"#, "  ---\n"),
        Self("Triple Mustache - Standalone", "  {{{string}}}\n", #"{"string": "---"}"#, "  ---\n"),
        Self("Ampersand - Standalone", "  {{&string}}\n", #"{"string": "---"}"#, "  ---\n"),
        Self("Interpolation With Padding", "|{{ string }}|", #"{"string": "---"}"#, "|---|"),
        Self("Triple Mustache With Padding", "|{{{ string }}}|", #"{"string": "---"}"#, "|---|"),
        Self("Ampersand With Padding", "|{{& string }}|", #"{"string": "---"}"#, "|---|"),
    ]
}
