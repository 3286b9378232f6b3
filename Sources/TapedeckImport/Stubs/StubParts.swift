import TapedeckCore

/// Parts of response sets that the readers of several tools' stubs make.
enum StubParts {
    /// Bytes as a body that is put in its place when it is saved.
    static func body(_ bytes: [UInt8]) -> StoredBody {
        bytes.isEmpty ? .none : .inline(InlineBody(form: .base64, content: bytes))
    }

    /// A value that a regular expression of another tool must match as a whole.
    static func whole(_ pattern: String, ignoresCase: Bool = false, line: Int) throws(LeftOut) -> ValueMatcher {
        .pattern(try self.pattern("\\A(?:\(pattern))\\z", .anywhere, ignoresCase: ignoresCase, line: line))
    }

    static func pattern(
        _ source: String,
        _ scope: Pattern.Scope,
        ignoresCase: Bool = false,
        line: Int
    ) throws(LeftOut) -> Pattern {
        do throws(PatternError) {
            return try Pattern(source, scope: scope, ignoresCase: ignoresCase)
        } catch {
            throw LeftOut("its pattern '\(source.prefix(120))' cannot be used: \(error)", line: line)
        }
    }

    /// Text that stands for itself in a regular expression.
    static func escaped(_ text: some StringProtocol) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            if scalar.isASCII, !ASCII.isUnreserved(UInt8(scalar.value)) || scalar == ".", scalar != "/" {
                result += "\\"
            }
            result.unicodeScalars.append(scalar)
        }
        return result
    }

    /// A regular expression for path and query, or for the path with any query behind it.
    static func url(matching pattern: String, isPathAlone: Bool, line: Int) throws(LeftOut) -> URLMatcher {
        let source = pattern.hasPrefix("^") ? String(pattern.dropFirst()) : pattern
        let end = isPathAlone ? "(?:\\?.*)?" : ""
        let isPlain = source.hasPrefix("/") && !source.contains("|")
        let trimmed = source.hasSuffix("$") && !source.hasSuffix("\\$") ? String(source.dropLast()) : source
        return .pattern(
            try self.pattern(isPlain ? trimmed + end : "https?://[^/]+(?:\(trimmed))\(end)", .whole, line: line)
        )
    }

    /// The text of a glob as a regular expression: `*` is anything.
    static func glob(_ text: String) -> String {
        text.split(separator: "*", omittingEmptySubsequences: false).map { self.escaped($0) }.joined(separator: ".*")
    }

    static func jsonPath(_ text: String, line: Int) throws(LeftOut) -> JSONPath {
        do throws(JSONPathError) {
            return try JSONPath(text)
        } catch {
            throw LeftOut("its JSONPath '\(text.prefix(120))' cannot be used: \(error)", line: line)
        }
    }

    /// The JSON of a node: the text of a string that holds JSON, or what stands there as JSON.
    static func json(_ node: ForeignNode) throws(LeftOut) -> [UInt8] {
        let bytes = node.text.map { Array($0.utf8) } ?? ForeignJSON.text(node, .dotNet)
        guard (try? JSONValue(parsing: bytes)) != nil else { throw LeftOut("its JSON cannot be read", line: node.line) }
        return bytes
    }

    static func json(equal node: ForeignNode, ignoresOrder: Bool = false) throws(LeftOut) -> BodyMatcher {
        .json(
            InlineBody(form: .json, content: try self.json(node)),
            JSONComparison(ignoresArrayOrder: ignoresOrder)
        )
    }

    static func json(within node: ForeignNode) throws(LeftOut) -> BodyMatcher {
        .jsonSubset(InlineBody(form: .json, content: try self.json(node)))
    }

    /// A matcher that holds where one of several holds: a regular expression of all of them.
    static func any(_ matchers: [ValueMatcher], line: Int) throws(LeftOut) -> ValueMatcher {
        guard matchers.count > 1 else { return matchers.first ?? .present }
        var parts: [String] = []
        for matcher in matchers {
            switch matcher {
            case .equals(let text): parts.append("\\A\(self.escaped(text))\\z")
            case .contains(let text): parts.append(self.escaped(text))
            case .pattern(let pattern) where !pattern.ignoresCase && pattern.scope == .anywhere:
                parts.append("(?:\(pattern.source))")
            default: throw LeftOut("its condition that one of several holds cannot be stated", line: line)
            }
        }
        return .pattern(try self.pattern(parts.joined(separator: "|"), .anywhere, line: line))
    }

    /// The fields of a response as a cassette holds them, and its framing as a wire needs it.
    static func headers(_ fields: [HeaderField]) -> [HeaderField] {
        fields.filter { field in
            !field.isNamed("transfer-encoding") && !field.isNamed("connection") && !field.isNamed("content-length")
                && !field.name.isEmpty && !field.name.hasPrefix(":")
        }.map { HeaderField($0.name, String($0.value.map { $0.isNewline ? " " : $0 })) }
    }

    /// A status that a response can have.
    static func status(_ node: ForeignNode?, default status: Int = 200) throws(LeftOut) -> Int {
        guard let node, !node.isNull else { return status }
        guard let number = node.int, (200...999).contains(number) else {
            throw LeftOut("no response has the status \(node.text ?? "that it names")", line: node.line)
        }
        return number
    }

    /// A reason phrase, where it is not the usual one.
    static func reason(_ text: String?, _ status: Int) -> String? {
        guard let text, !text.isEmpty, text != StatusPhrase.standard(status) else { return nil }
        return String(text.map { $0.isNewline ? " " : $0 })
    }
}
