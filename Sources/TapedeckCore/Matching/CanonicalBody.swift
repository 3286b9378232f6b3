/// The spelling of a request body without the differences that its media type declares meaningless:
///
/// - forms (WHATWG URL section 5): the order of fields with other names, and the encoding of characters;
/// - multipart bodies (RFC 2046 section 5.1): the boundary, the text around the parts, the spelling and order of their header
///   fields, and, in form data, the order of parts with other names. The content of a part has its own canonical spelling;
/// - JSON lines: the spelling of each line's JSON;
/// - GraphQL documents: the white space, commas and comments between tokens.
///
/// Recordings write bodies in this spelling. A request is compared as received, and in this spelling. JSON and XML have
/// conditions of their own.
package enum CanonicalBody {
    /// The boundary of every canonical multipart body.
    package static let boundary = "boundary"
    private static let delimiter = Array("--\(boundary)".utf8)

    /// Returns the canonical spelling; `nil` for a body whose type has none.
    ///
    /// - Parameters:
    ///   - bytes: the body without content codings.
    ///   - fields: the header fields of its request.
    package static func of(
        _ bytes: [UInt8],
        _ fields: [HeaderField],
        ignoring ignored: IgnoredFields = IgnoredFields()
    ) -> [UInt8]? {
        fields.first(named: "content-type").flatMap { self.of(bytes, type: $0, ignored) }
    }

    private static func of(_ bytes: [UInt8], type: String, _ ignored: IgnoredFields) -> [UInt8]? {
        guard let parameters = HeaderParameters(type) else { return nil }
        switch parameters.word {
        case FormBody.mediaType: return self.form(bytes, ignored)
        case "application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonlines",
            "application/json-lines", "application/json-seq":
            return self.lines(bytes)
        case "application/graphql":
            return GraphQLDocument.normalised(ByteText.string(from: bytes)).map { ByteText.bytes(of: $0) }
        default:
            guard parameters.word.hasPrefix("multipart/") else { return nil }
            return self.multipart(bytes, type, isForm: parameters.word == "multipart/form-data", ignored)
                ?? self.erased(bytes, BoundaryEraser(parameters))
        }
    }

    /// Returns a body that is in its canonical spelling without the places that do not count.
    package static func counting(_ spelling: [UInt8], ignoring ignored: IgnoredFields) -> [UInt8] {
        if spelling.starts(with: self.delimiter) {
            return self.multipart(spelling, self.multipartType, isForm: true, ignored) ?? spelling
        }
        return self.form(spelling, ignored) ?? spelling
    }

    /// The type of a multipart body that is in its canonical spelling.
    private static let multipartType = "multipart/form-data; boundary=\(boundary)"

    /// The parts of a body that is in its canonical spelling; `nil` for another body.
    static func parts(_ spelling: [UInt8]) -> MultipartBody? {
        spelling.withUnsafeBytes { MultipartBody($0, contentType: self.multipartType) }
    }

    /// Returns the bytes whose digest identifies a body: a multipart body as received, without its boundary, and any
    /// other body as it is.
    package static func withoutBoundary(_ bytes: [UInt8], _ fields: [HeaderField]) -> [UInt8] {
        self.erased(bytes, BoundaryEraser(fields)) ?? bytes
    }

    private static func erased(_ bytes: [UInt8], _ eraser: BoundaryEraser?) -> [UInt8]? {
        guard var eraser else { return nil }
        return bytes.withUnsafeBytes { eraser.update($0) } + eraser.finish()
    }

    /// Returns the Content-Type fields of a body in this spelling.
    package static func contentType(_ fields: [HeaderField]) -> [HeaderField] {
        fields.filter { $0.isNamed("content-type") }.map { field in
            guard let parameters = HeaderParameters(field.value), parameters.word.hasPrefix("multipart/"),
                let boundary = parameters["boundary"], let name = field.value.firstRange(of: /boundary=/.ignoresCase()),
                let place = field.value[name.upperBound...].firstRange(of: boundary)
            else { return field }
            return HeaderField(
                field.name,
                field.value[..<place.lowerBound] + self.boundary + field.value[place.upperBound...]
            )
        }
    }

    /// Returns true if a body in this spelling may equal a request that is spelt differently: it has several fields, encoded
    /// characters, several parts, or is JSON or GraphQL.
    static func mayBe(_ bytes: [UInt8]) -> Bool {
        bytes.contains { $0 == ASCII.ampersand || $0 == ASCII.equals || $0 == ASCII.percent || $0 == 0x2B }
            || bytes.contains(self.delimiter) || bytes.contains(ASCII.openBrace) || bytes.first == ASCII.openBracket
    }

    // MARK: Forms

    /// The fields sorted by name. Those of one name keep their order, which may mean something. `nil` for another text that
    /// is only called a form, as `curl -d` calls everything.
    private static func form(_ bytes: [UInt8], _ ignored: IgnoredFields) -> [UInt8]? {
        guard bytes.split(separator: ASCII.ampersand).allSatisfy(self.isField) else { return nil }
        let fields = bytes.withUnsafeBytes { FormBody.parse($0) }.filter { !ignored.fields.contains($0.name) }
        let spelt = Self.sorted(fields) { $0.name }.map { name, value in
            FormBody.encoded(name) + (value.isEmpty ? [] : [ASCII.equals] + FormBody.encoded(value))
        }
        return Array(spelt.joined(separator: [ASCII.ampersand]))
    }

    private static func isField(_ field: ArraySlice<UInt8>) -> Bool {
        field.prefix { $0 != ASCII.equals }.allSatisfy { $0 > ASCII.space && !"<>\"{}\\,;".utf8.contains($0) }
            && field.allSatisfy { $0 >= ASCII.space }
    }

    /// Sorts by name. The standard library's sort promises no order for equals.
    private static func sorted<Item>(_ items: [Item], by name: (Item) -> String) -> [Item] {
        items.enumerated().sorted { left, right in
            let (one, other) = (name(left.element), name(right.element))
            return one.isSameText(as: other) ? left.offset < right.offset : one.precedesText(other)
        }.map(\.element)
    }

    // MARK: JSON lines

    /// `nil` if a line is not JSON.
    private static func lines(_ bytes: [UInt8]) -> [UInt8]? {
        var spelling: [UInt8] = []
        for line in bytes.split(separator: ASCII.lineFeed) {
            let line = line.filter { $0 != ASCII.carriageReturn && $0 != 0x1E }
            guard line.contains(where: { $0 > ASCII.space }) else { continue }
            guard let value = try? JSONValue(parsing: Array(line)) else { return nil }
            spelling += value.canonicalText
            spelling.append(ASCII.lineFeed)
        }
        return spelling
    }

    // MARK: Multipart

    /// `nil` for a body that is not well-formed.
    private static func multipart(
        _ bytes: [UInt8],
        _ type: String,
        isForm: Bool,
        _ ignored: IgnoredFields
    ) -> [UInt8]? {
        guard let body = bytes.withUnsafeBytes({ MultipartBody($0, contentType: type) }) else { return nil }
        let counting = body.parts.filter { part in part.name.map { !ignored.parts.contains($0) } ?? true }
        let parts = isForm ? self.sorted(counting) { $0.name ?? "" } : counting
        var spelling: [UInt8] = []
        for part in parts {
            spelling += self.delimiter
            spelling += self.lineEnd
            for (name, value) in self.headers(of: part, isForm: isForm) {
                spelling += ByteText.bytes(of: "\(name): \(value)")
                spelling += self.lineEnd
            }
            spelling += self.lineEnd
            spelling += self.escaped(self.content(of: part, ignored))
            spelling += self.lineEnd
        }
        return spelling + self.delimiter + [0x2D, 0x2D] + self.lineEnd
    }

    private static let lineEnd = [ASCII.carriageReturn, ASCII.lineFeed]

    /// The header fields that count, sorted by their names in lower case.
    private static func headers(of part: MultipartBody.Part, isForm: Bool) -> [(name: String, value: String)] {
        let fields = part.headers.map { name, value -> (name: String, value: String) in
            let name = ASCII.lowercased(name)
            let isType = name == "content-type"
            return (name, isType ? self.contentType([HeaderField(name, value)]).first?.value ?? value : value)
        }.filter { name, value in
            switch name {
            case "content-length": false
            // RFC 2045 section 6.2: these transform nothing.
            case "content-transfer-encoding": !["binary", "8bit", "7bit"].contains(ASCII.lowercased(value))
            // RFC 7578 section 4.4.
            case "content-type": ASCII.lowercased(value) != "text/plain"
            case "content-disposition": !isForm || part.name == nil
            default: true
            }
        }
        var disposition: [(name: String, value: String)] = []
        if isForm, let name = part.name {
            let filename = part.filename.map { "; filename=\"\(self.quoted($0))\"" } ?? ""
            disposition = [("content-disposition", "form-data; name=\"\(self.quoted(name))\"\(filename)")]
        }
        return disposition + self.sorted(fields) { $0.name }
    }

    /// As browsers escape names (WHATWG HTML, multipart form data).
    private static func quoted(_ text: String) -> String {
        text.replacing("\"", with: "%22").replacing("\r", with: "%0D").replacing("\n", with: "%0A")
    }

    /// Returns true if a text means the same as the content of a part.
    static func isContent(_ text: String, of part: MultipartBody.Part) -> Bool {
        var wanted = part
        wanted.content = ByteText.bytes(of: text)
        return self.content(of: wanted, IgnoredFields()) == self.content(of: part, IgnoredFields())
    }

    private static func content(of part: MultipartBody.Part, _ ignored: IgnoredFields) -> [UInt8] {
        guard let type = part.contentType, let parameters = HeaderParameters(type) else {
            // Clients send the JSON of a form's field without a type, as those of GraphQL do.
            let isDocument = part.content.first == ASCII.openBrace || part.content.first == ASCII.openBracket
            return isDocument ? self.json(part.content) : part.content
        }
        if parameters.word == "application/json" || parameters.word.hasSuffix("+json") {
            return self.json(part.content)
        }
        return self.of(part.content, type: type, ignored) ?? part.content
    }

    /// The canonical text of JSON; any other text as it is.
    private static func json(_ text: [UInt8]) -> [UInt8] {
        (try? JSONValue(parsing: text))?.canonicalText ?? text
    }

    /// A line that reads like a canonical delimiter gets a `=` behind it, so that different bodies stay different.
    private static func escaped(_ content: [UInt8]) -> [UInt8] {
        guard content.contains(self.delimiter) else { return content }
        return Array(
            content.split(separator: ASCII.lineFeed, omittingEmptySubsequences: false)
                .map {
                    $0.starts(with: self.delimiter)
                        ? self.delimiter + [ASCII.equals] + $0.dropFirst(self.delimiter.count) : Array($0)
                }
                .joined(separator: [ASCII.lineFeed])
        )
    }
}

/// Replaces the boundary of a multipart body by ``CanonicalBody/boundary``, piece by piece.
///
/// A delimiter stands at the start of a line, with nothing but white space or `--` behind it (RFC 2046 section 5.1.1).
/// A line of the content that reads like a canonical delimiter gets a `=` behind it, so that different bodies stay
/// different.
package struct BoundaryEraser {
    private let delimiter: [UInt8]
    /// The start of a line that may become a delimiter.
    private var rest: [UInt8] = []
    private var isAtLineStart = true
    private static let replacement = Array("--\(CanonicalBody.boundary)".utf8)

    /// Returns `nil` for requests whose body is not multipart.
    package init?(_ fields: [HeaderField]) {
        guard let type = fields.first(named: "content-type"), let parameters = HeaderParameters(type) else {
            return nil
        }
        self.init(parameters)
    }

    init?(_ type: HeaderParameters) {
        guard type.word.hasPrefix("multipart/"), let boundary = type["boundary"], (1...70).contains(boundary.utf8.count)
        else { return nil }
        self.delimiter = Array("--\(boundary)".utf8)
    }

    /// Returns the bytes that are settled after this piece.
    package mutating func update(_ piece: UnsafeRawBufferPointer) -> [UInt8] {
        self.settle(self.rest + piece, isLast: false)
    }

    /// Returns the last bytes.
    package mutating func finish() -> [UInt8] {
        self.settle(self.rest, isLast: true)
    }

    private mutating func settle(_ bytes: [UInt8], isLast: Bool) -> [UInt8] {
        var settled: [UInt8] = []
        settled.reserveCapacity(bytes.count + 1)
        var index = 0
        while index < bytes.count {
            if self.isAtLineStart {
                guard isLast || !self.isOpen(bytes[index...]) else { break }
                index += self.delimiter(bytes[index...], to: &settled)
                self.isAtLineStart = false
            }
            let end = bytes[index...].firstIndex(of: ASCII.lineFeed)
            settled += bytes[index..<(end.map { $0 + 1 } ?? bytes.count)]
            self.isAtLineStart = end != nil
            index = end.map { $0 + 1 } ?? bytes.count
        }
        self.rest = Array(bytes[index...])
        return settled
    }

    /// Returns true if the bytes that follow decide what a line is.
    private func isOpen(_ line: ArraySlice<UInt8>) -> Bool {
        line.count <= self.delimiter.count && self.delimiter.starts(with: line)
            || line.count < Self.replacement.count && Self.replacement.starts(with: line)
    }

    /// Appends the canonical start of a line; returns the number of bytes that it stands for.
    private func delimiter(_ line: ArraySlice<UInt8>, to settled: inout [UInt8]) -> Int {
        if line.starts(with: self.delimiter), Self.ends(line.dropFirst(self.delimiter.count).first) {
            settled += Self.replacement
            return self.delimiter.count
        }
        guard line.starts(with: Self.replacement) else { return 0 }
        settled += Self.replacement
        settled.append(ASCII.equals)
        return Self.replacement.count
    }

    /// Returns true if a byte, or the end of the body, may follow a delimiter.
    private static func ends(_ byte: UInt8?) -> Bool {
        switch byte {
        case nil, 0x2D, ASCII.space, ASCII.tab, ASCII.carriageReturn, ASCII.lineFeed: true
        default: false
        }
    }
}
