import TapedeckCore

/// Reads sessions of Charles: JSON session files (`.chlsj`), and the archives that Charles 5 saves (`.chlz`).
package struct CharlesSession: ImportFormat {
    package let name = "charles"
    package let lists: [[String]] = [[]]

    package init() {}

    package func recognises(_ file: ImportFile) -> Bool {
        if file.isArchive { return Self.isSession(archive: file) }
        return Self.isBinary(file.bytes) || Self.isXML(file.bytes) || file.document.map(Self.isSession) ?? false
    }

    package func read(_ file: ImportFile) throws(ForeignError) -> ImportedFile {
        if file.isArchive { return self.read(archive: file) }
        let form = Self.isBinary(file.bytes) ? "binary" : Self.isXML(file.bytes) ? "XML" : nil
        if let form {
            let message =
                "it is a session of Charles in its \(form) form: export it from Charles as a JSON session file (.chlsj) or HAR"
            throw ForeignError(message: message, line: 1, column: 1)
        }
        let document = try file.requiredDocument()
        guard document.isList else {
            throw ForeignError(message: "it is no list of transactions", line: document.line, column: 1)
        }
        var result = ImportedFile()
        for node in document.items {
            result.append(line: node.line) { () throws(LeftOut) in
                try CharlesTransaction(node, line: node.line).entry(
                    requestBody: { () throws(LeftOut) in try CharlesBody(node["request"], node.line)?.bytes() },
                    body: { () throws(LeftOut) in try CharlesBody(node["response"], node.line)?.bytes() }
                )
            }
        }
        return result
    }

    // MARK: Recognition

    /// True for Java's serialization of a session, which Charles 3 and 4 save.
    private static func isBinary(_ bytes: [UInt8]) -> Bool {
        guard bytes.starts(with: [0xAC, 0xED, 0x00, 0x05]) else { return false }
        return String(decoding: bytes.prefix(256), as: UTF8.self).containsText(".charles")
    }

    private static func isXML(_ bytes: [UInt8]) -> Bool {
        guard bytes.first(where: { $0 > 0x20 }).map({ $0 == UInt8(ascii: "<") || $0 == 0xEF }) ?? false else {
            return false
        }
        return String(decoding: bytes.prefix(1_024), as: UTF8.self).containsText("<charles-session")
    }

    /// True if a document is a list with a transaction in it.
    private static func isSession(_ document: ForeignNode) -> Bool {
        document.items.contains(where: self.isTransaction)
    }

    private static func isTransaction(_ node: ForeignNode) -> Bool {
        let marks = ["protocolVersion", "times", "durations", "actualPort", "tunnel", "keptAlive"]
        return node["host"] != nil && node["scheme"] != nil && node["method"] != nil
            && node["request"]?.isMap ?? false && marks.contains { node[$0] != nil }
    }

    // MARK: Archives

    private static func isSession(archive file: ImportFile) -> Bool {
        let metas = file.siblings().lazy.filter { self.number(ofMeta: $0) != nil }
        guard let first = metas.first, let bytes = file.side(first) else { return false }
        return (try? ForeignNode.documents(of: bytes))?.first.map(self.isTransaction) ?? false
    }

    /// The number of the transaction that a member describes, such as `12-meta.json`; `nil` for every other member.
    private static func number(ofMeta name: String) -> Int? {
        guard name.hasSuffix("-meta.json") else { return nil }
        let digits = name.dropLast(10)
        guard digits.count < 10, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int(digits)
    }

    private func read(archive file: ImportFile) -> ImportedFile {
        var result = ImportedFile()
        result.position = .entry
        var members = SessionMembers(file)
        // A body has the ending of its media type.
        let bodies = Dictionary(
            members.names.map { name in (String(name.prefix { $0 != "." }), name) },
            uniquingKeysWith: { first, _ in first }
        )
        let metas = members.names.compactMap { name in Self.number(ofMeta: name).map { (number: $0, name: name) } }
        for (index, meta) in metas.sorted(by: { ($0.number, $0.name) < ($1.number, $1.name) }).enumerated() {
            let line = index + 1
            let stem = meta.name.dropLast(10)
            result.append(line: line) { () throws(LeftOut) in
                let bytes = try members.content(of: meta.name, line: line)
                guard let node = (try? ForeignNode.documents(of: bytes))?.first, node.isMap else {
                    throw LeftOut("'\(meta.name)' in the archive is no JSON object", line: line)
                }
                let request = try members.content(ifAny: bodies["\(stem)-req"], line: line)
                let response = try members.content(ifAny: bodies["\(stem)-res"], line: line)
                return try CharlesTransaction(node, line: line).entry(requestBody: { request }, body: { response })
            }
        }
        return result
    }
}
