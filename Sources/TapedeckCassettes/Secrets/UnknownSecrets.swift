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
    }

    /// Counts those of one exchange, which has no known secrets in it any more.
    package mutating func note(_ exchange: RecordedExchange) {
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
            let url = exchange.url.prefix { $0 != "?" && $0 != "#" }
            self.places.append("\(exchange.method) \(url): \(place), \(word.count) characters")
        }
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
        let words = count == 1 ? "1 word looks like a secret" : "\(count) words look like secrets"
        var lines = ["\(words) that no rule knows, so \(self.cassette) is as it was (--strict):"]
        lines += self.unknown.places.map { "  \($0)" }
        let left = count - self.unknown.places.count
        if left > 0 { lines.append("  and \(left) more") }
        lines.append("the recording is in \(self.journal), and the next start continues with it:")
        lines.append("write a rule under `redact:` in tapedeck.yaml for what is a secret, or start without --strict")
        return lines.joined(separator: "\n")
    }
}
