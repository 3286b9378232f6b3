import TapedeckCassettes
import TapedeckCodings
import TapedeckControlAPI
import TapedeckCore
import TapedeckSessions

extension JournalEntryModel {
    /// The default and the maximum size of a body in an entry, in bytes.
    static let bodyLimit = 64 << 10
    static let largestBodyLimit = 1 << 20

    /// An entry with headers and bodies. Reads files.
    init(whole entry: JournalEntry, bodyLimit: Int = Self.bodyLimit) {
        self.init(entry)
        self.request = Message(
            headers: entry.request.fields.map { [$0.name, $0.value] },
            body: entry.requestBody.map { Body($0, entry.request.fields, limit: bodyLimit) }
        )
        if let response = entry.response {
            self.response = Message(
                headers: response.fields.map { [$0.name, $0.value] },
                body: Body(response.body, response.fields, limit: bodyLimit)
            )
        } else if entry.hasBegun, case .played(let answer) = entry.outcome, !answer.names.take.isFaultAlone {
            let take = answer.names.take
            self.response = Message(
                headers: take.headers.map { [$0.name, $0.value] },
                body: Body(take, limit: bodyLimit)
            )
        }
    }
}

extension JournalEntryModel.Body {
    /// A body off the wire.
    init(_ body: JournalBody, _ fields: [HeaderField], limit: Int) {
        let readable = ReadableBody(body, fields)
        self.init(readable.bytes, fields, length: body.length, isCut: !body.isWhole, limit: limit)
    }

    /// The body that a take has on tape. Reads files; one that is gone shows nothing.
    init(_ take: Take, limit: Int) {
        let readable = ReadableBody(take.body)
        self.init(
            readable.bytes,
            take.headers,
            length: readable.bytes.count,
            isCut: false,
            limit: limit
        )
        // As the cassette has them: in JSON, where a descriptor says what they are.
        if case .inline(let body) = take.body, let messages = body.messages { self.shownText = CallText.text(messages) }
    }

    private init(
        _ bytes: [UInt8],
        _ fields: [HeaderField],
        length: Int,
        isCut: Bool,
        limit: Int
    ) {
        let shown = bytes.count > limit ? Array(bytes.prefix(limit)) : bytes
        let isCut = isCut || shown.count < bytes.count
        if let text = Self.text(shown, fields, isCut: isCut) {
            self.init(text: text, length: length, isCut: isCut)
        } else {
            self.init(base64: String(decoding: Base64.encode(shown), as: UTF8.self), length: length, isCut: isCut)
            self.shownText = CallText.text(shown, fields)
        }
    }

    private static let binary = ["image/", "audio/", "video/", "font/", "application/octet-stream", "application/zip"]

    /// Returns the bytes as text; `nil` if they are not text. A character that was cut in two is left out.
    private static func text(_ bytes: [UInt8], _ fields: [HeaderField], isCut: Bool) -> String? {
        let type = ASCII.lowercased(fields.first(named: "content-type") ?? "")
        guard !self.binary.contains(where: { type.hasPrefix($0) }) || type.hasPrefix("image/svg") else { return nil }
        guard !bytes.contains(0) else { return nil }
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        guard isCut else { return nil }
        for spare in 1...min(3, max(1, bytes.count)) {
            if let text = String(validating: bytes.dropLast(spare), as: UTF8.self) { return text }
        }
        return nil
    }
}

/// A body without its content coding.
struct ReadableBody {
    /// Larger than any unpacked body that is meant to be read.
    private static let limit = 16 << 20

    var bytes: [UInt8]

    /// Creates the model of a received body; its coding stays if it cannot be decoded.
    ///
    /// - Parameter limit: the maximum size of the decoded body.
    init(_ body: JournalBody, _ fields: [HeaderField], limit: Int = Self.limit) {
        self.bytes = body.isWhole ? MessageCoder.decoded(body.bytes, fields, limit: limit) : body.bytes
    }

    /// A body on tape. Reads files; one that is gone is empty.
    init(_ body: StoredBody) {
        switch body {
        case .none: self.bytes = []
        case .inline(let body): self.bytes = body.decoded
        case .file(let file): self.bytes = (try? file.contents()) ?? []
        }
    }
}
