import Foundation
import TapedeckControlClient

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Turns the bytes of an answer into the events of a URLSession.
extension Transfer {
    /// Waits for the next piece of the answer.
    func receive(
        from socket: borrowing ClientSocket,
        into parser: inout ResponseParser,
        _ end: Deadline,
        _ url: URL?
    ) throws(URLError) {
        let bytes: [UInt8]
        do {
            bytes = try socket.receive(deadline: self.patience(end))
        } catch {
            throw TransferError.broken(error, url)
        }
        do {
            if bytes.isEmpty { try parser.end() } else { try parser.receive(bytes) }
        } catch {
            guard !bytes.isEmpty, parser.head == nil else { throw TransferError.lost(error.reason, url) }
            throw TransferError.error(.badServerResponse, "The answer is no HTTP: \(error.reason).", url)
        }
    }

    func response(_ head: ResponseParser.Head, _ url: URL?) throws(URLError) -> HTTPURLResponse {
        var fields: [String: String] = [:]
        var spellings: [String: String] = [:]
        for (name, value) in head.fields {
            let spelling = spellings[name.lowercased()] ?? name
            spellings[name.lowercased()] = spelling
            // RFC 9110 section 5.3: fields of one name are one list.
            fields[spelling] = fields[spelling].map { "\($0), \(value)" } ?? value
        }
        #if canImport(FoundationNetworking)
        Self.hideChallenge(in: &fields, status: head.status)
        #endif
        guard let url,
            let response = HTTPURLResponse(
                url: url,
                statusCode: head.status,
                httpVersion: "HTTP/1.1",
                headerFields: fields
            )
        else { throw TransferError.error(.badServerResponse, "The response cannot be read.", url) }
        return response
    }

    #if canImport(FoundationNetworking)
    /// Foundation on Linux answers a challenge of a known kind by a new request with its own loader, past the deck, or
    /// without credentials never ends the task. So it must not see it: the field is renamed.
    private static func hideChallenge(in fields: inout [String: String], status: Int) {
        guard status == 401, let name = fields.keys.first(where: { $0.lowercased() == "www-authenticate" }),
            let value = fields[name], value.lowercased().contains("basic") || value.lowercased().contains("digest")
        else { return }
        fields[name] = nil
        fields["X-Tapedeck-WWW-Authenticate"] = value
    }
    #endif

    func storeCookies(of head: ResponseParser.Head, _ request: URLRequest) {
        guard let url = request.url, request.httpShouldHandleCookies, let storage = self.plan.cookies,
            self.plan.cookiePolicy != .never
        else { return }
        // One by one: a value may contain a comma.
        for (name, value) in head.fields where name.lowercased() == "set-cookie" {
            let cookies = HTTPCookie.cookies(withResponseHeaderFields: ["Set-Cookie": value], for: url)
            storage.setCookies(cookies, for: url, mainDocumentURL: self.plan.request.mainDocumentURL)
        }
    }
}
