import TapedeckCore

/// The pieces of a template that the library never gets to read: it sees a short name in their place, with a sign in
/// front that no name in a template can have.
struct TemplatePieces: Sendable {
    static let prefix = "*"

    enum Piece: Sendable {
        case text(String)
        /// The present moment, moved by milliseconds, in a format.
        case time(offset: Int64, TimeFormat)
    }

    /// The first is empty: it keeps tags apart that are not to touch.
    private var pieces: [Piece] = [.text("")]

    static let emptyTag = "{{{\(Self.prefix)0}}}"

    /// The tag that stands for a piece. A text is written as it is, a time is escaped.
    mutating func add(_ piece: Piece) -> String {
        self.pieces.append(piece)
        let name = "\(Self.prefix)\(self.pieces.count - 1)"
        return if case .text = piece { "{{{\(name)}}}" } else { "{{\(name)}}" }
    }

    subscript(_ name: String) -> Piece? {
        guard let index = Int(name.dropFirst(Self.prefix.count)), self.pieces.indices.contains(index) else {
            return nil
        }
        return self.pieces[index]
    }
}
