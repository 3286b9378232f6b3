package import TapedeckCassettes
package import TapedeckCore
import TapedeckLocking

/// The places that a session has noted in its cassettes as varying.
package struct SavedLessons: Sendable {
    /// A line for each place, with its set, what may stand there, and the two values that have shown it.
    package var lines: [String] = []
    /// The paths of the cassettes that were changed.
    package var paths: [String] = []
    /// The reasons why cassettes could not be changed.
    package var failures: [String] = []

    package init() {}
}

extension Session {
    /// The places of its cassettes that its requests have shown to vary.
    package var lessons: [(cassette: Cassette, set: ResponseSet, learned: LearnedPlaces)] {
        self.state.withLock { $0 }.lessons
    }

    /// Others may write the cassette at the same time, as the sessions of a test run end together. 100 times 50 ms.
    private static let attempts = 100

    /// Notes in its cassettes which places of their requests vary. Reads and writes files.
    package func saveLessons(_ store: CassetteStore) async -> SavedLessons {
        var saved = SavedLessons()
        let lessons = self.lessons
        for location in self.cassettes where !location.isInMemory {
            let own = lessons.filter { $0.cassette.path == location.path }
            guard !own.isEmpty else { continue }
            let places = Dictionary(own.map { ($0.set.name, $0.learned.places) }) { first, _ in first }
            do {
                try await self.save(places, in: location, store)
                saved.paths.append(location.path)
                saved.lines += self.lines(own)
            } catch {
                saved.failures.append("what varies could not be noted: \(error)")
                saved.failures += self.lines(own).map { "  \($0)" }
            }
        }
        return saved
    }

    private func lines(_ lessons: [(cassette: Cassette, set: ResponseSet, learned: LearnedPlaces)]) -> [String] {
        lessons.flatMap { _, set, learned in
            learned.examples.map { "\(set.name): \(self.texts.text($0.description))" }
        }
    }

    private func save(
        _ places: [String: [VaryingPlace]],
        in location: CassetteLocation,
        _ store: CassetteStore
    ) async throws {
        var attempt = 0
        while true {
            attempt += 1
            do throws(CassetteStore.LearningError) {
                try store.learn(places, in: location)
                return
            } catch {
                guard case .busy = error, attempt < Self.attempts else { throw error }
                try await Task.sleep(for: .milliseconds(50))
            }
        }
    }
}
