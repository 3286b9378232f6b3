import TapedeckProtobuf

/// A condition on the body of a request, once any content coding is undone.
package enum BodyMatcher: Sendable, Equatable {
    /// Equal bytes.
    case bytes(InlineBody)
    /// Equal JSON: white space, the order of members and the spelling of numbers and strings do not count.
    case json(InlineBody, JSONComparison = JSONComparison())
    /// JSON that has all that this has, and maybe more.
    case jsonSubset(InlineBody)
    case jsonPath(JSONPath, JSONTest)
    /// Equal XML: elements, attributes and text, but for the places of the paths.
    case xml(InlineBody, ignoring: [XMLPath] = [])
    /// The SHA-256, in lower-case hexadecimal, of a body as received that is too large to write down.
    case sha256(String)
    /// The text as a whole.
    case text(ValueMatcher)
    case form([RequestMatcher.Field], refusesOthers: Bool)
    case multipart([Part])
    case graphQL(operation: ValueMatcher?, variables: InlineBody?)
    /// The messages of a call.
    case messages(MessagesMatcher)
    /// Of a message: its fields, by their numbers.
    case proto(ProtobufCondition)

    /// A part of a multipart body, found by its name.
    package struct Part: Sendable, Equatable {
        package var name: String
        package var content: ValueMatcher
        package var filename: ValueMatcher?
        package var contentType: ValueMatcher?

        package init(
            name: String,
            content: ValueMatcher,
            filename: ValueMatcher? = nil,
            contentType: ValueMatcher? = nil
        ) {
            self.name = name
            self.content = content
            self.filename = filename
            self.contentType = contentType
        }
    }
}

/// The condition on the values that a JSONPath selects.
package indirect enum JSONTest: Sendable, Equatable {
    /// The text of a string, the spelling of anything else; numbers are equal by value.
    case value(ValueMatcher)
    case count(Int)
    case type(JSONType)
    case all([JSONTest])
}

package enum JSONType: String, Sendable, CaseIterable {
    case null, boolean, number, string, array, object
}

extension BodyMatcher {
    /// Equal for conditions that the same bodies meet; `nil` for one that is not about being the same as something.
    package struct Identity: Sendable, Hashable {
        enum Kind: UInt8 {
            case bytes
            case json
            case sha256
            case proto
            case messages
            case xml
        }

        let kind: Kind
        let content: [UInt8]
        /// For JSON, what counts when two are compared.
        var comparison = JSONComparison()

        package func hash(into hasher: inout Hasher) {
            hasher.combine(self.kind)
            self.content.withUnsafeBytes { hasher.combine(bytes: $0) }
        }

        static func bytes(_ bytes: [UInt8]) -> Identity {
            Identity(kind: .bytes, content: bytes)
        }

        static func json(_ value: JSONValue, _ comparison: JSONComparison) -> Identity {
            Identity(kind: .json, content: comparison.canonical(value), comparison: comparison)
        }

        static func xml(_ root: XMLElement) -> Identity {
            Identity(kind: .xml, content: root.canonical)
        }

        /// - Parameter message: the bytes of its fields in one order.
        static func proto(_ message: [UInt8]) -> Identity {
            Identity(kind: .proto, content: message)
        }

        static func sha256(_ digest: String) -> Identity {
            Identity(kind: .sha256, content: Array(digest.utf8))
        }

        /// - Parameter items: the identities of the conditions on each message.
        static func messages(_ items: [[Identity]], isOpen: Bool) -> Identity {
            var content: [UInt8] = isOpen ? Array("open ".utf8) : []
            for item in items {
                content += Array("\(item.count) ".utf8)
                for identity in item {
                    let rules = identity.comparison.ignoredPaths.map(\.description).joined(separator: " ")
                    let order = identity.comparison.ignoresArrayOrder ? "any" : "same"
                    content += Array("\(identity.kind.rawValue) \(order) \(rules) \(identity.content.count) ".utf8)
                    content += identity.content
                }
            }
            return Identity(kind: .messages, content: content)
        }
    }

    package var identity: Identity? {
        switch self {
        case .bytes(let body): .bytes(body.decoded)
        case .json(let body, let comparison): Self.identity(body.content, comparison)
        case .sha256(let digest): .sha256(digest)
        case .proto(let condition): .proto(condition.identity)
        case .messages(let matcher): matcher.identity
        case .xml(let body, let ignored): Self.identity(xml: body, ignored)
        case .jsonSubset, .jsonPath, .text, .form, .multipart, .graphQL: nil
        }
    }

    /// The body that it asks for as a whole; `nil` if it asks for parts, or for a digest.
    package var whole: InlineBody? {
        switch self {
        case .bytes(let body), .json(let body, _), .xml(let body, _): body
        default: nil
        }
    }

    private static func identity(xml body: InlineBody, _ ignored: [XMLPath]) -> Identity? {
        guard let expected = XMLExpectation(body.content, ignoring: ignored), !expected.hasPlaceholders else {
            return nil
        }
        return expected.root.map { .xml($0) }
    }

    private static func identity(_ json: [UInt8], _ comparison: JSONComparison) -> Identity? {
        guard let value = try? JSONValue(parsing: json) else { return nil }
        return JSONExpectation(value, comparison: comparison).hasPlaceholders ? nil : .json(value, comparison)
    }
}
