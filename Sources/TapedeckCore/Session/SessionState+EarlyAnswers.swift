/// The decision on a call of which more messages are to come.
package enum EarlyAnswer: Sendable {
    /// Nothing: the messages so far leave open which set answers, or no answer is due.
    case wait
    /// The set that answers can be chosen, or none can answer any more.
    case decide
    /// A number of messages at the start of this take can be sent: all sets that may still answer send them.
    case send(Play, messages: Int)
}

extension SessionState {
    /// A set that may answer a call, and the take that it would play.
    private struct EarlyCandidate {
        let play: Play
        let messages: [StoredMessage]
        /// The number of messages at the start of the answer that are due.
        let due: Int
    }

    /// Returns what can be done about a call by the messages that have come so far; `nil` if no set matches them. Nothing counts
    /// as played.
    ///
    /// - Parameters:
    ///   - matchRequest: with the messages so far as its body.
    ///   - sent: the number of messages of the answer that have been sent.
    package mutating func earlyAnswer(_ matchRequest: MatchRequest, sent: Int) -> EarlyAnswer? {
        guard self.mode.plays, let framing = MessageFraming(matchRequest.fields),
            let count = matchRequest.body?.bytes.flatMap({ framing.messages(of: $0) })?.count
        else { return .wait }
        self.scratch.beginRequest()
        var sets = self.candidates(matchRequest)
        guard let first = sets.next() else { return sets.hasDoubts ? .wait : nil }
        guard self.tapes.answersEarly else { return .wait }
        let leading = self.earlyCandidate(first, count: count)
        var isAlone = true
        var agreed = leading?.messages.count ?? 0
        var due = leading?.due ?? 0
        while let next = sets.next() {
            // A set with fewer conditions answers only if all of these turn out not to match.
            guard next.rank == first.rank, next.mayBeIt(count) else { continue }
            isAlone = false
            guard let leading, let rival = self.earlyCandidate(next, count: count) else {
                return Self.isDue(first, count: count) ? .decide : .wait
            }
            agreed = zip(leading.messages.prefix(agreed), rival.messages).prefix { $0.payload == $1.payload }.count
            due = max(due, rival.due)
            // Whatever else may answer, they send nothing more in common.
            guard agreed > sent else { return leading.due > sent ? .decide : .wait }
        }
        guard !isAlone, let leading else { return Self.isDue(first, count: count) ? .decide : .wait }
        due = min(agreed, due)
        if due > sent { return .send(leading.play, messages: due) }
        return leading.due > sent ? .decide : .wait
    }

    /// The sets that may answer a call of which more messages come, those first that have played the least: recorded calls that
    /// begin alike come again in their order.
    func unplayedFirst(_ candidates: inout TapeStack.Candidates) -> [TapeStack.Candidate] {
        guard let first = candidates.next() else { return [] }
        var equal = [first]
        while let next = candidates.next(), next.rank == first.rank { equal.append(next) }
        return equal.enumerated().sorted { one, other in
            let hits = [one, other].map { self.hits[$0.element.layer][$0.element.entry] }
            return (hits[0], one.offset) < (hits[1], other.offset)
        }.map(\.element)
    }

    /// Returns true if a call goes on as the set says that answers it.
    ///
    /// - Parameters:
    ///   - matchRequest: with the messages after the first `count` as its body.
    ///   - isWhole: true if no more messages are to come.
    package mutating func goesOn(_ play: Play, _ matchRequest: MatchRequest, after count: Int, isWhole: Bool) -> Bool {
        let matcher = play.tape.entries[play.entry].matcher
        func holds(_ secrets: SecretBindings.Attempt?) -> Bool {
            let facts = RequestFacts(matchRequest, secrets: secrets, state: self.state, scratch: self.scratch)
            return matcher.goesOn(facts, after: count, isWhole: isWhole)
        }
        self.scratch.beginRequest()
        guard let redacted = matchRequest.redacted else { return holds(nil) }
        return self.secrets.attempts(redacted, names: self.tapes.secretNames, onlyOwnKind: false).contains(where: holds)
    }

    /// True if a set that need not be compared with others may answer now, whichever take it plays: that of a behaviour is
    /// known only when it is played.
    private static func isDue(_ candidate: TapeStack.Candidate, count: Int) -> Bool {
        let entry = candidate.tape.entries[candidate.entry]
        if let messages = entry.matcher.messages, messages.isOpen, messages.items.count <= count { return true }
        let takes = entry.set.variants.lazy.flatMap(\.behaviour.allTakes)
        return takes.compactMap { $0.messageOrder?.start }.contains { $0 <= count }
    }

    /// The take that a set would play; `nil` if that is not known beforehand.
    private mutating func earlyCandidate(_ candidate: TapeStack.Candidate, count: Int) -> EarlyCandidate? {
        let effective = self.effectiveVariant(of: candidate)
        let script = candidate.tape.script
        guard effective.wrappers.isEmpty, case .variant(let variant) = effective.base else { return nil }
        let number = script.root(of: variant, set: candidate.entry)
        let node = script.nodes[number]
        guard !node.isStaged, case .takes(let start, let takes) = node.action,
            let index = self.place(self.positions[node.identity, default: 0], of: takes, number, script)
        else { return nil }
        let take = candidate.tape.takes[start + index]
        var messages: [StoredMessage] = []
        if case .inline(let body) = take.body { messages = body.messages?.messages ?? [] }
        return EarlyCandidate(
            play: Play(tape: candidate.tape, entry: candidate.entry, take: start + index),
            messages: messages,
            due: messages.prefix { $0.after.map { $0 <= count } ?? false }.count
        )
    }
}

extension TapeStack.Candidate {
    /// Returns false for a set whose call was over before so many messages had come: one that goes on is another.
    fileprivate func mayBeIt(_ count: Int) -> Bool {
        guard let messages = self.tape.entries[self.entry].matcher.messages, messages.isOpen else { return true }
        return messages.items.count >= count
    }

    /// The number of conditions, whether or not more messages may follow: a set that takes more may be a rival of one that
    /// has them until they come.
    fileprivate var rank: Int {
        let matcher = self.tape.entries[self.entry].matcher
        return matcher.conditionCount - (matcher.messages?.isOpen == false ? 1 : 0)
    }
}
