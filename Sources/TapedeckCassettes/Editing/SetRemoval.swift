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
        guard let lines = SetLines(result) else { throw text.unedited() }
        var editor = SourceEditor(text.source)
        let kept = result.cassette.responseSets.indices.filter {
            !names.contains(result.cassette.responseSets[$0].name)
        }
        lines.keep(kept, in: &editor)
        var expected = result.cassette
        expected.responseSets.removeAll { names.contains($0.name) }
        try text.take(editor.result(), as: expected)
        return text.source
    }
}
