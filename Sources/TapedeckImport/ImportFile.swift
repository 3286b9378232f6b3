import TapedeckCore

/// A file of another tool to import, with its content in memory.
package struct ImportFile: Sendable {
    /// Reads a file that another one names, relative to its folder; `nil` if it is missing or outside.
    package typealias Sides = @Sendable (_ path: String) -> [UInt8]?

    /// As the user named it, or as it was found in a folder that the user named.
    package let path: String
    package let bytes: [UInt8]
    /// The first document of a file that is JSON or YAML; `nil` for every other file.
    package let document: ForeignNode?
    /// The reason why it is not JSON or YAML; `nil` if it is, and for binary files.
    package let problem: ForeignError?
    package let side: Sides

    package init(path: String, bytes: [UInt8], side: @escaping Sides = { _ in nil }) {
        self.path = path
        self.bytes = bytes
        self.side = side
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
        guard self.problem == nil else { return false }
        guard let document = self.document else {
            return self.bytes.allSatisfy { $0 == 0x20 || (0x09...0x0D).contains($0) }
        }
        return document.isNull || (document.isList && document.items.isEmpty)
            || (document.isMap && document.pairs.isEmpty)
    }

    /// The reason for which no format recognises the file.
    package var unrecognised: String {
        if let problem = self.problem { return "no format recognises it: \(problem.message)" }
        return "no format recognises it: name one with --format"
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
