import TapedeckCore

/// A file of another tool to import, with its content in memory.
package struct ImportFile: Sendable {
    /// Reads a file that another one names, relative to its folder; `nil` if it is missing or outside.
    package typealias Sides = @Sendable (_ path: String) -> [UInt8]?
    /// Lists the files below the folder of a file, or the members of its archive: relative paths, sorted.
    package typealias Siblings = @Sendable () -> [String]

    /// As the user named it, or as it was found in a folder that the user named.
    package let path: String
    package let bytes: [UInt8]
    /// The first document of a file that is JSON or YAML; `nil` for every other file.
    package let document: ForeignNode?
    /// The reason why it is not JSON or YAML; `nil` if it is, and for binary files.
    package let problem: ForeignError?
    package let side: Sides
    package let siblings: Siblings
    /// True for an archive: it has no bytes of its own, only members.
    package let isArchive: Bool

    package init(
        path: String,
        bytes: [UInt8],
        side: @escaping Sides = { _ in nil },
        siblings: @escaping Siblings = { [] },
        isArchive: Bool = false
    ) {
        self.path = path
        self.bytes = bytes
        self.side = side
        self.siblings = siblings
        self.isArchive = isArchive
        guard !MitmproxyFlows.startsLikeFlows(bytes) else {
            (self.document, self.problem) = (nil, nil)
            return
        }
        do throws(ForeignError) {
            self.document = try ForeignNode.documents(of: Self.withoutCall(bytes)).first
            self.problem = nil
        } catch {
            self.document = nil
            self.problem = error
        }
    }

    /// A file whose document is read already: a part of one that is read entry by entry.
    init(path: String, document: ForeignNode, side: @escaping Sides) {
        self.path = path
        self.bytes = []
        self.side = side
        self.siblings = { [] }
        self.isArchive = false
        (self.document, self.problem) = (document, nil)
    }

    /// The argument of a call, as in archives for HAR Viewer (`onInputData({…})`), with spaces in the place of the call.
    private static func withoutCall(_ bytes: [UInt8]) -> [UInt8] {
        let isSpace = { (byte: UInt8) in byte == 0x20 || (0x09...0x0D).contains(byte) }
        guard let first = bytes.firstIndex(where: { !isSpace($0) }),
            let open = bytes[first...].prefix(80).firstIndex(of: UInt8(ascii: "(")), open > first,
            bytes[first..<open].allSatisfy({ ASCII.isUnreserved($0) && $0 != UInt8(ascii: "-") }),
            let last = bytes.lastIndex(where: { !isSpace($0) && $0 != UInt8(ascii: ";") }),
            bytes[last] == UInt8(ascii: ")"), last > open,
            let inner = bytes[(open + 1)..<last].first(where: { !isSpace($0) }),
            inner == UInt8(ascii: "{") || inner == UInt8(ascii: "[")
        else { return bytes }
        var argument = Array(bytes[..<last])
        for index in first...open { argument[index] = 0x20 }
        return argument
    }

    /// True if it has no entries in any format: an empty text, list or map.
    package var isEmpty: Bool {
        guard self.problem == nil, !self.isArchive else { return false }
        guard let document = self.document else {
            return self.bytes.allSatisfy { $0 == 0x20 || (0x09...0x0D).contains($0) }
        }
        return document.isNull || (document.isList && document.items.isEmpty)
            || (document.isMap && document.pairs.isEmpty)
    }

    /// The reason for which no format recognises the file.
    package var unrecognised: String {
        let names = ImportFormats.plain.all.map(\.name).joined(separator: ", ")
        let problem = self.problem.map { " (as JSON or YAML: \($0.message))" } ?? ""
        return "it begins with \(self.beginning), and is none of these\(problem): \(names)"
    }

    /// The first characters of the file in quotation marks, for a person.
    private var beginning: String {
        guard !self.bytes.isEmpty else { return "nothing" }
        let start = self.bytes.prefix(256)
        // A character that the limit cuts is left out.
        guard let text = (0..<4).lazy.compactMap({ String(validating: start.dropLast($0), as: UTF8.self) }).first else {
            return "the bytes \(start.prefix(8).map { String($0, radix: 16) }.joined(separator: " "))"
        }
        let words = text.split { $0.isWhitespace || $0 == "\u{FEFF}" }.joined(separator: " ")
        return "'\(String(words.prefix(40)).printable)'"
    }

    /// The name of the file without its folder and its endings, such as `.json`, `.har.zip` or
    /// `.postman_collection.json`.
    package var stem: String { Self.stem(of: self.path) }

    /// The name of the file at a path without its folder and its endings.
    package static func stem(of path: String) -> String {
        var name = path.split(separator: "/").last.map(String.init) ?? path
        if let dot = name.lastIndex(of: "."), dot != name.startIndex { name = String(name[..<dot]) }
        let endings = [".har", ".yml", ".yaml", ".json", ".postman_collection"]
        for ending in endings where name.hasSuffix(ending) && name.count > ending.count {
            name = String(name.dropLast(ending.count))
        }
        return name
    }
}
