package import TapedeckCassettes
package import TapedeckCore

/// Adds to the `ignore:` of a cassette's text. Everything else stays unchanged, comments included.
package enum IgnoreEditing {
    /// The lines of YAML that say what is ignored.
    package static func yaml(_ rules: MatchingRules) -> [String] {
        var cassette = Cassette(name: "", responseSets: [])
        cassette.matching.ignore(rules)
        let text = String(decoding: CassetteWriter.text(of: "ignore", in: cassette), as: UTF8.self)
        return text.split(separator: "\n").map(String.init)
    }

    /// - Parameters:
    ///   - result: the parsed cassette.
    ///   - added: rules to ignore in addition to the existing ones.
    /// - Throws: ``CassetteError`` if the text's layout has no room for it.
    package static func text(
        of result: CassetteReader.Result,
        ignoring added: MatchingRules
    ) throws(CassetteError) -> [UInt8] {
        var edited = EditedText(result)
        var expected = result.cassette
        expected.matching.ignore(added)
        try edited.change(to: expected)
        return edited.source
    }
}
