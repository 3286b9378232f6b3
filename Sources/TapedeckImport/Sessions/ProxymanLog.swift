import TapedeckCore
import TapedeckJSON

/// Reads logs of Proxyman (`.proxymanlogv2`): zip archives with a JSON file for each request.
package struct ProxymanLog: ImportFormat {
    package let name = "proxyman"

    private static let sessionMember = "SharedFlowStorage"
    private static let otherEndings = [".proxymanlog", ".proxymansession", ".proxymansessionv2"]

    package init() {}

    package func recognises(_ file: ImportFile) -> Bool {
        if Self.isSession(file) { return true }
        guard file.isArchive, let first = Self.flows(in: file.siblings()).first, let bytes = file.side(first) else {
            return false
        }
        let node = (try? ForeignNode.documents(of: bytes))?.first
        return node?["request"]?["method"]?["name"] != nil && node?["request"]?["header"]?["entries"] != nil
    }

    package func read(_ file: ImportFile) throws(ForeignError) -> ImportedFile {
        var members = SessionMembers(file)
        let names = Self.flows(in: members.names)
        guard file.isArchive, !Self.isSession(file), !names.isEmpty else {
            let message =
                "it is no log of Proxyman that is known: open it in Proxyman, select its requests, and export them as Proxyman Log (.proxymanlogv2) or HAR"
            throw ForeignError(message: message, line: 1, column: 1)
        }
        var result = ImportedFile()
        result.position = .entry
        for (index, name) in names.enumerated() {
            let line = index + 1
            result.append(line: line) { () throws(LeftOut) in
                let bytes = try members.content(of: name, line: line)
                guard let node = (try? ForeignNode.documents(of: bytes))?.first, node.isMap else {
                    throw LeftOut("'\(name.prefix(80))' in the archive is no JSON object", line: line)
                }
                return try Self.entry(node, line: line)
            }
        }
        return result
    }

    /// True for a session and for files of old versions, whose form is not public.
    private static func isSession(_ file: ImportFile) -> Bool {
        if file.isArchive, file.siblings().contains(self.sessionMember) { return true }
        let path = ASCII.lowercased(file.path)
        return !file.isArchive && self.otherEndings.contains { path.hasSuffix($0) }
    }

    /// The members that are requests, such as `request_3_6567`, in the order of the log.
    private static func flows(in names: [String]) -> [String] {
        names.compactMap { name -> (number: Int, name: String)? in
            guard name.hasPrefix("request_") else { return nil }
            let digits = name.dropFirst(8).prefix { $0 != "_" }
            guard digits.count < 10, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
            return Int(digits).map { ($0, name) }
        }
        .sorted { ($0.number, $0.name) < ($1.number, $1.name) }
        .map(\.name)
    }

    // MARK: Requests

    private static func entry(_ node: ForeignNode, line: Int) throws(LeftOut) -> SessionEntry {
        guard let request = node["request"], request.isMap else { throw LeftOut("it has no request", line: line) }
        let response = node["response"].flatMap { $0.isMap ? $0 : nil }
        let code = response?["status"]?["code"]
        let status = code?.int ?? 0
        guard let method = request["method"]?["name"]?.text else { throw LeftOut("it has no method", line: line) }
        var exchange = ForeignExchange()
        exchange.method = method
        guard method.uppercased() != "CONNECT" else { throw LeftOut(SessionEntry.tunnel, line: line) }
        let isUpgrade = request["isWebSocketUpgrade"]?.bool == true || status == 101
        guard !isUpgrade, node["websocketMessageStorage"].map(\.isNull) ?? true else {
            throw LeftOut(SessionEntry.webSocket, line: line)
        }
        exchange.url = self.url(request)
        exchange.requestHeaders = self.fields(request)
        do throws(LeftOut) {
            exchange.requestBody = try self.body(request, line: line)
        } catch {
            exchange.lacksRequestBody = true
            exchange.notes.append("its request body is not known: \(error.reason)")
        }
        self.readTimes(node["timing"], into: &exchange)
        if let error = response?["error"], !error.isNull {
            throw LeftOut("it failed (\((error.text ?? "Proxyman says no more").prefix(120)))", line: line)
        }
        guard code == nil || code?.int != nil else { throw LeftOut("its answer has no valid status", line: line) }
        guard let response, status > 0 else { return try SessionEntry.unanswered(exchange, line: line) }
        exchange.status = status
        exchange.reason = response["status"]?["phrase"]?.text ?? ""
        exchange.headers = self.fields(response)
        exchange.body = try self.body(response, line: line)
        return .exchange(exchange)
    }

    private static func url(_ request: ForeignNode) -> String {
        if let url = request["fullPath"]?.text, url.containsText("://") { return url }
        let isTLS = request["isSSL"]?.bool == true
        let scheme = request["scheme"]?.text ?? (isTLS ? "https" : "http")
        let port = request["port"]?.text ?? ""
        let isUsual = port.isEmpty || port == (scheme == "https" ? "443" : "80")
        let path = request["uri"]?.text ?? "/"
        return "\(scheme)://\(request["host"]?.text ?? "")\(isUsual ? "" : ":\(port)")\(path)"
    }

    /// The fields of a message without those that were switched off in the editor.
    private static func fields(_ message: ForeignNode) -> [HeaderField] {
        (message["header"]?["entries"]?.items ?? []).compactMap { entry in
            guard entry["isEnabled"]?.bool != false, let name = entry["key"]?["name"]?.text else { return nil }
            return HeaderField(name, entry["value"]?.text ?? "")
        }
    }

    /// The bytes of a message as they came, with their content coding.
    private static func body(_ message: ForeignNode, line: Int) throws(LeftOut) -> [UInt8] {
        var bytes: [UInt8] = []
        if let data = message["bodyData"], !data.isNull {
            guard case .scalar(let text, isPlain: false) = data.content,
                let content = ForeignText.strictBase64(text)
            else { throw LeftOut("its body is no base64", line: line) }
            bytes = content
        }
        if bytes.isEmpty, let size = message["compressedBodyDataCount"]?.int, size > 0 {
            throw LeftOut("the file does not hold its body of \(Plural.text(size, "byte", "bytes"))", line: line)
        }
        return bytes
    }

    private static func readTimes(_ timing: ForeignNode?, into exchange: inout ForeignExchange) {
        func milliseconds(_ name: String) -> Int64? {
            guard let seconds = timing?[name]?.text.flatMap(Double.init), seconds > 0, seconds < 1e11 else {
                return nil
            }
            return Int64((seconds * 1_000).rounded())
        }
        if let end = milliseconds("responseEndedAt") ?? milliseconds("responseStartedAt") {
            exchange.time = Instant(milliseconds: end)
        }
        if let sent = milliseconds("requestEndedAt"), let came = milliseconds("responseStartedAt"), came > sent,
            came - sent < 1_000_000_000
        {
            exchange.latency = Int(came - sent)
        }
    }
}
