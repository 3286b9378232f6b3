package import TapedeckCassettes
import TapedeckCore
import TapedeckMaintenance
import TapedeckSessions

/// All there is to say about a cassette's file: what its reader found, and what only its surroundings show.
package struct CassetteCheck: Encodable, Sendable {
    /// A problem in one place.
    package struct Problem: Encodable, Sendable {
        /// `error` or `warning`.
        let severity: String
        let path: String
        /// 1-based; `nil` for the file as a whole.
        let line: Int?
        /// 1-based, in characters.
        let column: Int?
        let message: String

        init(_ diagnostic: Diagnostic) {
            self.severity = diagnostic.severity.rawValue
            self.path = diagnostic.path
            (self.line, self.column) = (diagnostic.line, diagnostic.column)
            self.message = diagnostic.message
        }
    }

    package var path: String
    package var responseSets: Int
    /// The number of problems that make the cassette unusable.
    package var errors: Int
    /// In the order of the file.
    package var problems: [Problem]
    /// `path:line:column: severity: message`, in the same order.
    package var lines: [String]

    /// The made-up tokens that are signed with a public-key algorithm, a line for each: whether a client can verify it.
    package var tokens: [String]

    private enum CodingKeys: String, CodingKey {
        case path, responseSets, errors, problems, tokens
    }

    /// - Throws: ``DeckError`` when the file cannot be read at all.
    package init(_ reference: String, folder: String?) throws(DeckError) {
        let location = CassetteFolder.location(reference, folder: folder)
        do {
            let result = try Deck.store.check(location)
            let found =
                result.diagnostics + CassetteAmbiguities.warnings(result, path: location.path)
                + CassetteAge.diagnostics(result, path: location.path, now: .now)
                + CassetteExpiry.diagnostics(result, path: location.path, now: .now)
                + EditedBodies.warnings(result, path: location.path) + BodyChecks.diagnostics(result, at: location)
            let diagnostics =
                Self.sorted(found) + Self.journalWarnings(location) + Self.orphanWarnings(result, location)
            self.lines = diagnostics.map(\.description)
            self.problems = diagnostics.map(Problem.init)
            self.errors = diagnostics.count { $0.severity == .error }
            self.responseSets = result.cassette.responseSets.count
            self.path = location.path
            self.tokens = result.cassette.signedTokens.map { "\(location.path): \($0)" }
        } catch {
            // Loading says what to do about a file that is not there.
            do {
                _ = try Deck.store.load(location)
            } catch {
                throw DeckError(error)
            }
            throw DeckError(error)
        }
    }

    private static func sorted(_ diagnostics: [Diagnostic]) -> [Diagnostic] {
        diagnostics.enumerated()
            .sorted { left, right in
                (left.element.line ?? 0, left.element.column ?? 0, left.offset)
                    < (right.element.line ?? 0, right.element.column ?? 0, right.offset)
            }
            .map(\.element)
    }

    /// The maximum number of body files that are named.
    private static let namedFiles = 10

    /// Returns a warning for each recorded body file that nothing names. Empty while a recording runs or waits for
    /// recovery, because it may name them.
    private static func orphanWarnings(_ result: CassetteReader.Result, _ location: CassetteLocation) -> [Diagnostic] {
        guard !result.hasErrors, !FileContents.exists(location.journalFolder) else { return [] }
        let files = OrphanBodies(of: result.cassette, at: location, store: Deck.store).files
        var messages = files.prefix(Self.namedFiles).map { "nothing names the body file \($0.name); delete it" }
        let left = files.count - messages.count
        if left > 0 { messages.append("nor does anything name \(left) more body files of the folder") }
        return messages.map { Diagnostic(severity: .warning, path: location.path, message: $0) }
    }

    private static func journalWarnings(_ location: CassetteLocation) -> [Diagnostic] {
        let message: String
        if RecordingJournal.isInUse(folder: location.journalFolder) {
            message = "a recording or a refresh of this cassette is running"
        } else if FileContents.exists(location.journalFolder) {
            message = "an interrupted recording waits to be taken up; replay, record or append does that"
        } else {
            return []
        }
        return [Diagnostic(severity: .warning, path: location.path, message: message)]
    }
}
