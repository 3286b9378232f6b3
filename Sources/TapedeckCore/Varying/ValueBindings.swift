/// The live values of a session for recorded ones that vary from run to run.
package struct ValueBindings: Sendable, Equatable {
    /// A recorded value and the live one in its place.
    package struct Pair: Sendable, Hashable {
        package var recorded: String
        package var live: String
        /// The place in the request where the live value was first seen, such as `$.client_ref`.
        package var place: String
        /// True for a value of the surroundings, which any number of requests may have.
        package var isOfSurroundings = false

        package init(recorded: String, live: String, place: String, isOfSurroundings: Bool = false) {
            (self.recorded, self.live, self.place) = (recorded, live, place)
            self.isOfSurroundings = isOfSurroundings
        }
    }

    /// In the order of binding.
    package private(set) var pairs: [Pair] = []
    private var liveOf: [String: String] = [:]
    private var recordedOf: [String: String] = [:]

    /// Further values are not bound. 10,000.
    private static let limit = 10_000
    /// Shorter values are not replaced within texts, where they could be anything.
    static let shortest = 8

    package init() {}

    package var isEmpty: Bool { self.pairs.isEmpty }

    func live(of recorded: String) -> String? { self.liveOf[recorded] }
    func recorded(of live: String) -> String? { self.recordedOf[live] }

    /// Binds values; a recorded one may be bound again, to the live value of a later request.
    package mutating func bind(_ pairs: [Pair]) {
        for pair in pairs where pair.recorded.utf8.count >= Self.shortest && self.pairs.count < Self.limit {
            guard self.liveOf[pair.recorded] != pair.live else { continue }
            self.pairs.removeAll { $0.recorded == pair.recorded }
            self.pairs.append(pair)
            self.liveOf[pair.recorded] = pair.live
            if !pair.isOfSurroundings { self.recordedOf[pair.live] = pair.recorded }
        }
    }

    /// Returns a text of a request with recorded values in place of live ones.
    func recorded(in text: String) -> String {
        let made = self.pairs.filter { !$0.isOfSurroundings }
        guard !made.isEmpty else { return text }
        return ByteText.string(from: Self.replacing(ByteText.bytes(of: text), made.map { ($0.live, $0.recorded) }))
    }

    /// Returns a request with recorded values in place of live ones; `nil` if it has none.
    func recorded(in request: MatchRequest) -> MatchRequest? {
        let made = self.pairs.filter { !$0.isOfSurroundings }.map { ($0.live, $0.recorded) }
        guard !made.isEmpty else { return nil }
        var result = request
        result.redacted = nil
        let url = request.key.bytes
        let changed = Self.replacing(url, made)
        result.key = RequestKey()
        result.key.appendCanonical(changed)
        result.fields = request.fields.map { field in
            HeaderField(field.name, ByteText.string(from: Self.replacing(ByteText.bytes(of: field.value), made)))
        }
        var isChanged = changed != url
        if let body = request.body?.bytes {
            let bytes = Self.replacing(body, made)
            isChanged = isChanged || bytes != body
            result.body?.bytes = bytes
        }
        return isChanged ? result : nil
    }

    /// Returns a text of an answer with live values in place of recorded ones.
    package func live(in text: String) -> String {
        ByteText.string(from: self.live(in: ByteText.bytes(of: text)))
    }

    package func live(in bytes: [UInt8]) -> [UInt8] {
        Self.replacing(bytes, self.pairs.map { ($0.recorded, $0.live) })
    }

    private static func replacing(_ bytes: [UInt8], _ pairs: [(from: String, to: String)]) -> [UInt8] {
        var result = bytes
        // The longest first, as one value may be part of another.
        for (from, to) in pairs.sorted(by: { $0.from.utf8.count > $1.from.utf8.count }) {
            let (from, to) = (ByteText.bytes(of: from), ByteText.bytes(of: to))
            result = result.replacingWord(from, with: to)
            let (encoded, new) = (Self.encoded(from), Self.encoded(to))
            if encoded != from { result = result.replacingWord(encoded, with: new) }
        }
        return result
    }

    private static func encoded(_ bytes: [UInt8]) -> [UInt8] {
        bytes.flatMap { byte in
            ASCII.isUnreserved(byte)
                ? [byte] : [ASCII.percent, ASCII.hexDigit(byte >> 4), ASCII.hexDigit(byte & 0x0F)]
        }
    }
}
