import TapedeckCodings
import TapedeckCore
import TapedeckRedaction

/// The exchanges of a recording as they are saved: searched again for secrets, which have their final names. Each is
/// read from the journal on demand, so that memory does not grow with their sizes.
struct SavedExchanges {
    typealias Search = (RecordedExchange) -> RecordedExchange

    private let records: JournalRecords
    private let search: Search
    private var numbering = SecretNumbering()
    /// Methods and URLs one behind the other, before their secrets have names.
    private var requests: [UInt8] = []
    /// The offsets at which the method and the URL of each exchange end.
    private var ends: [(method: Int, url: Int)] = []
    /// Words that look like secrets and that no rule knows.
    private(set) var unknown = UnknownSecrets()
    /// The surroundings that requests contain.
    private(set) var surroundings = Surroundings()

    /// Reads each exchange once.
    ///
    /// - Parameters:
    ///   - surroundings: those of the recorded command.
    ///   - search: searches an exchange for secrets that were learnt after it was written. It finds the same each time.
    ///   - progress: gets the number of exchanges that were read.
    /// - Throws: when the journal cannot be read.
    init(
        _ records: JournalRecords,
        surroundings: Surroundings,
        search: @escaping Search,
        progress: (Int) -> Void = { _ in }
    ) throws {
        self.records = records
        self.search = search
        self.ends.reserveCapacity(records.count)
        for index in 0..<records.count {
            let exchange = search(try records.exchange(index))
            self.unknown.note(exchange)
            self.numbering.note(exchange)
            self.note(exchange, surroundings)
            self.requests.append(contentsOf: exchange.method.utf8)
            let method = self.requests.count
            self.requests.append(contentsOf: exchange.url.utf8)
            self.ends.append((method, self.requests.count))
            progress(index + 1)
        }
    }

    /// Forgets the surroundings that the recording has placeholders for.
    mutating func hideSurroundings(of secrets: [SecretDescription]) {
        self.surroundings = self.surroundings.without(secrets.compactMap(\.machine))
    }

    /// Larger bodies are not searched for surroundings. 256 KiB.
    private static let searchedLimit = 256 << 10

    private mutating func note(_ exchange: RecordedExchange, _ surroundings: Surroundings) {
        guard !surroundings.isEmpty else { return }
        var texts = [QueryText.decoded(exchange.url.utf8)]
        if case .bytes(let body) = exchange.requestBody, !body.isEmpty, body.count <= Self.searchedLimit {
            texts.append(
                ByteText.string(from: MessageCoder.decoded(body, exchange.requestHeaders, limit: Self.searchedLimit))
            )
            if exchange.requestHeaders.mediaType == FormBody.mediaType { texts.append(QueryText.decoded(body)) }
        }
        self.surroundings = self.surroundings.union(surroundings.occurring(in: texts))
    }

    /// The numbers that secrets have in the journal.
    var secretNumbers: some Sequence<Int> { self.numbering.numbers }

    /// Gives each secret its final name; returns what is known of them, by name.
    mutating func nameSecrets(
        traits: [Int: SecretTraits],
        known: [SecretDescription],
        existing: [SecretDescription],
        taken: Set<String>,
        shared: Set<String>
    ) -> [SecretDescription] {
        self.numbering.finish(traits: traits, known: known, existing: existing, taken: taken, shared: shared)
        return self.numbering.secrets
    }

    /// The secrets that belong to somebody, and not to one request.
    var lastingSecrets: Set<String> { self.numbering.lasting }

    /// The number of exchanges.
    var count: Int { self.records.count }

    /// The bytes that an exchange takes in the journal.
    func size(of index: Int) -> Int { self.records.size(of: index) }

    /// Reads the exchange of a place in the order of the requests.
    func exchange(_ index: Int) throws -> RecordedExchange {
        self.numbering.named(self.search(try self.records.exchange(index)))
    }

    /// The method and the URL of an exchange, without reading it.
    func request(_ index: Int) -> (method: String, url: String) {
        let start = index == 0 ? 0 : self.ends[index - 1].url
        let (method, url) = self.ends[index]
        return (
            String(decoding: self.requests[start..<method], as: UTF8.self),
            self.numbering.named(url: String(decoding: self.requests[method..<url], as: UTF8.self))
        )
    }
}
