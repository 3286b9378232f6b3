/// A problem of a cassette: place, message, and advice.
package struct Diagnostic: Sendable, Equatable, CustomStringConvertible {
    package enum Severity: String, Sendable {
        case error
        case warning
    }

    package var severity: Severity
    /// The file, as the user named it.
    package var path: String
    /// 1-based; `nil` for the file as a whole.
    package var line: Int?
    /// 1-based, in characters.
    package var column: Int?
    package var message: String

    package init(severity: Severity, path: String, line: Int? = nil, column: Int? = nil, message: String) {
        self.severity = severity
        self.path = path
        self.line = line
        self.column = column
        self.message = message
    }

    /// `path:line:column: error: message`, which editors and CI services understand.
    package var description: String {
        let place = [self.path, self.line.map(String.init), self.column.map(String.init)]
        return place.compactMap { $0 }.joined(separator: ":") + ": \(self.severity.rawValue): \(self.message)"
    }
}

/// A cassette that cannot be used.
package struct CassetteError: Error, Sendable, CustomStringConvertible {
    /// Never empty; all of severity error.
    package var diagnostics: [Diagnostic]

    package init(_ diagnostics: [Diagnostic]) {
        self.diagnostics = diagnostics
    }

    package init(path: String, _ message: String) {
        self.diagnostics = [Diagnostic(severity: .error, path: path, message: message)]
    }

    package var description: String {
        self.diagnostics.map(\.description).joined(separator: "\n")
    }
}
