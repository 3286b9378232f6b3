/// An answer that HTTP derives from a response on tape, for a request that was not recorded with these conditions or this
/// range.
package enum Excerpt: Sendable, Equatable {
    /// The client has this version already (RFC 9110 section 15.4.5).
    case notModified
    /// RFC 9110 section 15.5.13.
    case preconditionFailed
    /// These ranges of the body of a 200, as far as it has them.
    case ranges([ByteRange])
    /// The range is outside of a representation of this size (RFC 9110 section 15.5.17).
    case unsatisfiable(size: Int)
    /// Bytes of a representation, put together from recorded parts of it; all of it as a 200 without `isPart`.
    case parts([Part], of: ContentRange, isPart: Bool)

    /// Bytes of a recorded partial response.
    package struct Part: Sendable, Equatable {
        /// The number of the take.
        package var take: Int
        /// The place of the bytes in its body.
        package var bytes: Range<Int>
    }

    /// Describes the response and its source for the journal: `304, as the recorded validators meet its condition`.
    package var explanation: String {
        switch self {
        case .notModified: "304, as the recorded validators meet its condition"
        case .preconditionFailed: "412, as the recorded validators do not meet its condition"
        case .ranges: "its range of the recorded 200"
        case .unsatisfiable: "416, as the recorded parts are of a shorter body"
        case .parts(let parts, _, let isPart):
            "\(isPart ? "its range" : "the whole"), from \(Plural.text(parts.count, "recorded part", "recorded parts"))"
        }
    }
}

/// Selects among the takes of a variant those that may answer a request, by the conditions and the range that they were
/// recorded with.
///
/// - A request with the very fields that takes were recorded with gets these, in order.
/// - Any other GET or HEAD gets a full response. The recorded validators decide about its conditions, and a range is cut
///   from a 200, or put together from recorded parts of one version.
/// - A partial response, 304 or 412 answers no other request.
struct TakeSelector: Sendable {
    /// The places of the takes whose requests had the same fields; a take written by hand is of a request without any.
    private let places: [SelectingFields: [Int]]
    /// The places of the responses that answer a GET or HEAD with any fields: those to requests without any, and whole
    /// ones. A 401 or 503 to a range says nothing of another range.
    private let full: [Int]
    /// The places of other responses to requests with preconditions and without a range.
    private let rest: [Int]
    /// The places of the takes that someone has written, which answer any request.
    private let written: [Int]
    private let versions: [Version]
    private let first: Int
    private let takes: [Take]

    enum Choice: Equatable {
        /// Plays one of the takes at these places, in their order. Each group has its own position, called by its name.
        case group([Int], name: String)
        case excerpt(Excerpt, place: Int)
        /// No take answers such a request.
        case nothing
    }

    /// Returns `nil` for takes that all answer any request.
    ///
    /// - Parameter first: the number of the first take.
    init?(_ takes: [Take], first: Int) {
        guard takes.contains(where: \.selects) else { return nil }
        self.first = first
        self.places = Dictionary(grouping: takes.indices) { takes[$0].selectingFields }
        self.takes = takes
        self.full = takes.indices.filter { !takes[$0].isPartial && (!takes[$0].selects || takes[$0].status == 200) }
        self.rest = takes.indices.filter { place in
            let take = takes[place]
            return !take.isPartial && take.selects && take.status != 200 && take.selectingFields["range"] == nil
        }
        self.written = takes.indices.filter { takes[$0].recorded == nil }
        self.versions = Self.versions(takes)
    }

    /// The names of the groups of takes for requests with certain fields.
    var groups: Set<String> { Set(self.places.keys.filter { !$0.isEmpty }.map(\.text)) }

    /// - Parameter url: of the request.
    func choice(for request: SelectingFields, method: String, url: @autoclosure () -> String) -> Choice {
        let isRead = method == "GET" || method == "HEAD"
        // A request without conditions gets the full responses to requests with some, too.
        if let exact = self.places[request], !isRead || !request.isEmpty { return .group(exact, name: request.text) }
        guard isRead else { return self.written.isEmpty ? .nothing : .group(self.written, name: "") }
        if self.full.isEmpty {
            let found = method == "GET" ? self.assembled(request, url()) : .nothing
            return found != .nothing || self.rest.isEmpty ? found : .group(self.rest, name: "")
        }
        // A client that continues with a version which no whole response has wants the parts of that.
        if method == "GET", request["if-match"] != nil || request["if-range"] != nil,
            !self.full.contains(where: { self.takes[$0].isVersion(wantedBy: request) }),
            case .excerpt(.parts(let parts, let content, true), let place) = self.assembled(request, url())
        {
            return .excerpt(.parts(parts, of: content, isPart: true), place: place)
        }
        return .group(self.full, name: "")
    }

    // MARK: Parts

    /// Derives an answer from recorded parts, of the first version that has all of it.
    private func assembled(_ request: SelectingFields, _ url: String) -> Choice {
        let ranges = request["range"].flatMap { ByteRange.all(of: $0) }
        guard ranges == nil || ranges?.count == 1 else { return .nothing }
        var unsatisfied: Choice = .nothing
        for version in self.versions where version.url == nil || version.url == url {
            let place = version.parts[0].place
            switch version.validators.outcome(request, isRead: true) {
            case .notModified: return .excerpt(.notModified, place: place)
            case .failed:
                // Another version may be the one that is meant.
                unsatisfied = .excerpt(.preconditionFailed, place: place)
                continue
            case .holds: break
            }
            let range = version.validators.permitRange(request) ? ranges?.first : nil
            guard let bytes = range.map({ $0.bytes(of: version.size) }) ?? 0..<version.size else {
                unsatisfied = .excerpt(.unsatisfiable(size: version.size), place: place)
                continue
            }
            guard let parts = version.cover(bytes, first: self.first), let start = parts.first else { continue }
            let content = ContentRange(bytes, of: version.size)
            return .excerpt(.parts(parts, of: content, isPart: range != nil), place: start.take - self.first)
        }
        return unsatisfied
    }

    /// The recorded parts of one version of a representation.
    private struct Version {
        let validators: Validators
        let size: Int
        /// The URL of the requests; `nil` if it is that of the set.
        let url: String?
        /// By their first bytes.
        var parts: [(place: Int, bytes: Range<Int>)]

        /// Returns the recorded bytes that make up a range; `nil` if some are missing.
        ///
        /// - Parameter first: the number of the take at place 0.
        func cover(_ wanted: Range<Int>, first: Int) -> [Excerpt.Part]? {
            var cover: [Excerpt.Part] = []
            var next = wanted.lowerBound
            var index = 0
            /// The part that reaches furthest, of those that begin by `next`.
            var best = 0
            while next < wanted.upperBound {
                while index < self.parts.count, self.parts[index].bytes.lowerBound <= next {
                    if self.parts[index].bytes.upperBound > self.parts[best].bytes.upperBound { best = index }
                    index += 1
                }
                let (place, bytes) = self.parts[best]
                guard bytes.contains(next) else { return nil }
                let end = min(bytes.upperBound, wanted.upperBound)
                let slice = (next - bytes.lowerBound)..<(end - bytes.lowerBound)
                cover.append(Excerpt.Part(take: first + place, bytes: slice))
                next = end
            }
            return cover
        }
    }

    private static func versions(_ takes: [Take]) -> [Version] {
        var versions: [Version] = []
        struct Key: Hashable {
            var representation: ContentPart.Representation
            var url: String?
        }
        var known: [Key: Int] = [:]
        for (place, take) in takes.enumerated() {
            guard take.status == 206, take.fault == nil, take.body.coding == nil,
                let range = take.headers.first(named: "content-range").flatMap({ ContentRange($0) }),
                take.body.decodedSize == range.bytes.count
            else { continue }
            let url = take.request?.url
            let key = ContentPart(status: 206, take.headers).map { Key(representation: $0.representation, url: url) }
            if let number = key.flatMap({ known[$0] }) {
                versions[number].parts.append((place, range.bytes))
            } else {
                if let key { known[key] = versions.count }
                let validators = Validators(take.headers)
                versions.append(
                    Version(validators: validators, size: range.size, url: url, parts: [(place, range.bytes)])
                )
            }
        }
        for number in versions.indices { versions[number].parts.sort { $0.bytes.lowerBound < $1.bytes.lowerBound } }
        return versions
    }
}

extension Take {
    /// The fields that its recorded request selected by; none for a take written by hand, which answers any request.
    package var selectingFields: SelectingFields {
        guard self.recorded != nil, let request = self.request else { return .none }
        return SelectingFields(of: request.headers)
    }

    /// True if it answers only a request with conditions or a range.
    var isPartial: Bool {
        self.recorded != nil && !self.selectingFields.isEmpty && (self.status == 206 || self.isWithoutContent)
    }

    /// True for a whole response of the version that a request continues with.
    fileprivate func isVersion(wantedBy request: SelectingFields) -> Bool {
        let validators = Validators(self.headers)
        return validators.outcome(request, isRead: true) == .holds && validators.permitRange(request)
    }

    /// The representation that its content is of, whole or in part; `nil` if nothing identifies it.
    package var representation: ContentPart.Representation? {
        ContentPart(status: self.status, self.headers)?.representation
    }

    /// True if it has no content of its resource: the client has it already, or asked for what is not there.
    package var isWithoutContent: Bool { [304, 412, 416].contains(self.status) }

    /// True if it matters for it what a request selects by.
    var selects: Bool { !self.selectingFields.isEmpty }

    /// Returns the response to a GET or HEAD with these fields, derived from this take; `nil` if the take plays as it is.
    ///
    /// Conditions are decided by recorded validators only: a response written by hand stays what it is.
    func excerpt(for request: SelectingFields, method: String) -> Excerpt? {
        guard !request.isEmpty, self.status == 200, self.fault == nil, self.selectingFields != request else {
            return nil
        }
        let validators = Validators(self.headers)
        if self.recorded != nil {
            switch validators.outcome(request, isRead: true) {
            case .notModified: return .notModified
            case .failed: return .preconditionFailed
            case .holds: break
            }
        }
        // A server that answered a range with all of it ignores ranges, unless a condition made it do so.
        guard method == "GET", let ranges = request["range"].flatMap({ ByteRange.all(of: $0) }),
            self.selectingFields["range"] == nil || self.selectingFields["if-range"] != nil,
            validators.permitRange(request),
            !(self.headers.first(named: "accept-ranges").map { ASCII.equalsIgnoringCase($0, "none") } ?? false)
        else { return nil }
        return .ranges(ranges)
    }
}
