package import TapedeckCore

/// One answer of a cassette with its request, as far as files of other tools can express it.
package struct ExportedExchange: Sendable {
    /// The name of its response set.
    package var set: String
    /// Its place among the answers of the set, counted from 0.
    package var number: Int
    package var method: String
    package var url: AbsoluteURL
    package var requestHeaders: [HeaderField]
    package var requestBody: [UInt8]
    package var take: Take
    /// Without content coding.
    package var body: [UInt8]
    /// The time of recording; `nil` for an answer written by hand.
    package var time: Instant?

    /// The fields of the response as sent.
    package var headers: [HeaderField] { self.take.playedHeaders }

    package var contentType: String { self.headers.first(named: "content-type") ?? "" }
}

/// Something of a cassette that another format cannot say.
package struct ExportRemark: Encodable, Sendable, Equatable {
    /// The name of the response set.
    package let set: String
    package let reason: String

    /// `Greeting: reason`.
    package var line: String { "\(self.set): \(self.reason)" }
}

/// The answers of a cassette that are requests with an answer each, and what cannot be such.
package struct ExportedExchanges: Sendable {
    package private(set) var exchanges: [ExportedExchange] = []
    package private(set) var leftOut: [ExportRemark] = []

    /// Extracts the answers that play by default from a cassette, in the order of the recording if known. Those of a set stay
    /// in the order in which they play.
    ///
    /// - Parameter content: returns a body without its content coding; its error is the reason to leave an answer out.
    package init(_ cassette: Cassette, content: (StoredBody) throws -> [UInt8]) {
        for set in cassette.responseSets { self.add(set, content) }
        self.exchanges = Self.inPlayedOrder(self.exchanges)
    }

    /// Sorts exchanges by their recording, those of a set in the order in which they play. Times never fall: some readers sort
    /// by them.
    private static func inPlayedOrder(_ exchanges: [ExportedExchange]) -> [ExportedExchange] {
        // A take by hand stands in front of the next recorded one of its set.
        var orders = exchanges.map { $0.take.recorded == nil ? nil : $0.take.recordedOrder }
        var following: [String: RecordedOrder] = [:]
        for index in exchanges.indices.reversed() {
            let set = exchanges[index].set
            orders[index] = orders[index] ?? following[set]
            following[set] = orders[index]
        }
        var latest: [String: RecordedOrder] = [:]
        for index in exchanges.indices {
            let set = exchanges[index].set
            guard let known = latest[set] else {
                latest[set] = orders[index]
                continue
            }
            orders[index] = max(orders[index] ?? known, known)
            latest[set] = orders[index]
        }
        let sorted = exchanges.indices.sorted { left, right in
            guard let one = orders[left] else { return orders[right] == nil && left < right }
            guard let other = orders[right], one != other else { return orders[right] == nil || left < right }
            return one < other
        }
        var time: Instant?
        return sorted.map { index in
            var exchange = exchanges[index]
            if let known = time, exchange.time.map({ $0.milliseconds < known.milliseconds }) ?? true {
                exchange.time = known
            }
            time = exchange.time
            return exchange
        }
    }

    /// Replaces the texts of all exchanges, which are URLs and values of header fields.
    mutating func replaceTexts(_ replace: (String) -> String) {
        func fields(_ fields: [HeaderField]) -> [HeaderField] { fields.map { HeaderField($0.name, replace($0.value)) } }
        for index in self.exchanges.indices {
            let url = AbsoluteURL(replace(self.exchanges[index].url.description))
            self.exchanges[index].url = url ?? self.exchanges[index].url
            self.exchanges[index].requestHeaders = fields(self.exchanges[index].requestHeaders)
            self.exchanges[index].take.headers = fields(self.exchanges[index].take.headers)
        }
    }

    private mutating func leaveOut(_ set: ResponseSet, _ reason: String) {
        self.leftOut.append(ExportRemark(set: set.name, reason: reason))
    }

    private mutating func add(_ set: ResponseSet, _ content: (StoredBody) throws -> [UInt8]) {
        guard let variant = set.variants.indices.contains(set.defaultVariant) ? set.variants[set.defaultVariant] : nil
        else {
            return self.leaveOut(set, "it has no variant")
        }
        for other in set.variants where other.name != variant.name {
            self.leaveOut(set, "the variant '\(other.name)' is left out: only '\(variant.name)' plays by default")
        }
        guard !set.request.isGRPC else {
            return self.leaveOut(set, "it is left out: calls of gRPC have no form there")
        }
        guard case .takes(let takes) = variant.behaviour.answer else {
            return self.leaveOut(set, "it is left out: what it plays (\(variant.behaviour.summary)) has no form there")
        }
        self.remark(on: set, variant.behaviour)
        for (number, take) in takes.forEachRequest.enumerated() {
            do {
                try self.add(take, number, set, content)
            } catch {
                self.leaveOut(set, "the take \(number + 1) is left out: \(error)")
            }
        }
    }

    /// Names the rules of a set that no other format has.
    private mutating func remark(on set: ResponseSet, _ behaviour: Behaviour) {
        if behaviour.isTemplate { self.leaveOut(set, "its template is written unchanged") }
        if !behaviour.changes.isEmpty { self.leaveOut(set, "its changes of the body are left out") }
        if behaviour.pacing != Pacing() { self.leaveOut(set, "its delays are left out") }
        if !set.requires.isEmpty || !set.sets.isEmpty || !behaviour.sets.isEmpty {
            self.leaveOut(set, "its state is left out")
        }
        guard case .exact = set.request.url, set.request.methods.count <= 1 else {
            return self.leaveOut(set, "it answers more requests than those that are written")
        }
        if set.request.methods.isEmpty { self.leaveOut(set, "it answers any method: GET is written") }
        let request = set.request
        let sent = behaviour.allTakes.first.map(Self.requestHeaders) ?? []
        // A field that is written is no loss.
        let headers = request.headers.filter { field in
            field.value != .equals(sent.first(named: field.name) ?? "") || !sent.contains(named: field.name)
        }
        if !headers.isEmpty { self.leaveOut(set, "its conditions on header fields are left out") }
        // A recorded request stands in the take.
        let isRecorded = behaviour.allTakes.contains { $0.request.map { $0.body != .none } ?? false }
        let asksBody = !isRecorded && request.body.contains { $0.whole == nil && !$0.isDigest }
        let kinds = [
            ("the query", !request.query.isEmpty || request.refusesOtherQuery == false),
            ("cookies", !request.cookies.isEmpty), ("the body", asksBody),
            ("the state", !request.state.isEmpty),
        ]
        for (what, isAsked) in kinds where isAsked { self.leaveOut(set, "its conditions on \(what) are left out") }
        if !(request.all + request.any + request.not).isEmpty {
            self.leaveOut(set, "its conditions in `all`, `any` and `not` are left out")
        }
    }

    private mutating func add(
        _ take: Take,
        _ number: Int,
        _ set: ResponseSet,
        _ content: (StoredBody) throws -> [UInt8]
    ) throws {
        let url: AbsoluteURL
        if let recorded = take.request?.url.flatMap({ AbsoluteURL($0) }) {
            url = recorded
        } else if case .exact(let exact) = set.request.url {
            url = exact
        } else {
            return self.leaveOut(set, "the take \(number + 1) is left out: its request has no single URL")
        }
        var sent = try take.request.map { try content($0.body) } ?? []
        if sent.isEmpty { sent = set.request.body.compactMap(\.whole).last?.decoded ?? [] }
        var fields = Self.requestHeaders(of: take)
        // A condition on the body is one on JSON, because the request said so.
        if !fields.contains(named: "content-type"), set.request.body.contains(where: \.isJSON) {
            fields.append(HeaderField("Content-Type", "application/json"))
        }
        if !take.interim.isEmpty { self.leaveOut(set, "interim responses are left out") }
        if !take.trailers.isEmpty { self.leaveOut(set, "trailers are left out") }
        var take = take
        take.headers = self.inText(take.headers, set)
        let time = take.recorded.flatMap { Instant(rfc3339: String($0.prefix { $0 != "," })) }
        self.exchanges.append(
            ExportedExchange(
                set: set.name,
                number: number,
                method: set.request.methods.first ?? "GET",
                url: url,
                requestHeaders: self.inText(fields, set),
                requestBody: PlaceholderEscape.unescaped(sent),
                take: take,
                body: PlaceholderEscape.unescaped(try content(take.body)),
                time: time
            )
        )
    }

    private mutating func inText(_ fields: [HeaderField], _ set: ResponseSet) -> [HeaderField] {
        Take.inText(fields) { self.leaveOut(set, $0) }
    }

    /// Returns the noted fields of a request, and the `Accept-Encoding` that a coded answer implies.
    private static func requestHeaders(of take: Take) -> [HeaderField] {
        let headers = take.request?.headers ?? []
        guard let coding = take.body.coding, !coding.isForAll, !headers.contains(named: "accept-encoding") else {
            return headers
        }
        return headers + [HeaderField("Accept-Encoding", coding.fieldValue)]
    }
}

extension Take {
    /// The fields of the response as sent.
    var playedHeaders: [HeaderField] {
        self.headers.compactMap { field in
            guard field.isNamed("date"), field.value == Take.recordedDate else { return field }
            return self.dateWhenRecorded.map { HeaderField(field.name, $0) }
        }
    }

    /// Returns fields whose values are text: bytes that are not UTF-8 are read as ISO 8859-1, as browsers and HTTP
    /// libraries do.
    static func inText(_ fields: [HeaderField], noting: (String) -> Void) -> [HeaderField] {
        fields.map { field in
            let bytes = ByteText.bytes(of: field.value)
            guard String(validating: bytes, as: UTF8.self) == nil else { return field }
            noting("the bytes of \(field.name) that are no UTF-8 are written as ISO 8859-1")
            return HeaderField(field.name, String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) })))
        }
    }
}

extension BodyMatcher {
    fileprivate var isDigest: Bool {
        if case .sha256 = self { true } else { false }
    }

    fileprivate var isJSON: Bool {
        if case .json = self { true } else { false }
    }
}
