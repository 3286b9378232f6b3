package import TapedeckCassettes
import TapedeckCore

/// The places that `tapedeck ignore` adds to a cassette.
package enum IgnoredPlaces {
    /// Adds places to the `ignore` of a cassette; the rest of the file stays as it is.
    ///
    /// - Parameter places: such as `query:page`; see ``IgnoredPlace``.
    /// - Returns: those that it did not ignore before.
    /// - Throws: ``DeckError`` if a place is invalid, or the cassette cannot be used or written.
    package static func add(_ places: [String], to location: CassetteLocation) throws(DeckError) -> [String] {
        var added = MatchingRules()
        do {
            // Reports a missing cassette, and one with errors.
            _ = try CassetteStore.onDisk.load(location)
            let result = try CassetteStore.onDisk.check(location)
            let known = result.cassette.matching
            var new: [String] = []
            for text in places {
                let place = try IgnoredPlace(text)
                guard !known.ignores(place), !new.contains(place.description) else { continue }
                try added.ignore(place)
                new.append(place.description)
            }
            guard !new.isEmpty else { return [] }
            let text = try IgnoreEditing.text(of: result, ignoring: added)
            try CassetteStore.onDisk.replace(location, from: result.source, with: text)
            return new
        } catch let error as DeckError {
            throw error
        } catch let problem as IgnoredPlace.Problem {
            throw DeckError(problem.description, kind: .badOption)
        } catch let error as FileError {
            throw DeckError(error, kind: .notSaved)
        } catch {
            throw DeckError(error, kind: .unusableCassette)
        }
    }
}
