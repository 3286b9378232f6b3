import TapedeckCassettes
import TapedeckCore

/// A take as two cassettes are compared by: without what says when and how it was recorded, and with the bodies that stand
/// in files read, as the names of those differ from cassette to cassette.
struct ComparableTake: Equatable {
    /// A larger body file is told apart by its digest. 8 MiB.
    static let fileLimit = 8 << 20

    /// What it plays. Of a large body file the name is its digest.
    let take: Take
    /// The same for takes whose status and body are: what takes are found again by.
    let key: [UInt8]

    /// - Throws: `FileError` for a body file that cannot be read.
    init(_ take: Take, digest: Digest) throws {
        var take = take
        take.recorded = nil
        take.request = nil
        take.detail = nil
        // How a body was packed is no part of what an API says.
        if let coding = take.body.coding { take.body.coding = BodyCoding(coding.codings) }
        if case .file(let file) = take.body { take.body = try Self.body(file, digest) }
        self.take = take
        self.key = Self.key(of: take)
    }

    private static func key(of take: Take) -> [UInt8] {
        var key = Array("\(take.status) \(take.fault?.rawValue ?? "")\n".utf8)
        switch take.body {
        case .none: break
        case .file(let file): key += Array(file.name.utf8)
        case .inline(let body):
            let bytes = body.decoded
            key += (try? JSONValue(parsing: bytes)).map { JSONComparison().canonical($0) } ?? bytes
        }
        return key
    }

    private static func body(_ file: BodyFile, _ digest: Digest) throws -> StoredBody {
        let bytes = try file.contents()
        guard bytes.count <= Self.fileLimit else {
            return .file(BodyFile(name: digest(bytes), path: "", size: bytes.count, coding: file.coding))
        }
        let isText = bytes.withUnsafeBytes { String(validating: $0, as: UTF8.self) != nil } && !bytes.contains(0)
        return .inline(InlineBody(form: isText ? .text : .base64, content: bytes, coding: file.coding))
    }

    /// What `new` plays otherwise; `nil` where nothing does.
    func change(to new: ComparableTake, number: Int, digest: Digest) -> TakeChange? {
        guard self != new else { return nil }
        var change = TakeChange(kind: .changed, number: number)
        change.differences = TakeComparison.differences(self.take, new.take)
        if let index = change.differences.firstIndex(where: { $0.place == "body" && $0.kind == .value }) {
            if let old = self.text, let text = new.text {
                change.lines = LineDiff.lines(from: old, to: text, limit: 20)
            } else {
                change.differences[index].old = self.bodySummary(digest)
                change.differences[index].new = new.bodySummary(digest)
            }
        }
        change.differences += self.rest(new)
        return change.differences.isEmpty ? nil : change
    }

    private var text: String? {
        guard case .inline(let body) = self.take.body, body.form != .base64 else { return nil }
        return String(validating: body.decoded, as: UTF8.self)
    }

    private func bodySummary(_ digest: Digest) -> String? {
        switch self.take.body {
        case .none: return nil
        case .file(let file): return "\(file.size) bytes, SHA-256 \(file.name.prefix(12))"
        case .inline(let body):
            let bytes = body.decoded
            return "\(bytes.count) bytes, SHA-256 \(digest(bytes).prefix(12))"
        }
    }

    /// What plays otherwise and is no part of what an API is.
    private func rest(_ new: ComparableTake) -> [TakeDifference] {
        let (old, new) = (self.take, new.take)
        let parts: [(place: String, old: String?, new: String?)] = [
            ("reason", old.reason, new.reason),
            ("URL error", old.urlError.map { "\($0)" }, new.urlError.map { "\($0)" }),
            ("content coding", old.body.coding?.fieldValue, new.body.coding?.fieldValue),
            ("trailers", Self.text(old.trailers), Self.text(new.trailers)),
            ("interim responses", Self.text(old.interim), Self.text(new.interim)),
            ("end of the body", old.endsAtClose ? "at close" : nil, new.endsAtClose ? "at close" : nil),
        ]
        return parts.filter { $0.old != $0.new }.map { TakeDifference(.value, $0.place, old: $0.old, new: $0.new) }
    }

    private static func text(_ fields: [HeaderField]) -> String? {
        fields.isEmpty ? nil : fields.map { "\($0.name): \($0.value)" }.joined(separator: ", ")
    }

    private static func text(_ interim: [Take.Interim]) -> String? {
        interim.isEmpty ? nil : interim.map { "\($0.status) \(self.text($0.headers) ?? "")" }.joined(separator: "; ")
    }
}
