/// The values of the surroundings of a run: working folder, host and environment variables, by their names.
///
/// A recording notes those that occur in its requests, in `values` of the cassette. In replay each is equal to the value
/// that it has there.
package struct Surroundings: Sendable, Equatable {
    /// The name of the working folder.
    package static let folder = "folder"
    /// The name of the host's name.
    package static let host = "host"

    /// Several for a name if several recordings made the cassette.
    package var values: [String: [String]]

    package init(_ values: [String: [String]] = [:]) {
        self.values = values
    }

    package var isEmpty: Bool { self.values.isEmpty }

    /// Names of values that are looked for within texts; all others only where they are the whole value of a field.
    private static let inTexts: Set<String> = [
        Self.folder, Self.host, "HOME", "PWD", "USER", "LOGNAME", "USERNAME", "TMPDIR", "HOSTNAME",
    ]

    /// Returns the values that texts contain: within them, or between quotation marks and the like, as the whole value of a
    /// field.
    package func occurring(in texts: [String]) -> Surroundings {
        let bytes = texts.map { ByteText.bytes(of: $0) }
        return Surroundings(
            Dictionary(
                uniqueKeysWithValues: self.values.compactMap { name, values in
                    let present = values.filter { value in
                        let isInText = Self.inTexts.contains(name)
                        return bytes.contains { Self.isIn($0, ByteText.bytes(of: value), isWhole: !isInText) }
                    }
                    return present.isEmpty ? nil : (name, present)
                }
            )
        )
    }

    private static func isIn(_ text: [UInt8], _ value: [UInt8], isWhole: Bool) -> Bool {
        guard value.count > 1, value.count <= text.count else { return false }
        func ends(_ index: Int) -> Bool {
            guard text.indices.contains(index) else { return true }
            return isWhole ? "\"'=&<>?".utf8.contains(text[index]) : !Self.isPart(text[index])
        }
        var start = 0
        while let place = text[start...].firstIndex(of: value[0]) {
            let end = place + value.count
            if text[place...].starts(with: value), ends(place - 1), ends(end) { return true }
            start = place + 1
        }
        return false
    }

    private static func isPart(_ byte: UInt8) -> Bool {
        ASCII.isUnreserved(byte) && !"-._~".utf8.contains(byte) || byte >= 0x80
    }

    /// Adds the values of another run.
    package func union(_ other: Surroundings) -> Surroundings {
        Surroundings(self.values.merging(other.values) { one, more in one + more.filter { !one.contains($0) } })
    }

    /// Returns the name of the value that is `recorded` here and `live` there.
    func name(of recorded: String, live: String, in surroundings: Surroundings) -> String? {
        self.values.first { name, values in
            values.contains(recorded) && surroundings.values[name]?.contains(live) ?? false
        }?.key
    }

    /// Returns the text with a mark in place of each value, the longest first; equal for two texts that differ only in
    /// these.
    ///
    /// - Parameter names: the names that both runs have.
    func masked(_ text: String, names: Set<String>) -> String {
        let values = self.values.flatMap { name, values in values.map { (name: name, value: $0) } }
            .filter { Self.inTexts.contains($0.name) && names.contains($0.name) && $0.value.utf8.count > 1 }
            .sorted { ($0.value.utf8.count, $1.name) > ($1.value.utf8.count, $0.name) }
        return values.reduce(text) { text, item in
            // A name for both of two equal values, such as those of HOME and of the working folder.
            let kind = item.value.contains("/") ? "path" : "word"
            return Self.masked(text, item.value, with: "\u{E000}\(kind)\u{E001}")
        }
    }

    /// Replaces whole words.
    private static func masked(_ text: String, _ value: String, with mark: String) -> String {
        guard text.containsText(value) else { return text }
        let (bytes, value, mark) = (ByteText.bytes(of: text), ByteText.bytes(of: value), Array(mark.utf8))
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            let end = index + value.count
            if bytes[index] == value[0], bytes[index...].starts(with: value),
                index == 0 || !Self.isPart(bytes[index - 1]), end == bytes.count || !Self.isPart(bytes[end])
            {
                result += mark
                index = end
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return ByteText.string(from: result)
    }
}
