import Foundation
import TapedeckYAML

/// The names in a cassette's file: its response sets and their variants. The deck reads and checks the rest.
struct CassetteOutline {
    /// A response set of the file.
    struct Entry {
        let name: String
        let node: YAMLNode
    }

    /// In the order of the file.
    let sets: [Entry]
    private let file: String

    /// - Parameter path: the path of the cassette.
    /// - Throws: ``TapedeckError`` if the file does not exist, or cannot be read as a cassette.
    init(_ path: CassettePath) throws(TapedeckError) {
        guard let file = path.existing else {
            throw TapedeckError(
                .missingCassette,
                "there is no cassette \(path.file); check its name and its folder, or record it first"
            )
        }
        self.file = file
        let source: Data
        do {
            source = try Data(contentsOf: URL(fileURLWithPath: file))
        } catch {
            throw TapedeckError(.refused, "the cassette \(file) cannot be read: \(error)")
        }
        let root: YAMLNode?
        do throws(YAMLError) {
            root = try YAMLDocument(parsing: Array(source)).root
        } catch {
            throw TapedeckError(.refused, "\(file):\(error.line):\(error.column): \(error.message)")
        }
        guard let root, root["tapedeck"] != nil else {
            throw TapedeckError(.refused, "\(file) is no cassette: one begins with `tapedeck: 1`")
        }
        self.sets = try Self.entries(of: root, "responseSets", "a response set", in: file)
    }

    /// Returns the names of a set's variants, in the order of the file; never empty.
    ///
    /// - Throws: ``TapedeckError`` if the set does not exist, or has no readable variants.
    func variants(of set: String) throws(TapedeckError) -> [String] {
        guard let entry = self.sets.first(where: { $0.name.utf8.elementsEqual(set.utf8) }) else {
            throw TapedeckError(
                .refused,
                "there is no response set \"\(set)\" in \(self.file). \(Self.list(self.sets.map(\.name)))"
            )
        }
        let variants = try Self.entries(of: entry.node, "variants", "a variant", in: self.file)
        // A test with no arguments does not run and does not fail either.
        guard !variants.isEmpty else {
            throw Self.error(entry.node, "the response set \"\(set)\" has no variants", in: self.file)
        }
        return variants.map(\.name)
    }

    /// Returns the entries of a list, each with its name.
    private static func entries(
        of node: YAMLNode,
        _ key: String,
        _ what: String,
        in file: String
    ) throws(TapedeckError) -> [Entry] {
        guard let list = node[key], !list.isNull else { return [] }
        guard list.kind == .sequence else { throw self.error(list, "`\(key)` is a list", in: file) }
        var entries: [Entry] = []
        for item in list.items {
            guard let name = item["name"], name.kind == .scalar, !name.isNull else {
                throw self.error(item, "\(what) needs a `name`", in: file)
            }
            entries.append(Entry(name: name.string, node: item))
        }
        return entries
    }

    private static func error(_ node: YAMLNode, _ message: String, in file: String) -> TapedeckError {
        TapedeckError(.refused, "\(file):\(node.position.line):\(node.position.column): \(message)")
    }

    private static func list(_ names: [String]) -> String {
        guard !names.isEmpty else { return "It has none" }
        let shown = names.prefix(20).map { "\"\($0)\"" }.joined(separator: ", ")
        return "There is: \(shown)" + (names.count > 20 ? " and \(names.count - 20) more" : "")
    }
}
