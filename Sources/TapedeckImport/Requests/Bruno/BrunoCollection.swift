import TapedeckCore

/// Reads Bruno's collections: the `.bru` files beside a `bruno.json`, the YAML files beside an `opencollection.yml`,
/// one file with all items, and zip archives of them.
///
/// Saved examples are exchanges; requests without examples have no answer.
package struct BrunoCollection: ImportFormat {
    package let name = "bruno"

    private let values: RequestValues

    package init(values: RequestValues = RequestValues()) {
        self.values = values
    }

    package func recognises(_ file: ImportFile) -> Bool {
        if file.isArchive { return Self.root(of: file.siblings()) != nil }
        guard let document = file.document, document.isMap else { return false }
        if Self.isOpenCollection(document) || BrunoExport.recognises(document) { return true }
        guard Self.fileName(file.path) == "bruno.json" else { return false }
        // The files in YAML are read instead, if there are some.
        return document["version"] != nil && document["name"] != nil
            && !file.siblings().contains("opencollection.yml")
    }

    package func read(_ file: ImportFile) throws(ForeignError) -> ImportedFile {
        var reader = BrunoReader(file, self.values)
        if file.isArchive {
            guard let root = Self.root(of: file.siblings()) else {
                throw ForeignError(message: "no member is named bruno.json or opencollection.yml", line: 1, column: 1)
            }
            reader.root = String(root.dropLast(Self.fileName(root).count))
            guard Self.fileName(root) != "bruno.json" else {
                reader.readBru(configuration: Self.document(file.side(root)))
                return reader.result
            }
            guard let document = Self.document(file.side(root)) else {
                throw ForeignError(message: "its '\(root.prefix(200))' cannot be read", line: 1, column: 1)
            }
            reader.readYAML(document, isFolder: true)
            return reader.result
        }
        let document = try file.requiredDocument()
        if Self.isOpenCollection(document) {
            reader.readYAML(document, isFolder: Self.fileName(file.path) == "opencollection.yml")
        } else if BrunoExport.recognises(document) {
            reader.readExport(document)
        } else {
            reader.readBru(configuration: document)
        }
        return reader.result
    }

    /// All files of a collection go into one cassette, which has the name of its folder.
    package func group(_ path: String) -> String? {
        let name = Self.fileName(path)
        guard name == "bruno.json" || name == "opencollection.yml", path.utf8.count > name.utf8.count + 1 else {
            return nil
        }
        return String(path.dropLast(name.count + 1))
    }

    private static func isOpenCollection(_ document: ForeignNode) -> Bool {
        document["opencollection"]?.text != nil && document["openapi"] == nil
    }

    /// Returns the member of an archive that makes it a collection: that nearest to its root.
    private static func root(of members: [String]) -> String? {
        let roots = members.filter { ["bruno.json", "opencollection.yml"].contains(self.fileName($0)) }
        return roots.min { left, right in
            let (a, b) = (left.count { $0 == "/" }, right.count { $0 == "/" })
            return a == b ? left > right : a < b
        }
    }

    private static func fileName(_ path: String) -> String {
        path.split(separator: "/").last.map(String.init) ?? path
    }

    static func document(_ bytes: [UInt8]?) -> ForeignNode? {
        guard let bytes else { return nil }
        return try? ForeignNode.documents(of: bytes).first
    }
}
