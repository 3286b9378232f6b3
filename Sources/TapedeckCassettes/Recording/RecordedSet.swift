import TapedeckCore

/// The exchanges of a recording, sorted into response sets.
///
/// Exchanges belong together when method and canonical URL are the same; where such a group holds different request
/// bodies, each body gets a set of its own with a condition on it.
struct RecordedSet {
    var key: RequestKey
    var method: String
    var url: AbsoluteURL
    /// The condition on the body, where one is needed to tell the sets of a URL apart.
    var body: BodyMatcher?
    var takes: [Take]
    /// The number of the first request.
    var first: Int

    /// Sorts by URL, method and first request, which does not depend on who answered first.
    static func precedes(_ left: RecordedSet, _ right: RecordedSet) -> Bool {
        let leftKey = left.sortKey
        let rightKey = right.sortKey
        return leftKey == rightKey ? left.first < right.first : leftKey.lexicographicallyPrecedes(rightKey)
    }

    var sortKey: [UInt8] { Self.sortKey(self.key) }

    /// URL first, then method.
    static func sortKey(_ key: RequestKey) -> [UInt8] {
        let method = key.bytes.prefix { $0 != ASCII.space }
        return Array(key.bytes.dropFirst(method.count + 1)) + [0] + Array(method)
    }

    static func group(_ exchanges: [RecordedExchange], storage: BodyStorage) throws -> [RecordedSet] {
        var groups: [RequestKey: [[RecordedExchange]]] = [:]
        var places: [RequestKey: [[UInt8]: Int]] = [:]
        var order: [RequestKey] = []
        for exchange in exchanges {
            guard let url = AbsoluteURL(exchange.url) else { continue }
            let key = RequestKey(method: exchange.method, url: url)
            let identity = Self.identity(exchange, digest: storage.digest)
            if groups[key] == nil { order.append(key) }
            if let place = places[key]?[identity] {
                groups[key]?[place].append(exchange)
            } else {
                places[key, default: [:]][identity] = groups[key]?.count ?? 0
                groups[key, default: []].append([exchange])
            }
        }
        var sets: [RecordedSet] = []
        for key in order {
            for (body, condition) in try Self.toldApart(groups[key] ?? [], storage: storage) {
                guard let first = body.first, let url = AbsoluteURL(first.url) else { continue }
                var takes: [Take] = []
                for exchange in body {
                    // One exchange whose body somebody removed is not to keep the others from being saved.
                    do {
                        takes.append(try Self.take(exchange, keepsRequestBody: condition == nil, storage: storage))
                    } catch is BodyStorage.Lost {}
                }
                guard !takes.isEmpty else { continue }
                let set = RecordedSet(
                    key: key,
                    method: first.method,
                    url: url,
                    body: condition,
                    takes: takes,
                    first: first.number
                )
                sets.append(set)
            }
        }
        return sets.sorted(by: Self.precedes)
    }

    /// The exchanges of one URL by request body, each with the condition that tells it from the others. Bodies that no
    /// condition tells apart, such as JSON with other white space, are one.
    private static func toldApart(
        _ bodies: [[RecordedExchange]],
        storage: BodyStorage
    ) throws -> [(exchanges: [RecordedExchange], condition: BodyMatcher?)] {
        guard bodies.count > 1 else { return bodies.map { ($0, nil) } }
        var result: [(exchanges: [RecordedExchange], condition: BodyMatcher?)] = []
        var places: [BodyMatcher.Identity: Int] = [:]
        for body in bodies {
            guard let first = body.first else { continue }
            let condition = try Self.condition(first, storage: storage)
            if let place = places[condition.identity] {
                result[place].exchanges = (result[place].exchanges + body).sorted { $0.number < $1.number }
            } else {
                places[condition.identity] = result.count
                result.append((body, condition))
            }
        }
        return result.count > 1 ? result : result.map { ($0.exchanges, nil) }
    }

    /// Equal for request bodies that are the same.
    private static func identity(_ exchange: RecordedExchange, digest: Digest) -> [UInt8] {
        switch exchange.requestBody {
        case .bytes(let bytes): bytes.count <= 256 ? bytes : Array(digest(bytes).utf8)
        case .file(_, _, let sha256): Array(sha256.utf8)
        }
    }

    static func condition(_ exchange: RecordedExchange, storage: BodyStorage) throws -> BodyMatcher {
        guard case .bytes(let bytes) = exchange.requestBody else {
            if case .file(_, _, let sha256) = exchange.requestBody { return .sha256(sha256) }
            return .bytes(InlineBody(form: .text, content: []))
        }
        // What the condition says stands in the cassette itself, so no file is wanted.
        switch try storage.trial.store(exchange.requestBody, headers: exchange.requestHeaders, label: "") {
        case .none: return .bytes(InlineBody(form: .text, content: []))
        case .inline(var body):
            // Matching looks at the decoded body.
            body.coding = nil
            return body.form == .json ? .json(body) : .bytes(body)
        case .file: return .sha256(storage.digest(bytes))
        }
    }

    private static func take(
        _ exchange: RecordedExchange,
        keepsRequestBody: Bool,
        storage: BodyStorage
    ) throws -> Take {
        let response = exchange.response
        let label = Self.label(exchange.url)
        var take = Take(recorded: Self.timestamp(exchange.time))
        take.fault = response.fault
        take.detail = response.detail
        if response.fault == nil || response.fault == .truncatedBody {
            take.status = response.status
            take.reason = response.reason == StatusPhrase.standard(response.status) ? nil : response.reason
            take.interim = response.interim
            take.headers = response.headers
            take.trailers = response.trailers
            take.endsAtClose = response.endsAtClose
            take.body = try storage.store(response.body, headers: response.headers, label: label)
        }
        if keepsRequestBody, !exchange.requestBody.isEmpty {
            let headers = exchange.requestHeaders.filter { $0.isNamed("content-type") }
            let body = try storage.store(
                exchange.requestBody,
                headers: headers + exchange.requestHeaders.filter { $0.isNamed("content-encoding") },
                label: "\(label)-request"
            )
            take.request = Take.Request(headers: headers, body: body)
        }
        return take
    }

    /// The last two parts of a path, as a file name can have them.
    private static func label(_ url: String) -> String {
        let path = AbsoluteURL(url)?.path ?? ""
        let parts = path.split(separator: "/").suffix(2)
        let text = parts.joined(separator: "-").unicodeScalars.map { scalar in
            scalar.isASCII && ASCII.isUnreserved(UInt8(scalar.value)) && scalar != "~" ? Character(scalar) : "-"
        }
        let label = String(text.prefix(48))
        return label.isEmpty || label.hasPrefix(".") ? "root\(label)" : label
    }

    /// RFC 3339, in UTC, to the second.
    static func timestamp(_ seconds: Int) -> String {
        // Howard Hinnant's days-to-civil: the calendar repeats every 400 years of 146,097 days, counted from March.
        let days = Int((Double(seconds) / 86_400).rounded(.down))
        let time = seconds - days * 86_400
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
        return "\(year)-\(two(month))-\(two(day))T\(two(time / 3_600)):\(two(time / 60 % 60)):\(two(time % 60))Z"
    }
}
