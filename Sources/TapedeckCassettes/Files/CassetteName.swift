import TapedeckCore
import TapedeckPlatform

/// The name of a cassette from a client: always within the folder.
package struct CassetteName {
    private static let partLimit = 200
    private static let lengthLimit = 1_000

    /// Without an ending.
    let text: String

    /// - Throws: ``CassetteError`` that says which names there are.
    init(_ name: String, folder: String) throws(CassetteError) {
        let text = FilePath.withoutYAMLEnding(name)
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard text.utf8.count <= Self.lengthLimit, parts.allSatisfy(Self.isPart) else {
            throw CassetteError(
                path: folder,
                "\"\(name.printable.prefix(100))\" is no name of a cassette: a part of it is empty, longer than "
                    + "\(Self.partLimit) bytes, hidden, begins or ends with a space, ends with .journal, or has control "
                    + "characters"
            )
        }
        self.text = text
    }

    /// The name nearest to a text that may be none: characters that no name has become `-`.
    ///
    /// - Parameter limit: the most bytes that it has.
    package static func nearest(to text: String, limit: Int = 100) -> String {
        let isAllowed = { (scalar: Unicode.Scalar) in Self.isAllowed(scalar) && scalar != "/" }
        var name = String(String.UnicodeScalarView(text.unicodeScalars.map { isAllowed($0) ? $0 : "-" }))
        while name.hasPrefix(".") || name.hasPrefix(" ") { name.removeFirst() }
        while name.hasSuffix(" ") || name.utf8.count > limit { name.removeLast() }
        if self.isEncodedDots(name) { name = name.replacing("%", with: "-") }
        if name.hasSuffix(".journal") { name = "\(name.dropLast(8))-journal" }
        return name.isEmpty ? "imported" : name
    }

    /// Returns true if a file or folder of this name can be part of a cassette's name.
    static func isPart(_ part: some StringProtocol) -> Bool {
        guard let first = part.unicodeScalars.first, let last = part.unicodeScalars.last else { return false }
        // Hidden files, `.` and `..` are not cassettes, and neither are files of a recording's journal.
        return first != "." && first != " " && last != " " && part.utf8.count <= Self.partLimit
            && !part.hasSuffix(".journal") && !Self.isEncodedDots(part)
            && part.unicodeScalars.allSatisfy(Self.isAllowed)
    }

    /// True for dots in percent-encoding: who decodes it twice would leave the folder.
    private static func isEncodedDots(_ part: some StringProtocol) -> Bool {
        let text = part.lowercased().replacing("%2e", with: ".")
        return text == "." || text == ".."
    }

    /// True for all that a file system holds but what a person cannot see: control characters, those that turn the
    /// direction of writing around, and line ends.
    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
        case _ where scalar == "\\": false
        // Emoji are joined by one of these.
        case .format: scalar == "\u{200D}" || scalar == "\u{200C}"
        default: true
        }
    }

    /// The place of the cassette in `folder`.
    ///
    /// - Throws: ``CassetteError`` when a link leads out of the folder.
    func location(in folder: String) throws(CassetteError) -> CassetteLocation {
        let base = FilePath.join(folder, self.text)
        let isYML = !FileContents.exists("\(base).yaml") && FileContents.exists("\(base).yml")
        let location = CassetteLocation(name: self.text, path: isYML ? "\(base).yml" : "\(base).yaml")
        // Its body files and journal are read and written too.
        for path in [location.path, base, location.journalFolder] where !Self.isWithin(folder, path) {
            throw CassetteError(
                path: location.path,
                "a link leads out of the folder of cassettes; put what it leads to into the folder"
            )
        }
        return location
    }

    static func isWithin(_ folder: String, _ path: String) -> Bool {
        // Without the folder there is nothing in it.
        guard let root = self.resolved(folder.isEmpty ? "." : folder) else { return !FileContents.exists(folder) }
        var path = path
        while true {
            if let found = self.resolved(path) {
                return found == root || found.hasPrefix(root == "/" ? root : "\(root)/")
            }
            // A missing file will be created in its folder, unless it is a dangling link.
            var status = stat()
            guard lstat(path, &status) != 0, path != folder, path.contains("/") else { return false }
            path = FilePath.folder(of: path)
        }
    }

    private static func resolved(_ path: String) -> String? {
        guard let text = realpath(path, nil) else { return nil }
        defer { free(text) }
        return String(cString: text)
    }
}
