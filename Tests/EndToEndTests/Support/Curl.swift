import Foundation

/// The common use of curl in all tests.
enum Curl {
    /// Straight to the origin.
    static func direct(_ origin: Origin) -> [String] {
        self.common + ["--noproxy", "*", "--cacert", origin.authorityPath]
    }

    /// Through a deck, whose authority alone is trusted.
    static func through(_ deck: TapedeckProcess) -> [String] {
        self.common + ["--proxy", deck.url, "--cacert", deck.authorityPath, "--suppress-connect-headers"]
    }

    private static let common = ["curl", "-q", "-sS", "--max-time", "40", "--http1.1"]
}

extension TestFolder {
    /// Asks for one URL through a deck.
    @discardableResult
    func curl(_ deck: TapedeckProcess, _ arguments: String...) throws -> Program.Result {
        try self.run(Curl.through(deck) + arguments)
    }
}
