internal import CPCRE2

/// A regular expression of a cassette (PCRE2), immutable and shared by all sessions.
///
/// A pattern of only ASCII text is matched byte by byte: `.` is any byte but a line feed, and bytes that are not UTF-8
/// are ordinary, as URLs and unknown bodies require. A pattern with other characters or escapes for them (`\p{L}`,
/// `\x{e9}`, `\X`) is matched in characters; bytes that are not UTF-8 then match nothing, not even `.`.
///
/// Work is counted and limited for every pattern and subject: see ``PatternScratch``.
package struct Pattern: Sendable, Equatable, CustomStringConvertible {
    package enum Scope: Sendable {
        /// Must match the whole subject.
        case whole
        /// May match any part of the subject.
        case anywhere
    }

    /// The result of matching a pattern against a subject.
    package enum Outcome: Sendable {
        case matched
        case unmatched
        /// Undecided: the request's work budget was exhausted first.
        case cutOff
    }

    /// The longest source that is taken, in bytes of UTF-8.
    package static let maximumLength = 8192

    package let source: String
    package let ignoresCase: Bool
    package let scope: Scope
    /// The text that every match contains.
    package let literals: RequiredLiterals

    let program: PatternProgram

    /// - Throws: an error if the source is not a regular expression, is longer than ``maximumLength``, or begins with a
    ///   setting for the whole pattern such as `(*UTF)`.
    package init(_ source: String, scope: Scope, ignoresCase: Bool = false) throws(PatternError) {
        let syntax = PatternSyntax(source)
        self.program = try PatternProgram(syntax, scope: scope, ignoresCase: ignoresCase)
        self.source = source
        self.scope = scope
        self.ignoresCase = ignoresCase
        self.literals =
            ignoresCase ? RequiredLiterals() : RequiredLiterals(readingPattern: syntax.bytes, scope: scope)
    }

    package static func == (left: Pattern, right: Pattern) -> Bool {
        left.source == right.source && left.scope == right.scope && left.ignoresCase == right.ignoresCase
    }

    package var description: String {
        self.source
    }

    /// The names of the named captures, each once, in order of number.
    package var captureNames: [String] {
        self.program.captureNames.map(\.name)
    }

    /// The number of captures, named or not.
    package var captureCount: Int {
        self.program.captureCount
    }

    /// Makes machine code now, which takes some 50 microseconds, rather than at the first match. For patterns that a
    /// single request may need by the hundred: see ``LiteralIndex/crowded``.
    package func prepare() {
        self.program.prepare()
    }

    /// Matches `subject`; the work is charged to the budget of `scratch`.
    package func match(_ subject: UnsafeRawBufferPointer, scratch: PatternScratch) -> Outcome {
        scratch.run(self.program, subject)
    }

    /// Returns the text of captures, by number ("1", "2", ...) and by name, without those that took no part in the
    /// match. Returns `nil` if the pattern does not match or was cut off.
    package func captures(_ subject: UnsafeRawBufferPointer, scratch: PatternScratch) -> [String: [UInt8]]? {
        scratch.makeRoom(captures: self.captureCount)
        guard case .matched = scratch.run(self.program, subject) else { return nil }
        var captures: [String: [UInt8]] = [:]
        for number in 0..<self.captureCount {
            if let range = scratch.range(ofCapture: number + 1, in: subject) {
                captures["\(number + 1)"] = Array(subject[range])
            }
        }
        for (name, numbers) in self.program.captureNames {
            // One name may belong to several captures, in `(?J)` and `(?|...)`: the first that took part counts.
            captures[name] = numbers.lazy.compactMap { captures["\($0)"] }.first
        }
        return captures
    }
}

/// An error in a pattern or URL template.
package struct PatternError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The error and its place, in plain words: "missing closing parenthesis at character 12".
    package var message: String
    /// The number of characters of the source before the error was found, which is also the number of the last of them.
    package var offset: Int

    package init(message: String, offset: Int) {
        self.message = message
        self.offset = offset
    }

    /// A fault, with a description of its place.
    init(_ fault: String, atCharacter number: Int) {
        self.init(message: "\(fault) at character \(max(1, number))", offset: number)
    }

    package var description: String {
        self.message
    }
}
