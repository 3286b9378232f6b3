extension String {
    /// Lines without control characters but tabs, and without characters that change the direction of text: what was recorded
    /// moves no cursor and hides nothing.
    package var printableLines: String {
        guard self.unicodeScalars.contains(where: { !Self.isPlain($0) }) else { return self }
        return String(String.UnicodeScalarView(self.unicodeScalars.map { Self.isPlain($0) ? $0 : "?" }))
    }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09, 0x0A: true
        case ..<0x20, 0x7F...0x9F, 0x202A...0x202E, 0x2066...0x2069: false
        default: true
        }
    }

    /// The text with `?` in place of terminal control characters, for reports that show texts of files.
    package var printable: String {
        String(
            String.UnicodeScalarView(
                self.unicodeScalars.map { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) ? "?" : $0 }
            )
        )
    }
}
