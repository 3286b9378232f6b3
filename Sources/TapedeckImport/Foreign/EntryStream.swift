import TapedeckCore

/// Reads a JSON file that is too large to be in memory as a tree, entry by entry.
package struct EntryStream {
    /// Gives the next piece of a file; none at its end.
    package typealias Pieces = () throws -> [UInt8]

    package let format: any ImportFormat
    /// True if each entry begins on a line of its own.
    package let hasLines: Bool
    /// True for stubs, which are read at once; false for exchanges.
    package let hasStubs: Bool
    /// All but the entries.
    private let head: ForeignNode
    /// The keys that lead to the list of entries.
    private let list: [String]
    private let path: String
    private let side: ImportFile.Sides

    /// Scans a file. `nil` if none of the formats reads it entry by entry, and for an invalid file: the reader of whole
    /// files reports the error.
    ///
    /// - Parameters:
    ///   - pieces: opens the file, once or twice.
    ///   - formats: those that the file can be in.
    /// - Throws: errors of `pieces`.
    package init?(
        _ path: String,
        _ pieces: () throws -> Pieces,
        side: @escaping ImportFile.Sides,
        formats: ImportFormats
    ) throws {
        self.path = path
        self.side = side
        let lists = formats.all.flatMap(\.lists)
        guard !lists.isEmpty else { return nil }
        var scanner = EntryScanner(lists: lists)
        var first: EntryScanner.Entry?
        var line = 0
        var hasLines = true
        do {
            try Self.scan(try pieces(), &scanner) { entry in
                hasLines = hasLines && entry.line > line
                line = entry.line
                if first == nil { first = entry }
            }
        } catch is ForeignError {
            return nil
        }
        guard let first, let list = scanner.list, let node = try? Self.node(first),
            let head = try? ForeignNode.documents(of: scanner.rest).first
        else { return nil }
        self.hasLines = hasLines
        self.head = head
        self.list = list
        let part = ImportFile(path: path, document: head.with(node, at: list[...]), side: side)
        guard var format = formats.recognising(part), format.lists.contains(list) else { return nil }
        var look = format.look(at: part)
        if look == .more {
            var scanner = EntryScanner(lists: [list])
            try Self.scan(try pieces(), &scanner) { entry in
                guard look == .more, let node = try? Self.node(entry) else { return }
                look = format.look(at: ImportFile(path: path, document: head.with(node, at: list[...]), side: side))
            }
        }
        guard look != .whole, let read = try? format.read(part) else { return nil }
        self.format = format
        self.hasStubs = !read.stubs.isEmpty
    }

    /// Reads a file of stubs.
    ///
    /// - Throws: what `pieces` throws.
    package func stubs(_ pieces: Pieces) throws -> ImportedFile {
        var scanner = EntryScanner(lists: [self.list])
        var parts: [ImportedFile] = []
        try Self.scan(pieces, &scanner) { entry in
            do throws(ForeignError) {
                parts.append(try self.part(entry))
            } catch {
                let left = LeftOut("it cannot be read: \(error.message)", line: entry.line + error.line - 1)
                parts.append(ImportedFile(stubs: [StubEntry(line: entry.line, result: .failure(left))]))
            }
        }
        return self.format.joined(parts)
    }

    /// Reads the exchanges, in the order of the file.
    ///
    /// - Throws: what `pieces` and `body` throw.
    package func read(_ pieces: Pieces, _ body: (ForeignEntry) throws -> Void) throws {
        var scanner = EntryScanner(lists: [self.list])
        try Self.scan(pieces, &scanner) { entry in
            for read in self.entries(entry) { try body(read) }
        }
    }

    private static func scan(
        _ pieces: Pieces,
        _ scanner: inout EntryScanner,
        _ body: (EntryScanner.Entry) throws -> Void
    ) throws {
        while case let piece = try pieces(), !piece.isEmpty { try scanner.scan(piece, body) }
    }

    private func entries(_ entry: EntryScanner.Entry) -> [ForeignEntry] {
        do throws(ForeignError) {
            return try self.part(entry).exchanges
        } catch {
            let left = LeftOut("it cannot be read: \(error.message)", line: entry.line + error.line - 1)
            return [ForeignEntry(line: entry.line, result: .failure(left))]
        }
    }

    /// The file with one entry alone, with the lines of the whole.
    private func part(_ entry: EntryScanner.Entry) throws(ForeignError) -> ImportedFile {
        let document = self.head.with(try Self.node(entry), at: self.list[...])
        var read = try self.format.read(ImportFile(path: self.path, document: document, side: self.side))
        read.exchanges = read.exchanges.map { $0.at(line: entry.line) }
        read.stubs = read.stubs.map { $0.at(line: entry.line) }
        return read
    }

    private static func node(_ entry: EntryScanner.Entry) throws(ForeignError) -> ForeignNode {
        guard !entry.isTooLarge else {
            let message = "it is larger than \(EntryScanner.entryLimit >> 20) MiB"
            throw ForeignError(message: message, line: 1, column: 1)
        }
        guard let node = try ForeignNode.documents(of: entry.bytes).first else {
            throw ForeignError(message: "it is empty", line: 1, column: 1)
        }
        return node
    }
}

extension ForeignNode {
    /// The node with a list of this one item at the end of the keys.
    fileprivate func with(_ item: ForeignNode, at keys: ArraySlice<String>) -> ForeignNode {
        guard let key = keys.first else { return ForeignNode(.list([item]), tag: self.tag, line: self.line) }
        let pairs = self.pairs.map { pair in
            pair.key.text == key ? ForeignPair(key: pair.key, value: pair.value.with(item, at: keys.dropFirst())) : pair
        }
        return ForeignNode(.map(pairs), tag: self.tag, line: self.line)
    }
}

extension ForeignEntry {
    /// An entry that was read by itself, with the lines that it has in the whole file.
    fileprivate func at(line: Int) -> ForeignEntry {
        ForeignEntry(
            line: line + self.line - 1,
            result: self.result.mapError { LeftOut($0.reason, line: line + $0.line - 1) }
        )
    }
}

extension StubEntry {
    /// An entry that was read by itself, with the lines that it has in the whole file.
    fileprivate func at(line: Int) -> StubEntry {
        StubEntry(
            line: line + self.line - 1,
            result: self.result.mapError { LeftOut($0.reason, line: line + $0.line - 1) },
            id: self.id
        )
    }
}
