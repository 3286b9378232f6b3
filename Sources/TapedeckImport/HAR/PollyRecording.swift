import TapedeckCore

/// Reads recordings of Polly.js: HTTP Archives whose bodies are in forms of their own.
package struct PollyRecording: ImportFormat {
    package let name = "polly"

    package init() {}

    package func recognises(_ file: ImportFile) -> Bool {
        file.document.flatMap(HARFile.log).map(Self.isRecording) ?? false
    }

    /// True if Polly.js wrote the log of an archive.
    static func isRecording(_ log: ForeignNode) -> Bool {
        log["_recordingName"] != nil || log["creator"]?["name"]?.text == "Polly.JS"
    }

    package func read(_ file: ImportFile) throws(ForeignError) -> ImportedFile {
        let document = try file.requiredDocument()
        guard let log = HARFile.log(of: document) else {
            throw ForeignError(message: "it has no `log` with a list of `entries`", line: document.line, column: 1)
        }
        let reader = HAREntry(side: file.side, holdsNoBodies: nil, isPolly: true)
        return ImportedFile(
            exchanges: Self.ordered(log["entries"]?.items ?? []).map { entry in
                ForeignEntry.reading(entry) { (node) throws(LeftOut) in try reader.exchange(node) }
            }
        )
    }

    /// The entries with those of one `_id`, which answer the same requests, in the order of `_order`.
    private static func ordered(_ entries: [ForeignNode]) -> [ForeignNode] {
        var result = entries
        for places in Dictionary(grouping: entries.indices, by: { entries[$0]["_id"]?.text }).values {
            guard let first = places.first, entries[first]["_id"] != nil else { continue }
            let sorted = places.sorted { (entries[$0]["_order"]?.int ?? 0, $0) < (entries[$1]["_order"]?.int ?? 0, $1) }
            for (place, entry) in zip(places, sorted) { result[place] = entries[entry] }
        }
        return result
    }
}

/// The bodies of Polly.js.
enum PollyBody {
    /// The bytes of a body: text, one text of base64 or hexadecimal digits, or a JSON list of such pieces, which are those
    /// of a coded stream.
    static func bytes(
        _ content: ForeignNode,
        _ text: ForeignNode,
        _ headers: [HeaderField]
    ) throws(LeftOut) -> [UInt8] {
        let value = text.text ?? ""
        let isBase64 = content["encoding"]?.text?.lowercased() == "base64"
        let isBinary = content["_isBinary"]?.bool == true
        if value.hasPrefix("["), isBase64 || isBinary || headers.contains(named: "content-encoding"),
            let list = (try? ForeignNode.documents(of: Array(value.utf8)))?.first, list.isList,
            let pieces = self.pieces(list.items, isBase64: isBase64)
        {
            return pieces
        }
        if isBase64 {
            guard let bytes = ForeignText.base64(value) else { throw LeftOut("its body is no base64", line: text.line) }
            return bytes
        }
        if isBinary {
            guard let bytes = ForeignText.hex(value) else {
                throw LeftOut("its body is marked as binary, and is no hexadecimal digits", line: text.line)
            }
            return bytes
        }
        return Array(value.utf8)
    }

    private static func pieces(_ items: [ForeignNode], isBase64: Bool) -> [UInt8]? {
        var bytes: [UInt8] = []
        for item in items {
            guard let text = item.text, let piece = isBase64 ? ForeignText.base64(text) : ForeignText.hex(text) else {
                return nil
            }
            bytes += piece
        }
        return bytes
    }
}
