import CTapedeckInflate

/// The lines of git's smart protocol (gitprotocol-common, "pkt-line"), and what follows them.
struct GitLines: Equatable {
    enum Line: Equatable {
        /// Without its length.
        case text([UInt8])
        /// A flush or a delimiter: 0 to 2.
        case mark(UInt8)

        var text: [UInt8]? { if case .text(let text) = self { text } else { nil } }
    }

    var lines: [Line] = []
    /// A pack, or nothing.
    var rest: ArraySlice<UInt8> = []

    /// - Returns: `nil` for a body that has something else.
    init?(_ body: [UInt8]) {
        var index = 0
        while index < body.count {
            if body[index...].starts(with: "PACK".utf8) {
                self.rest = body[index...]
                return
            }
            let digits = body[index...].prefix(4).compactMap { ASCII.hexValue($0) }
            guard digits.count == 4 else { return nil }
            let length = digits.reduce(0) { $0 << 4 | Int($1) }
            switch length {
            case 0...2:
                self.lines.append(.mark(UInt8(length)))
                index += 4
            case 4... where index + length <= body.count:
                self.lines.append(.text(Array(body[index + 4..<index + length])))
                index += length
            default: return nil
            }
        }
    }

    /// The body: the lines with their lengths, and the rest.
    var bytes: [UInt8] {
        var result: [UInt8] = []
        for line in self.lines {
            switch line {
            case .text(let text): result += Self.digits(of: text.count + 4) + text
            case .mark(let number): result += Self.digits(of: Int(number))
            }
        }
        return result + self.rest
    }

    private static func digits(of length: Int) -> [UInt8] {
        [12, 8, 4, 0].map { ASCII.lowercased(ASCII.hexDigit(UInt8(length >> $0 & 0x0F))) }
    }

    /// The lines with other texts. A part of a band, which has lines of its own, only if its length stays (gitprotocol-pack,
    /// "side-band-64k").
    func changingTexts(_ change: ([UInt8]) -> [UInt8]) -> GitLines {
        var result = self
        for (index, line) in self.lines.enumerated() {
            guard let text = line.text else { continue }
            let isBand = text.first.map { 1...3 ~= $0 } ?? false
            let changed = isBand ? text.prefix(1) + Self.changing(band: Array(text.dropFirst()), change) : change(text)
            if !isBand || changed.count == text.count { result.lines[index] = .text(changed) }
        }
        return result
    }

    private static func changing(band: [UInt8], _ change: ([UInt8]) -> [UInt8]) -> [UInt8] {
        guard let lines = GitLines(band) else { return change(band) }
        return lines.changingTexts(change).bytes
    }
}

/// A request of git: its lines, and the objects that are pushed (gitprotocol-http).
struct GitRequest: Equatable {
    var lines: [GitLines.Line]
    /// In the order of the pack.
    var objects: [GitObject] = []

    /// - Returns: `nil` for a body that is no such request, or whose pack is broken or too large.
    init?(_ body: [UInt8]) {
        guard let parsed = GitLines(body) else { return nil }
        self.lines = parsed.lines
        guard !parsed.rest.isEmpty else { return }
        guard let objects = GitPackReader(parsed.rest).objects() else { return nil }
        self.objects = objects
    }
}

/// An object of a pack.
struct GitObject: Equatable {
    enum Kind: UInt8 {
        case commit = 1
        case tree = 2
        case blob = 3
        case tag = 4
        /// A change to another object, by the distance to it in the pack.
        case offsetDelta = 6
        /// A change to another object, by its id.
        case idDelta = 7
    }

    var kind: Kind
    /// Of a change: the object that it changes, by its number in the pack or by its id.
    var base: [UInt8]
    var content: [UInt8]
}

/// Reads a pack of version 2 (gitformat-pack).
private struct GitPackReader {
    private let bytes: ArraySlice<UInt8>
    private var index: Int
    /// The place of the first byte of each object.
    private var starts: [Int] = []
    /// The decoded objects of a pack, at most. 16 MiB.
    private static let limit = 16 << 20
    private var rest = Self.limit

    init(_ bytes: ArraySlice<UInt8>) {
        (self.bytes, self.index) = (bytes, bytes.startIndex)
    }

    func objects() -> [GitObject]? {
        var reader = self
        return reader.read()
    }

    private mutating func read() -> [GitObject]? {
        guard self.bytes.endIndex - self.index >= 12 + 20, self.number(at: self.index + 4) == 2 else { return nil }
        let count = self.number(at: self.index + 8)
        self.index += 12
        var objects: [GitObject] = []
        for _ in 0..<count {
            guard let object = self.object() else { return nil }
            objects.append(object)
        }
        // The checksum: SHA-1, or SHA-256 in repositories of that kind.
        return [20, 32].contains(self.bytes.endIndex - self.index) ? objects : nil
    }

    private func number(at place: Int) -> Int {
        self.bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
    }

    private mutating func next() -> UInt8? {
        guard self.index < self.bytes.endIndex else { return nil }
        defer { self.index += 1 }
        return self.bytes[self.index]
    }

    private mutating func object() -> GitObject? {
        let start = self.index
        guard let first = self.next(), let kind = GitObject.Kind(rawValue: first >> 4 & 7) else { return nil }
        var size = Int(first & 0x0F)
        var shift = 4
        var byte = first
        while byte & 0x80 != 0 {
            guard let next = self.next(), shift < 32 else { return nil }
            size |= Int(next & 0x7F) << shift
            shift += 7
            byte = next
        }
        guard let base = self.base(of: kind, from: start), let content = self.content(size) else { return nil }
        self.starts.append(start)
        return GitObject(kind: kind, base: base, content: content)
    }

    private mutating func base(of kind: GitObject.Kind, from start: Int) -> [UInt8]? {
        switch kind {
        case .commit, .tree, .blob, .tag: return []
        case .idDelta:
            guard self.index + 20 <= self.bytes.endIndex else { return nil }
            defer { self.index += 20 }
            return Array(self.bytes[self.index..<self.index + 20])
        case .offsetDelta:
            guard var byte = self.next() else { return nil }
            var distance = Int(byte & 0x7F)
            while byte & 0x80 != 0 {
                guard let next = self.next(), distance < 1 << 32 else { return nil }
                distance = (distance + 1) << 7 | Int(next & 0x7F)
                byte = next
            }
            // The distance itself depends on how well what lies between is compressed.
            return self.starts.firstIndex(of: start - distance).map { Array("\($0)".utf8) }
        }
    }

    private mutating func content(_ size: Int) -> [UInt8]? {
        guard size <= self.rest else { return nil }
        self.rest -= size
        var content = [UInt8](repeating: 0, count: size)
        let used = self.bytes[self.index...].withUnsafeBufferPointer { input in
            content.withUnsafeMutableBufferPointer { output in
                tapedeck_inflate(input.baseAddress, input.count, output.baseAddress, size)
            }
        }
        guard used > 0 else { return nil }
        self.index += used
        return content
    }
}
