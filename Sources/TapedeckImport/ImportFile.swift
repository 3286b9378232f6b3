/// A file of another tool that is to be imported, with its content in memory.
package struct ImportFile: Sendable {
    /// Reads a file that another one names, relative to its folder; `nil` where it is not there or lies outside.
    package typealias Sides = @Sendable (_ path: String) -> [UInt8]?

    /// As the user named it, or as it was found in a folder that the user named.
    package let path: String
    package let bytes: [UInt8]
    /// The first document of a file that is JSON or YAML; `nil` for every other file.
    package let document: ForeignNode?
    /// The reason for which it is no JSON or YAML; `nil` where it is, and for files that are binary.
    package let problem: ForeignError?
    package let side: Sides

    package init(path: String, bytes: [UInt8], side: @escaping Sides = { _ in nil }) {
        self.path = path
        self.bytes = bytes
        self.side = side
        guard !MitmproxyFlows.startsLikeFlows(bytes), !bytes.starts(with: [0x50, 0x4B, 0x03, 0x04]) else {
            (self.document, self.problem) = (nil, nil)
            return
        }
        do throws(ForeignError) {
            self.document = try ForeignNode.documents(of: bytes).first
            self.problem = nil
        } catch {
            self.document = nil
            self.problem = error
        }
    }

    /// The reason for which no format recognises the file.
    package var unrecognised: String {
        if self.bytes.starts(with: [0x50, 0x4B, 0x03, 0x04]) { return "it is a zip archive: unpack it first" }
        if let problem = self.problem { return "no format recognises it: \(problem.message)" }
        return "no format recognises it: name one with --format"
    }

    /// The name of the file without its folder and its endings, such as `.json`, `.har.json` or
    /// `.postman_collection.json`.
    package var stem: String { Self.stem(of: self.path) }

    /// The name of the file at a path without its folder and its endings.
    package static func stem(of path: String) -> String {
        var name = path.split(separator: "/").last.map(String.init) ?? path
        if let dot = name.lastIndex(of: "."), dot != name.startIndex { name = String(name[..<dot]) }
        for ending in [".har", ".postman_collection"] where name.hasSuffix(ending) && name.count > ending.count {
            name = String(name.dropLast(ending.count))
        }
        return name
    }
}
