import TapedeckCodings
package import TapedeckCore
import TapedeckRedaction

/// Words in what was recorded that look like secrets and that no rule knows, by the function that `tapedeck scan` uses.
///
/// A word counts once, however often it comes. Bodies in files of their own are not looked into, as they need not fit into
/// memory; `tapedeck scan` does.
package struct UnknownSecrets: Sendable, Equatable {
    /// The number of different words.
    package private(set) var count = 0
    /// The places of the first of them, in lines for a terminal, without the words.
    package private(set) var places: [String] = []

    /// The number of exchanges with files that hold secrets and stay as they are.
    package private(set) var fileCount = 0
    /// The first of them, in lines for a terminal.
    package private(set) var files: [String] = []

    package var isEmpty: Bool { self.count == 0 && self.fileCount == 0 }

    /// Hashes of the words that were counted.
    private var seen: Set<Int> = []

    /// The maximum number of places that are listed.
    private static let toldPlaces = 10
    /// The maximum number of words that are deduplicated, which bounds memory. Beyond it each word counts.
    private static let greatestSeen = 10_000
    /// The number of bytes of a decoded body that are searched.
    private static let bodyLimit = 4 << 20

    package init() {}

    /// Adds those of another recording.
    mutating func add(_ other: UnknownSecrets) {
        self.count += other.count - self.seen.intersection(other.seen).count
        self.places += other.places.prefix(max(0, Self.toldPlaces - self.places.count))
        self.seen.formUnion(other.seen)
        self.fileCount += other.fileCount
        self.files += other.files.prefix(max(0, Self.toldPlaces - self.files.count))
    }

    /// Counts those of one exchange, which has no known secrets in it any more.
    package mutating func note(_ exchange: RecordedExchange) {
        if !exchange.secretsInFiles.isEmpty {
            self.fileCount += 1
            let line = "\(Self.request(exchange)): \(exchange.secretsInFiles.joined(separator: ", "))"
            if self.files.count < Self.toldPlaces { self.files.append(line) }
        }
        self.note(Array(exchange.url.utf8), "URL", of: exchange)
        for (fields, what) in [
            (exchange.requestHeaders, "request"), (exchange.response.headers + exchange.response.trailers, "response"),
        ] {
            // By length first: most values are too short to hold one.
            for field in fields
            where field.value.utf8.count >= RandomLook.lengths.lowerBound && Entropy.counts(inField: field.name) {
                self.note(ByteText.bytes(of: field.value), "\(what) header \(field.name)", of: exchange)
            }
        }
        self.note(exchange.requestBody, exchange.requestHeaders, "request body", of: exchange)
        self.note(exchange.response.body, exchange.response.headers, "response body", of: exchange)
    }

    /// Counts those of a body of text, without its codings. A body with other bytes than UTF-8 has none.
    private mutating func note(
        _ body: RecordedBody,
        _ headers: [HeaderField],
        _ place: String,
        of exchange: RecordedExchange
    ) {
        guard case .bytes(var bytes) = body, !bytes.isEmpty, let codings = ContentCoding.all(of: headers) else {
            return
        }
        if !codings.isEmpty { bytes = (try? ContentCoder.decode(bytes, codings, limit: Self.bodyLimit)) ?? [] }
        let words = Entropy.words(in: bytes)
        guard !words.isEmpty, String(validating: bytes, as: UTF8.self) != nil else { return }
        self.note(words, in: bytes, place, of: exchange)
    }

    private mutating func note(_ bytes: [UInt8], _ place: @autoclosure () -> String, of exchange: RecordedExchange) {
        let words = Entropy.words(in: bytes)
        if !words.isEmpty { self.note(words, in: bytes, place(), of: exchange) }
    }

    private mutating func note(
        _ words: [Range<Int>],
        in bytes: [UInt8],
        _ place: String,
        of exchange: RecordedExchange
    ) {
        for word in words {
            let hash = bytes[word].hashValue
            if self.seen.contains(hash) { continue }
            if self.seen.count < Self.greatestSeen { self.seen.insert(hash) }
            self.count += 1
            guard self.places.count < Self.toldPlaces else { continue }
            self.places.append("\(Self.request(exchange)): \(place), \(word.count) characters")
        }
    }

    private static func request(_ exchange: RecordedExchange) -> String {
        "\(exchange.method) \(exchange.url.prefix { $0 != "?" && $0 != "#" })"
    }
}

/// A recording holds words that look like secrets, and `--strict` keeps them out of the cassette.
package struct UnknownSecretsError: Error, Sendable, CustomStringConvertible {
    package let unknown: UnknownSecrets
    /// The cassette that is as it was.
    package let cassette: String
    package let journal: String

    package var description: String {
        let count = self.unknown.count
        var lines: [String] = []
        if count > 0 {
            let words = count == 1 ? "1 word looks like a secret" : "\(count) words look like secrets"
            lines.append("\(words) that no rule knows, so \(self.cassette) is as it was (--strict):")
            lines += Self.list(self.unknown.places, of: count)
        }
        if self.unknown.fileCount > 0 {
            let files =
                self.unknown.fileCount == 1 ? "1 file holds secrets" : "\(self.unknown.fileCount) files hold secrets"
            lines.append("\(files), so \(self.cassette) is as it was (--strict):")
            lines += Self.list(self.unknown.files, of: self.unknown.fileCount)
        }
        lines.append("the recording is in \(self.journal), and the next start continues with it:")
        lines.append("write a rule under `redact:` in tapedeck.yaml for what is a secret, or start without --strict")
        return lines.joined(separator: "\n")
    }

    private static func list(_ lines: [String], of count: Int) -> [String] {
        let left = count - lines.count
        return lines.map { "  \($0)" } + (left > 0 ? ["  and \(left) more"] : [])
    }
}
