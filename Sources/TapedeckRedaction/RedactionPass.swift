import TapedeckCodings
import TapedeckCore
import TapedeckProtobuf

/// Scans one exchange, request or text once and inserts placeholders.
final class RedactionPass {
    private let redactor: Redactor
    private let finder: SecretFinder
    private let isNumbered: Bool
    private let onlyKnown: Bool
    /// True for text that came over the wire, in which nothing is a placeholder.
    private let isLive: Bool
    /// The method of the call at hand, where a descriptor says it.
    private var method: MethodDescriptor?
    /// The number of known secrets at the start.
    private let known: Int
    /// True once the body at hand is escaped.
    private var hasEscapedBody = false
    /// Notes the lengths of the secrets that are replaced.
    private var keepsLengths = false

    init(_ redactor: Redactor, onlyKnown: Bool, isNumbered: Bool = true, isLive: Bool = false) {
        self.redactor = redactor
        self.finder = SecretFinder(redactor.rules, redactor.vault, onlyKnown: onlyKnown)
        self.isNumbered = isNumbered
        self.onlyKnown = onlyKnown
        self.isLive = isLive
        self.known = redactor.vault.count
    }

    /// The first rule that could not be applied.
    var failure: RedactionFailure? { self.finder.failure }

    func exchange(_ source: RecordedExchange) throws(RedactionFailure) -> RecordedExchange {
        var exchange = source
        self.begin(url: source.url)
        exchange.url = self.url(exchange.url)
        exchange.requestHeaders = self.fields(exchange.requestHeaders)
        var noMarks: [Int] = []
        exchange.requestBody = try self.liveBody(
            exchange.requestBody,
            source.requestHeaders,
            isRequest: true,
            &noMarks
        )
        var response = exchange.response
        response.reason = self.plain(response.reason)
        response.interim = response.interim.map { interim in
            var interim = interim
            interim.headers = self.fields(interim.headers)
            interim.reason = interim.reason.map(self.plain)
            return interim
        }
        response.headers = self.fields(response.headers)
        response.trailers = self.fields(response.trailers)
        response.detail = response.detail.map(self.plain)
        var marks: [Int] = []
        for piece in response.pieces { marks.append((marks.last ?? 0) + piece.size) }
        let body = try self.liveBody(response.body, source.response.headers, isRequest: false, &marks)
        if body != response.body {
            response.body = body
            response.pieces = Self.pieces(response.pieces, marks)
        }
        exchange.response = response
        return exchange
    }

    /// Notes the method of a call, whose messages come next.
    func begin(url: String) {
        self.method = self.redactor.descriptors?.method(atURL: url)
    }

    /// Pieces that end where the marks are, without those that have nothing left.
    private static func pieces(_ pieces: [RecordedPiece], _ marks: [Int]) -> [RecordedPiece] {
        var start = 0
        return zip(pieces, marks).compactMap { piece, end in
            defer { start = end }
            return end > start ? RecordedPiece(size: end - start, time: piece.time) : nil
        }
    }

    // MARK: Parts

    func url(_ url: String) -> String {
        self.string(url) { self.finder.edits(in: $0, TextContext(isURL: true)) }
    }

    func fields(_ fields: [HeaderField]) -> [HeaderField] {
        fields.map { field in
            if self.isLive, self.redactor.cleanFields.contains(field, known: self.known) { return field }
            let value =
                self.binaryMetadata(field)
                ?? self.string(field.value) { self.finder.edits(inHeader: field.name, $0) }
            if self.isLive, value == field.value { self.redactor.cleanFields.insert(field, known: self.known) }
            return HeaderField(field.name, value)
        }
    }

    func plain(_ text: String) -> String {
        self.string(text) { self.finder.edits(in: $0, TextContext()) }
    }

    private func string(_ text: String, _ edits: (UnsafeRawBufferPointer) -> [SecretEdit]) -> String {
        guard !text.isEmpty else { return text }
        let bytes = ByteText.bytes(of: text)
        var marks: [Int] = []
        let redacted = self.repeatedly(self.escaped(bytes, &marks), &marks, edits)
        return redacted == bytes ? text : ByteText.string(from: redacted)
    }

    /// Until nothing more is found: a secret that went may have hidden where the next one's name began.
    private func repeatedly(
        _ bytes: [UInt8],
        _ marks: inout [Int],
        _ edits: (UnsafeRawBufferPointer) -> [SecretEdit]
    ) -> [UInt8] {
        var bytes = bytes
        untilStable(rounds: 4) { _ in
            let found = bytes.withUnsafeBytes(edits)
            if found.isEmpty { return false }
            bytes = self.apply(found, to: bytes, &marks)
            return true
        }
        return bytes
    }

    /// The body of a request without its content coding.
    func requestText(_ bytes: [UInt8], contentType: String?) -> [UInt8] {
        var marks: [Int] = []
        return self.text(bytes, contentType, isRequest: true, &marks)
    }

    private func text(_ bytes: [UInt8], _ contentType: String?, isRequest: Bool, _ marks: inout [Int]) -> [UInt8] {
        self.hasEscapedBody = true
        let bytes = self.escaped(bytes, &marks)
        return self.repeatedly(bytes, &marks) {
            self.finder.edits(inBody: $0, contentType: contentType, isRequest: isRequest)
        }
    }

    /// Returns live text with escapes in text that looks like a placeholder.
    private func escaped(_ bytes: [UInt8], _ marks: inout [Int]) -> [UInt8] {
        self.isLive ? PlaceholderEscape.escaped(bytes, marks: &marks) : bytes
    }

    /// Redacts a body that is not text. Its secrets play in their exact lengths, because binary protocols have length
    /// fields.
    func binary(_ bytes: [UInt8]) -> [UInt8] {
        var marks: [Int] = []
        return self.binary(bytes, &marks)
    }

    private func binary(_ bytes: [UInt8], _ marks: inout [Int]) -> [UInt8] {
        self.hasEscapedBody = true
        self.keepsLengths = true
        defer { self.keepsLengths = false }
        return self.repeatedly(self.escaped(bytes, &marks), &marks) {
            self.finder.edits(in: $0, TextContext(kind: .binary))
        }
    }

    /// Returns a text for people with placeholders. A secret that a rule finds in one place is replaced everywhere in
    /// the text.
    func report(_ bytes: [UInt8]) -> [UInt8] {
        let found = bytes.withUnsafeBytes { self.finder.edits(in: $0, TextContext(kind: .message, isRequest: true)) }
        var result = self.apply(found, to: bytes)
        let values = SecretVault()
        for edit in found {
            _ = values.placeholder(for: edit.value, called: self.placeholder(edit).name, edit.certainty)
        }
        var end = 0
        let others = result.withUnsafeBytes { values.hits(in: $0) }.compactMap { hit -> SecretEdit? in
            guard hit.encoding == .raw, hit.range.lowerBound >= end else { return nil }
            end = hit.range.upperBound
            return SecretEdit(range: hit.range, value: hit.secret.value, name: hit.secret.name, rule: "known")
        }
        if !others.isEmpty { result = self.apply(others, to: result) }
        return SecretPlaceholder.replacing(in: result) { placeholder in
            Array(SecretPlaceholder(name: placeholder.name, form: placeholder.form).text.utf8)
        }
    }

    // MARK: Bodies

    /// The body redacted and, if it is live, escaped.
    private func liveBody(
        _ body: RecordedBody,
        _ headers: [HeaderField],
        isRequest: Bool,
        _ marks: inout [Int]
    ) throws(RedactionFailure) -> RecordedBody {
        self.hasEscapedBody = false
        if let redacted = try self.body(body, headers, isRequest: isRequest, &marks) { return redacted }
        guard self.isLive, !self.hasEscapedBody else { return body }
        return self.escaped(body, headers, &marks) ?? body
    }

    /// A live body that no rule searches, escaped, as the player looks for escapes in every body; `nil` if there is nothing
    /// to escape.
    private func escaped(_ body: RecordedBody, _ headers: [HeaderField], _ marks: inout [Int]) -> RecordedBody? {
        guard case .bytes(let bytes) = body else { return nil }
        guard let codings = ContentCoding.all(of: headers), !codings.isEmpty,
            let decoded = try? ContentCoder.decode(bytes, codings, limit: self.redactor.bodyLimit)
        else {
            let escaped = self.escaped(bytes, &marks)
            return escaped.count == bytes.count ? nil : .bytes(escaped)
        }
        let escaped = self.escaped(decoded, &marks)
        guard escaped.count != decoded.count else { return nil }
        return (try? ContentCoder.encode(escaped, codings.map { CodingRecipe($0) })).map(RecordedBody.bytes)
    }

    /// `nil` when it stays as it is.
    private func body(
        _ body: RecordedBody,
        _ headers: [HeaderField],
        isRequest: Bool,
        _ marks: inout [Int]
    ) throws(RedactionFailure) -> RecordedBody? {
        guard case .bytes(let bytes) = body, !bytes.isEmpty, !self.onlyKnown || !self.redactor.vault.isEmpty else {
            return nil
        }
        // Before the search of texts, which would not mend the lengths around a secret.
        if bytes.count <= self.redactor.bodyLimit, !headers.contains(named: "content-encoding"),
            let redacted = self.messages(bytes, headers, isRequest: isRequest)
        {
            return redacted == bytes ? nil : .bytes(redacted)
        }
        guard self.redactor.searches(headers: headers, start: bytes) else {
            guard bytes.count <= self.redactor.bodyLimit else { return nil }
            let redacted = self.binary(bytes, &marks)
            return redacted == bytes ? nil : .bytes(redacted)
        }
        let type = headers.first(named: "content-type")
        guard let codings = ContentCoding.all(of: headers) else {
            if self.redactor.allowsUnscanned || BodyInspection.isText(type: type) == nil { return nil }
            throw RedactionFailure(.coding(headers.tokens(named: "content-encoding").joined(separator: ", ")))
        }
        guard !codings.isEmpty else {
            guard try self.isWithinLimit(bytes.count) else { return nil }
            let redacted = self.text(bytes, type, isRequest: isRequest, &marks)
            return redacted == bytes ? nil : .bytes(redacted)
        }
        guard let layers = try self.unpacked(bytes, codings, type), let inmost = layers.last else { return nil }
        if layers.contains(where: { $0.content.isEmpty && $0.end == .brokenOff }) {
            // The field is wrong about the body.
            let redacted = self.text(bytes, type, isRequest: isRequest, &marks)
            return redacted == bytes ? nil : .bytes(redacted)
        }
        let isText = BodyInspection.isMultipart(type) || BodyInspection.isText(inmost.content)
        self.hasEscapedBody = true
        let live = self.escaped(inmost.content, &marks)
        let redacted =
            if isText {
                self.repeatedly(live, &marks) {
                    self.finder.edits(inBody: $0, contentType: type, isRequest: isRequest)
                }
            } else {
                self.binary(inmost.content, &marks)
            }
        return self.packed(redacted, layers).map(RecordedBody.bytes)
    }

    /// Returns binary metadata of gRPC, such as the details of a status, without the secrets in its texts; `nil` for any other
    /// field, and where there is none.
    private func binaryMetadata(_ field: HeaderField) -> String? {
        guard field.name.hasSuffix("-bin"), let bytes = GRPCBinaryMetadata.decode(ByteText.bytes(of: field.value)),
            var message = ProtobufMessage(parsing: bytes), message.bytes == bytes
        else { return nil }
        let isChanged = message.replaceTexts { _, text in
            var marks: [Int] = []
            let part = Array(text.utf8)
            let changed = self.text(part, nil, isRequest: false, &marks)
            return changed == part ? nil : String(decoding: changed, as: UTF8.self)
        }
        return isChanged ? ByteText.string(from: GRPCBinaryMetadata.encode(message.bytes)) : nil
    }

    /// Returns the body of a call with its messages redacted; `nil` for any other body.
    func messages(_ bytes: [UInt8], _ fields: [HeaderField], isRequest: Bool) -> [UInt8]? {
        let type = isRequest ? self.method?.input : self.method?.output
        let redacted = MessageCoder.changing(bytes, fields, type: type, limit: self.redactor.bodyLimit) { part, kind in
            var marks: [Int] = []
            return switch kind {
            case .json: self.text(part, "application/json", isRequest: isRequest, &marks)
            case .text: self.text(part, nil, isRequest: isRequest, &marks)
            case .binary: self.binary(part, &marks)
            }
        }
        if redacted != nil { self.hasEscapedBody = true }
        return redacted
    }

    /// One of the codings of a body, decoded.
    private struct Layer {
        var coding: ContentCoding
        var coded: [UInt8]
        var content: [UInt8]
        var end: ContentCoder.End
    }

    /// Returns the content, encoded again as before as far as possible, or `nil` if nothing changed.
    private func packed(_ content: [UInt8], _ layers: [Layer]) -> [UInt8]? {
        var isChanged = content != layers.last?.content
        // Secrets may also follow a stream or be in its header.
        let ends = layers.map { layer -> [UInt8] in
            guard case .followed(let rest) = layer.end else { return [] }
            let redacted = self.loose(rest)
            isChanged = isChanged || redacted != rest
            return redacted
        }
        let headers = layers.map { layer -> GzipHeader? in
            guard layer.coding == .gzip, let header = GzipHeader.read(layer.coded)?.header else { return nil }
            let redacted = self.withoutSecrets(header)
            isChanged = isChanged || redacted != header
            return redacted
        }
        guard isChanged else { return nil }
        let search = RecipeSearch()
        var packed = content
        for (index, layer) in layers.enumerated().reversed() {
            var recipe = search.recipe(for: layer.coded, of: layer.content, layer.coding).recipe
            if case .gzip(let parameters, _) = recipe, let header = headers[index] {
                recipe = .gzip(parameters, header)
            }
            guard let coded = try? ContentCoder.encode(packed, recipe) else { return nil }
            // A stream that broke off does so again.
            packed = layer.end == .brokenOff ? coded.dropLast(8) : coded + ends[index]
        }
        return packed
    }

    /// Bytes of no known type, redacted.
    private func loose(_ bytes: [UInt8]) -> [UInt8] {
        var marks: [Int] = []
        return self.text(bytes, nil, isRequest: false, &marks)
    }

    /// Returns the header without the texts that contain a secret.
    private func withoutSecrets(_ header: GzipHeader) -> GzipHeader {
        func isClean(_ bytes: [UInt8]?) -> Bool { bytes.map { self.loose($0) == $0 } ?? true }
        var header = header
        if !isClean(header.name) { header.name = nil }
        if !isClean(header.comment) { header.comment = nil }
        if !isClean(header.extra) { header.extra = nil }
        return header
    }

    private func isWithinLimit(_ size: Int) throws(RedactionFailure) -> Bool {
        guard size > self.redactor.bodyLimit else { return true }
        if self.redactor.allowsUnscanned { return false }
        throw RedactionFailure(.tooLarge(limit: self.redactor.bodyLimit))
    }

    /// Returns the body with its codings decoded, the outermost first; `nil` if they cannot be decoded or are wrong.
    private func unpacked(
        _ bytes: [UInt8],
        _ codings: [ContentCoding],
        _ type: String?
    ) throws(RedactionFailure) -> [Layer]? {
        let limit = self.redactor.bodyLimit
        var layers: [Layer] = []
        var coded = bytes
        for coding in codings.reversed() {
            let unpacked: (content: [UInt8], end: ContentCoder.End)
            do {
                unpacked = try ContentCoder.decodeStart(coded, coding, limit: limit)
            } catch ContentCoder.Problem.tooLarge {
                _ = try self.isWithinLimit(limit + 1)
                return nil
            } catch {
                if self.redactor.allowsUnscanned || BodyInspection.isText(type: type) == nil { return nil }
                throw RedactionFailure(.coding(coding.rawValue))
            }
            layers.append(Layer(coding: coding, coded: coded, content: unpacked.content, end: unpacked.end))
            coded = unpacked.content
        }
        return layers
    }

    // MARK: Edits

    private func apply(_ edits: [SecretEdit], to bytes: [UInt8]) -> [UInt8] {
        var marks: [Int] = []
        return self.apply(edits, to: bytes, &marks)
    }

    /// - Parameter marks: offsets into the bytes, in order, which move along; one inside a secret goes to its end.
    private func apply(_ edits: [SecretEdit], to bytes: [UInt8], _ marks: inout [Int]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var end = 0
        var mark = 0
        for edit in edits {
            while mark < marks.count, marks[mark] <= edit.range.lowerBound {
                marks[mark] += result.count - end
                mark += 1
            }
            result += bytes[end..<edit.range.lowerBound]
            if !edit.isRest {
                let text = self.placeholder(edit).text
                if edit.form == .number { result.append(ASCII.quote) }
                result += text.utf8
                if edit.form == .number { result.append(ASCII.quote) }
            }
            end = edit.range.upperBound
            while mark < marks.count, marks[mark] <= end {
                marks[mark] = result.count
                mark += 1
            }
        }
        while mark < marks.count {
            marks[mark] += result.count - end
            mark += 1
        }
        return result + bytes[end...]
    }

    private func placeholder(_ edit: SecretEdit) -> SecretPlaceholder {
        var placeholder: SecretPlaceholder
        if !self.isNumbered {
            let known = edit.known ?? self.redactor.vault.existing(edit.value)
            placeholder = SecretPlaceholder(name: known?.name ?? edit.name)
        } else if let known = edit.known {
            placeholder = known
        } else {
            placeholder = self.redactor.vault.placeholder(for: edit.value, called: edit.name, edit.certainty)
            if edit.commonStart > 0 { self.redactor.vault.note(commonStart: edit.commonStart, of: edit.value) }
            if let frame = edit.frame { self.redactor.vault.note(frame, of: edit.value) }
        }
        if self.isNumbered {
            if self.keepsLengths { self.redactor.vault.note(exactLengthOf: edit.value) }
            for part in edit.parts { _ = self.redactor.vault.placeholder(for: part.value, called: part.name) }
        }
        placeholder.form = edit.form
        return placeholder
    }
}

/// Repeats a step until it changes nothing, because removing one secret may reveal another. Ends after a number of
/// rounds, so that no text keeps it busy.
///
/// - Parameter step: called with the number of the round, from 0; returns true if it changed something.
@inline(__always)
func untilStable<Failure: Error>(
    rounds: Int,
    _ step: (_ round: Int) throws(Failure) -> Bool
) throws(Failure) {
    for round in 0..<rounds {
        guard try step(round) else { return }
    }
}
