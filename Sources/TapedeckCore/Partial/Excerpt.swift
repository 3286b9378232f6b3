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
    /// The places of the responses that answer a GET or HEAD with any fields.
    private let full: [Int]
    /// The places of the takes that someone has written, which answer any request.
    private let written: [Int]
    private let versions: [Version]
    private let first: Int

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
        self.full = takes.indices.filter { !takes[$0].isPartial }
        self.written = takes.indices.filter { takes[$0].recorded == nil }
        self.versions = Self.versions(takes)
    }

    /// The names of the groups of takes for requests with certain fields.
    var groups: Set<String> { Set(self.places.keys.filter { !$0.isEmpty }.map(\.text)) }

    func choice(for request: SelectingFields, method: String) -> Choice {
        let isRead = method == "GET" || method == "HEAD"
        // A request without conditions gets the full responses to requests with some, too.
        if let exact = self.places[request], !isRead || !request.isEmpty { return .group(exact, name: request.text) }
        guard isRead else { return self.written.isEmpty ? .nothing : .group(self.written, name: "") }
        if !self.full.isEmpty { return .group(self.full, name: "") }
        return method == "GET" ? self.assembled(request) : .nothing
    }

    // MARK: Parts

    /// Derives an answer from recorded parts, of the first version that has all of it.
    private func assembled(_ request: SelectingFields) -> Choice {
        let ranges = request["range"].flatMap { ByteRange.all(of: $0) }
        guard ranges == nil || ranges?.count == 1 else { return .nothing }
        var unsatisfied: Choice = .nothing
        for version in self.versions {
            let place = version.parts[0].place
            switch version.validators.outcome(request, isRead: true) {
            case .notModified: return .excerpt(.notModified, place: place)
            case .failed: return .excerpt(.preconditionFailed, place: place)
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
        var known: [ContentPart.Representation: Int] = [:]
        for (place, take) in takes.enumerated() {
            guard take.status == 206, take.fault == nil, take.body.coding == nil,
                let range = take.headers.first(named: "content-range").flatMap({ ContentRange($0) }),
                take.body.decodedSize == range.bytes.count
            else { continue }
            let representation = ContentPart(status: 206, take.headers)?.representation
            if let number = representation.flatMap({ known[$0] }) {
                versions[number].parts.append((place, range.bytes))
            } else {
                if let representation { known[representation] = versions.count }
                versions.append(
                    Version(validators: Validators(take.headers), size: range.size, parts: [(place, range.bytes)])
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
        self.recorded != nil && !self.selectingFields.isEmpty && [206, 304, 412, 416].contains(self.status)
    }

    /// The version of its content, equal for takes of one version as far as their validators tell.
    package var contentVersion: ContentVersion { Validators(self.headers).version }

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
