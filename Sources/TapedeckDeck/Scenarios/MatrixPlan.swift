package import TapedeckCassettes
import TapedeckCore
package import TapedeckMaintenance

/// The runs of `tapedeck matrix`: one for each answer to try.
package struct MatrixPlan: Sendable {
    /// One run: a variant of a response set, or a profile, that plays instead of the default.
    package struct Case: Sendable, Equatable {
        /// The response set whose variant is selected; `nil` for a profile.
        package var set: String?
        /// The variant or the profile.
        package var name: String

        /// The options of `tapedeck replay` for the run.
        package var options: [String] {
            self.set.map { ["--select", "\($0)=\(self.name)"] } ?? ["--profile", self.name]
        }

        /// The case in a line for people.
        package var title: String { self.set.map { "\($0) = \(self.name)" } ?? "profile \(self.name)" }
    }

    /// The answers to try.
    package enum Choice: Sendable, Equatable {
        /// The variants that the cassette has in addition to the default, of these sets; empty is all sets.
        case variants([String])
        /// These profiles.
        case profiles([String])
        /// The built-in variants, such as `offline` and `server-error`.
        case builtIn
    }

    package let cases: [Case]

    /// Plans the runs for a cassette by the requests of a first run.
    ///
    /// - Parameters:
    ///   - name: the cassette, by name or path.
    ///   - folder: the folder for names; see ``CassetteFolder``.
    ///   - first: the report of the run with the defaults. Sets that it did not request get no case.
    /// - Throws: ``DeckError`` if the cassette cannot be used, or has no such set or profile.
    package init(_ choice: Choice, of name: String, folder: String?, first: RunReport) throws(DeckError) {
        let cassette: Cassette
        do throws(CassetteError) {
            cassette = try CassetteStore(digest: { _ in "" }).load(CassetteFolder.location(name, folder: folder))
        } catch {
            throw DeckError(error.description, kind: .unusableCassette)
        }
        let asked = Self.requested(first)
        let sets = cassette.responseSets.filter { asked.contains($0.name) }
        switch choice {
        case .profiles(let names):
            for name in names where !cassette.profiles.contains(where: { $0.name == name }) {
                let hint =
                    BuiltInVariant(rawValue: name) == nil
                    ? Spelling.hint(for: name, among: cassette.profiles.map(\.name))
                    : "; it is a variant that every set has: --built-in tries those"
                throw DeckError("there is no profile \"\(name)\" in \(cassette.name)\(hint)", kind: .badOption)
            }
            self.cases = names.map { Case(name: $0) }
        case .builtIn:
            self.cases = sets.flatMap { set in BuiltInVariant.allCases.map { Case(set: set.name, name: $0.rawValue) } }
        case .variants(let names):
            for name in names where !cassette.responseSets.contains(where: { $0.name == name }) {
                let hint = Spelling.hint(for: name, among: cassette.responseSets.map(\.name))
                throw DeckError("there is no response set \"\(name)\" in \(cassette.name)\(hint)", kind: .badOption)
            }
            self.cases = sets.filter { names.isEmpty || names.contains($0.name) }.flatMap { set in
                set.variants.enumerated().filter { $0.offset != set.defaultVariant }.map {
                    Case(set: set.name, name: $0.element.name)
                }
            }
        }
    }

    /// Returns the names of the sets that a run requested.
    package static func requested(_ report: RunReport) -> Set<String> {
        Set(report.cassettes.flatMap(\.sets).filter { $0.asked > 0 }.map(\.name))
    }
}
