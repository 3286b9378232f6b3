extension String {
    /// Returns true if it contains `text`, byte by byte: a line feed counts even after a carriage return, which Swift
    /// joins with it into one character.
    package func containsText(_ text: String) -> Bool {
        var (whole, piece) = (self, text)
        return whole.withUTF8 { whole in
            piece.withUTF8 { UnsafeRawBufferPointer(whole).firstPlace(of: UnsafeRawBufferPointer($0)) } != nil
        }
    }
}
