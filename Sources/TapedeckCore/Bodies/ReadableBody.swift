/// A body laid out for a person. What is sent is never changed by it.
package enum ReadableBody {
    /// The lines of a body: JSON, XML and HTML indented, a form with a line for each field, the document of a GraphQL request as it
    /// was written, a conversation with a model by its turns, behind an event stream the text that its pieces make, other texts as
    /// they are. Bytes that are no text are one line that says how many they are.
    ///
    /// - Parameters:
    ///   - bytes: without content coding.
    ///   - mediaType: that of `Content-Type`; `nil` where nothing says it.
    package static func lines(of bytes: [UInt8], mediaType: String?) -> [String] {
        guard !bytes.isEmpty else { return [] }
        let type = ASCII.lowercased(String((mediaType ?? "").prefix { $0 != ";" }.trimmingSpaces()))
        guard let text = String(validating: bytes, as: UTF8.self) else {
            return ["(\(Plural.text(bytes.count, "byte", "bytes"))\(type.isEmpty ? "" : " of \(type)"))"]
        }
        if type == FormBody.mediaType {
            return bytes.withUnsafeBytes(FormBody.parse).map { "\($0.name): \($0.value)".printable }
        }
        if let json = try? JSONValue(parsing: bytes) { return self.lines(ofJSON: bytes, json) }
        if type == "text/event-stream", let whole = Conversation.text(of: text) {
            return self.split(text) + ["", "the text of the pieces:"] + self.split(whole).map { "  \($0)" }
        }
        let isMarkup = text.first { !$0.isWhitespace } == "<" && (type.isEmpty || type.hasSuffix("ml"))
        return isMarkup ? MarkupLayout.lines(of: text) : self.split(text)
    }

    private static func lines(ofJSON bytes: [UInt8], _ json: JSONValue) -> [String] {
        let operations = GraphQLRequest.operations(in: json).filter { !$0.query.isEmpty }
        guard operations.isEmpty else {
            return operations.flatMap { operation in
                let variables = operation.variables.map { self.lines(of: $0.compactText, mediaType: nil) } ?? []
                let first = variables.first.map { ["variables: \($0)"] } ?? []
                return self.split(operation.query) + first + variables.dropFirst()
            }
        }
        if let conversation = Conversation(json) { return conversation.lines }
        return self.split(String(decoding: bytes.withUnsafeBytes(JSONLayout.readable)?.text ?? bytes, as: UTF8.self))
    }

    static func split(_ text: String) -> [String] {
        var lines = text.split(omittingEmptySubsequences: false) { $0.isNewline }.map {
            String($0).replacing("\t", with: "    ").printable
        }
        while lines.last?.isEmpty == true { lines.removeLast() }
        return lines
    }
}

/// XML or HTML with a line for each element, indented by its depth.
private struct MarkupLayout {
    /// HTML, section 13.1.2: elements without an end.
    private static let void: Set<String> = [
        "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr",
    ]
    /// Elements whose text has no markup, or whose white space counts.
    private static let verbatim: Set<String> = ["script", "style", "pre", "textarea"]
    /// Deeper elements are not indented further.
    private static let deepest = 40

    private enum Token {
        case open(String)
        case close(String)
        /// A tag that opens nothing: a comment, a declaration, an element without an end.
        case alone(String)
        case text(String)
    }

    static func lines(of text: String) -> [String] {
        let tokens = self.tokens(text)
        var lines: [String] = []
        var depth = 0
        var index = 0
        func add(_ line: String, _ depth: Int) {
            lines.append(String(repeating: "  ", count: min(max(depth, 0), self.deepest)) + line.printable)
        }
        while index < tokens.count {
            switch tokens[index] {
            case .open(let tag):
                // An element of text alone stays on one line.
                if index + 1 < tokens.count, case .close(let end) = tokens[index + 1] {
                    add(tag + end, depth)
                    index += 1
                } else if index + 2 < tokens.count, case .text(let text) = tokens[index + 1],
                    case .close(let end) = tokens[index + 2], !text.contains(where: \.isNewline)
                {
                    add(tag + text + end, depth)
                    index += 2
                } else {
                    add(tag, depth)
                    depth += 1
                }
            case .close(let tag):
                depth -= 1
                add(tag, depth)
            case .alone(let tag): for line in tag.split(whereSeparator: \.isNewline) { add(String(line), depth) }
            case .text(let text): for line in text.split(whereSeparator: \.isNewline) { add(String(line), depth) }
            }
            index += 1
        }
        return lines
    }

    private static func tokens(_ text: String) -> [Token] {
        var tokens: [Token] = []
        var rest = text[...]
        // Those that no end follows.
        var unended: Set<Substring> = []
        while !rest.isEmpty {
            let start = rest.firstIndex(of: "<") ?? rest.endIndex
            let between = rest[..<start].trimmed
            if !between.isEmpty { tokens.append(.text(between)) }
            rest = rest[start...]
            guard !rest.isEmpty else { break }
            let end = self.end(ofTag: rest)
            let tag = String(rest[..<end])
            rest = rest[end...]
            if tag.hasPrefix("</") {
                tokens.append(.close(tag))
                continue
            }
            let spelling = tag.dropFirst().prefix { !$0.isWhitespace && $0 != ">" && $0 != "/" }
            let name = ASCII.lowercased(String(spelling))
            if tag.hasPrefix("<!") || tag.hasPrefix("<?") || tag.hasSuffix("/>") || self.void.contains(name) {
                tokens.append(.alone(tag))
                continue
            }
            tokens.append(.open(tag))
            guard self.verbatim.contains(name), !unended.contains(spelling) else { continue }
            guard let close = rest.firstRange(of: "</\(spelling)") else {
                unended.insert(spelling)
                continue
            }
            let inner = rest[..<close.lowerBound].trimmed
            if !inner.isEmpty { tokens.append(.text(inner)) }
            rest = rest[close.lowerBound...]
        }
        return tokens
    }

    private static func end(ofTag text: Substring) -> Substring.Index {
        for (start, end) in [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>")] where text.hasPrefix(start) {
            return text.firstRange(of: end)?.upperBound ?? text.endIndex
        }
        var quote: Character?
        for index in text.indices.dropFirst() {
            let character = text[index]
            if let open = quote {
                if character == open { quote = nil }
            } else if character == "\"" || character == "'" {
                quote = character
            } else if character == ">" {
                return text.index(after: index)
            }
        }
        return text.endIndex
    }
}

extension Substring {
    /// Without white space at its ends.
    fileprivate var trimmed: String {
        var text = self.drop(while: \.isWhitespace)
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}
