import NIOCore
import TapedeckCassettes
import TapedeckCore
import TapedeckLocking
import TapedeckProtobuf

/// The descriptors of the calls of one recording: those of the cassette, of the project, and of origins that send theirs
/// by server reflection.
///
/// The last two go to the cassette once a call needs them. Secrets are searched for with all of them.
final class CallDescriptors: Sendable {
    /// The maximum size of all that is added to the cassette, in bytes. 16 MiB.
    private static let sizeLimit = 16 << 20

    private struct State {
        var known: DescriptorSet?
        /// The part of ``known`` that goes to the cassette.
        var added: DescriptorSet?
        var projectIsAdded = false
        /// The origins that were asked; `nil` once they have answered.
        var origins: [Origin: EventLoopFuture<Void>?] = [:]
    }

    /// The cassette's files that a user has named, whose methods no origin is asked for.
    private let settled: DescriptorSet?
    private let project: DescriptorSet?
    private let state: Locked<State>

    /// - Parameters:
    ///   - cassette: all descriptors of the cassette.
    ///   - settled: the part of them that no recording has made.
    init(cassette: DescriptorSet?, settled: DescriptorSet?, project: DescriptorSet?) {
        self.settled = settled
        self.project = project
        self.state = Locked(State(known: cassette))
    }

    /// All descriptors that are known by now; `nil` for none.
    var known: DescriptorSet? { self.state.withLock { $0.known } }

    /// The descriptors that go to the cassette; `nil` for none.
    var added: DescriptorSet? { self.state.withLock { $0.added } }

    private func isSettled(_ path: String) -> Bool {
        self.settled?.method(atPath: path) != nil || self.project?.method(atPath: path) != nil
    }

    /// Adds the project's descriptors, if only they have the method of a call. Returns true if they are new.
    func noteCall(_ path: String) -> Bool {
        guard let project = self.project, project.method(atPath: path) != nil else { return false }
        return self.state.withLock { state in
            guard !state.projectIsAdded, state.known?.method(atPath: path) == nil else { return false }
            state.projectIsAdded = true
            return Self.add(project, to: &state)
        }
    }

    /// Adds the descriptors of an origin.
    ///
    /// - Returns: false if they contradict others, or are too large. The messages are recorded by field numbers then.
    func add(_ descriptors: DescriptorSet) -> Bool {
        self.state.withLock { Self.add(descriptors, to: &$0) }
    }

    /// A server's new types take the place of its old ones.
    private static func add(_ descriptors: DescriptorSet, to state: inout State) -> Bool {
        guard let known = Self.merged(descriptors, over: state.known),
            let added = Self.merged(descriptors, over: state.added), added.bytes.count <= Self.sizeLimit
        else { return false }
        state.known = known
        state.added = added
        return true
    }

    private static func merged(_ new: DescriptorSet, over old: DescriptorSet?) -> DescriptorSet? {
        guard let old else { return new }
        return (try? new.merging(old)) ?? (try? old.merging(new))
    }

    // MARK: Asking

    /// True if the descriptors of an origin are needed for a call, and were not requested in this recording.
    func areNeeded(of origin: Origin, for path: String) -> Bool {
        !self.isSettled(path) && self.state.withLock { $0.origins[origin] == nil }
    }

    /// Notes that an origin was asked. Calls wait for `answer`.
    func noteRequest(to origin: Origin, answer: EventLoopFuture<Void>) {
        self.state.withLock { $0.origins[origin] = answer }
    }

    func noteAnswer(of origin: Origin) {
        self.state.withLock { $0.origins[origin] = .some(nil) }
    }

    /// Completes when the descriptors of an origin are known; `nil` if this call need not wait for them.
    func pending(_ origin: Origin, for path: String) -> EventLoopFuture<Void>? {
        self.isSettled(path) ? nil : self.state.withLock { $0.origins[origin] ?? nil }
    }
}
