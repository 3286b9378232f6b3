extension String {
    /// The text with `?` in place of terminal control characters, for reports that show texts of files.
    package var printable: String {
        String(
            String.UnicodeScalarView(
                self.unicodeScalars.map { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) ? "?" : $0 }
            )
        )
    }
}
