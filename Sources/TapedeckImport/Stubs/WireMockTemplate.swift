/// A Handlebars template of WireMock as one of ours.
enum WireMockTemplate {
    /// The template; `nil` where a helper in it has no equal.
    static func converted(_ text: String) -> String? {
        var result = ""
        var rest = text[...]
        while let open = rest.firstRange(of: "{{") {
            result += rest[..<open.lowerBound]
            let isTriple = rest[open.upperBound...].hasPrefix("{")
            let inner = rest[open.upperBound...].drop { $0 == "{" }
            guard let close = inner.firstRange(of: "}}"), let name = self.name(String(inner[..<close.lowerBound]))
            else {
                return nil
            }
            result += isTriple ? "{{{\(name)}}}" : "{{\(name)}}"
            rest = inner[close.upperBound...]
            if isTriple, rest.hasPrefix("}") { rest = rest.dropFirst() }
        }
        return result + rest
    }

    private static func name(_ expression: String) -> String? {
        let text = expression.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        switch text {
        case "request.path", "request.method", "request.host", "request.port", "request.scheme", "request.body":
            return text
        case "now": return "now"
        default: break
        }
        for (theirs, ours) in [
            ("request.query.", "query."), ("request.headers.", "header."), ("request.cookies.", "cookie."),
            ("request.path.", "url."), ("request.requestLine.query.", "query."),
        ] where text.hasPrefix(theirs) {
            return self.key(text.dropFirst(theirs.count)).map { ours + (ours == "header." ? $0.lowercased() : $0) }
        }
        if text.hasPrefix("jsonPath request.body "), let path = self.quoted(text, after: "jsonPath request.body ") {
            guard path.hasPrefix("$."), let key = self.key(path.dropFirst(2)) else { return nil }
            return "json.\(key)"
        }
        if text.hasPrefix("randomValue") {
            if text.contains("UUID") { return "random.uuid" }
            guard text.contains("ALPHANUMERIC"), let start = text.firstRange(of: "length=")?.upperBound else {
                return nil
            }
            let length = text[start...].prefix { $0.isNumber }
            return length.isEmpty ? nil : "random.text-\(length)"
        }
        return text.hasPrefix("now ") ? self.time(text) : nil
    }

    private static func time(_ text: String) -> String? {
        var now = "now"
        if let offset = self.quoted(text, after: "offset=") {
            let parts = offset.split(separator: " ")
            guard parts.count == 2, let count = Int(parts[0]), let unit = Self.units[String(parts[1])] else {
                return nil
            }
            now += count < 0 ? ".minus-\(-count)\(unit)" : ".plus-\(count)\(unit)"
        }
        guard let format = self.quoted(text, after: "format=") else { return now }
        return Self.formats[format].map { now + $0 }
    }

    private static let units = [
        "seconds": "s", "second": "s", "minutes": "m", "minute": "m", "hours": "h", "hour": "h", "days": "d",
        "day": "d",
    ]

    /// Formats of Java's SimpleDateFormat that ours have an equal for.
    private static let formats = [
        "epoch": ".millis", "unix": ".epoch", "EEE, dd MMM yyyy HH:mm:ss z": ".http",
        "EEE, dd MMM yyyy HH:mm:ss 'GMT'": ".http", "yyyy-MM-dd": ".date", "yyyy-MM-dd'T'HH:mm:ss'Z'": "",
        "yyyy-MM-dd'T'HH:mm:ssXXX": "",
    ]

    /// The text in the quotes behind a mark; quotes within it are part of it where it is in double ones.
    private static func quoted(_ text: String, after mark: String) -> String? {
        guard let start = text.firstRange(of: mark)?.upperBound, let quote = text[start...].first,
            quote == "'" || quote == "\""
        else { return nil }
        let inner = text[start...].dropFirst()
        return inner.firstIndex(of: quote).map { String(inner[..<$0]) }
    }

    /// A name, which may stand in brackets.
    private static func key(_ text: some StringProtocol) -> String? {
        let name = text.hasPrefix("[") && text.hasSuffix("]") ? String(text.dropFirst().dropLast()) : String(text)
        let isPlain = name.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || byte == 0x2D || byte == 0x5F || byte == 0x2E
        }
        return isPlain && !name.isEmpty ? name : nil
    }
}
