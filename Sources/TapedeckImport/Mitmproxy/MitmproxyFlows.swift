import TapedeckCore

/// Reads mitmproxy's flow files: typed netstrings one after the other, of all versions whose flows are dictionaries with
/// requests and responses.
package struct MitmproxyFlows: ImportFormat {
    package let name = "mitmproxy"

    package init() {}

    package func recognises(_ file: ImportFile) -> Bool { Self.startsLikeFlows(file.bytes) }

    /// True if a file begins with the length of a dictionary and a first key.
    static func startsLikeFlows(_ bytes: [UInt8]) -> Bool {
        let digits = bytes.prefix(12).prefix { (0x30...0x39).contains($0) }.count
        guard digits > 0, bytes.count > digits, bytes[digits] == 0x3A else { return false }
        let rest = bytes[(digits + 1)...]
        let inner = rest.prefix(12).prefix { (0x30...0x39).contains($0) }.count
        return inner > 0 && rest.count > inner && rest[rest.startIndex + inner] == 0x3A
    }

    package func read(_ file: ImportFile) throws(ForeignError) -> ImportedFile {
        var result = ImportedFile()
        result.position = .entry
        var offset = 0
        var number = 0
        let all = file.bytes[...]
        while offset < all.endIndex {
            // Some files end with line ends.
            if all[offset] == 0x0A || all[offset] == 0x0D {
                offset += 1
                continue
            }
            number += 1
            let start = offset
            do throws(ForeignError) {
                let flow = try TypedNetstring(all, at: &offset)
                result.exchanges.append(
                    ForeignEntry.reading(line: number) { () throws(LeftOut) in try Self.exchange(flow, number) }
                )
            } catch {
                // Nothing after an invalid value can be found.
                let reason = "\(error.message), at byte \(start) of the file: it and all behind it are not read"
                result.exchanges.append(
                    ForeignEntry(line: number, result: .failure(LeftOut(reason, line: number)))
                )
                return result
            }
        }
        return result
    }

    private static func exchange(_ flow: TypedNetstring, _ number: Int) throws(LeftOut) -> ForeignExchange {
        guard case .dictionary = flow else { throw LeftOut("it is no flow", line: number) }
        if let type = flow["type"]?.string, type != "http" {
            throw LeftOut("it is a flow of the type \(type.prefix(40)): only HTTP is played", line: number)
        }
        guard let request = flow["request"], !request.isNull else { throw LeftOut("it has no request", line: number) }
        if let socket = flow["websocket"], !socket.isNull {
            let count = socket["messages"]?.items.count ?? 0
            throw LeftOut("it is a WebSocket of \(count) messages: cassettes hold no WebSocket messages", line: number)
        }
        var exchange = ForeignExchange()
        exchange.method = request["method"]?.string ?? "GET"
        exchange.url = self.url(request)
        exchange.requestHeaders = self.fields(request["headers"])
        exchange.requestBody = request["content"]?.bytes ?? []
        guard let response = flow["response"], !response.isNull else {
            let message = flow["error"]?["msg"]?.string ?? ""
            guard !message.isEmpty else { throw LeftOut("it has no response", line: number) }
            guard let fault = ForeignFailure(message).fault else {
                throw LeftOut(
                    "the client ended the request itself (\(message.prefix(80))): no server failed",
                    line: number
                )
            }
            exchange.fault = fault
            exchange.detail = String(message.prefix(200))
            exchange.time = self.instant(request["timestamp_start"])
            return exchange
        }
        exchange.status = response["status_code"]?.int ?? response["code"]?.int ?? 0
        guard exchange.status != 101 else {
            throw LeftOut("it is an upgrade to another protocol: only HTTP is played", line: number)
        }
        exchange.reason = (response["reason"] ?? response["msg"])?.string ?? ""
        exchange.headers = self.fields(response["headers"])
        exchange.trailers = self.fields(response["trailers"])
        guard let content = response["content"], let body = content.bytes else {
            throw LeftOut("the file does not hold its body: it was streamed", line: number)
        }
        exchange.body = body
        let end = response["timestamp_end"] ?? response["timestamp_start"]
        exchange.time = self.instant(end)
        if let sent = (request["timestamp_end"] ?? request["timestamp_start"])?.double,
            let came = response["timestamp_start"]?.double, came >= sent, came - sent < 1e9
        {
            exchange.latency = Int(((came - sent) * 1_000).rounded())
        }
        return exchange
    }

    private static func url(_ request: TypedNetstring) -> String {
        let path = request["path"]?.string ?? "/"
        if path.hasPrefix("http://") || path.hasPrefix("https://") { return path }
        let scheme = request["scheme"]?.string ?? "http"
        let port = request["port"]?.int
        var host = request["host"]?.string ?? ""
        // In transparent and reverse mode `host` is the address, and the name is in the field or the authority.
        let fields = self.fields(request["headers"])
        let named = fields.first(named: "host") ?? request["authority"]?.string ?? ""
        if !named.isEmpty, let (name, _) = Origin.split(authority: named), !name.isEmpty { host = name }
        if host.contains(":"), !host.hasPrefix("[") { host = "[\(host)]" }
        let isUsual = port == nil || port == (scheme == "https" ? 443 : 80)
        return "\(scheme)://\(host)\(isUsual ? "" : ":\(port ?? 0)")\(path.hasPrefix("/") ? "" : "/")\(path)"
    }

    private static func fields(_ node: TypedNetstring?) -> [HeaderField] {
        (node?.items ?? []).compactMap { pair in
            guard pair.items.count == 2, let name = pair.items[0].string, let value = pair.items[1].bytes else {
                return nil
            }
            return HeaderField(name, ByteText.string(from: value))
        }
    }

    private static func instant(_ value: TypedNetstring?) -> Instant? {
        guard let seconds = value?.double, seconds > 0, seconds < 1e11 else { return nil }
        return Instant(milliseconds: Int64(seconds * 1_000))
    }
}
