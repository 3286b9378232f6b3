/// The required state of a cassette's place before it is replaced, so that unseen changes are not overwritten.
package enum Precondition: Sendable, Equatable {
    /// Nothing, or the same.
    case absent
    /// The content of this digest.
    case digest(String)
    /// Whatever it is.
    case anything

    /// As a pax header has it.
    var text: String {
        switch self {
        case .absent: "absent"
        case .digest(let digest): digest
        case .anything: "anything"
        }
    }

    /// - Parameter text: `nil` where an archive says nothing, as other programs make them.
    init(_ text: String?) {
        switch text {
        case nil, "absent": self = .absent
        case "anything": self = .anything
        case .some(let digest): self = .digest(digest)
        }
    }
}
