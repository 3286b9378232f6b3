import TapedeckCore

/// Handlebars templates of Hoverfly.
struct HoverflyTemplate {
    let segments: PathSegments
    /// The `literals` and `variables` of the simulation.
    let literals: [ForeignNode]
    let variables: [ForeignNode]

    /// The template as one of ours.
    func converted(_ text: String) throws(StubTemplate.UnknownTag) -> String {
        try StubTemplate.converted(text) { expression in TemplateWords(expression).flatMap { self.part($0.words) } }
    }

    private func part(_ words: [String]) -> StubTemplate.Part? {
        switch (words[0], words.count) {
        case ("Request.Body", 3), ("requestBody", 3):
            return words[1].lowercased() == "jsonpath" ? StubTemplate.json(words[2]) : nil
        case ("randomUuid", 1): return .name("random.uuid")
        case ("randomString", 1): return .name("random.text-10")
        case ("randomStringLength", 2):
            return Int(words[1]).flatMap { (1...1_000).contains($0) ? .name("random.text-\($0)") : nil }
        case ("randomInteger", 1): return .name("random.number")
        case ("randomIntegerRange", 3):
            guard let from = Int(words[1]), let to = Int(words[2]), from >= 0, to >= from else { return nil }
            return .name("random.number-\(from)-\(to)")
        case ("now", 1...3): return Self.time(words.count > 1 ? words[1] : "", words.count > 2 ? words[2] : "")
        case ("currentDateTime", 1...2): return Self.time("", words.count > 1 ? words[1] : "")
        case ("currentDateTimeAdd", 3): return Self.time(words[1], words[2])
        case ("currentDateTimeSubtract", 3): return Self.time("-" + words[1], words[2])
        case (let path, 1): return self.value(path)
        default: return nil
        }
    }

    private func value(_ path: String) -> StubTemplate.Part? {
        switch path {
        case "Request.Scheme": return .name("request.scheme")
        case "Request.Method": return .name("request.method")
        case "Request.Host": return .name("request.host")
        default: break
        }
        var parts = path.split(separator: ".").map { $0.filter { $0 != "[" && $0 != "]" } }
        if parts.count == 4, parts[3] == "0" { parts.removeLast() }
        if parts.count == 2, parts[0] == "State", StubTemplate.isPlain(parts[1]) { return .name("state.\(parts[1])") }
        if parts.count == 2, parts[0] == "Literals" {
            return self.literals.first { $0["name"]?.text == parts[1] }?["value"]?.text.map { .text($0) }
        }
        if parts.count == 2, parts[0] == "Vars" {
            guard let variable = self.variables.first(where: { $0["name"]?.text == parts[1] }),
                let function = variable["function"]?.text, function != "Vars.\(parts[1])"
            else { return nil }
            let arguments = variable["arguments"]?.items.map { $0.text ?? "" } ?? []
            return function.contains(".") ? nil : self.part([function] + arguments)
        }
        guard parts.count == 3, parts[0] == "Request", StubTemplate.isPlain(parts[2]) else { return nil }
        switch parts[1] {
        case "Path": return Int(parts[2]).flatMap { self.segments[$0] }
        case "QueryParam": return .name("query.\(parts[2])")
        case "Header": return .name("header.\(ASCII.lowercased(parts[2]))")
        case "FormData": return .name("form.\(parts[2])")
        default: return nil
        }
    }

    private static func time(_ offset: String, _ format: String) -> StubTemplate.Part? {
        guard let seconds = offset.isEmpty ? 0 : self.seconds(offset) else { return nil }
        switch format {
        case "": return StubTemplate.now(seconds: seconds, format: nil)
        case "unix": return StubTemplate.now(seconds: seconds, format: ".epoch")
        case "epoch": return StubTemplate.now(seconds: seconds, format: ".millis")
        default: return TimePattern.go(format).map { StubTemplate.now(seconds: seconds, format: $0) }
        }
    }

    /// A duration of Go with days, such as `-1d12h`.
    private static func seconds(_ text: String) -> Int? {
        var rest = text.hasPrefix("-") ? text.dropFirst() : text[...]
        var total = 0
        while !rest.isEmpty {
            let digits = rest.prefix(while: \.isNumber)
            rest = rest.dropFirst(digits.count)
            guard let count = Int(digits), count < 1_000_000, let unit = rest.first,
                let factor = ["s": 1, "m": 60, "h": 3_600, "d": 86_400][unit]
            else { return nil }
            rest = rest.dropFirst()
            total += count * factor
        }
        return text.hasPrefix("-") ? -total : total
    }
}

/// Formats of times in other languages as strftime has them.
enum TimePattern {
    /// A pattern of Java's SimpleDateFormat; `nil` for one with a field that has no equal.
    static func java(_ format: String) -> String? {
        var result = ""
        var rest = format[...]
        while let first = rest.first {
            if first == "'" {
                let text = rest.dropFirst().prefix { $0 != "'" }
                result += text.isEmpty ? "'" : self.literal(text)
                rest = rest.dropFirst(text.count + 2)
            } else if first.isASCII, first.isLetter {
                let field = rest.prefix { $0 == first }
                guard let equal = self.javaFields[String(field)] else { return nil }
                result += equal
                rest = rest.dropFirst(field.count)
            } else {
                result += self.literal(rest.prefix(1))
                rest = rest.dropFirst()
            }
        }
        return result
    }

    private static let javaFields = [
        "yyyy": "%Y", "uuuu": "%Y", "y": "%Y", "yy": "%y", "MM": "%m", "MMM": "%b", "MMMM": "%B", "dd": "%d",
        "HH": "%H", "hh": "%I", "mm": "%M", "ss": "%S", "SSS": "%f", "a": "%p", "E": "%a", "EEE": "%a", "EEEE": "%A",
        "DDD": "%j", "Z": "%z", "X": "Z", "XX": "Z", "XXX": "Z", "z": "GMT",
    ]

    /// A layout of Go; `nil` for one with a field that has no equal.
    static func go(_ layout: String) -> String? {
        var result = ""
        var rest = layout[...]
        next: while !rest.isEmpty {
            for (field, equal) in self.goFields where rest.hasPrefix(field) {
                result += equal
                rest = rest.dropFirst(field.count)
                continue next
            }
            guard let first = rest.first, !first.isNumber else { return nil }
            result += self.literal(rest.prefix(1))
            rest = rest.dropFirst()
        }
        return result
    }

    /// Longer ones before those that they begin with.
    private static let goFields = [
        ("2006", "%Y"), ("January", "%B"), ("Jan", "%b"), ("Monday", "%A"), ("Mon", "%a"), ("Z07:00", "Z"),
        ("Z0700", "Z"), ("-07:00", "+00:00"), ("-0700", "+0000"), ("MST", "UTC"), (".000", ".%f"), ("002", "%j"),
        ("01", "%m"), ("02", "%d"), ("_2", "%e"), ("03", "%I"), ("04", "%M"), ("05", "%S"), ("06", "%y"), ("15", "%H"),
        ("PM", "%p"),
    ]

    private static func literal(_ text: Substring) -> String { String(text.replacing("%", with: "%%")) }
}
