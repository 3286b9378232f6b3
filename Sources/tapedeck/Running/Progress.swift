import TapedeckCassettes
import TapedeckDeck
import TapedeckLocking

/// Shows a person at a terminal that work takes more than two seconds: one line, redrawn every second.
enum Progress {
    private static let patience = 2

    /// Runs `work`, and shows `text` with the seconds meanwhile.
    ///
    /// - Parameter detail: how far the work is; asked every second, off this thread.
    static func during<Value>(
        _ text: String,
        detail: @escaping @Sendable () -> String? = { nil },
        _ work: () throws -> Value
    ) rethrows -> Value {
        guard Terminal.showsProgress else { return try work() }
        let isOver = Locked(false)
        let drawing = Task.detached {
            var seconds = 0
            while (try? await Task.sleep(for: .seconds(1))) != nil {
                seconds += 1
                guard seconds >= Self.patience else { continue }
                let line = [text, detail(), "\(seconds) s"].compactMap { $0 }.joined(separator: ", ")
                isOver.withLock { if !$0 { Terminal.progress(line) } }
            }
        }
        defer {
            isOver.withLock { $0 = true }
            drawing.cancel()
            Terminal.endProgress()
        }
        return try work()
    }

    /// Runs `work` that counts its steps, and shows `text` with the count meanwhile, such as "83 of 200".
    static func counting<Value>(_ text: String, _ work: (WorkProgress) throws -> Value) rethrows -> Value {
        let progress = WorkProgress()
        return try self.during(text, detail: { progress.text }, { try work(progress) })
    }

    /// Runs `work`, and shows how much the deck has recorded whenever that has grown for more than two seconds, as with a
    /// large body. Not for a deck with a command, which has the terminal to itself.
    static func ofRecording<Value>(_ deck: Deck, _ work: () throws -> Value) rethrows -> Value {
        guard Terminal.showsProgress, deck.records else { return try work() }
        let drawing = Task.detached {
            var last = 0
            var seconds = 0
            while (try? await Task.sleep(for: .seconds(1))) != nil {
                let bytes = deck.recordedBytes
                if bytes > last {
                    seconds += 1
                } else if seconds > 0 {
                    seconds = 0
                    Terminal.endProgress()
                }
                last = bytes
                guard seconds >= Self.patience, !Task.isCancelled else { continue }
                Terminal.progress("recording, \(bytes >> 20) MiB that are not saved yet")
            }
        }
        defer {
            drawing.cancel()
            Terminal.endProgress()
        }
        return try work()
    }
}
