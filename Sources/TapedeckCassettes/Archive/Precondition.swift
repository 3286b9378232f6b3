/// The required state of a cassette's place before it is replaced, so that unseen changes are not overwritten.
package enum Precondition: Sendable, Equatable {
    /// Missing, or equal.
    case absent
    /// The content of this digest.
    case digest(String)
    /// Any version.
    case anything

    /// As a pax header has it.
    var text: String {
        switch self {
        case .absent: "absent"
        case .digest(let digest): digest
        case .anything: "anything"
        }
    }

    /// - Parameter text: `nil` if the archive has none, such as those of other programs.
    init(_ text: String?) {
        switch text {
        case nil, "absent": self = .absent
        case "anything": self = .anything
        case .some(let digest): self = .digest(digest)
        }
    }
}
