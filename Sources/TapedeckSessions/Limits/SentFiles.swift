import TapedeckCassettes
import TapedeckLocking

/// The memory of the files that came with sessions. Sessions that were sent the same files share them, and they count
/// once.
final class SentFiles: Sendable {
    private struct State {
        var sizes: [SessionFiles: (size: Int, users: Int)] = [:]
        var used = 0
    }

    private let limit: Int
    private let state = Locked(State())

    init(limit: Int) {
        self.limit = limit
    }

    /// In bytes.
    var used: Int { self.state.withLock { $0.used } }

    /// Counts the files of these cassettes until the returned object is destroyed.
    ///
    /// - Throws: ``Full`` if they are too many.
    func hold(_ cassettes: [CassetteLocation]) throws(Full) -> Held? {
        try self.hold(Set(cassettes.compactMap(\.files)))
    }

    /// Counts files for as long as what is returned lives.
    ///
    /// - Throws: ``Full`` where they are too many.
    func hold(_ files: Set<SessionFiles>) throws(Full) -> Held? {
        guard !files.isEmpty else { return nil }
        let fit = self.state.withLock { state in
            let added = files.reduce(0) { state.sizes[$1] == nil ? $0 + $1.size : $0 }
            guard added == 0 || state.used + added <= self.limit else { return false }
            for file in files { state.sizes[file, default: (file.size, 0)].users += 1 }
            state.used += added
            return true
        }
        guard fit else {
            throw Full(
                description:
                    "the files of all sessions would have more than \(UsageLimits.text(self.limit)) (--max-files); "
                    + "end some sessions first, or have sessions name cassettes that the deck has"
            )
        }
        return Held(files, by: self)
    }

    private func release(_ files: Set<SessionFiles>) {
        self.state.withLock { state in
            for file in files {
                guard let (size, users) = state.sizes[file] else { continue }
                if users == 1 {
                    state.sizes[file] = nil
                    state.used -= size
                } else {
                    state.sizes[file] = (size, users - 1)
                }
            }
        }
    }

    /// Too many files, with what to do about it.
    struct Full: Error, CustomStringConvertible {
        let description: String
    }

    /// Files of one session.
    final class Held: Sendable {
        private let files: Set<SessionFiles>
        private let owner: SentFiles

        fileprivate init(_ files: Set<SessionFiles>, by owner: SentFiles) {
            self.files = files
            self.owner = owner
        }

        deinit {
            self.owner.release(self.files)
        }
    }
}
