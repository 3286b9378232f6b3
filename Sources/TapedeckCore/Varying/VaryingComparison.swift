/// Compares recorded and live values that may differ from run to run.
///
/// Two values are of one kind if they are UUIDs; random words of the same length between the same literal text; times with
/// the same distance to their run; or the values of one thing in the surroundings of each run. Everything else must be
/// equal.
struct VaryingComparison {
    /// The two runs.
    struct Runs {
        /// The time of the recording; `nil` if it is not known.
        var recorded: Instant?
        /// The time of the first request of that recording; `nil` if it is not known.
        var recordedStart: Instant?
        /// The distance of local time to UTC then, in minutes.
        var recordedZone = 0
        var now: Instant
        /// When this run began; `nil` if it is not known.
        var start: Instant?
        var zone = 0
        var surroundings = BothSurroundings(recorded: Surroundings(), live: Surroundings())
    }

    private let runs: Runs
    private let bindings: ValueBindings
    /// The places of the recorded request that are known to vary.
    let learned: [VaryingPlace]
    /// The differences in other places, if they are to be learned; `nil` otherwise.
    var lessons: [VaryingLesson]?
    private let learns: Bool
    private var recorded: Surroundings { self.runs.surroundings.recorded }
    private var live: Surroundings { self.runs.surroundings.live }
    /// The values that are to be bound, each once: those that differ, but for dates, times without seconds, and numbers.
    private(set) var pairs: [ValueBindings.Pair] = []
    /// The clock by which a program takes its dates.
    enum DateClock {
        case utc
        case local
    }

    /// The clocks of dates that are as far from their run in one of local time and UTC alone.
    private(set) var dateClocks: [DateClock] = []
    /// The places with values that differ, each once.
    private(set) var places: [String] = []
    /// Longer texts are compared as they are. 64 KiB.
    private static let limit = 64 << 10

    /// - Parameter learns: true to learn what else differs, as two runs of one program are compared.
    init(_ runs: Runs, _ bindings: ValueBindings, learned: [VaryingPlace] = [], learns: Bool = false) {
        (self.runs, self.bindings, self.learned) = (runs, bindings, learned)
        self.learns = learns
        self.lessons = learns ? [] : nil
    }

    /// Notes that a live value stands for a recorded one. Returns false if one of them stands for another value already.
    mutating func pair(
        _ recorded: ArraySlice<UInt8>,
        _ live: ArraySlice<UInt8>,
        at place: String,
        isLearned: Bool = false
    ) -> Bool {
        let (one, other) = (ByteText.string(from: recorded), ByteText.string(from: live))
        let isTaken = self.pairs.contains { pair in
            !pair.isOfSurroundings && (pair.recorded == one) != (pair.live == other)
        }
        guard !isTaken else { return false }
        self.add(one, other, at: place, isLearned: isLearned)
        return true
    }

    /// Random words in places whose names say nothing of it: they vary if they do so in another place of the request.
    private var pending: [(recorded: ArraySlice<UInt8>, live: ArraySlice<UInt8>)] = []

    /// True if all places are equal, once all have been compared.
    var isSettled: Bool {
        self.pending.allSatisfy { one, other in
            let (one, other) = (ByteText.string(from: one), ByteText.string(from: other))
            return self.pairs.contains { $0.recorded == one && $0.live == other && !$0.isOfSurroundings }
        }
    }

    private mutating func add(
        _ recorded: String,
        _ live: String,
        at place: String,
        isOfSurroundings: Bool = false,
        isLearned: Bool = false
    ) {
        self.add(
            ValueBindings.Pair(
                recorded: recorded,
                live: live,
                place: place,
                isOfSurroundings: isOfSurroundings,
                isLearned: isLearned
            )
        )
    }

    mutating func add(_ pair: ValueBindings.Pair) {
        let isKnown = self.pairs.contains {
            $0.recorded == pair.recorded && $0.live == pair.live && $0.member == pair.member
        }
        if !isKnown { self.pairs.append(pair) }
    }

    // MARK: Texts

    /// Returns true if two texts differ only in values that vary.
    mutating func isSame(_ recorded: String, _ live: String, at place: String) -> Bool {
        if recorded.isSameText(as: live) { return true }
        if let isSame = self.areSameUUIDs(recorded, live, at: place) { return isSame }
        // One secret is written in other forms in a URL as received and on tape.
        let (recorded, live) = (SecretPlaceholder.withoutForms(recorded), SecretPlaceholder.withoutForms(live))
        if recorded.isSameText(as: live) { return true }
        guard max(recorded.utf8.count, live.utf8.count) <= Self.limit else { return false }
        let bound = self.bindings.recorded(in: live)
        if bound.isSameText(as: recorded) {
            self.note(place)
            return true
        }
        if self.isSameInBase64(recorded, bound, at: place) || self.isMark(recorded, bound, at: place) { return true }
        if self.recorded.areSame(recorded, bound, in: self.live, isPlace: { RandomPlace.shares($0, place) }) {
            self.add(recorded, bound, at: place, isOfSurroundings: true)
            self.note(place)
            return true
        }
        // The values of both runs in both texts: a recorded one may be a constant, or from an answer.
        let (one, other) = (self.runs.surroundings.mask.masked(recorded), self.runs.surroundings.mask.masked(bound))
        let isMasked = one != recorded || other != bound
        guard !isMasked || self.areOfSameThings(recorded, bound) else { return false }
        let tokens = [one, other].map { VaryingToken.all(of: ByteText.bytes(of: $0)) }
        if !self.isLearned(tokens[0], tokens[1], at: place) {
            let before = self
            if self.areSame(tokens[0], tokens[1], place) {
                self.addWhole(recorded, bound, place, since: before)
            } else {
                self = before
                // The text in it is compared above.
                if CodedText.text(inBase64: recorded) != nil, CodedText.text(inBase64: bound) != nil { return false }
                guard self.learn(from: tokens[0], tokens[1], at: place) else { return false }
            }
        }
        self.bindWhole(recorded, live, at: place)
        if isMasked { self.addSurroundings(recorded, bound, place) }
        self.note(place)
        return true
    }

    /// The commonest case, for which the comparison of texts would find the same in many more steps. `nil` for other texts, and
    /// where more is known of the place or the values.
    private mutating func areSameUUIDs(_ recorded: String, _ live: String, at place: String) -> Bool? {
        guard self.learned.isEmpty, VaryingToken.isUUID(recorded), VaryingToken.isUUID(live),
            !self.runs.surroundings.whole.contains(recorded)
        else { return nil }
        switch self.bindings.recorded(of: live) {
        case nil: break
        case recorded?:
            self.note(place)
            return true
        default: return nil
        }
        let (one, other) = (ByteText.bytes(of: recorded)[...], ByteText.bytes(of: live)[...])
        guard Self.isUpperCase(one) == Self.isUpperCase(other), RandomWord.areIndependent(one, other),
            self.pair(one, other, at: place)
        else { return nil }
        self.note(place)
        return true
    }

    /// Returns true for random bytes in base64 in a place that is called a nonce or the like, and for a UUID without hyphens
    /// in one that is called an id.
    private mutating func isMark(_ recorded: String, _ live: String, at place: String) -> Bool {
        let (one, other) = (ByteText.bytes(of: recorded)[...], ByteText.bytes(of: live)[...])
        guard one.count == other.count, RandomWord.areIndependent(one, other) else { return false }
        let isNonce =
            one.count >= 16 && RandomPlace.isNonce(place) && (one + other).allSatisfy(CodedText.isInBase64)
            && !RandomWord.isChosen(one) && !RandomWord.isChosen(other)
        let isID =
            one.count == 32 && RandomPlace.isIdentifier(place) && !place.hasPrefix("query ")
            && (one + other).allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
        guard isNonce || isID, self.pair(one, other, at: place) else { return false }
        self.note(place)
        return true
    }

    /// Compares two texts that are coded as base64, such as files in JSON.
    private mutating func isSameInBase64(_ recorded: String, _ live: String, at place: String) -> Bool {
        guard let one = CodedText.text(inBase64: recorded), let other = CodedText.text(inBase64: live),
            one != other
        else { return false }
        return self.isSame(one, other, at: place)
    }

    /// A name that is made of a date and a random word is one value: answers with the name have both.
    private mutating func addWhole(_ recorded: String, _ live: String, _ place: String, since before: Self) {
        guard !self.pairs.isEmpty, self.pairs.count - before.pairs.count <= 2 else { return }
        let isPath = place == "path"
        func names(_ text: String) -> [Substring] {
            isPath ? text.split(separator: "/", omittingEmptySubsequences: false) : [Substring(text)]
        }
        let (ones, others) = (names(recorded), names(live))
        guard ones.count == others.count, let first = zip(ones, others).enumerated().first(where: { $1.0 != $1.1 })
        else { return }
        let one = ones[first.offset...].joined(separator: "/")
        let other = others[first.offset...].joined(separator: "/")
        guard one.utf8.count <= 256, !one.utf8.contains(where: { $0 <= ASCII.space }),
            !self.pairs.contains(where: { $0.recorded == one }),
            let known = self.pairs.last(where: { !$0.isOfSurroundings && $0.place == place }),
            ByteText.bytes(of: one).containsBytes(ByteText.bytes(of: known.recorded))
        else { return }
        // The rest of the name differs, too.
        let replaced = ByteText.bytes(of: one)
            .replacingWord(ByteText.bytes(of: known.recorded), with: ByteText.bytes(of: known.live))
        guard replaced != ByteText.bytes(of: other) else { return }
        self.add(one, other, at: place)
    }

    mutating func note(_ place: String) {
        if !self.places.contains(place) { self.places.append(place) }
    }

    /// Returns true if the surroundings in two texts are those of the same things, one after the other.
    private func areOfSameThings(_ recorded: String, _ live: String) -> Bool {
        let (ones, others) = (self.runs.surroundings.mask.all(in: recorded), self.runs.surroundings.mask.all(in: live))
        return ones.count == others.count
            && zip(ones, others).allSatisfy { one, other in
                one == other || self.recorded.areSame(one, other, in: self.live) { _ in true }
            }
    }

    /// Binds folders and names of hosts, which answers may contain.
    private mutating func addSurroundings(_ recorded: String, _ live: String, _ place: String) {
        for (name, values) in self.recorded.values {
            guard let now = self.live.values[name]?.first, now.utf8.count >= ValueBindings.shortest else { continue }
            for value in values where recorded.contains(value) && live.contains(now) && value != now {
                self.add(value, now, at: place, isOfSurroundings: true)
            }
        }
    }

    mutating func areSame(_ recorded: [VaryingToken], _ live: [VaryingToken], _ place: String) -> Bool {
        guard recorded.count == live.count else { return false }
        /// The tag of a mail address: `ada+1f2e3d4c5b@example.com`.
        func isBehindPlus(_ index: Int) -> Bool { index > 1 && recorded[index - 1] == .separator(0x2B) }
        /// The name that `mktemp` makes: `tmp.x7F0q2AbcD`.
        func isTemporary(_ index: Int) -> Bool {
            guard index > 1, recorded[index - 1] == .separator(0x2E), case .word(let word) = recorded[index - 2] else {
                return false
            }
            return word.elementsEqual("tmp".utf8)
        }
        /// A name in the folder of temporary files, by its mark or its placeholder.
        func isInTemporaryFolder(_ index: Int) -> Bool {
            guard index > 1, recorded[index - 1] == .separator(ASCII.slash) else { return false }
            let isMark = recorded[index - 2] == .word(Surroundings.temporaryMark[...])
            return isMark
                || index > 4 && recorded[index - 2] == .separator(ASCII.closeBrace)
                    && recorded[index - 4] == .word(Array(MachineIdentity.tmpdir.rawValue.utf8)[...])
        }
        for (index, (one, other)) in zip(recorded, live).enumerated() where one != other {
            switch (one, other) {
            case (.uuid(let one), .uuid(let other)):
                guard Self.isUpperCase(one) == Self.isUpperCase(other), RandomWord.areIndependent(one, other),
                    self.pair(one, other, at: place)
                else { return false }
            case (.local(let one), .local(let other)):
                // Ports below are those of services; the system gives out higher ones.
                guard Self.isAnyPort(one), Self.isAnyPort(other) || place == "origin" else { return false }
                self.add(ByteText.string(from: one), ByteText.string(from: other), at: place, isOfSurroundings: true)
            case (.time(let one), .time(let other)):
                // Long numbers may as well be ids.
                guard !one.style.hasPrefix("epoch") || !RandomPlace.isIdentifier(place), self.isSame(one, other) else {
                    return false
                }
                // An answer to this request may have the time that it sent.
                if one.precision == .second {
                    let texts = [one, other].map { ByteText.string(from: $0.text) }
                    self.add(texts[0], texts[1], at: place, isOfSurroundings: true)
                }
            case (.word(let one), .word(let other)) where self.areTimedIDs(one, other):
                guard self.pair(one, other, at: place) else { return false }
            // A number alone may be of anything.
            case (.word(let one), .word(let other))
            where (recorded.count > 1 || one.contains(0x2D)) && self.recorded.areSameParts(one, other, in: self.live):
                break
            case (.word(let one), .word(let other)):
                let isWhole =
                    isTemporary(index) && one.count == 10 && other.count == 10
                    || isInTemporaryFolder(index) && RandomWord.areTemporary(one, other)
                let found =
                    isWhole
                    ? RandomWord.Difference(one: one, other: other, isBare: false) : RandomWord.difference(one, other)
                guard let found else { return false }
                if !found.isBare || RandomPlace.isMark(place) || isBehindPlus(index) {
                    guard self.pair(found.one, found.other, at: place) else { return false }
                } else {
                    guard !self.learns else { return false }
                    self.pending.append((found.one, found.other))
                }
            default: return false
            }
        }
        return true
    }

    /// Returns true for a host with a port that the system may have given out.
    private static func isAnyPort(_ authority: ArraySlice<UInt8>) -> Bool {
        String(decoding: authority, as: UTF8.self).split(separator: ":").last.flatMap { Int($0) }.map { $0 >= 10_000 }
            ?? false
    }

    private static func isUpperCase(_ uuid: ArraySlice<UInt8>) -> Bool { uuid.contains { (0x41...0x46).contains($0) } }

    // MARK: Times

    private static let hour: Int64 = 3_600_000
    private static let day: Int64 = 24 * Self.hour
    /// Times of other years say something by themselves.
    private static let furthest = 400 * Self.day
    /// A time of the run itself is at most this old when it is sent, as a program takes its time. 20 minutes.
    private static let oldest = Self.hour / 3
    /// The distance to the run differs by the time that a request takes. 30 seconds.
    private static let tolerance = Self.hour / 120
    /// The times of one request are taken together. 10 seconds.
    private static let together = Self.hour / 360
    /// By how much the times of the request have moved, and its dates alone.
    private var shifts: [Int64] = []
    private var dayShift: Int64?

    mutating func isSame(_ one: VaryingToken.Moment, _ other: VaryingToken.Moment) -> Bool {
        guard one.style == other.style, let request = self.runs.recorded else { return false }
        if one.style == VaryingToken.Moment.clockAlone { return self.isSameClock(one, other, request) }
        if one.style.hasPrefix(VaryingToken.Moment.yearless) {
            return self.isSameDay(one.inTheYear(of: request), other.inTheYear(of: self.runs.now), request)
        }
        guard
            abs(one.instant.milliseconds - request.milliseconds) <= Self.furthest
        else { return false }
        switch (one.precision, other.precision) {
        case (.day, .day): return self.isSameDay(one, other, request)
        case (.month, .month), (.week, .week), (.hour, .hour): return self.isSameSpan(one, other, request)
        case (.day, _), (_, .day): return false
        default: break
        }
        guard
            self.isNear(one, other, request, inLocalTime: false)
                || !one.hasZone && self.isNear(one, other, request, inLocalTime: true)
        else { return self.isSameHourOfAnotherDay(one, other, request) }
        guard one.precision == .second else { return true }
        let shift = other.instant.milliseconds - one.instant.milliseconds
        guard self.shifts.allSatisfy({ abs($0 - shift) <= Self.together }) else { return false }
        self.shifts.append(shift)
        return true
    }

    /// Returns true for full hours, halves and quarters of days as far from their run, such as `2026-11-29T09:00` for tomorrow:
    /// a program sets the date by the clock, and the hour by itself.
    private mutating func isSameHourOfAnotherDay(
        _ one: VaryingToken.Moment,
        _ other: VaryingToken.Moment,
        _ request: Instant
    ) -> Bool {
        func isQuarterOfBoth(_ first: Int64, _ second: Int64) -> Bool {
            let ofDay = [first, second].map { $0 - $0.flooredQuotient(by: Self.day) * Self.day }
            return ofDay[0] == ofDay[1] && ofDay[0] % (Self.hour / 4) == 0
        }
        if isQuarterOfBoth(one.instant.milliseconds, other.instant.milliseconds) {
            return self.isSameDay(one, other, request)
        }
        // An hour of local time, written in UTC.
        func local(_ instant: Instant, _ zone: Int) -> Instant {
            instant.advanced(byMilliseconds: Int64(zone) * 60_000)
        }
        let zones = (self.runs.recordedZone, self.runs.zone)
        let (first, second) = (local(one.instant, zones.0), local(other.instant, zones.1))
        return one.hasZone && isQuarterOfBoth(first.milliseconds, second.milliseconds)
            && Self.days(first, local(request, zones.0)) == Self.days(second, local(self.runs.now, zones.1))
    }

    /// Returns true for months, weeks or hours as many of them before or behind that of their run, in UTC or in the local
    /// time of each.
    private func isSameSpan(_ one: VaryingToken.Moment, _ other: VaryingToken.Moment, _ request: Instant) -> Bool {
        func number(_ instant: Instant) -> Int64 {
            switch one.precision {
            case .month:
                let civil = CivilTime(instant)
                return civil.year * 12 + Int64(civil.month)
            // 1970-01-05 was a Monday.
            case .week: return (instant.milliseconds - 4 * Self.day).flooredQuotient(by: 7 * Self.day)
            default: return instant.milliseconds.flooredQuotient(by: Self.hour)
            }
        }
        return [(0, 0), (self.runs.recordedZone, self.runs.zone)].contains { zones in
            let run = request.advanced(byMilliseconds: Int64(zones.0) * 60_000)
            let now = self.runs.now.advanced(byMilliseconds: Int64(zones.1) * 60_000)
            return number(one.instant) - number(run) == number(other.instant) - number(now)
        }
    }

    /// Returns true for times of day as far from their run, in UTC or in the local time of each.
    private func isSameClock(_ one: VaryingToken.Moment, _ other: VaryingToken.Moment, _ request: Instant) -> Bool {
        [false, true].contains { isLocal in
            let zones = isLocal ? (self.runs.recordedZone, self.runs.zone) : (0, 0)
            return self.isNear(
                one.onTheDay(of: request, zone: zones.0),
                other.onTheDay(of: self.runs.now, zone: zones.1),
                request,
                inLocalTime: isLocal
            )
        }
    }

    /// Returns true for dates as many days from their run, by the clock of UTC or by that of each run's place. The dates of
    /// one request move together.
    private mutating func isSameDay(
        _ one: VaryingToken.Moment,
        _ other: VaryingToken.Moment,
        _ request: Instant
    ) -> Bool {
        let now = self.runs.now
        let (localRequest, localNow) = (
            request.advanced(byMilliseconds: Int64(self.runs.recordedZone) * 60_000),
            now.advanced(byMilliseconds: Int64(self.runs.zone) * 60_000)
        )
        for (first, second) in [(one.instant, other.instant), (one.otherReading, other.otherReading)] {
            guard let first, let second else { continue }
            let shift = second.milliseconds - first.milliseconds
            guard self.dayShift.map({ $0 == shift }) ?? true else { continue }
            let isSameInUTC = Self.days(first, request) == Self.days(second, now)
            let isSameLocally = Self.days(first, localRequest) == Self.days(second, localNow)
            guard isSameInUTC || isSameLocally else { continue }
            if isSameInUTC != isSameLocally { self.dateClocks.append(isSameInUTC ? .utc : .local) }
            self.dayShift = shift
            return true
        }
        return false
    }

    /// Returns true for times as far from the request, or from the start of the run; or that both runs may have taken since
    /// then.
    ///
    /// - Parameter inLocalTime: true to read both by the clock of each run's place.
    private func isNear(
        _ one: VaryingToken.Moment,
        _ other: VaryingToken.Moment,
        _ request: Instant,
        inLocalTime: Bool
    ) -> Bool {
        func read(_ moment: VaryingToken.Moment, _ zone: Int) -> Int64 {
            moment.instant.milliseconds - (inLocalTime ? Int64(zone) * 60_000 : 0)
        }
        let (first, second) = (read(one, self.runs.recordedZone), read(other, self.runs.zone))
        let (recorded, live) = (first - request.milliseconds, second - self.runs.now.milliseconds)
        let tolerance = Self.tolerance + (one.precision == .minute ? Self.hour / 60 : 0)
        if abs(recorded - live) <= tolerance { return true }
        let sinceStart = [(request, self.runs.recordedStart), (self.runs.now, self.runs.start)].map { time, start in
            start.map { min(max(0, time.milliseconds - $0.milliseconds), Self.oldest) } ?? Self.oldest
        }
        // Such as an expiry that a program works out when it begins.
        if abs(recorded + sinceStart[0] - live - sinceStart[1]) <= tolerance { return true }
        return (-sinceStart[0] - tolerance...tolerance).contains(recorded)
            && (-sinceStart[1] - tolerance...tolerance).contains(live)
    }

    /// Returns true for ids that were made in their runs.
    private func areTimedIDs(_ one: ArraySlice<UInt8>, _ other: ArraySlice<UInt8>) -> Bool {
        guard one.count == other.count, let first = TimedID.time(of: one), let second = TimedID.time(of: other) else {
            return false
        }
        let moments = [first, second].map { VaryingToken.Moment(instant: $0, precision: .second, style: "id") }
        return self.isOfRuns(moments[0], moments[1])
    }

    /// Returns true for a number that is a time of both runs, whatever its place is called.
    private func isOfRuns(_ one: VaryingToken.Moment, _ other: VaryingToken.Moment) -> Bool {
        guard let request = self.runs.recorded else { return false }
        let ofRun = -Self.oldest...Self.tolerance
        return ofRun.contains(one.instant.milliseconds - request.milliseconds)
            && ofRun.contains(other.instant.milliseconds - self.runs.now.milliseconds)
    }

    private static func days(_ instant: Instant, _ start: Instant) -> Int64 {
        instant.milliseconds.flooredQuotient(by: Self.day) - start.milliseconds.flooredQuotient(by: Self.day)
    }

    // MARK: JSON

    /// Names of members whose numbers are of a process.
    private static let processNames: Set<String> = [
        "pid", "ppid", "processid", "process_id", "threadid", "thread_id", "tid",
    ]

    mutating func isSame(_ recorded: JSONValue, _ live: JSONValue, at path: String, named name: String = "") -> Bool {
        switch (recorded, live) {
        case (.string(let one), .string(let other)): return self.isSame(one, other, at: path)
        case (.number(let one), .number(let other)):
            if one == other { return true }
            if Self.processNames.contains(ASCII.lowercased(name)), Int(one.spelling) != nil, Int(other.spelling) != nil
            {
                self.note(path)
                return true
            }
            let tokens = [one, other].map { VaryingToken.all(of: Array($0.spelling.utf8)) }
            guard tokens.allSatisfy({ $0.count == 1 }), case .time(let first) = tokens[0][0],
                case .time(let second) = tokens[1][0], first.style.hasPrefix("epoch"),
                RandomPlace.isTime(name) || !RandomPlace.isIdentifier(path) && self.isOfRuns(first, second),
                self.isSame(first, second)
            else { return self.isLearned(one, other, at: path) }
            self.note(path)
            return true
        case (.array(let ones), .array(let others)): return self.areSame(ones, others, at: path)
        case (.object(let ones), .object(let others)):
            let (wanted, found) = (JSONMembers(ones), JSONMembers(others))
            guard wanted.counting.count == found.counting.count else { return false }
            // In a list of names and values the name says what the value is.
            let label = ["name", "key", "Name", "Key"].lazy.compactMap { wanted[$0]?.stringValue }.first
            let isCall = recorded["jsonrpc"] != nil && recorded["method"] != nil
            for member in wanted.counting {
                guard let value = found[member.name] else { return false }
                if isCall, member.name == "id", self.isCallNumber(member.value, value, at: path) { continue }
                let place =
                    ASCII.lowercased(member.name) == "value" ? label.map { JSONDifference.path(path, member: $0) } : nil
                guard
                    self.isSame(
                        member.value,
                        value,
                        at: JSONDifference.path(place ?? path, member: member.name),
                        named: member.name
                    )
                else { return false }
            }
            return true
        default: return recorded == live
        }
    }

    /// Returns true for random numbers of two calls of JSON-RPC 2.0, which only tell their answers apart (section 4). Smaller
    /// ones count the calls, and are the same in each run.
    private mutating func isCallNumber(_ recorded: JSONValue, _ live: JSONValue, at path: String) -> Bool {
        guard case .number(let one) = recorded, case .number(let other) = live, one != other,
            Int(one.spelling) != nil, Int(other.spelling) != nil,
            one.spelling.utf8.count >= ValueBindings.shortest, other.spelling.utf8.count > 4
        else { return false }
        let texts = [one, other].map { ByteText.bytes(of: $0.spelling)[...] }
        guard self.pair(texts[0], texts[1], at: "\(path).id") else { return false }
        self.note("\(path).id")
        return true
    }

    // MARK: Fields

    /// Returns true for the same names with values that are the same or vary; those of one name in their order.
    mutating func areSame(
        _ recorded: [(name: String, value: String)],
        _ live: [(name: String, value: String)],
        as kind: String
    ) -> Bool {
        guard recorded.count == live.count else { return false }
        func grouped(_ fields: [(name: String, value: String)]) -> [JSONName: [String]] {
            Dictionary(grouping: fields) { JSONName($0.name) }.mapValues { $0.map(\.value) }
        }
        let found = grouped(live)
        for (name, values) in grouped(recorded) {
            guard let others = found[name], others.count == values.count,
                self.areSame(values, others, at: "\(kind) \(name.text)")
            else { return false }
        }
        return true
    }

    // MARK: XML

    mutating func isSame(_ recorded: XMLElement, _ live: XMLElement, at path: String) -> Bool {
        guard recorded.name == live.name, recorded.attributes.map(\.name) == live.attributes.map(\.name),
            recorded.children.count == live.children.count
        else { return false }
        let path = "\(path)/\(recorded.name.local)"
        for (one, other) in zip(recorded.attributes, live.attributes) {
            guard self.isSame(one.value, other.value, at: "\(path)/@\(one.name.local)") else { return false }
        }
        for pair in zip(recorded.children, live.children) {
            switch pair {
            case (.text(let one), .text(let other)):
                guard self.isSame(one, other, at: path) else { return false }
            case (.element(let one), .element(let other)):
                guard self.isSame(one, other, at: path) else { return false }
            default: return false
            }
        }
        return true
    }
}
