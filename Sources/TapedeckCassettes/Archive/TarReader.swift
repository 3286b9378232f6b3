/// Parses a tar archive in pieces of any size: ustar, pax, and the GNU and old forms of both. Entries other than files
/// and folders are rejected.
package struct TarReader {
    /// A part of an archive, in order. An entry is followed by its content, in pieces, and its end.
    package enum Event {
        case entry(TarEntry)
        case content(UnsafeRawBufferPointer)
        case endOfEntry
    }

    /// The purpose of a content.
    private enum Purpose {
        case entry
        /// It is about the next entry.
        case pax
        /// It is about all entries.
        case global
        case longName
        /// It contains nothing of interest.
        case nothing
    }

    private enum Phase {
        case header
        case content(Purpose, left: Int, padding: Int)
        case padding(Int)
        case ended
    }

    /// The maximum size of extensions for the next header, in bytes. 64 KiB.
    private static let extrasLimit = 64 << 10

    private var phase = Phase.header
    private var pending: [UInt8] = []
    private var isFirst = true
    private var extras = PaxRecords()
    private var longName: String?

    package init() {}

    /// Processes the next bytes.
    ///
    /// - Throws: ``ArchiveError``, and errors of `handle`.
    package mutating func receive(_ bytes: UnsafeRawBufferPointer, _ handle: (Event) throws -> Void) throws {
        var rest = bytes
        while !rest.isEmpty {
            switch self.phase {
            case .header:
                let count = min(rest.count, TarEntry.blockSize - self.pending.count)
                self.pending += rest.prefix(count)
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
                guard self.pending.count == TarEntry.blockSize else { continue }
                let block = self.pending
                self.pending = []
                try self.begin(block, handle)
            case .content(let purpose, let left, let padding):
                let count = min(rest.count, left)
                let piece = UnsafeRawBufferPointer(rebasing: rest.prefix(count))
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
                switch purpose {
                case .entry: try handle(.content(piece))
                case .pax, .global, .longName: self.pending += piece
                case .nothing: break
                }
                self.phase = .content(purpose, left: left - count, padding: padding)
                if left == count { try self.finish(purpose, padding, handle) }
            case .padding(let left):
                let count = min(rest.count, left)
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
                self.phase = left == count ? .header : .padding(left - count)
            case .ended:
                // Zeros up to a whole record, as every tar writes them.
                guard rest.allSatisfy({ $0 == 0 }) else {
                    throw ArchiveError("the archive goes on behind its end; send one archive at a time")
                }
                return
            }
        }
    }

    /// The archive is over.
    ///
    /// - Throws: ``ArchiveError`` for one that stops in the middle.
    package func finish() throws(ArchiveError) {
        guard case .ended = self.phase else {
            // Input shorter than one header is not a truncated archive.
            if self.isFirst, !self.pending.isEmpty { throw TarHeader.noArchive(self.pending) }
            throw ArchiveError("the archive stops before its end; make it, or send it, again")
        }
    }

    // MARK: Headers

    private mutating func begin(_ block: [UInt8], _ handle: (Event) throws -> Void) throws {
        guard block.contains(where: { $0 != 0 }) else {
            guard !self.isFirst || self.extras.isEmpty else { throw TarHeader.damaged }
            self.phase = .ended
            return
        }
        let header = try TarHeader(block, isFirst: self.isFirst)
        self.isFirst = false
        switch header.type {
        case "x", "L", "K", "g":
            guard header.size <= Self.extrasLimit else {
                throw ArchiveError("an entry of the archive has a header of \(header.size) bytes")
            }
            let purpose: Purpose =
                switch header.type {
                case "x": .pax
                case "g": .global
                case "L": .longName
                default: .nothing
                }
            try self.enter(purpose, header.size, handle)
        default:
            var entry = try header.entry(longName: self.longName ?? self.extras["path"])
            if let text = self.extras["size"] {
                guard let size = Int(text), size >= 0 else { throw TarHeader.damaged }
                entry.size = size
            }
            if let text = self.extras["mtime"] {
                // With a fraction, where a tar writes one.
                entry.modified = Int64(text.prefix { $0 != "." }) ?? entry.modified
            }
            entry.modified = max(0, min(entry.modified, TarEntry.latest))
            if self.extras.isSparse {
                throw ArchiveError("\(entry.path) is stored sparsely; make the archive without -S")
            }
            entry.precondition = self.extras[TarEntry.preconditionKey]
            self.extras = PaxRecords()
            self.longName = nil
            guard !entry.isFolder || entry.size == 0 else { throw TarHeader.damaged }
            try handle(.entry(entry))
            try self.enter(.entry, entry.size, handle)
        }
    }

    private mutating func enter(_ purpose: Purpose, _ size: Int, _ handle: (Event) throws -> Void) throws {
        guard size > 0 else { return try self.finish(purpose, 0, handle) }
        self.phase = .content(purpose, left: size, padding: TarEntry.padding(size))
    }

    private mutating func finish(_ purpose: Purpose, _ padding: Int, _ handle: (Event) throws -> Void) throws {
        self.phase = padding == 0 ? .header : .padding(padding)
        let content = self.pending
        self.pending = []
        switch purpose {
        case .entry: try handle(.endOfEntry)
        case .pax: self.extras = try PaxRecords(content)
        case .global:
            // Mostly comments. Global records do not change the end or the kind of an entry.
            let records = try PaxRecords(content)
            guard records["path"] == nil, records["size"] == nil, !records.isSparse else { throw TarHeader.damaged }
        case .longName:
            guard let name = String(validating: content.prefix { $0 != 0 }, as: UTF8.self) else {
                throw TarHeader.damaged
            }
            self.longName = name
        case .nothing: break
        }
    }
}
