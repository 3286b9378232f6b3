import Foundation

/// The path of the cassette with a name, whether it exists or not.
package struct CassettePath {
    /// Its file's name without an ending.
    package let name: String
    /// Absolute.
    package let file: String

    private let candidates: [String]

    /// - Parameter folder: absolute; what the name is relative to.
    package init(_ name: String, folder: String) {
        let whole = name.hasPrefix("/") ? name : "\(folder)/\(name)"
        let hasEnding = whole.hasSuffix(".yaml") || whole.hasSuffix(".yml")
        self.candidates = hasEnding ? [whole] : ["\(whole).yaml", "\(whole).yml"]
        self.file = hasEnding ? whole : "\(whole).yaml"
        let last = whole.split(separator: "/").last.map(String.init) ?? whole
        self.name = hasEnding ? String(last[..<(last.lastIndex(of: ".") ?? last.endIndex)]) : last
    }

    /// The folder of the file.
    package var folder: String { String(self.file[..<(self.file.lastIndex(of: "/") ?? self.file.startIndex)]) }

    /// The file as one would name it in the working folder.
    var shown: String {
        let folder = FileManager.default.currentDirectoryPath + "/"
        return self.file.hasPrefix(folder) ? String(self.file.dropFirst(folder.count)) : self.file
    }

    /// The file, if there is one.
    package var existing: String? { self.candidates.first { FileManager.default.fileExists(atPath: $0) } }

    /// The folder that options mean.
    ///
    /// - Parameter filePath: of the test's file.
    package static func folder(_ folder: String?, of filePath: String) -> String {
        let own = String(filePath[..<(filePath.lastIndex(of: "/") ?? filePath.startIndex)])
        guard let folder else { return own }
        return folder.hasPrefix("/") ? folder : "\(own)/\(folder)"
    }
}
