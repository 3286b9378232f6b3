import TapedeckCassettes
import TapedeckControlAPI
import TapedeckCore
import TapedeckSessions

/// Chooses the cassettes to copy: decides what it can, and asks about the rest.
struct TransferChoice {
    /// A cassette at both ends.
    struct Pair {
        var name: String
        /// The version that would be copied.
        var own: CassetteVersion
        /// The version at the target, or `nil`.
        var other: CassetteVersion?
    }

    let direction: TransferDirection
    let options: TransferOptions
    let person: any TransferPerson
    let clocks: TransferDecision.Clocks
    private(set) var summary = TransferSummary()
    private var takesAll: Bool

    init(_ direction: TransferDirection, _ options: TransferOptions, _ person: any TransferPerson, deckTime: String) {
        self.direction = direction
        self.options = options
        self.person = person
        let now = Instant.now
        self.clocks = TransferDecision.Clocks(now: now, other: Instant(rfc3339: deckTime) ?? now)
        self.takesAll = options.overwrites
    }

    /// Returns the cassettes to copy.
    ///
    /// - Parameter known: the last common versions; equal ones are added.
    mutating func choose(_ pairs: [Pair], _ known: inout SyncedVersions) -> [Pair] {
        pairs.sorted { $0.name < $1.name }.filter { pair in
            switch TransferDecision(pair.own, over: pair.other, known: known[pair.name], clocks: self.clocks) {
            case .new, .newer: return true
            case .same:
                known[pair.name] = pair.own.digest
                self.summary.same += 1
                return false
            case .ask(let reason):
                guard let other = pair.other else { return true }
                return self.isToBeTaken(pair.name, self.direction.words(reason, own: pair.own, other: other))
            }
        }
    }

    private mutating func isToBeTaken(_ name: String, _ why: String) -> Bool {
        if self.takesAll { return true }
        guard self.person.canAnswer, !self.options.isDryRun else {
            self.leave(name, "\(why); --overwrite takes it all the same")
            return false
        }
        switch self.person.ask("\(name): \(why); \(self.direction.verb) over it?") {
        case .yes: return true
        case .no:
            self.leave(name, "as you said")
            return false
        case .all:
            self.takesAll = true
            return true
        }
    }

    // MARK: Telling

    /// Says that a cassette stays as it is.
    mutating func leave(_ name: String, _ why: String) {
        self.summary.left += 1
        self.person.note("not \(self.direction.done): \(name): \(why)")
    }

    /// Says what became of a cassette.
    mutating func tell(_ outcome: ArchiveOutcomeModel) {
        switch outcome.outcome {
        case "refused": self.leave(outcome.name, outcome.detail ?? outcome.reason ?? "it was refused")
        case "unchanged": self.summary.same += 1
        default:
            self.summary.copied += 1
            self.person.show("\(self.direction.done) \(outcome.name)\(outcome.outcome == "created" ? " (new)" : "")")
        }
    }

    /// Says what would be copied.
    mutating func preview(_ pairs: [Pair]) {
        for pair in pairs {
            self.summary.copied += 1
            self.person.show("would \(self.direction.verb) \(pair.name)\(pair.other == nil ? " (new)" : "")")
        }
    }

    /// Stores the common versions. Failing to store them is harmless: the next transfer may ask a question more.
    func save(_ known: SyncedVersions) {
        guard !self.options.isDryRun, self.options.archive == nil else { return }
        do {
            try known.save()
        } catch {
            self.person.note("what both sides have now cannot be noted, so you may be asked next time: \(error)")
        }
    }
}

extension CassetteVersion {
    /// - Returns: `nil` for a model that another kind of deck made.
    init?(_ model: CassetteVersionModel) {
        guard let modified = Instant(rfc3339: model.modified) else { return nil }
        self.init(digest: model.digest, modified: modified, size: model.size, files: model.files)
    }
}
