import TapedeckCore

/// Reads HTTP Archives, versions 1.1 and 1.2, as browsers and proxies export them.
package struct HARFile: ImportFormat {
    package let name = "har"

    package init() {}

    package func recognises(_ file: ImportFile) -> Bool {
        file.document.map { Self.log(of: $0) != nil } ?? false
    }

    package func read(_ file: ImportFile) throws(ForeignError) -> ImportedFile {
        let document = try file.requiredDocument()
        guard let log = Self.log(of: document) else {
            throw ForeignError(message: "it has no `log` with a list of `entries`", line: document.line, column: 1)
        }
        let entries = log["entries"]?.items ?? []
        let reader = HAREntry(side: file.side, holdsNoBodies: Self.holdsNoBodies(log), isPolly: false)
        return ImportedFile(
            exchanges: entries.map { node in
                ForeignEntry.reading(node) { (node) throws(LeftOut) in try reader.exchange(node) }
            }
        )
    }

    /// The log of an archive; some tools write its members without a `log` around them.
    static func log(of document: ForeignNode) -> ForeignNode? {
        if let log = document["log"], log.isMap {
            guard let entries = log["entries"] else { return log["creator"] ?? log["pages"] == nil ? nil : log }
            return entries.isList || entries.isNull ? log : nil
        }
        guard let entries = document["entries"], entries.isList else { return nil }
        if entries.items.isEmpty { return document["creator"] == nil ? nil : document }
        return entries.items.first?["request"]?["url"] == nil ? nil : document
    }

    /// Returns the name of the tool that wrote an archive without any body; `nil` if it has one.
    static func holdsNoBodies(_ log: ForeignNode) -> String? {
        let entries = log["entries"]?.items ?? []
        guard !entries.isEmpty, !entries.contains(where: self.holdsBody) else { return nil }
        return log["creator"]?["name"]?.text ?? "unknown"
    }

    /// True if an entry has a body, or names the file with it.
    static func holdsBody(_ entry: ForeignNode) -> Bool {
        guard let content = entry["response"]?["content"] else { return false }
        return content["text"]?.text != nil || content["_file"]?.text != nil
    }
}
