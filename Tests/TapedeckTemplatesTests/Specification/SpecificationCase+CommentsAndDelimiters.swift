extension SpecificationCase {
    static let comments: [Self] = [
        Self("Inline", "12345{{! Comment Block! }}67890", "{}", "1234567890"),
        Self("Multiline", "12345{{!\n  This is a\n  multi-line comment...\n}}67890\n", "{}", "1234567890\n"),
        Self("Standalone", "Begin.\n{{! Comment Block! }}\nEnd.\n", "{}", "Begin.\nEnd.\n"),
        Self("Indented Standalone", "Begin.\n  {{! Indented Comment Block! }}\nEnd.\n", "{}", "Begin.\nEnd.\n"),
        Self("Standalone Line Endings", "|\r\n{{! Standalone Comment }}\r\n|", "{}", "|\r\n|"),
        Self("Standalone Without Previous Line", "  {{! I'm Still Standalone }}\n!", "{}", "!"),
        Self("Standalone Without Newline", "!\n  {{! I'm Still Standalone }}", "{}", "!\n"),
        Self("Multiline Standalone", "Begin.\n{{!\nSomething's going on here...\n}}\nEnd.\n", "{}", "Begin.\nEnd.\n"),
        Self(
            "Indented Multiline Standalone",
            "Begin.\n  {{!\n    Something's going on here...\n  }}\nEnd.\n",
            "{}",
            "Begin.\nEnd.\n"
        ),
        Self("Indented Inline", "  12 {{! 34 }}\n", "{}", "  12 \n"),
        Self("Surrounding Whitespace", "12345 {{! Comment Block! }} 67890", "{}", "12345  67890"),
        Self(
            "Variable Name Collision",
            "comments never show: >{{! comment }}<",
            #"{"! comment": 1, "! comment ": 2, "!comment": 3, "comment": 4}"#,
            "comments never show: ><"
        ),
    ]

    static let delimiters: [Self] = [
        Self("Pair Behavior", "{{=<% %>=}}(<%text%>)", #"{"text": "Hey!"}"#, "(Hey!)"),
        Self("Special Characters", "({{=[ ]=}}[text])", #"{"text": "It worked!"}"#, "(It worked!)"),
        Self(
            "Sections",
            "[\n{{#section}}\n  {{data}}\n  |data|\n{{/section}}\n\n{{= | | =}}\n|#section|\n  {{data}}\n  |data|\n|/section|\n]\n",
            #"{"section": true, "data": "I got interpolated."}"#,
            "[\n  I got interpolated.\n  |data|\n\n  {{data}}\n  I got interpolated.\n]\n"
        ),
        Self(
            "Inverted Sections",
            "[\n{{^section}}\n  {{data}}\n  |data|\n{{/section}}\n\n{{= | | =}}\n|^section|\n  {{data}}\n  |data|\n|/section|\n]\n",
            #"{"section": false, "data": "I got interpolated."}"#,
            "[\n  I got interpolated.\n  |data|\n\n  {{data}}\n  I got interpolated.\n]\n"
        ),
        Self("Surrounding Whitespace", "| {{=@ @=}} |", "{}", "|  |"),
        Self("Outlying Whitespace (Inline)", " | {{=@ @=}}\n", "{}", " | \n"),
        Self("Standalone Tag", "Begin.\n{{=@ @=}}\nEnd.\n", "{}", "Begin.\nEnd.\n"),
        Self("Indented Standalone Tag", "Begin.\n  {{=@ @=}}\nEnd.\n", "{}", "Begin.\nEnd.\n"),
        Self("Standalone Line Endings", "|\r\n{{= @ @ =}}\r\n|", "{}", "|\r\n|"),
        Self("Standalone Without Previous Line", "  {{=@ @=}}\n=", "{}", "="),
        Self("Standalone Without Newline", "=\n  {{=@ @=}}", "{}", "=\n"),
        Self("Pair with Padding", "|{{= @   @ =}}|", "{}", "||"),
    ]
}
