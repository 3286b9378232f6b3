/// A place of a recorded request whose value differs from run to run, as two runs have shown.
package struct VaryingPlace: Sendable, Equatable {
    /// As reports name it: `path`, `query q`, `header NAME`, `form NAME`, `$.took`, `body`.
    package var place: String
    /// The parts of it that vary; never empty.
    package var pieces: [VaryingPiece]

    package init(_ place: String, _ pieces: [VaryingPiece]) {
        (self.place, self.pieces) = (place, pieces)
    }

    /// Adds what another run has shown to what is known of the places of a request.
    package static func merge(_ new: [VaryingPlace], into known: inout [VaryingPlace]) {
        for place in new {
            guard let index = known.firstIndex(where: { $0.place == place.place }) else {
                known.append(place)
                continue
            }
            for piece in place.pieces { known[index].add(piece) }
        }
    }

    private mutating func add(_ piece: VaryingPiece) {
        var widest = piece.shape
        for known in self.pieces where known.isWhole || known.before == piece.before && known.after == piece.after {
            widest = widest.union(known.shape)
        }
        let whole = VaryingPiece(widest)
        guard !piece.isWhole, !self.pieces.contains(where: \.isWhole) else {
            self.pieces = [whole]
            return
        }
        self.pieces.removeAll { $0.before == piece.before && $0.after == piece.after }
        self.pieces.append(VaryingPiece(widest, before: piece.before, after: piece.after))
    }
}

/// A piece of a text that varies, between literal text: `took <number> s`.
package struct VaryingPiece: Sendable, Hashable, CustomStringConvertible {
    /// The texts that may stand in the place of a recorded one.
    package enum Shape: String, Sendable, CaseIterable {
        /// Digits, with a sign, a fraction and an exponent as JSON has them.
        case number
        /// Letters, digits, hyphens and underscores.
        case word
        /// As many digits in hexadecimal as recorded.
        case hex
        /// Any text of up to 1,000 bytes.
        case text
        /// All of its items, in another order.
        case order
    }

    /// The text in front of it; empty where the text of the place begins.
    package var before: String
    package var shape: Shape
    /// The text behind it; empty where the text of the place ends.
    package var after: String

    package init(_ shape: Shape, before: String = "", after: String = "") {
        (self.before, self.shape, self.after) = (before, shape, after)
    }

    /// - Returns: `nil` unless the text has exactly one shape: its name alone, or in angle brackets between literal text.
    package init?(_ text: String) {
        if let shape = Shape(rawValue: text) {
            self.init(shape)
            return
        }
        let found = Shape.allCases.flatMap { shape in
            text.ranges(of: "<\(shape.rawValue)>").map { (shape, $0) }
        }
        guard found.count == 1, let (shape, range) = found.first else { return nil }
        self.init(shape, before: String(text[..<range.lowerBound]), after: String(text[range.upperBound...]))
    }

    /// True for all of the text of a place.
    package var isWhole: Bool { self.before.isEmpty && self.after.isEmpty }

    package var description: String {
        self.isWhole ? self.shape.rawValue : "\(self.before)<\(self.shape.rawValue)>\(self.after)"
    }
}

extension VaryingPiece.Shape {
    private static let longest = 1_000

    /// Returns true if a live text may stand where a recorded one does.
    func fits(_ live: some Collection<UInt8>, for recorded: some Collection<UInt8>) -> Bool {
        guard !live.isEmpty, live.count <= Self.longest else { return false }
        return switch self {
        case .number: Self.isNumber(Array(live)) && Self.isNumber(Array(recorded))
        case .word: live.allSatisfy(Self.isInWord)
        case .hex: live.count == recorded.count && live.allSatisfy { ASCII.hexValue($0) != nil }
        case .text: true
        case .order: live.count == recorded.count
        }
    }

    /// The narrowest shape of all that two shapes allow.
    func union(_ other: Self) -> Self {
        switch (self, other) {
        case _ where self == other: self
        case (.text, _), (_, .text), (.order, _), (_, .order), (.number, _), (_, .number): .text
        default: .word
        }
    }

    /// The narrowest shape of two texts.
    static func of(_ one: [UInt8], _ other: [UInt8]) -> Self? {
        let shapes: [Self] = [.number, .hex, .word, .text]
        return shapes.first { shape in
            if shape == .hex, one.count < 8 || (one + other).allSatisfy({ (0x30...0x39).contains($0) }) { return false }
            return shape.fits(other, for: one) && shape.fits(one, for: other)
        }
    }

    private static func isInWord(_ byte: UInt8) -> Bool {
        ASCII.isUnreserved(byte) && byte != 0x2E && byte != 0x7E || byte >= 0x80
    }

    private static func isNumber(_ bytes: [UInt8]) -> Bool {
        Double(String(decoding: bytes, as: UTF8.self)) != nil
            && bytes.allSatisfy { (0x30...0x39).contains($0) || "+-.eE".utf8.contains($0) }
    }
}
