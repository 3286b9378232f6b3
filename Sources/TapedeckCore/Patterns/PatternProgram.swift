internal import CPCRE2
import Synchronization

/// A checked pattern and its compiled forms, each made when it is first needed: of many patterns few are ever tried,
/// and machine code takes 50 microseconds and several KiB a pattern.
final class PatternProgram: Sendable {
    /// A compiled form that is larger and mostly copies is refused: its machine code would take 50 ms and megabytes.
    private static let maximumCopiedSize = 16 * 1024
    /// From this size on, machine code is generated with the pattern, because generating it during a request takes too
    /// long.
    private static let lazySize = 4 * 1024

    let captureNames: [(name: String, numbers: [Int])]
    let captureCount: Int
    /// The charge for a run of the plain form, for each byte of the subject and in total; `nil` if the pattern is not
    /// fit for a plain run.
    let plainCharge: (perByte: Int, fixed: Int)?

    private let syntax: PatternSyntax
    private let options: UInt32
    private let plainForm = AtomicLazyReference<PatternCode>()
    private let guardedForm = AtomicLazyReference<PatternCode>()

    init(_ syntax: PatternSyntax, scope: Pattern.Scope, ignoresCase: Bool) throws(PatternError) {
        guard syntax.bytes.count <= Pattern.maximumLength else {
            throw PatternError(
                message: "the pattern is longer than \(Pattern.maximumLength) bytes; make it shorter",
                offset: syntax.characters(before: Pattern.maximumLength)
            )
        }
        if let setting = syntax.leadingSetting {
            throw PatternError(
                message: "\(setting) is not taken here: a pattern cannot change how it is run; leave it out",
                offset: 0
            )
        }
        self.syntax = syntax
        self.options = Self.options(syntax, scope, ignoresCase: ignoresCase)
        let code = try PatternCode(syntax, options: self.options, .unfinished)
        if code.size > Self.maximumCopiedSize, code.costs?.isMostlyCopies == true {
            throw PatternError(
                message: "the pattern is too large once its repeated groups are written out; use smaller repeat counts",
                offset: 0
            )
        }
        self.captureNames = code.captureNames()
        self.captureCount = code.captureCount
        // Only if there is one place to begin; otherwise the match limit applies to each place separately.
        self.plainCharge = scope == .whole && syntax.isSimple ? code.costs?.plainCharge : nil
        if code.size > Self.lazySize {
            self.prepare()
            _ = self.guarded()
        }
    }

    /// Makes the form that is needed first.
    func prepare() {
        _ = self.plainCharge == nil ? self.guarded() : self.plain()
    }

    /// The form that only the match limit holds; `nil` where memory ran out.
    func plain() -> PatternCode? {
        self.form(.plain, self.plainForm)
    }

    /// The form whose work is counted; `nil` where memory ran out.
    func guarded() -> PatternCode? {
        self.form(.guarded, self.guardedForm)
    }

    @inline(__always)
    private func form(_ kind: PatternCode.Kind, _ made: borrowing AtomicLazyReference<PatternCode>) -> PatternCode? {
        // Two threads may both make one; the first to store it wins.
        made.load() ?? (try? PatternCode(self.syntax, options: self.options, kind)).map { made.storeIfNil($0) }
    }

    private static func options(_ syntax: PatternSyntax, _ scope: Pattern.Scope, ignoresCase: Bool) -> UInt32 {
        // `\C` would split characters, and PCRE2 cannot bound what it matches in a lookbehind.
        var options = UInt32(PCRE2_NEVER_BACKSLASH_C)
        if syntax.needsCharacters {
            // Subjects come off the wire: without the second option invalid UTF-8 would be an error or worse.
            options |= UInt32(PCRE2_UTF) | UInt32(PCRE2_MATCH_INVALID_UTF)
        } else {
            options |= UInt32(PCRE2_NEVER_UTF)
        }
        if scope == .whole { options |= UInt32(PCRE2_ANCHORED) | UInt32(PCRE2_ENDANCHORED) }
        if ignoresCase { options |= UInt32(PCRE2_CASELESS) }
        return options
    }
}
