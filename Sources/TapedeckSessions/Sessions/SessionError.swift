package import TapedeckCassettes

/// The reason why a session cannot be created, found or changed.
package struct SessionError: Error, Sendable, CustomStringConvertible {
    package enum Kind: Sendable {
        /// The request contradicts itself.
        case badRequest
        /// A set, variant or profile that is not there.
        case badSelection
        /// A cassette that is not there or cannot be used.
        case badCassette
        /// This deck does not support it.
        case notAllowed
        /// There are too many already.
        case limit
        /// The disk is full.
        case disk
        /// Something else is going on.
        case conflict
    }

    package var kind: Kind
    package var description: String
    /// The errors in a cassette, if that is the reason.
    package var diagnostics: [Diagnostic] = []

    package init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }

    /// - Parameter library: a client that gives no paths gets none: its cassettes are on another machine.
    init(_ error: CassetteError, of library: CassetteLibrary) {
        var error = error
        if !library.takesPaths {
            for index in error.diagnostics.indices {
                for text in [\Diagnostic.path, \.message] {
                    let shown = error.diagnostics[index][keyPath: text].replacing(library.folder + "/", with: "")
                    error.diagnostics[index][keyPath: text] = shown
                }
            }
        }
        self.init(.badCassette, error.description)
        self.diagnostics = error.diagnostics
    }
}
