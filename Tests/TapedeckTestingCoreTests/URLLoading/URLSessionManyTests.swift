import Foundation
import FoundationNetworking
import Synchronization
import TapedeckTestingCore
import TestShare
import Testing

/// Thousands of requests of every kind: however they end, the test process goes on.
@Suite(.timeLimit(.minutes(20)))
struct URLSessionManyTests {
    /// A request, its answer, and the way in which it ends.
    struct Exchange: Sendable {
        enum Ending: CaseIterable {
            case whole
            /// By a redirect with this status, 301 to 308.
            case redirected
            /// By `cancel()`, at some moment.
            case cancelled
            case fault
        }

        enum Task: CaseIterable {
            case data, upload, download
        }

        static let methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]
        static let faults = Tapedeck.Fault.allCases
        /// They end by the client's own timeout.
        static let endless: [Tapedeck.Fault] = [.hang, .stalledBody, .stalledWindow]

        var task: Task
        var method: String
        var body: Int
        var answer: Int
        var ending: Ending
        /// Chooses the fault, the redirect's status, the moment of the cancellation.
        var choice: Int
        var hasDelegate: Bool

        /// Every number gives the same exchange each time; all bodies and answers of 0 to 20 bytes come with each ending.
        init(_ number: Int) {
            var generator = SeededGenerator(seed: UInt64(number))
            self.ending = Ending.allCases[number % 4]
            self.body = number / 4 % 21
            self.answer = number / 84 % 21
            self.task = Task.allCases.randomElement(using: &generator) ?? .data
            self.method = Self.methods.randomElement(using: &generator) ?? "GET"
            self.choice = Int.random(in: 0..<1_000, using: &generator)
            self.hasDelegate = Bool.random(using: &generator)
        }

        var path: String {
            switch self.ending {
            case .whole, .cancelled: "/answer/\(self.answer)"
            case .redirected: "/redirect/\([301, 302, 303, 307, 308][self.choice % 5])/\(self.answer)"
            case .fault: "/fault/\(self.fault.rawValue)/\(self.answer)"
            }
        }

        var fault: Tapedeck.Fault { Self.faults[self.choice % Self.faults.count] }
    }

    /// Takes all that a delegate is told, and notes the end.
    private final class Delegate: NSObject, URLSessionDataDelegate, URLSessionDownloadDelegate {
        let end: @Sendable () -> Void

        init(_ end: @escaping @Sendable () -> Void) {
            self.end = end
        }

        func urlSession(
            _ session: URLSession,
            task: URLSessionTask,
            didSendBodyData bytesSent: Int64,
            totalBytesSent: Int64,
            totalBytesExpectedToSend: Int64
        ) {
            _ = (task.progress.fractionCompleted, task.countOfBytesSent)
        }

        func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
            _ = (dataTask.progress.totalUnitCount, dataTask.countOfBytesReceived)
        }

        func urlSession(
            _ session: URLSession,
            downloadTask: URLSessionDownloadTask,
            didFinishDownloadingTo location: URL
        ) {
            try? FileManager.default.removeItem(at: location)
        }

        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
            self.end()
        }
    }

    /// Sends a request and returns when it has ended, or is cancelled.
    ///
    /// - Parameter plain: without a delegate.
    private func run(
        _ exchange: Exchange,
        _ configuration: URLSessionConfiguration,
        _ plain: URLSession
    ) async throws {
        var request = URLRequest(url: try #require(URL(string: "https://many.example\(exchange.path)")))
        request.httpMethod = exchange.method
        if exchange.ending == .fault, Exchange.endless.contains(exchange.fault) {
            request.timeoutInterval = 0.1
        }
        let body = Data(repeating: 0x61, count: exchange.body)
        let (ended, end) = AsyncStream.makeStream(of: Never.self)
        let task: URLSessionTask
        var own: URLSession?
        if exchange.hasDelegate {
            let session = URLSession(
                configuration: configuration,
                delegate: Delegate { end.finish() },
                delegateQueue: nil
            )
            own = session
            switch exchange.task {
            case .data:
                if exchange.body > 0 { request.httpBody = body }
                task = session.dataTask(with: request)
            case .upload: task = session.uploadTask(with: request, from: body)
            case .download:
                if exchange.body > 0 { request.httpBody = body }
                task = session.downloadTask(with: request)
            }
        } else {
            switch exchange.task {
            case .data:
                if exchange.body > 0 { request.httpBody = body }
                task = plain.dataTask(with: request) { _, _, _ in end.finish() }
            case .upload: task = plain.uploadTask(with: request, from: body) { _, _, _ in end.finish() }
            case .download:
                if exchange.body > 0 { request.httpBody = body }
                task = plain.downloadTask(with: request) { file, _, _ in
                    if let file { try? FileManager.default.removeItem(at: file) }
                    end.finish()
                }
            }
        }
        task.resume()
        if exchange.ending == .cancelled {
            // At every moment from the start to the end; not before, as Foundation may never end such a task.
            let delay = UInt32(exchange.choice * 10)
            await Self.pause(microseconds: delay)
            task.cancel()
        } else {
            for await _ in ended {}
            #expect(task.progress.fractionCompleted >= 0)
        }
        own?.finishTasksAndInvalidate()
    }

    private static func pause(microseconds: UInt32) async {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                usleep(microseconds)
                continuation.resume()
            }
        }
    }

    @Test(arguments: [1, 200])
    func `no request ends the process, one by one and many at a time`(width: Int) async throws {
        let numbers = some(of: Array(0..<5_000)).map { width == 1 ? $0 : $0 + 5_000 }
        try await withTapedeck(.tapedeck().allowsUnmatched()) { deck in
            for size in 0...20 {
                let text = String(repeating: "b", count: size)
                try await deck.stub(.any("/answer/\(size)"), .text(text))
                for status in [301, 302, 303, 307, 308] {
                    try await deck.stub(
                        .any("/redirect/\(status)/\(size)"),
                        .text(text, status: status, headers: ["location": "/answer/\(size)"])
                    )
                }
                for fault in Exchange.faults {
                    try await deck.stub(.any("/fault/\(fault.rawValue)/\(size)"), .text(text).fault(fault))
                }
            }
            let configuration = deck.urlSessionConfiguration()
            let plain = URLSession(configuration: configuration)
            try await withThrowingTaskGroup(of: Void.self) { group in
                var running = 0
                for number in numbers {
                    if running == width {
                        try await group.next()
                        running -= 1
                    }
                    running += 1
                    group.addTask { try await self.run(Exchange(number), configuration, plain) }
                }
                try await group.waitForAll()
            }
            plain.finishTasksAndInvalidate()
        }
    }
}
