import ArgumentParser
import TapedeckPlatform

/// Exit codes of Tapedeck's own (sysexits.h).
enum ExitStatus {
    /// Something was found: a difference, a secret, something to remove.
    static let found = ExitCode(1)
    static let badOption = ExitCode.validationFailure
    static let unusableCassette = ExitCode(65)
    /// Also where no origin could be asked again.
    static let cannotStart = ExitCode(69)
    static let unmatched = ExitCode(70)
    static let notSaved = ExitCode(74)

    /// Ends the process. The parser's own `exit` examines all commands for the message of an error, and this has none.
    static func end(with code: ExitCode) -> Never {
        exit(code.rawValue)
    }
}
