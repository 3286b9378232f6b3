/// One header or trailer line, as on the wire.
///
/// Lists of fields keep their order, the case of their names and their duplicates. Bytes that are not UTF-8 are kept as
/// ``ByteText`` does.
package struct HeaderField: Sendable, Hashable {
    package var name: String
    package var value: String

    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }

    /// Returns true if this field is called `name`, in any case (RFC 9110 section 5.1).
    package func isNamed(_ name: String) -> Bool {
        ASCII.equalsIgnoringCase(self.name, name)
    }
}

extension [HeaderField] {
    /// The value of the first field called `name`.
    package func first(named name: String) -> String? {
        self.first { $0.isNamed(name) }?.value
    }

    /// The media type of the content (RFC 9110 section 8.3.1) in lower case, without parameters; empty if no field says it.
    package var mediaType: String {
        ASCII.lowercased(String((self.first(named: "content-type") ?? "").prefix { $0 != ";" }.trimmingSpaces()))
    }

    /// True for a body that is a message of protobuf, without a frame.
    package var hasProtobuf: Bool {
        ["application/x-protobuf", "application/protobuf", "application/vnd.google.protobuf"].contains(self.mediaType)
    }

    /// True for a body of git's smart protocol.
    package var isOfGit: Bool { self.mediaType.hasPrefix("application/x-git-") }

    /// Returns true if any field is called `name`.
    package func contains(named name: String) -> Bool {
        self.contains { $0.isNamed(name) }
    }

    /// The comma-separated members of every field called `name`, in lower case and without white space around them
    /// (RFC 9110 section 5.6.1).
    package func tokens(named name: String) -> [String] {
        self.filter { $0.isNamed(name) }
            .flatMap { $0.value.split(separator: ",") }
            .map { ASCII.lowercased(String($0.trimmingSpaces())) }
            .filter { !$0.isEmpty }
    }
}

extension Substring {
    /// The text without spaces and tabs at either end.
    package func trimmingSpaces() -> Substring {
        let front = self.drop { $0 == " " || $0 == "\t" }
        guard let last = front.lastIndex(where: { $0 != " " && $0 != "\t" }) else { return front.prefix(0) }
        return front[...last]
    }
}
