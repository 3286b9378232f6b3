extension String {
    /// Lines without control characters but tabs, and without characters that change the direction of text: what was recorded
    /// moves no cursor and hides nothing. A byte that is not UTF-8 (see ``ByteText``) is U+FFFD.
    package var printableLines: String { self.printing { $0 == "\t" || $0 == "\n" } }

    /// On one line: `?` in place of tabs and line breaks, too.
    package var printable: String { self.printing { _ in false } }

    private func printing(_ isKept: (Unicode.Scalar) -> Bool) -> String {
        let scalars = self.unicodeScalars
        guard scalars.contains(where: { Self.replacement(of: $0) != nil }) else { return self }
        return String(
            String.UnicodeScalarView(scalars.map { isKept($0) ? $0 : Self.replacement(of: $0) ?? $0 })
        )
    }

    private static func replacement(of scalar: Unicode.Scalar) -> Unicode.Scalar? {
        switch scalar.value {
        case ..<0x20, 0x7F...0x9F, 0x202A...0x202E, 0x2066...0x2069: "?"
        case 0x10FF80...0x10FFFF: "\u{FFFD}"
        default: nil
        }
    }
}
