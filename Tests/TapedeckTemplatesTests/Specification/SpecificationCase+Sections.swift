extension SpecificationCase {
    static let sections: [Self] = [
        Self(
            "Truthy",
            #""{{#boolean}}This should be rendered.{{/boolean}}""#,
            #"{"boolean": true}"#,
            #""This should be rendered.""#
        ),
        Self("Falsey", #""{{#boolean}}This should not be rendered.{{/boolean}}""#, #"{"boolean": false}"#, #""""#),
        Self("Null is falsey", #""{{#null}}This should not be rendered.{{/null}}""#, #"{"null": null}"#, #""""#),
        Self("Context", #""{{#context}}Hi {{name}}.{{/context}}""#, #"{"context": {"name": "Joe"}}"#, #""Hi Joe.""#),
        Self(
            "Parent contexts",
            #""{{#sec}}{{a}}, {{b}}, {{c.d}}{{/sec}}""#,
            #"{"a": "foo", "b": "wrong", "sec": {"b": "bar"}, "c": {"d": "baz"}}"#,
            #""foo, bar, baz""#
        ),
        Self("Variable test", #""{{#foo}}{{.}} is {{foo}}{{/foo}}""#, #"{"foo": "bar"}"#, #""bar is bar""#),
        Self(
            "List Contexts",
            "{{#tops}}{{#middles}}{{tname.lower}}{{mname}}."
                + "{{#bottoms}}{{tname.upper}}{{mname}}{{bname}}.{{/bottoms}}{{/middles}}{{/tops}}",
            """
            {"tops": [{"tname": {"upper": "A", "lower": "a"},
                       "middles": [{"mname": "1", "bottoms": [{"bname": "x"}, {"bname": "y"}]}]}]}
            """,
            "a1.A1x.A1y."
        ),
        Self(
            "Deeply Nested Contexts",
            """
            {{#a}}
            {{one}}
            {{#b}}
            {{one}}{{two}}{{one}}
            {{#c}}
            {{one}}{{two}}{{three}}{{two}}{{one}}
            {{#d}}
            {{one}}{{two}}{{three}}{{four}}{{three}}{{two}}{{one}}
            {{#five}}
            {{one}}{{two}}{{three}}{{four}}{{five}}{{four}}{{three}}{{two}}{{one}}
            {{one}}{{two}}{{three}}{{four}}{{.}}6{{.}}{{four}}{{three}}{{two}}{{one}}
            {{one}}{{two}}{{three}}{{four}}{{five}}{{four}}{{three}}{{two}}{{one}}
            {{/five}}
            {{one}}{{two}}{{three}}{{four}}{{three}}{{two}}{{one}}
            {{/d}}
            {{one}}{{two}}{{three}}{{two}}{{one}}
            {{/c}}
            {{one}}{{two}}{{one}}
            {{/b}}
            {{one}}
            {{/a}}

            """,
            #"{"a": {"one": 1}, "b": {"two": 2}, "c": {"three": 3, "d": {"four": 4, "five": 5}}}"#,
            "1\n121\n12321\n1234321\n123454321\n12345654321\n123454321\n1234321\n12321\n121\n1\n"
        ),
        Self(
            "List",
            #""{{#list}}{{item}}{{/list}}""#,
            #"{"list": [{"item": 1}, {"item": 2}, {"item": 3}]}"#,
            #""123""#
        ),
        Self("Empty List", #""{{#list}}Yay lists!{{/list}}""#, #"{"list": []}"#, #""""#),
        Self(
            "Doubled",
            "{{#bool}}\n* first\n{{/bool}}\n* {{two}}\n{{#bool}}\n* third\n{{/bool}}\n",
            #"{"bool": true, "two": "second"}"#,
            "* first\n* second\n* third\n"
        ),
        Self(
            "Nested (Truthy)",
            "| A {{#bool}}B {{#bool}}C{{/bool}} D{{/bool}} E |",
            #"{"bool": true}"#,
            "| A B C D E |"
        ),
        Self("Nested (Falsey)", "| A {{#bool}}B {{#bool}}C{{/bool}} D{{/bool}} E |", #"{"bool": false}"#, "| A  E |"),
        Self("Context Misses", "[{{#missing}}Found key 'missing'!{{/missing}}]", "{}", "[]"),
        Self(
            "Implicit Iterator - String",
            #""{{#list}}({{.}}){{/list}}""#,
            #"{"list": ["a", "b", "c", "d", "e"]}"#,
            #""(a)(b)(c)(d)(e)""#
        ),
        Self(
            "Implicit Iterator - Integer",
            #""{{#list}}({{.}}){{/list}}""#,
            #"{"list": [1, 2, 3, 4, 5]}"#,
            #""(1)(2)(3)(4)(5)""#
        ),
        Self(
            "Implicit Iterator - Decimal",
            #""{{#list}}({{.}}){{/list}}""#,
            #"{"list": [1.1, 2.2, 3.3, 4.4, 5.5]}"#,
            #""(1.1)(2.2)(3.3)(4.4)(5.5)""#
        ),
        Self(
            "Implicit Iterator - Array",
            #""{{#list}}({{#.}}{{.}}{{/.}}){{/list}}""#,
            #"{"list": [[1, 2, 3], ["a", "b", "c"]]}"#,
            #""(123)(abc)""#
        ),
        Self(
            "Implicit Iterator - Triple mustache",
            #""{{#list}}({{{.}}}){{/list}}""#,
            #"{"list": ["&", "\"", "<", ">"]}"#,
            #""(&)(")(<)(>)""#
        ),
        Self(
            "Implicit Iterator - Ampersand",
            #""{{#list}}({{&.}}){{/list}}""#,
            #"{"list": ["&", "\"", "<", ">"]}"#,
            #""(&)(")(<)(>)""#
        ),
        Self(
            "Implicit Iterator - Root-level",
            #""{{#.}}({{value}}){{/.}}""#,
            #"[{"value": "a"}, {"value": "b"}]"#,
            #""(a)(b)""#
        ),
        Self(
            "Dotted Names - Truthy",
            #""{{#a.b.c}}Here{{/a.b.c}}" == "Here""#,
            #"{"a": {"b": {"c": true}}}"#,
            #""Here" == "Here""#
        ),
        Self(
            "Dotted Names - Falsey",
            #""{{#a.b.c}}Here{{/a.b.c}}" == """#,
            #"{"a": {"b": {"c": false}}}"#,
            #""" == """#
        ),
        Self("Dotted Names - Broken Chains", #""{{#a.b.c}}Here{{/a.b.c}}" == """#, #"{"a": {}}"#, #""" == """#),
        Self("Surrounding Whitespace", " | {{#boolean}}\t|\t{{/boolean}} | \n", #"{"boolean": true}"#, " | \t|\t | \n"),
        Self(
            "Internal Whitespace",
            " | {{#boolean}} {{! Important Whitespace }}\n {{/boolean}} | \n",
            #"{"boolean": true}"#,
            " |  \n  | \n"
        ),
        Self(
            "Indented Inline Sections",
            " {{#boolean}}YES{{/boolean}}\n {{#boolean}}GOOD{{/boolean}}\n",
            #"{"boolean": true}"#,
            " YES\n GOOD\n"
        ),
        Self(
            "Standalone Lines",
            "| This Is\n{{#boolean}}\n|\n{{/boolean}}\n| A Line\n",
            #"{"boolean": true}"#,
            "| This Is\n|\n| A Line\n"
        ),
        Self(
            "Indented Standalone Lines",
            "| This Is\n  {{#boolean}}\n|\n  {{/boolean}}\n| A Line\n",
            #"{"boolean": true}"#,
            "| This Is\n|\n| A Line\n"
        ),
        Self("Standalone Line Endings", "|\r\n{{#boolean}}\r\n{{/boolean}}\r\n|", #"{"boolean": true}"#, "|\r\n|"),
        Self("Standalone Without Previous Line", "  {{#boolean}}\n#{{/boolean}}\n/", #"{"boolean": true}"#, "#\n/"),
        Self("Standalone Without Newline", "#{{#boolean}}\n/\n  {{/boolean}}", #"{"boolean": true}"#, "#\n/\n"),
        Self("Padding", "|{{# boolean }}={{/ boolean }}|", #"{"boolean": true}"#, "|=|"),
    ]
}
