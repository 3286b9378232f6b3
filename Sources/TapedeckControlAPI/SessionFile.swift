/// A file that is sent along with a session, so that the deck needs no disk: a cassette or one of its body files. In JSON
/// the text alone, or an object with `base64`.
package enum SessionFile: Codable, Sendable, Equatable {
    case text(String)
    case base64(String)

    private enum Key: String, CodingKey {
        case base64
    }

    package init(from decoder: any Decoder) throws {
        if let text = try? decoder.singleValueContainer().decode(String.self) {
            self = .text(text)
        } else {
            self = .base64(try decoder.container(keyedBy: Key.self).decode(String.self, forKey: .base64))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .text(let text):
            var container = encoder.singleValueContainer()
            try container.encode(text)
        case .base64(let text):
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(text, forKey: .base64)
        }
    }
}
