import Testing

@testable import TapedeckSessions

@Suite
struct ChangeSignalTests {
    @Test func theNextChangeWakesEveryWaiter() async {
        let signal = ChangeSignal()
        let version = signal.version
        await withTaskGroup { tasks in
            for _ in 0..<50 { tasks.addTask { await signal.wait(after: version) } }
            tasks.addTask { signal.notify() }
            await tasks.waitForAll()
        }
        #expect(signal.version > version)
    }

    @Test func aChangeThatCameBeforeTheWaitIsNotMissed() async {
        let signal = ChangeSignal()
        let version = signal.version
        signal.notify()
        await signal.wait(after: version)
        #expect(signal.version > version)
    }

    @Test func closingOrCancellingEndsTheWait() async {
        let signal = ChangeSignal()
        let cancelled = Task { await signal.wait(after: signal.version) }
        cancelled.cancel()
        await cancelled.value
        #expect(!signal.isClosed)
        let waiting = Task { await signal.wait(after: .max) }
        signal.close()
        await waiting.value
        await signal.wait(after: .max)
        #expect(signal.isClosed)
    }

    @Test func concurrentWaitersMissNoChange() async {
        let signal = ChangeSignal()
        await withTaskGroup { tasks in
            for _ in 0..<8 {
                tasks.addTask {
                    var seen = 0
                    while seen < 800 {
                        await signal.wait(after: seen)
                        seen = signal.version
                    }
                }
                tasks.addTask { for _ in 0..<100 { signal.notify() } }
            }
            await tasks.waitForAll()
        }
        #expect(signal.version == 800)
    }
}
