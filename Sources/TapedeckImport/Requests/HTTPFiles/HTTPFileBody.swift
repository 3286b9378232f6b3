import TapedeckCore
import TapedeckJSON

/// The body of a request of a `.http` file.
struct HTTPFileBody {
    private let lines: [HTTPFileBlock.Line]
    private let type: String
    private let variables: HTTPFileVariables
    private let side: ImportFile.Sides

    /// - Parameters:
    ///   - lines: the lines behind the fields, with handlers of the response at their end.
    ///   - type: the media type.
    init(_ lines: [HTTPFileBlock.Line], type: String, variables: HTTPFileVariables, side: @escaping ImportFile.Sides) {
        var kept = lines.prefix { !Self.isTail($0.text) }.filter { !$0.text.hasPrefix("?? ") }[...]
        while let first = kept.first, RequestText.isBlank(first.text) { kept.removeFirst() }
        while let last = kept.last, RequestText.isBlank(last.text) { kept.removeLast() }
        self.lines = Array(kept)
        self.type = type
        self.variables = variables
        self.side = side
    }

    /// True if a line ends a request: a script or file for the response, or a reference to an earlier response.
    static func isTail(_ line: String) -> Bool {
        let text = line.drop { $0.isWhitespace }
        if text.hasPrefix("{{"), !text.contains("}}") { return true }
        if text.hasPrefix("<>") || text.hasPrefix(">>") {
            // One file; other texts are lines of a body.
            return text.dropFirst(2).drop { $0 == "!" }.split(whereSeparator: \.isWhitespace).count == 1
        }
        guard text.hasPrefix(">") else { return false }
        let rest = RequestText.trimmed(text.dropFirst())
        return rest.hasPrefix("{%") || rest.hasSuffix(".js") && !rest.contains("<")
    }

    /// Returns the bytes of the body.
    func bytes() throws(LeftOut) -> [UInt8] {
        let isMultipart = self.type.hasPrefix("multipart/")
        if self.type == "application/x-www-form-urlencoded" { return try self.form() }
        var body: [UInt8] = []
        for (index, line) in self.lines.enumerated() {
            body += try self.content(of: line)
            let isLast = index == self.lines.count - 1
            if isMultipart {
                body += [0x0D, 0x0A]
            } else if !isLast || self.type == "application/x-ndjson" {
                body.append(0x0A)
            }
        }
        return body
    }

    /// Returns a line, or the file that it names with `<`.
    private func content(of line: HTTPFileBlock.Line) throws(LeftOut) -> [UInt8] {
        guard line.text.hasPrefix("<"), let space = line.text.firstIndex(where: \.isWhitespace) else {
            return Array(try self.variables.filled(line.text, line: line.number).utf8)
        }
        let mark = line.text[..<space].dropFirst()
        let path = RequestText.trimmed(line.text[space...])
        guard mark.isEmpty || mark.hasPrefix("@"), !path.isEmpty else {
            return Array(try self.variables.filled(line.text, line: line.number).utf8)
        }
        let name = try self.variables.filled(path, line: line.number)
        guard let bytes = self.side(name.hasPrefix("./") ? String(name.dropFirst(2)) : name) else {
            throw LeftOut("its file '\(name.prefix(200))' cannot be read", line: line.number)
        }
        guard mark.hasPrefix("@") else { return bytes }
        let encoding = ASCII.lowercased(String(mark.dropFirst()))
        guard encoding.isEmpty || encoding == "utf8" || encoding == "utf-8",
            let text = String(validating: bytes, as: UTF8.self)
        else { throw LeftOut("its file '\(name.prefix(200))' is not UTF-8", line: line.number) }
        return Array(try self.variables.filled(text, line: line.number).utf8)
    }

    /// Returns a form that may be on several lines.
    private func form() throws(LeftOut) -> [UInt8] {
        var text = ""
        for line in self.lines {
            let next = RequestText.trimmed(String(decoding: try self.content(of: line), as: UTF8.self))
            let isJoined = text.isEmpty || text.hasSuffix("&") || next.hasPrefix("&")
            text += (isJoined ? "" : "\n") + next
        }
        let pairs = text.split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return parts.map { Self.encoded(RequestText.trimmed($0)) }.joined(separator: "=")
        }
        return Array(pairs.joined(separator: "&").utf8)
    }

    /// Encodes the bytes that a form cannot have, and leaves those that are encoded already.
    private static func encoded(_ text: String) -> String {
        let bytes = Array(text.utf8)
        var output: [UInt8] = []
        for (index, byte) in bytes.enumerated() {
            let isCode =
                byte == ASCII.percent && index + 2 < bytes.count && ASCII.hexValue(bytes[index + 1]) != nil
                && ASCII.hexValue(bytes[index + 2]) != nil
            if isCode || ASCII.isUnreserved(byte) || "!#$'()*+,/:;=?@[]".utf8.contains(byte) {
                output.append(byte)
            } else {
                output += [ASCII.percent, ASCII.hexDigit(byte >> 4), ASCII.hexDigit(byte & 15)]
            }
        }
        return String(decoding: output, as: UTF8.self)
    }

    // MARK: GraphQL

    /// Returns the JSON of a query and its variables, which follow a blank line.
    ///
    /// - Parameter namesOperation: true adds the name of the query, as the REST Client does.
    func graphQL(namesOperation: Bool, line: Int) throws(LeftOut) -> String {
        var query = self.lines[...]
        var variables: String?
        for (index, blank) in self.lines.enumerated() where RequestText.isBlank(blank.text) {
            // Of many lines only those behind which variables may begin are read: a brace, or a file or value to fill in.
            let next = self.lines[(index + 1)...].first { !RequestText.isBlank($0.text) }
            guard let start = next?.text.first(where: { !$0.isWhitespace }), "{<".contains(start) else { continue }
            let text = try self.text(self.lines[(index + 1)...])
            let trimmed = RequestText.trimmed(text)
            guard trimmed.hasPrefix("{") else { continue }
            guard let json = RequestText.compact(json: text) else {
                // A further selection of the query has no quotation mark there.
                guard trimmed.dropFirst().first(where: { !$0.isWhitespace }) == "\"" else { continue }
                throw LeftOut("its GraphQL variables are no JSON", line: line)
            }
            query = self.lines[..<index]
            variables = json
            break
        }
        let text = try self.text(query)
        var members = ["\"query\":\(RequestText.json(string: text))"]
        if namesOperation, let name = Self.operation(text) {
            members.append("\"operationName\":\(RequestText.json(string: name))")
        }
        if let variables = variables ?? (namesOperation ? "{}" : nil) { members.append("\"variables\":\(variables)") }
        return "{\(members.joined(separator: ","))}"
    }

    private func text(_ lines: ArraySlice<HTTPFileBlock.Line>) throws(LeftOut) -> String {
        var pieces: [String] = []
        for line in lines { pieces.append(String(decoding: try self.content(of: line), as: UTF8.self)) }
        while let last = pieces.last, RequestText.isBlank(last) { pieces.removeLast() }
        return pieces.joined(separator: "\n")
    }

    /// Returns the name of a query; `nil` without one.
    private static func operation(_ text: String) -> String? {
        let trimmed = RequestText.trimmed(text)
        guard ASCII.lowercased(trimmed).hasPrefix("query") else { return nil }
        let rest = trimmed.dropFirst(5)
        guard rest.first?.isWhitespace == true else { return nil }
        let name = rest.drop { $0.isWhitespace }.prefix { !"@{(".contains($0) && !$0.isWhitespace }
        return name.isEmpty ? nil : String(name)
    }
}
