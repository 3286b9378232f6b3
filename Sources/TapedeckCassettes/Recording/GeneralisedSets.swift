import TapedeckCodings
import TapedeckCore

/// The recorded sets of a cassette whose request a person has changed since: to a template, with a placeholder, with
/// one more condition. Matching exchanges are recorded into them again.
struct GeneralisedSets {
    /// The sets to try, in the order of the file: the generalised ones, and all that a recording writes, because an
    /// exact URL comes before a template here too.
    private let numbers: [Int]
    private let isGeneralised: [Bool]
    private let tape: Tape
    private let state: [String: String]
    /// The sets without their conditions on the state, which a recording does not know; `nil` if none has one.
    private let stateless: Tape?
    private let storage: BodyStorage

    /// Returns `nil` if there are none.
    ///
    /// - Parameter includesAll: true to include all sets of the cassette, written by hand or not.
    init?(_ cassette: Cassette, _ storage: BodyStorage, includesAll: Bool = false) {
        var numbers: [Int] = []
        var isGeneralised: [Bool] = []
        var asked = Cassette(name: cassette.name, matching: cassette.matching, responseSets: [])
        for (number, set) in cassette.responseSets.enumerated() {
            let hasShape = RecordedShape(set, rules: cassette.matching) != nil
            guard includesAll || hasShape || set.hasRecordedTakes else { continue }
            numbers.append(number)
            isGeneralised.append(includesAll || !hasShape)
            // The answers are not needed here.
            var set = set
            set.variants = [Variant(name: "", takes: [Take()])]
            set.selected = nil
            asked.responseSets.append(set)
        }
        guard isGeneralised.contains(true) else { return nil }
        self.numbers = numbers
        self.isGeneralised = isGeneralised
        self.tape = Tape([asked])
        self.state = cassette.state.reduce(into: [:]) { $0[$1.key] = $1.value }
        self.storage = storage
        if asked.responseSets.contains(where: { !$0.requires.isEmpty || !$0.request.state.isEmpty }) {
            for index in asked.responseSets.indices {
                asked.responseSets[index].requires = []
                asked.responseSets[index].request.state = []
            }
            self.stateless = Tape([asked])
        } else {
            self.stateless = nil
        }
    }

    /// The number of the generalised set that answers the request of an exchange; `nil` when another one does, or none.
    func set(answering exchange: RecordedExchange, _ url: AbsoluteURL) -> Int? {
        let matchRequest = MatchRequest(
            RequestKey(method: exchange.method, url: url),
            fields: exchange.requestHeaders,
            body: self.tape.mayNeedBody ? self.storage.observed(exchange) : .empty
        )
        guard let entry = self.tape.match(matchRequest, state: self.state) ?? self.stateless?.match(matchRequest),
            self.isGeneralised[entry]
        else { return nil }
        return self.numbers[entry]
    }
}

extension ResponseSet {
    /// True if any of its takes is a recording's, however deep in a behaviour.
    var hasRecordedTakes: Bool {
        self.variants.contains { $0.behaviour.allTakes.contains { $0.recorded != nil } }
    }
}

extension BodyStorage {
    /// Bodies up to this size can meet more than a digest. 1 MiB.
    private static let observedLimit = 1 << 20

    /// The request's body as matching sees it.
    func observed(_ exchange: RecordedExchange) -> ObservedBody {
        var bytes: [UInt8]?
        let sha256: String
        switch exchange.requestBody {
        case .bytes(let body):
            if body.isEmpty { return .empty }
            bytes = body
            sha256 = self.digest(body)
        case .file(let name, let size, let digest):
            bytes = size <= Self.observedLimit ? try? self.journalBody(name) : nil
            sha256 = digest
        }
        bytes = bytes.map { MessageCoder.decoded($0, exchange.requestHeaders, limit: Self.observedLimit * 16) }
        return ObservedBody(bytes: bytes, sha256: sha256)
    }
}
