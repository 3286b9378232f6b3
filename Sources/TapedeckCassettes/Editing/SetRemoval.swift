import TapedeckCore

/// Removes response sets that no profile names from a cassette's text.
package enum SetRemoval {
    /// The text without the sets of these names.
    ///
    /// - Parameter result: the cassette as it was read.
    /// - Throws: ``CassetteError`` if its text is laid out in a way that cannot be edited.
    package static func text(
        of result: CassetteReader.Result,
        without names: Set<String>
    ) throws(CassetteError) -> [UInt8] {
        var text = EditedText(result)
        var expected = result.cassette
        expected.responseSets.removeAll { names.contains($0.name) }
        try text.change(to: expected)
        return text.source
    }
}
