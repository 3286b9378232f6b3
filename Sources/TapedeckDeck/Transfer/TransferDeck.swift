package import TapedeckControlAPI

/// The deck at the other end of a pull or a push.
package protocol TransferDeck {
    /// The URL of its control API.
    var url: String { get }
    /// - Parameter names: empty is all.
    func versions(_ names: [String]) throws -> CassetteVersionList
    /// Has `receive` take an archive of cassettes, piece by piece.
    func download(_ names: [String], _ receive: ([UInt8]) throws -> Void) throws
    /// Sends an archive of cassettes; `next` gives its pieces.
    func upload(_ next: () throws -> [UInt8]?) throws -> ArchiveResult
}

/// The person who sees progress, and may answer questions.
package protocol TransferPerson {
    /// True if a person can answer questions.
    var canAnswer: Bool { get }
    func ask(_ question: String) -> TransferAnswer
    /// A result.
    func show(_ line: String)
    /// Anything else.
    func note(_ line: String)
}

/// The answer to a question about one cassette.
package enum TransferAnswer: Sendable {
    case yes
    case no
    /// Yes to this question and to all that follow.
    case all
}
