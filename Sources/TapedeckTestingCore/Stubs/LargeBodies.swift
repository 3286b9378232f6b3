import Foundation
import TapedeckControlClient
import TapedeckLocking

/// Bodies that are too large for JSON: they go to the deck as they are, and the JSON names them.
struct LargeBodies {
    /// Above this size a body goes by itself, in bytes.
    static let limit = 256 << 10

    private let prefix: String
    private(set) var files: [(name: String, bytes: [UInt8])] = []

    /// - Parameter prefix: which no other body's name begins with.
    init(prefix: String) {
        self.prefix = prefix
    }

    /// Returns a shape in which large bodies are named.
    mutating func taken(out shape: Tapedeck.JSON) -> Tapedeck.JSON {
        if var items = shape.array {
            for index in items.indices { items[index] = self.taken(out: items[index]) }
            return Tapedeck.JSON(items)
        }
        guard var members = shape.members else { return shape }
        for index in members.indices {
            let (name, value) = (members[index].name, members[index].value)
            members[index].value = name == "body" ? self.body(value) : self.taken(out: value)
        }
        return Tapedeck.JSON(members)
    }

    private mutating func body(_ body: Tapedeck.JSON) -> Tapedeck.JSON {
        guard let content = body.members?.first, let text = content.value.string, text.utf8.count > Self.limit else {
            return body
        }
        let bytes: [UInt8]
        switch content.name {
        case "base64": bytes = Data(base64Encoded: text).map { Array($0) } ?? []
        case "json" where body["layout"] != nil: bytes = Array(((try? Tapedeck.JSON(parsing: text))?.text ?? text).utf8)
        case "text", "json": bytes = Array(text.utf8)
        // A condition on a body, which is none.
        default: return body
        }
        let name = "\(self.prefix)-\(self.files.count + 1)"
        self.files.append((name, bytes))
        return ["file": Tapedeck.JSON(name)]
    }
}

extension Tapedeck {
    /// Sends the large bodies of a shape to the session, and returns the shape that names them.
    func sending(_ shape: Tapedeck.JSON, to session: SessionClient) throws -> Tapedeck.JSON {
        let number = self.ledger.withLock { $0.nextNumber() }
        var bodies = LargeBodies(prefix: "body-\(number)")
        let small = bodies.taken(out: shape)
        for file in bodies.files { try session.send(file: file.name, file.bytes) }
        return small
    }
}
