/// The takes of a variant by the number of requests that each answers, where that is not one.
struct TakeRuns: Sendable {
    /// The number of requests that the takes up to and including each answer.
    private let ends: [Int]
    /// These numbers with polls shortened.
    private let fastEnds: [Int]

    /// Returns `nil` if each take answers one request, in any case.
    ///
    /// - Parameter isPoll: returns true if nothing but time led from the take at a place to the one behind it.
    init?(_ takes: [Take], isPoll: (_ place: Int) -> Bool) {
        guard takes.count > 2 || takes.contains(where: { $0.times > 1 }) else { return nil }
        let waits = takes.indices.map { place in
            place < takes.count - 1 && (takes[place].times > 1 || takes[place].saysToWait) && isPoll(place)
        }
        let fast = takes.indices.map { place in
            guard waits[place] else { return takes[place].times }
            return place > 0 && waits[place - 1] ? 0 : 1
        }
        guard fast.contains(where: { $0 != 1 }) || takes.contains(where: { $0.times > 1 }) else { return nil }
        self.ends = Self.sums(takes.map(\.times))
        self.fastEnds = Self.sums(fast)
    }

    private static func sums(_ counts: [Int]) -> [Int] {
        var sum = 0
        return counts.map { count in
            sum += count
            return sum
        }
    }

    /// Returns the place of the take for a request; `nil` if all are used up.
    ///
    /// - Parameter position: the number of requests before.
    func place(_ position: Int, isFast: Bool, _ after: TapeScript.AfterLast) -> Int? {
        let ends = isFast ? self.fastEnds : self.ends
        guard let count = ends.last, let position = after.position(position, of: count) else { return nil }
        return ends.partitioningIndex { $0 > position }
    }

    /// Returns the place of the take for a request that only some takes answer, each at least once.
    func place(_ position: Int, among places: [Int], isFast: Bool, _ after: TapeScript.AfterLast) -> Int? {
        let ends = isFast ? self.fastEnds : self.ends
        let counts = places.map { place in max(1, ends[place] - (place > 0 ? ends[place - 1] : 0)) }
        guard var rest = after.position(position, of: counts.reduce(0, +)) else { return nil }
        for (place, count) in zip(places, counts) {
            if rest < count { return place }
            rest -= count
        }
        return nil
    }
}

extension Take {
    /// Words of states that end by themselves, in small letters alone.
    private static let waitingWords: Set<String> = [
        "accepted", "building", "creating", "deleting", "deploying", "enqueued", "executing", "indexing",
        "initializing", "initiated", "inprogress", "inqueue", "new", "notstarted", "ongoing", "pending", "planning",
        "preparing", "processing", "provisioning", "queued", "received", "requested", "running", "scheduled", "started",
        "starting", "submitted", "training", "updating", "uploading", "validating", "waiting", "working",
    ]
    private static let stateNames: Set<String> = [
        "lifecyclestate", "operationstatus", "phase", "provisioningstate", "state", "status",
    ]
    private static let endNames: Set<String> = [
        "complete", "completed", "done", "finished", "iscomplete", "isdone", "ready",
    ]
    /// Larger bodies are not looked at. 64 KiB.
    private static let bodyLimit = 64 << 10

    /// True if it tells a client to ask again later: a 202, a field such as Retry-After, or JSON with a state such as
    /// `pending`.
    var saysToWait: Bool {
        guard (200...299).contains(self.status), self.fault == nil else { return false }
        if self.status == 202 || self.headers.contains(where: WaitField.isOne) { return true }
        guard case .inline(let body) = self.body, body.content.count <= Self.bodyLimit,
            case .object(let members)? = try? JSONValue(parsing: body.decoded)
        else { return false }
        let inner = members.flatMap { member in
            if case .object(let members) = member.value { members } else { [JSONMember]() }
        }
        return (members + inner).contains { member in
            let name = ASCII.lowercased(member.name).filter(\.isLetter)
            switch member.value {
            case .string(let text):
                return Self.stateNames.contains(name)
                    && Self.waitingWords.contains(ASCII.lowercased(text).filter(\.isLetter))
            case .bool(false): return Self.endNames.contains(name)
            default: return false
            }
        }
    }
}

/// The header fields that say how long a client is to wait before it asks again: Retry-After (RFC 9110 section 10.2.3), and
/// those of OpenAI's and Azure's SDKs and of long-running operations.
package enum WaitField {
    package static func isOne(_ field: HeaderField) -> Bool {
        switch field.name.utf8.count {
        case 10: field.isNamed("poll-after")
        case 11: field.isNamed("retry-after")
        case 14: field.isNamed("retry-after-ms")
        case 19: field.isNamed("x-ms-retry-after-ms")
        default: false
        }
    }
}
