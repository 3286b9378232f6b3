/// The header fields by which HTTP itself selects what a response contains: the range of a GET, and preconditions
/// (RFC 9110 sections 13.1 and 14.2). Sorted by name, names in lower case; empty for most requests.
package struct SelectingFields: Sendable, Hashable {
    private var fields: [HeaderField]

    package static let none = SelectingFields(fields: [])

    /// The names of the fields, in lower case.
    package static let names: Set<String> = [
        "range", "if-range", "if-match", "if-none-match", "if-modified-since", "if-unmodified-since",
    ]

    private init(fields: [HeaderField]) {
        self.fields = fields
    }

    package init(of request: [HeaderField]) {
        self.fields = []
        for field in request where field.name.utf8.count <= 19 {
            let name = ASCII.lowercased(field.name)
            guard Self.names.contains(name) else { continue }
            self.fields.append(HeaderField(name, field.value))
        }
        guard !self.fields.isEmpty else { return }
        self.fields.sort { $0.name < $1.name }
        // RFC 9110 section 13.1.5: without a range it means nothing.
        if self["range"] == nil { self.fields.removeAll { $0.name == "if-range" } }
    }

    package var isEmpty: Bool { self.fields.isEmpty }

    /// The value of a field; several of one name make a list.
    package subscript(name: String) -> String? {
        let values = self.fields.lazy.filter { $0.name == name }.map(\.value)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }

    /// `range: bytes=0-99, if-none-match: "v1"`.
    package var text: String { self.fields.map { "\($0.name): \($0.value)" }.joined(separator: ", ") }
}

/// A version of a representation, as far as its validators tell.
enum ContentVersion: Hashable {
    case tag(Substring)
    case modified(Instant)
}

/// The validators of a response: its entity tag and modification date (RFC 9110 section 8.8).
struct Validators: Equatable {
    /// The opaque tag with its quotes, and whether it is weak.
    struct Tag: Equatable {
        var opaque: Substring
        var isWeak: Bool

        /// A tag without quotes is none by the grammar, so nothing is known of its strength.
        init(_ text: Substring) {
            let isMarked = text.hasPrefix("W/")
            self.opaque = isMarked ? text.dropFirst(2) : text
            let isQuoted = self.opaque.utf8.count > 1 && self.opaque.hasPrefix("\"") && self.opaque.hasSuffix("\"")
            self.isWeak = isMarked || !isQuoted
        }
    }

    var tag: Tag?
    var modified: Instant?
    /// True if the modification date identifies the bytes: the response was sent at least a second later (RFC 9110
    /// section 8.8.2.2), and does not vary by what a request says.
    private var isDateStrong: Bool

    init(_ fields: [HeaderField]) {
        self.tag = fields.first(named: "etag").map { Tag(Substring($0)) }
        self.modified = fields.first(named: "last-modified").flatMap { Instant(httpDate: $0) }
        let sent = fields.first(named: "date").flatMap { Instant(httpDate: $0) }
        let isLater = self.modified.flatMap { modified in sent.map { $0.seconds > modified.seconds } } ?? false
        self.isDateStrong = isLater && !fields.contains(named: "vary")
    }

    /// The version if responses with it have the same bytes (RFC 9110 section 8.8.3.2, the strong comparison); else `nil`.
    var strongVersion: ContentVersion? {
        if let tag = self.tag { return tag.isWeak ? nil : .tag(tag.opaque) }
        return self.isDateStrong ? self.modified.map { .modified($0) } : nil
    }

    /// Returns true if one of a list of tags, or `*`, is this one.
    func isIn(_ list: String, weakly: Bool) -> Bool {
        if list == "*" { return true }
        guard let tag else { return false }
        return Self.tags(list).contains { $0.opaque == tag.opaque && (weakly || !$0.isWeak && !tag.isWeak) }
    }

    /// The tags of a list: a comma inside the quotes is part of a tag.
    private static func tags(_ list: String) -> [Tag] {
        var tags: [Tag] = []
        var isQuoted = false
        for part in list.split(
            omittingEmptySubsequences: true,
            whereSeparator: { character in
                if character == "\"" { isQuoted.toggle() }
                return character == "," && !isQuoted
            }
        ) {
            let text = part.trimmingSpaces()
            if !text.isEmpty { tags.append(Tag(Substring(text))) }
        }
        return tags
    }

    /// The result of evaluating the preconditions of a request.
    enum Outcome: Equatable {
        case holds
        case notModified
        case failed
    }

    /// Evaluates preconditions in the order of RFC 9110 section 13.2.2.
    func outcome(_ request: SelectingFields, isRead: Bool) -> Outcome {
        if let list = request["if-match"] {
            if !self.isIn(list, weakly: false) { return .failed }
        } else if let date = request["if-unmodified-since"].flatMap({ Instant(httpDate: $0) }), let modified,
            modified.seconds > date.seconds
        {
            return .failed
        }
        if let list = request["if-none-match"] {
            if self.isIn(list, weakly: true) { return isRead ? .notModified : .failed }
        } else if isRead, let date = request["if-modified-since"].flatMap({ Instant(httpDate: $0) }), let modified,
            modified.seconds <= date.seconds
        {
            return .notModified
        }
        return .holds
    }

    /// True if the range of the request applies: without If-Range, or if that names this version (RFC 9110 section
    /// 13.1.5).
    func permitRange(_ request: SelectingFields) -> Bool {
        guard let condition = request["if-range"] else { return true }
        if let date = Instant(httpDate: condition) { return self.isDateStrong && self.modified == date }
        return self.tag.map { $0 == Tag(Substring(condition)) && !$0.isWeak } ?? false
    }
}

/// The bytes that a response has of one version of its resource, which can be put together with others of that version.
package struct ContentPart: Sendable, Hashable {
    /// A representation of a resource: its version, content coding and size.
    package struct Representation: Sendable, Hashable {
        fileprivate var version: ContentVersion
        /// In another content coding the bytes are others.
        fileprivate var coding: String
        package var size: Int
    }

    package let representation: Representation
    package let bytes: Range<Int>

    /// Returns `nil` for a response of which that is not known: without a strong validator, without a length, or in a
    /// content coding that others do not get.
    package init?(status: Int, _ fields: [HeaderField]) {
        let coding = ASCII.lowercased(fields.first(named: "content-encoding") ?? "")
        guard let version = Validators(fields).strongVersion, coding.isEmpty || !Self.variesByCoding(fields) else {
            return nil
        }
        switch status {
        case 206:
            guard let range = fields.first(named: "content-range").flatMap({ ContentRange($0) }) else { return nil }
            self.bytes = range.bytes
            self.representation = Representation(version: version, coding: coding, size: range.size)
        case 200:
            guard let size = fields.first(named: "content-length").flatMap({ Int($0) }), size >= 0 else { return nil }
            self.bytes = 0..<size
            self.representation = Representation(version: version, coding: coding, size: size)
        default: return nil
        }
    }

    /// True if all bytes of another part are in this one.
    package func contains(_ other: ContentPart) -> Bool {
        self.representation == other.representation && self.bytes.lowerBound <= other.bytes.lowerBound
            && other.bytes.upperBound <= self.bytes.upperBound
    }

    private static func variesByCoding(_ fields: [HeaderField]) -> Bool {
        fields.lazy.filter { $0.isNamed("vary") }.flatMap { $0.value.split(separator: ",") }.contains {
            let name = $0.trimmingSpaces()
            return name == "*" || ASCII.equalsIgnoringCase(String(name), "accept-encoding")
        }
    }
}
