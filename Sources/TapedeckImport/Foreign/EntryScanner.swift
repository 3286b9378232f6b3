import TapedeckCore

/// Cuts the entries out of a JSON file that comes in pieces, so that memory holds one of them.
///
/// Accepts no comments and no single quotes. The format of the file, and any other mistake in it, show when the rest
/// is read: everything but the entries, with an empty list in their place.
package struct EntryScanner {
    /// An entry as in the file.
    package struct Entry: Sendable {
        package let bytes: [UInt8]
        /// The line that it begins on, counted from 1.
        package let line: Int
        /// True if it is larger than ``entryLimit``; it has no bytes then.
        package var isTooLarge = false
    }

    /// The largest entry that is read, in bytes. 256 MiB.
    package static let entryLimit = 256 << 20
    /// The maximum size of everything but the entries, in bytes. 16 MiB.
    private static let restLimit = 16 << 20
    private static let keyLimit = 24

    /// The keys that can lead from the top to the list of entries.
    private let lists: [[String]]
    /// All but the entries.
    package private(set) var rest: [UInt8] = []
    /// The keys that led to the list of entries; `nil` before it.
    package private(set) var list: [String]?
    /// The number of lines that ended so far, and one.
    private var line = 1
    private var depth = 0
    private var isInText = false
    private var isEscaped = false
    /// The text that ended last, as far as it can be a key that counts.
    private var text: [UInt8] = []
    /// The keys of the maps that are open, down to the one that the entries are in.
    private var keys: [[UInt8]] = []
    /// The depth within the list of entries; 0 outside it.
    private var listDepth = 0
    private var entry: [UInt8] = []
    private var entryLine = 1
    private var isInEntry = false
    private var isTooLarge = false

    /// - Parameter lists: the keys that can lead from the top to the list of entries, at most two for each.
    package init(lists: [[String]]) {
        self.lists = lists
    }

    /// Scans the next piece of the file, and returns the entries that end in it.
    ///
    /// - Throws: ``ForeignError`` for a file with too much around its entries, with two lists of them, or with comments or
    ///   single quotes, and errors of `body`.
    package mutating func scan(_ piece: [UInt8], _ body: (Entry) throws -> Void) throws {
        try piece.withUnsafeBufferPointer { bytes in
            var start = 0
            var index = 0
            while index < bytes.count {
                if self.isInText {
                    index = self.skipText(bytes, from: index)
                    continue
                }
                let byte = bytes[index]
                index += 1
                switch byte {
                case 0x0A: self.line += 1
                case UInt8(ascii: "\""):
                    self.isInText = true
                    self.text.removeAll(keepingCapacity: true)
                case UInt8(ascii: ":") where !self.isInEntry && self.depth == self.keys.count && self.depth > 0:
                    self.keys[self.depth - 1] = self.text
                case UInt8(ascii: "{"), UInt8(ascii: "["):
                    if self.listDepth > 0, self.depth == self.listDepth {
                        self.take(bytes[start..<(index - 1)])
                        start = index - 1
                        (self.isInEntry, self.entryLine) = (true, self.line)
                    }
                    try self.open(isList: byte == UInt8(ascii: "["))
                case UInt8(ascii: "}"), UInt8(ascii: "]"):
                    self.depth -= 1
                    if self.isInEntry, self.depth == self.listDepth {
                        self.take(bytes[start..<index])
                        start = index
                        self.isInEntry = false
                        try body(Entry(bytes: self.entry, line: self.entryLine, isTooLarge: self.isTooLarge))
                        (self.entry, self.isTooLarge) = ([], false)
                    } else {
                        if self.listDepth > 0, self.depth < self.listDepth { self.listDepth = 0 }
                        if self.keys.count > max(self.depth, 0) { self.keys.removeLast() }
                    }
                case UInt8(ascii: ",") where self.listDepth > 0 && self.depth == self.listDepth:
                    // The rest has an empty list.
                    self.take(bytes[start..<(index - 1)])
                    start = index
                case UInt8(ascii: "/"), UInt8(ascii: "#"), UInt8(ascii: "'"):
                    throw self.error("it has comments or single quotes")
                default: break
                }
            }
            self.take(bytes[start...])
        }
        guard self.rest.count <= Self.restLimit else {
            throw self.error("more than \(Self.restLimit >> 20) MiB stand around its entries")
        }
    }

    private func error(_ message: String) -> ForeignError {
        ForeignError(message: message, line: self.line, column: 1)
    }

    private mutating func open(isList: Bool) throws {
        self.depth += 1
        guard !self.isInEntry, self.listDepth == 0 else { return }
        if isList, self.depth == self.keys.count + 1,
            let list = self.lists.first(where: { $0.elementsEqual(self.keys) { $1.elementsEqual($0.utf8) } })
        {
            guard self.list == nil else { throw self.error("it has two lists of entries") }
            (self.list, self.listDepth) = (list, self.depth)
        } else if !isList, self.keys.count < 2, self.depth == self.keys.count + 1 {
            self.keys.append([])
        }
    }

    /// Moves to the end of a text; keeps its beginning, which may be a key.
    private mutating func skipText(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
        var index = start
        if self.isEscaped {
            self.isEscaped = false
            index += 1
        }
        let first = index
        while index < bytes.count {
            let byte = bytes[index]
            if byte == UInt8(ascii: "\"") {
                self.keep(bytes[first..<index])
                self.isInText = false
                return index + 1
            }
            if byte == UInt8(ascii: "\\") {
                guard index + 1 < bytes.count else {
                    self.isEscaped = true
                    break
                }
                index += 1
            }
            index += 1
        }
        self.keep(bytes[min(first, bytes.count)..<bytes.count])
        return bytes.count
    }

    private mutating func keep(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) {
        guard !self.isInEntry, self.text.count <= Self.keyLimit else { return }
        self.text += bytes.prefix(Self.keyLimit + 1)
    }

    private mutating func take(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) {
        if !self.isInEntry {
            self.rest += bytes.prefix(Self.restLimit + 1)
        } else if !self.isTooLarge {
            self.entry += bytes
            guard self.entry.count > Self.entryLimit else { return }
            (self.entry, self.isTooLarge) = ([], true)
        }
    }
}
