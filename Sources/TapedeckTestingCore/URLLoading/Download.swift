#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking

/// Puts what a transfer of a download task delivers into a file. Belongs to the transfer's thread.
final class Download: @unchecked Sendable {
    // Proof of @unchecked Sendable: made by the task's queue, then used by the one thread of its transfer alone.
    private var file: DownloadFile?
    private var hasFailed = false
    private let url: URL?

    /// - Parameter url: of the request, for errors.
    init(_ url: URL?) {
        self.url = url
    }

    /// Returns the event to report for `event`, if any.
    func take(_ event: Transfer.Event) -> Transfer.Event? {
        guard !self.hasFailed else { return nil }
        do {
            switch event {
            case .response:
                self.file = try DownloadFile()
                return event
            case .data(let data):
                try self.file?.write(data)
                return .wrote(data.count)
            case .finished:
                guard let file = self.file else { return event }
                try file.finish()
                return .downloaded(file)
            case .sent, .wrote, .downloaded, .failed:
                return event
            }
        } catch {
            self.hasFailed = true
            return .failed(
                TransferError.error(
                    .cannotCreateFile,
                    "Tapedeck cannot hand a file to this download task (\(error)). Use a data task instead.",
                    self.url
                )
            )
        }
    }
}
#endif
