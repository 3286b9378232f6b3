package import TapedeckCore

/// A take for the comparison of cassettes: without the time and way of recording, and with bodies in files loaded,
/// because their names differ from cassette to cassette.
package struct ComparableTake: Equatable {
    /// The maximum size of a body file that is loaded; larger ones are compared by digest. 8 MiB.
    package static let fileLimit = 8 << 20

    /// The take without notes of its recording. The name of a large body file is its digest.
    package let take: Take
    /// Equal for takes with equal status and body, so that a take is found again in the other cassette.
    package let key: [UInt8]

    /// - Throws: `FileError` for a body file that cannot be read.
    package init(_ take: Take, digest: Digest) throws {
        var take = take
        take.recorded = nil
        take.request = nil
        take.detail = nil
        // The encoder's parameters are not part of an API.
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
}
