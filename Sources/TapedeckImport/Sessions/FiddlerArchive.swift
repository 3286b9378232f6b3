import TapedeckCore

/// Reads archives of Fiddler (`.saz`): zip archives with the raw messages of each session.
package struct FiddlerArchive: ImportFormat {
    package let name = "fiddler"

    /// The members of one session.
    private struct Session {
        let folder: String
        let number: Int
        var request: String?
        var response: String?
        var metadata: String?
    }

    package init() {}

    package func recognises(_ file: ImportFile) -> Bool {
        file.isArchive && file.siblings().contains { Self.part($0)?.kind == "c" }
    }

    package func read(_ file: ImportFile) throws(ForeignError) -> ImportedFile {
        var members = SessionMembers(file)
        let sessions = Self.sessions(in: members.names)
        guard file.isArchive, !sessions.isEmpty else {
            throw ForeignError(message: "it is no archive of Fiddler: it has no raw/1_c.txt", line: 1, column: 1)
        }
        var result = ImportedFile()
        result.position = .entry
        for (index, session) in sessions.enumerated() {
            let line = index + 1
            result.append(line: line) { () throws(LeftOut) in
                guard let request = try members.content(ifAny: session.request, line: line) else {
                    throw LeftOut("the archive has no request of session \(session.number)", line: line)
                }
                let response = try members.content(ifAny: session.response, line: line)
                let metadata = try members.content(ifAny: session.metadata, line: line)
                return try Self.entry(request, response, metadata.map { FiddlerMetadata($0) }, line: line)
            }
        }
        return result
    }

    // MARK: Members

    /// The parts of a name such as `raw/12_c.txt`, which old versions write with a backslash; `nil` for every other name.
    private static func part(_ name: String) -> (folder: String, number: Int, kind: String)? {
        let path = ASCII.lowercased(name).split(separator: "/", omittingEmptySubsequences: false).flatMap {
            $0.split(separator: "\\", omittingEmptySubsequences: false)
        }
        guard path.count > 1, path[path.count - 2] == "raw", let file = path.last else { return nil }
        let digits = file.prefix { $0 != "_" }
        guard digits.count < 10, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(digits) else {
            return nil
        }
        let folder = path.dropLast(2).joined(separator: "/")
        switch file.dropFirst(digits.count) {
        case "_c.txt": return (folder, number, "c")
        case "_s.txt": return (folder, number, "s")
        case "_m.xml": return (folder, number, "m")
        default: return nil
        }
    }

    private static func sessions(in names: [String]) -> [Session] {
        var sessions: [Session] = []
        var places: [String: Int] = [:]
        for name in names {
            guard let part = self.part(name) else { continue }
            let key = "\(part.folder)/\(part.number)"
            let place = places[key] ?? sessions.count
            if place == sessions.count {
                sessions.append(Session(folder: part.folder, number: part.number))
                places[key] = place
            }
            switch part.kind {
            case "c": sessions[place].request = name
            case "s": sessions[place].response = name
            default: sessions[place].metadata = name
            }
        }
        return sessions.sorted { ($0.folder, $0.number) < ($1.folder, $1.number) }
    }

    // MARK: Sessions

    private static func entry(
        _ request: [UInt8],
        _ response: [UInt8]?,
        _ metadata: FiddlerMetadata?,
        line: Int
    ) throws(LeftOut) -> SessionEntry {
        let request = try RawRequest(request, line: line)
        guard request.method.uppercased() != "CONNECT" else { throw LeftOut(SessionEntry.tunnel, line: line) }
        guard metadata?.isWebSocket != true else { throw LeftOut(SessionEntry.webSocket, line: line) }
        var exchange = ForeignExchange(request, url: try self.url(request, metadata, line: line))
        if metadata?.lacksRequestBody == true { exchange.lacksRequestBody = true }
        exchange.time = metadata?.time
        exchange.latency = metadata?.latency
        guard let response, response.contains(where: { $0 > 0x20 }) else {
            return try SessionEntry.unanswered(exchange, line: line)
        }
        let answer = try RawResponse(response, method: request.method, line: line)
        guard answer.status != 101 else { throw LeftOut(SessionEntry.webSocket, line: line) }
        guard answer.status > 0 else { return try SessionEntry.unanswered(exchange, line: line) }
        if answer.reason.hasPrefix("Fiddler - ") {
            exchange.fault = try self.fault(answer, line: line)
            exchange.detail = String(answer.reason.prefix(200))
            return .exchange(exchange)
        }
        guard metadata?.lacksBody != true else {
            throw LeftOut("the file does not hold its body: Fiddler dropped it", line: line)
        }
        exchange.take(answer)
        if metadata?.isMadeUp == true {
            exchange.notes.append("Fiddler made its answer, such as by the AutoResponder: no server sent it")
        }
        return .exchange(exchange)
    }

    /// The URL of a request. Fiddler writes it whole; other tools write a path, and say in the metadata that it went over TLS.
    private static func url(
        _ request: RawRequest,
        _ metadata: FiddlerMetadata?,
        line: Int
    ) throws(LeftOut) -> String {
        if request.target.containsText("://") { return request.target }
        guard let host = request.fields.first(named: "host"), !host.isEmpty else {
            throw LeftOut("its request names no host", line: line)
        }
        let isTLS = host.hasSuffix(":443") || metadata?.isTLS == true
        guard isTLS || metadata != nil else {
            throw LeftOut("nothing says whether its request went over http or https", line: line)
        }
        return "\(isTLS ? "https" : "http")://\(host)\(request.target.hasPrefix("/") ? "" : "/")\(request.target)"
    }

    /// The failure behind an answer that Fiddler made because no server sent one.
    private static func fault(_ answer: RawResponse, line: Int) throws(LeftOut) -> Fault {
        let text = String(decoding: answer.body.prefix(4_096), as: UTF8.self).lowercased()
        switch answer.reason {
        case "Fiddler - DNS Lookup Failed": return .nameNotResolved
        case "Fiddler - Receive Failure", "Fiddler - Send Failure": return .emptyResponse
        case "Fiddler - Connection Failed" where text.containsText("refused"): return .connectionRefused
        case "Fiddler - Connection Failed" where text.containsText("timedout"): return .timeout
        default:
            throw LeftOut("Fiddler made its answer (\(answer.reason.prefix(80))): no server sent one", line: line)
        }
    }
}
