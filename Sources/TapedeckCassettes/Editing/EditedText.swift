package import TapedeckCore
import TapedeckYAML

/// The text of a cassette during a series of edits. Everything that an edit does not name stays byte for byte:
/// comments, order, layout.
package struct EditedText {
    /// The text as it is now, and the cassette that it is.
    package private(set) var result: CassetteReader.Result
    private var originals: [String: String] = [:]

    /// - Parameters:
    ///   - result: a cassette without errors, as it was read.
    ///   - originals: the current paths of body files that are still to be copied, by their new paths.
    package init(_ result: CassetteReader.Result, originals: [String: String] = [:]) {
        self.result = result.withLastLineEnd
        self.originals = originals
    }

    package var cassette: Cassette { self.result.cassette }
    package var source: [UInt8] { self.result.document?.source ?? [] }
    private var path: String { self.cassette.path ?? self.cassette.name }

    /// - Throws: ``CassetteEdit/Invalid`` if the names do not fit the cassette, ``CassetteError`` if its text is laid out
    ///   in a way that cannot be edited. Nothing is changed then.
    package mutating func make(_ edit: CassetteEdit) throws {
        let edit = edit.namingSets(of: self.cassette)
        let expected = try edit.applied(to: self.cassette)
        guard expected != self.cassette else { return }
        var texts: [String: [UInt8]] = [:]
        if case .copySet(let name, let new) = edit { texts[new] = self.copy(ofSet: name, named: new) }
        try self.change(to: expected, texts: texts)
    }

    /// Makes it the text of another cassette.
    ///
    /// - Parameters:
    ///   - texts: see ``CassettePatch``.
    ///   - originals: the current paths of body files that are still to be copied, by their new paths.
    /// - Throws: ``CassetteError`` if the text is laid out in a way that cannot be edited. Nothing is changed then.
    package mutating func change(
        to expected: Cassette,
        texts: [String: [UInt8]] = [:],
        originals: [String: String] = [:]
    ) throws(CassetteError) {
        var problem = self.unedited()
        for replacesSets in [false, true] {
            guard
                let text = CassettePatch.text(
                    of: self.result,
                    as: expected,
                    texts: texts,
                    replacesSets: replacesSets
                )
            else { continue }
            do throws(CassetteError) {
                return try self.take(text, as: expected, originals: originals)
            } catch {
                problem = error
            }
        }
        throw problem
    }

    private func copy(ofSet name: String, named new: String) -> [UInt8]? {
        guard let lines = ListLines(setsOf: self.result),
            let index = self.cassette.responseSets.firstIndex(where: { $0.name == name })
        else { return nil }
        return CassettePatch.copy(of: lines.nodes[index], lines.items[index], named: new, in: self.source)
    }

    /// Accepts a text that must be read as this cassette.
    private mutating func take(
        _ text: [UInt8],
        as expected: Cassette,
        originals: [String: String]
    ) throws(CassetteError) {
        self.originals.merge(originals) { $1 }
        let result = CassetteReader.read(text, name: self.cassette.name, path: self.path, originals: self.originals)
        guard !result.hasErrors else { throw CassetteError(result.diagnostics.filter { $0.severity == .error }) }
        guard result.cassette.isSame(as: expected) else { throw self.unedited() }
        self.result = result
    }

    func unedited() -> CassetteError {
        CassetteError(path: self.path, "its text is laid out in a way that cannot be edited; change it by hand")
    }
}

extension Cassette {
    /// Returns true for a cassette with the same meaning: secrets have no order of their own.
    func isSame(as other: Cassette) -> Bool {
        var (mine, its) = (self, other)
        mine.secrets.sort { $0.name < $1.name }
        its.secrets.sort { $0.name < $1.name }
        return mine == its
    }
}

extension CassetteReader.Result {
    /// The cassette with a line end behind its last line, as lines are added behind that one; the same if the text has one, or
    /// would mean something else with it.
    var withLastLineEnd: CassetteReader.Result {
        guard let document = self.document, document.source.last != ASCII.lineFeed else { return self }
        let (name, path) = (self.cassette.name, self.cassette.path ?? self.cassette.name)
        let whole = CassetteReader.read(SourceEditor.withLastLineEnd(document), name: name, path: path)
        return whole.cassette == self.cassette ? whole : self
    }
}
