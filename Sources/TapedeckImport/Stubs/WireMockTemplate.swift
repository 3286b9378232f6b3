import TapedeckCore

/// Handlebars templates of WireMock.
struct WireMockTemplate {
    let segments: PathSegments
    /// The `transformerParameters` of the response.
    let parameters: ForeignNode?
    /// The names that `formData` gave to the form of the request.
    private var forms: Set<String> = []
    /// True once a tag inserted something of the request.
    private(set) var insertsFromRequest = false

    init(_ segments: PathSegments, parameters: ForeignNode?) {
        self.segments = segments
        self.parameters = parameters
    }

    /// The template as one of ours.
    mutating func converted(_ text: String) throws(StubTemplate.UnknownTag) -> String {
        var reader = self
        let result = try StubTemplate.converted(text) { reader.part($0) }
        self = reader
        return result
    }

    private mutating func part(_ expression: String) -> StubTemplate.Part? {
        guard let tag = TemplateWords(expression) else { return nil }
        let words = tag.words
        if expression.contains("request.") || self.forms.contains(where: expression.contains) {
            self.insertsFromRequest = true
        }
        switch (words[0], words.count) {
        case ("now", 1): return Self.time(tag.options)
        case ("randomValue", 1): return Self.random(tag.options)
        case ("randomInt", 1): return Self.number(tag.options)
        case ("jsonPath", 3) where words[1] == "request.body" && tag.options.isEmpty:
            return StubTemplate.json(words[2])
        case ("formData", 3) where words[1] == "request.body":
            self.forms.insert(words[2])
            return .text("")
        case ("upper", 2), ("lower", 2):
            guard case .name(let name)? = self.value(words[1]) else { return nil }
            return .name("\(words[0] == "upper" ? "uppercased" : "lowercased")(\(name))")
        case (let path, 1) where tag.options.isEmpty: return self.value(path)
        default: return nil
        }
    }

    /// The equal of a path such as `request.query.page`.
    private func value(_ path: String) -> StubTemplate.Part? {
        let path = path.replacing("request.requestLine.", with: "request.")
        switch path {
        case "request.path", "request.method", "request.host", "request.port", "request.scheme", "request.body":
            return .name(path)
        case "request.url":
            return .raw("{{{request.path}}}{{#request.query}}?{{{request.query}}}{{/request.query}}")
        default: break
        }
        var parts = Self.parts(path)
        // The first of several values, and the value of a cookie with its attributes.
        if parts.count == 4, parts[3] == "0" || parts[3] == "first" || parts[3] == "value" { parts.removeLast() }
        if parts.count == 2, self.forms.contains(parts[0]), StubTemplate.isPlain(parts[1]) {
            return .name("form.\(parts[1])")
        }
        if parts.count == 2, parts[0] == "parameters" { return self.parameters?[parts[1]]?.text.map { .text($0) } }
        guard parts.count == 3, parts[0] == "request", StubTemplate.isPlain(parts[2]) else { return nil }
        switch parts[1] {
        case "query": return .name("query.\(parts[2])")
        case "headers": return .name("header.\(ASCII.lowercased(parts[2]))")
        case "cookies": return .name("cookie.\(parts[2])")
        case "path", "pathSegments":
            return Int(parts[2]).map { self.segments[$0] } ?? .name("url.\(StubParts.gap(parts[2]))")
        default: return nil
        }
    }

    /// Returns the steps of a path; a step may be in brackets, and may then contain dots.
    private static func parts(_ path: String) -> [String] {
        var parts: [String] = []
        var rest = path[...]
        while !rest.isEmpty {
            if rest.hasPrefix("["), let end = rest.firstIndex(of: "]") {
                parts.append(String(rest.dropFirst()[..<end]))
                rest = rest[end...].dropFirst()
            } else {
                let part = rest.prefix { $0 != "." }
                parts.append(String(part))
                rest = rest.dropFirst(part.count)
            }
            if rest.hasPrefix(".") { rest = rest.dropFirst() }
        }
        return parts
    }

    private static func random(_ options: [String: String]) -> StubTemplate.Part? {
        let length = options["length"].flatMap { Int($0) } ?? 36
        guard (1...1_000).contains(length), options["uppercase"] != "true" else { return nil }
        switch options["type"] {
        case "UUID": return .name("random.uuid")
        case "HEXADECIMAL": return .name("random.hex-\(length)")
        case "ALPHANUMERIC": return .name("random.text-\(length)")
        case "NUMERIC" where length < 16:
            let nines = String(repeating: "9", count: length)
            return .name("random.number-1\(String(repeating: "0", count: length - 1))-\(nines)")
        default: return nil
        }
    }

    private static func number(_ options: [String: String]) -> StubTemplate.Part? {
        if options.isEmpty { return .name("random.number") }
        guard let lower = Int(options["lower"] ?? "0"), let upper = options["upper"].flatMap({ Int($0) }), lower >= 0,
            upper > lower
        else { return nil }
        return .name("random.number-\(lower)-\(upper - 1)")
    }

    private static func time(_ options: [String: String]) -> StubTemplate.Part? {
        // Ours are in UTC.
        guard Set(options.keys).isSubset(of: ["offset", "format", "timezone"]),
            ["GMT", "UTC", "Z", "Etc/UTC", "Zulu"].contains(options["timezone"] ?? "UTC")
        else { return nil }
        var seconds = 0
        if let offset = options["offset"] {
            let parts = offset.split(separator: " ")
            guard parts.count == 2, let count = Int(parts[0]), abs(count) < 1_000_000,
                let unit = Self.units[parts[1].hasSuffix("s") ? String(parts[1].dropLast()) : String(parts[1])]
            else { return nil }
            seconds = count * unit
        }
        guard let format = options["format"] else { return StubTemplate.now(seconds: seconds, format: nil) }
        if let known = Self.formats[format] { return StubTemplate.now(seconds: seconds, format: known) }
        return TimePattern.java(format).map { StubTemplate.now(seconds: seconds, format: $0) }
    }

    private static let units = ["second": 1, "minute": 60, "hour": 3_600, "day": 86_400, "week": 604_800]

    private static let formats = ["epoch": ".millis", "unix": ".epoch", "EEE, dd MMM yyyy HH:mm:ss z": ".http"]
}
