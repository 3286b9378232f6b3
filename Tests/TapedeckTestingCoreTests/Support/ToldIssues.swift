import Synchronization
import Testing

/// An issue that a test was failed with.
struct ToldIssue: Sendable, Equatable {
    var message: String
    var file: String
    var line: Int
}

/// Runs a block, and keeps what it fails the test with from failing it.
func issues(_ body: () async throws -> Void) async throws -> [ToldIssue] {
    let notes = Notes()
    try await withKnownIssue(isIntermittent: true) {
        try await body()
    } matching: { issue in
        let place = issue.sourceLocation
        var message = issue.comments.map(\.rawValue).joined(separator: "\n")
        if let error = issue.error { message += "threw \(error)" }
        let told = ToldIssue(message: message, file: place?.fileName ?? "", line: place?.line ?? 0)
        notes.told.withLock { $0.append(told) }
        return true
    }
    return notes.told.withLock { $0 }
}

private final class Notes: Sendable {
    let told = Mutex<[ToldIssue]>([])
}
