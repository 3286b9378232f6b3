import Foundation
import TapedeckControlClient

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// From a request to its bytes on the socket.
extension Transfer {
    /// Sends a request, or as much of it as is taken: who answers before it has read everything may close early.
    func send(
        _ request: URLRequest,
        _ body: RequestBody,
        over socket: borrowing ClientSocket,
        _ end: Deadline,
        _ deliver: (Event) -> Void
    ) throws(URLError) {
        let url = request.url
        let length: Int?
        do {
            length = try body.length()
        } catch {
            throw TransferError.error(.fileDoesNotExist, "The file to upload cannot be read: \(error).", url)
        }
        let cookies = url.flatMap { self.plan.cookies?.cookies(for: $0) } ?? []
        let head = OutgoingHead(
            request,
            route: self.plan.route,
            additional: self.additional(for: url),
            cookies: cookies,
            body: body,
            length: length
        )
        guard let head else {
            throw TransferError.error(.unsupportedURL, "Tapedeck takes http and https URLs only.", url)
        }
        do throws(ClientSocket.Failure) {
            try socket.send(head.bytes, deadline: self.patience(end))
        } catch {
            throw TransferError.broken(error, url)
        }
        var pieces = try RequestBody.Pieces(body, url)
        while let piece = try pieces.next() {
            do throws(ClientSocket.Failure) {
                if head.isChunked {
                    try socket.send(Array("\(String(piece.count, radix: 16))\r\n".utf8), deadline: self.patience(end))
                }
                try socket.send(piece, deadline: self.patience(end))
                if head.isChunked { try socket.send([0x0D, 0x0A], deadline: self.patience(end)) }
            } catch {
                guard error != .timeout else { throw TransferError.timedOut(url) }
                return
            }
            deliver(.sent(piece.count))
        }
        if head.isChunked, body.isPresent {
            do throws(ClientSocket.Failure) {
                try socket.send(Array("0\r\n\r\n".utf8), deadline: self.patience(end))
            } catch {
                return
            }
        }
    }

    /// The configuration's header fields, as far as they are for that URL: its credentials are for the origin that was
    /// asked first, like those of the request (``Redirect``).
    private func additional(for url: URL?) -> [String: String] {
        if let url, let first = self.plan.request.url, Redirect.isSameOrigin(first, url) { return self.plan.additional }
        return self.plan.additional.filter { !["authorization", "cookie"].contains($0.key.lowercased()) }
    }
}
