extension SpecificationCase {
    static let inverted: [Self] = [
        Self(
            "Falsey",
            #""{{^boolean}}This should be rendered.{{/boolean}}""#,
            #"{"boolean": false}"#,
            #""This should be rendered.""#
        ),
        Self("Truthy", #""{{^boolean}}This should not be rendered.{{/boolean}}""#, #"{"boolean": true}"#, #""""#),
        Self(
            "Null is falsey",
            #""{{^null}}This should be rendered.{{/null}}""#,
            #"{"null": null}"#,
            #""This should be rendered.""#
        ),
        Self("Context", #""{{^context}}Hi {{name}}.{{/context}}""#, #"{"context": {"name": "Joe"}}"#, #""""#),
        Self("List", #""{{^list}}{{n}}{{/list}}""#, #"{"list": [{"n": 1}, {"n": 2}, {"n": 3}]}"#, #""""#),
        Self("Empty List", #""{{^list}}Yay lists!{{/list}}""#, #"{"list": []}"#, #""Yay lists!""#),
        Self(
            "Doubled",
            "{{^bool}}\n* first\n{{/bool}}\n* {{two}}\n{{^bool}}\n* third\n{{/bool}}\n",
            #"{"bool": false, "two": "second"}"#,
            "* first\n* second\n* third\n"
        ),
        Self(
            "Nested (Falsey)",
            "| A {{^bool}}B {{^bool}}C{{/bool}} D{{/bool}} E |",
            #"{"bool": false}"#,
            "| A B C D E |"
        ),
        Self("Nested (Truthy)", "| A {{^bool}}B {{^bool}}C{{/bool}} D{{/bool}} E |", #"{"bool": true}"#, "| A  E |"),
        Self(
            "Context Misses",
            "[{{^missing}}Cannot find key 'missing'!{{/missing}}]",
            "{}",
            "[Cannot find key 'missing'!]"
        ),
        Self(
            "Dotted Names - Truthy",
            #""{{^a.b.c}}Not Here{{/a.b.c}}" == """#,
            #"{"a": {"b": {"c": true}}}"#,
            #""" == """#
        ),
        Self(
            "Dotted Names - Falsey",
            #""{{^a.b.c}}Not Here{{/a.b.c}}" == "Not Here""#,
            #"{"a": {"b": {"c": false}}}"#,
            #""Not Here" == "Not Here""#
        ),
        Self(
            "Dotted Names - Broken Chains",
            #""{{^a.b.c}}Not Here{{/a.b.c}}" == "Not Here""#,
            #"{"a": {}}"#,
            #""Not Here" == "Not Here""#
        ),
        Self(
            "Surrounding Whitespace",
            " | {{^boolean}}\t|\t{{/boolean}} | \n",
            #"{"boolean": false}"#,
            " | \t|\t | \n"
        ),
        Self(
            "Internal Whitespace",
            " | {{^boolean}} {{! Important Whitespace }}\n {{/boolean}} | \n",
            #"{"boolean": false}"#,
            " |  \n  | \n"
        ),
        Self(
            "Indented Inline Sections",
            " {{^boolean}}NO{{/boolean}}\n {{^boolean}}WAY{{/boolean}}\n",
            #"{"boolean": false}"#,
            " NO\n WAY\n"
        ),
        Self(
            "Standalone Lines",
            "| This Is\n{{^boolean}}\n|\n{{/boolean}}\n| A Line\n",
            #"{"boolean": false}"#,
            "| This Is\n|\n| A Line\n"
        ),
        Self(
            "Standalone Indented Lines",
            "| This Is\n  {{^boolean}}\n|\n  {{/boolean}}\n| A Line\n",
            #"{"boolean": false}"#,
            "| This Is\n|\n| A Line\n"
        ),
        Self("Standalone Line Endings", "|\r\n{{^boolean}}\r\n{{/boolean}}\r\n|", #"{"boolean": false}"#, "|\r\n|"),
        Self("Standalone Without Previous Line", "  {{^boolean}}\n^{{/boolean}}\n/", #"{"boolean": false}"#, "^\n/"),
        Self("Standalone Without Newline", "^{{^boolean}}\n/\n  {{/boolean}}", #"{"boolean": false}"#, "^\n/\n"),
        Self("Padding", "|{{^ boolean }}={{/ boolean }}|", #"{"boolean": false}"#, "|=|"),
    ]
}
