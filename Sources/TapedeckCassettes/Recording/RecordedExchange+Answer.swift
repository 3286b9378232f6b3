import TapedeckCodings
package import TapedeckCore

extension RecordedExchange {
    /// Bodies up to this size are looked into when answers are compared. 8 MiB.
    package static let comparedLimit = 8 << 20

    /// Returns its response as a take for comparing, which is never written: the body is in memory without its content
    /// coding or, if it is too large for that, named after its digest.
    ///
    /// - Parameter journal: the folder of its journal.
    package func answer(journal: String) -> Take {
        var take = Take(
            status: self.response.status,
            headers: self.response.headers,
            fault: self.response.fault,
            faultOptions: self.response.faultOptions,
            detail: self.response.detail
        )
        switch self.response.body {
        case .bytes(let bytes):
            take.body = Self.compared(bytes, headers: take.headers)
        case .file(let name, let size, let sha256):
            let path = FilePath.join(journal, name)
            if size <= Self.comparedLimit, let bytes = try? FileContents.read(path) {
                take.body = Self.compared(bytes, headers: take.headers)
            } else {
                // As `BodyStorage` names files: by the first digits.
                take.body = .file(BodyFile(name: String(sha256.prefix(12)), path: path, size: size))
            }
        }
        return take
    }

    private static func compared(_ bytes: [UInt8], headers: [HeaderField]) -> StoredBody {
        guard !bytes.isEmpty else { return .none }
        return .readable(ContentCoder.decoded(bytes, headers, limit: Self.comparedLimit * 8), headers: headers)
    }
}

extension StoredBody {
    /// Returns decoded bytes in the form of their media type.
    fileprivate static func readable(_ content: [UInt8], headers: [HeaderField]) -> StoredBody {
        let type = ASCII.lowercased(headers.first(named: "content-type") ?? "")
        let isText = content.withUnsafeBytes { String(validating: $0, as: UTF8.self) != nil }
        let form: InlineBody.Form = type.contains("json") ? .json : isText ? .text : .base64
        return .inline(InlineBody(form: form, content: content))
    }
}

extension Take {
    /// The answer for comparison with ``RecordedExchange/answer(journal:)``: a body file is read if it is not too
    /// large.
    package var compared: Take {
        guard case .file(let file) = self.body else { return self }
        var take = self
        if file.size <= RecordedExchange.comparedLimit, let bytes = try? file.contents() {
            take.body = .readable(bytes, headers: self.headers)
        } else if let dash = file.name.lastIndex(of: "-") {
            var file = file
            file.name = String(file.name[file.name.index(after: dash)...].prefix { $0 != "." })
            take.body = .file(file)
        }
        return take
    }
}
