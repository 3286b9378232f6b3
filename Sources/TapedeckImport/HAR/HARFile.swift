import TapedeckCore

/// Reads HTTP Archives, versions 1.1 and 1.2, as browsers and proxies export them.
package struct HARFile: ImportFormat {
    package let name = "har"
    package let lists = [["log", "entries"], ["entries"]]
    /// True if an entry of the file has a body; `nil` before a look at its entries.
    private var hasBodies: Bool?

    package init() {}

    package mutating func look(at part: ImportFile) -> EntryLook {
        let entries = part.document.flatMap(Self.log)?["entries"]?.items ?? []
        let hasBodies = entries.contains(where: Self.holdsBody)
        self.hasBodies = hasBodies
        return hasBodies ? .enough : .more
    }

    package func recognises(_ file: ImportFile) -> Bool {
        file.document.map { Self.log(of: $0) != nil } ?? false
    }

    package func read(_ file: ImportFile) throws(ForeignError) -> ImportedFile {
        let document = try file.requiredDocument()
        guard let log = Self.log(of: document) else {
            throw ForeignError(message: "it has no `log` with a list of `entries`", line: document.line, column: 1)
        }
        let entries = log["entries"]?.items ?? []
        let hasBodies = self.hasBodies ?? (entries.isEmpty || entries.contains(where: Self.holdsBody))
        let tool = hasBodies ? nil : log["creator"]?["name"]?.text ?? "unknown"
        let reader = HAREntry(side: file.side, holdsNoBodies: tool, isPolly: false)
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

    /// True if an entry has a body, or names the file with it.
    private static func holdsBody(_ entry: ForeignNode) -> Bool {
        guard let content = entry["response"]?["content"] else { return false }
        return content["text"]?.text != nil || content["_file"]?.text != nil
    }
}
