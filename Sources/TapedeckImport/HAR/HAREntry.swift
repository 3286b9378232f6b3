import TapedeckCore

/// Reads the entries of one HTTP Archive.
struct HAREntry {
    let side: ImportFile.Sides
    /// The tool that wrote the archive, where it holds no body at all.
    let holdsNoBodies: String?
    /// True if bodies are in the forms of Polly.js.
    let isPolly: Bool

    func exchange(_ node: ForeignNode) throws(LeftOut) -> ForeignExchange {
        guard let request = node["request"], request.isMap else { throw LeftOut("it has no request", line: node.line) }
        guard let response = node["response"], response.isMap else {
            throw LeftOut("it has no response", line: request.line)
        }
        try Self.refuseWebSocket(node, request, response)
        var exchange = ForeignExchange()
        exchange.method = request["method"]?.text ?? "GET"
        exchange.url = request["url"]?.text ?? ""
        exchange.requestHeaders = ForeignHeaders.fields(of: request["headers"])
        try self.readRequestBody(request, into: &exchange)
        self.readTimes(node, into: &exchange)
        exchange.status = response["status"]?.int ?? 0
        // Playwright writes -1 if there was no response.
        guard exchange.status > 0 else {
            try Self.readFailure(node, request, response, into: &exchange)
            return exchange
        }
        exchange.reason = response["statusText"]?.text ?? ""
        // Chrome writes several values of one name with line ends between them.
        exchange.headers = ForeignHeaders.fields(of: response["headers"]).flatMap { field in
            field.value.split(separator: "\n", omittingEmptySubsequences: false).map {
                HeaderField(field.name, String($0))
            }
        }
        exchange.body = try self.body(of: response, exchange, notes: &exchange.notes)
        return exchange
    }

    private static func refuseWebSocket(
        _ node: ForeignNode,
        _ request: ForeignNode,
        _ response: ForeignNode
    ) throws(LeftOut) {
        let url = (request["url"]?.text ?? "").prefix(6).lowercased()
        let messages = node["_webSocketMessages"]
        guard
            messages?.isList == true || url.hasPrefix("ws://") || url.hasPrefix("wss://")
                || response["status"]?.int == 101
        else { return }
        let count = messages?.items.count ?? 0
        let of = messages == nil ? "" : ", of \(count) message\(count == 1 ? "" : "s")"
        throw LeftOut("it is a WebSocket\(of): cassettes hold no WebSocket messages", line: (messages ?? node).line)
    }

    // MARK: Times

    private func readTimes(_ node: ForeignNode, into exchange: inout ForeignExchange) {
        let total = node["time"]?.text.flatMap(Double.init).flatMap(Self.milliseconds)
        let wait = node["timings"]?["wait"]?.text.flatMap(Double.init).flatMap(Self.milliseconds)
        // Tools that did not measure write 0, as HAR asks for a number.
        exchange.latency = [wait ?? total].compactMap { $0 }.first { $0 > 0 }
        guard let start = node["startedDateTime"]?.text.flatMap(Self.instant) else { return }
        exchange.time = start.advanced(byMilliseconds: Int64(total ?? 0))
    }

    /// Rounded; `nil` for a negative value, which means an unknown time.
    private static func milliseconds(_ value: Double) -> Int? {
        value.isFinite && value >= 0 && value < 1e12 ? Int(value.rounded()) : nil
    }

    /// A time with its zone, which some tools write without the colon, and some leave out.
    private static func instant(_ text: String) -> Instant? {
        if let time = RecordedTime(text)?.instant { return time }
        let tail = text.suffix(5)
        guard let sign = tail.first, sign == "+" || sign == "-", tail.dropFirst().allSatisfy(\.isNumber) else {
            return nil
        }
        return RecordedTime("\(text.dropLast(2)):\(text.suffix(2))")?.instant
    }

    // MARK: Failures

    private static func readFailure(
        _ node: ForeignNode,
        _ request: ForeignNode,
        _ response: ForeignNode,
        into exchange: inout ForeignExchange
    ) throws(LeftOut) {
        let error = response["_error"]?.text ?? response["_failureText"]?.text ?? node["_error"]?.text ?? ""
        guard !error.isEmpty else {
            throw LeftOut(
                "its status is \(exchange.status): the request got no response, and the file does not say why",
                line: node.line
            )
        }
        guard let fault = ForeignFailure(error).fault else {
            throw LeftOut(
                "the client ended the request itself (\(error.prefix(80))): no server failed",
                line: node.line
            )
        }
        exchange.status = 0
        exchange.fault = fault
        exchange.detail = String(error.prefix(200))
    }

    // MARK: Bodies

    private func readRequestBody(_ request: ForeignNode, into exchange: inout ForeignExchange) throws(LeftOut) {
        // HTTP Toolkit writes bodies that are no text there.
        if let content = request["_content"], content["encoding"]?.text == "base64", let text = content["text"]?.text {
            self.take(HARText.base64(text), into: &exchange)
            return
        }
        guard let data = request["postData"], data.isMap else {
            let length = exchange.requestHeaders.first(named: "content-length").flatMap { Int($0) }
            // HAR 1.2: a size of -1 is not known.
            let size = request["bodySize"]?.int.flatMap { $0 < 0 ? nil : $0 }
            exchange.lacksRequestBody = (size ?? length ?? 0) > 0
            return
        }
        if let text = data["text"]?.text, !text.isEmpty || data["params"] == nil {
            let encoding = data["encoding"]?.text ?? data["_encoding"]?.text
            guard encoding?.lowercased() != "base64" else {
                self.take(HARText.base64(text), into: &exchange)
                return
            }
            let isCoded = exchange.requestHeaders.contains(named: "content-encoding")
            let length = isCoded ? nil : exchange.requestHeaders.first(named: "content-length").flatMap { Int($0) }
            switch HARText.read(text, lengths: [request["bodySize"]?.int, length], headers: exchange.requestHeaders) {
            case .bytes(let bytes): exchange.requestBody = bytes
            case .bytesPerCharacter(let bytes):
                exchange.requestBody = bytes
                exchange.notes.append("each character of its request body is taken for a byte")
            case .lost:
                exchange.lacksRequestBody = true
                exchange.notes.append("its request body is not known: it is stored as text, and bytes of it are lost")
            }
            return
        }
        if let path = data["_file"]?.text {
            guard let bytes = self.side(path) else {
                exchange.notes.append("its request body is not known: the file '\(path.prefix(200))' is not there")
                exchange.lacksRequestBody = true
                return
            }
            exchange.requestBody = bytes
            return
        }
        let parameters = data["params"]?.items ?? []
        guard !parameters.isEmpty else { return }
        let type = data["mimeType"]?.text ?? exchange.requestHeaders.first(named: "content-type") ?? ""
        let form = HARForm(parameters, contentType: exchange.requestHeaders.first(named: "content-type") ?? type)
        guard let body = form.body else {
            exchange.notes.append("its request body is not known: the file holds the parameters alone")
            exchange.lacksRequestBody = true
            return
        }
        exchange.requestBody = body
    }

    private func take(_ bytes: [UInt8]?, into exchange: inout ForeignExchange) {
        if let bytes {
            exchange.requestBody = bytes
        } else {
            exchange.lacksRequestBody = true
            exchange.notes.append("its request body is not known: it is no base64")
        }
    }

    private func body(
        of response: ForeignNode,
        _ exchange: ForeignExchange,
        notes: inout [String]
    ) throws(LeftOut) -> [UInt8] {
        let content = response["content"]
        if let path = content?["_file"]?.text {
            guard let bytes = self.side(path) else {
                throw LeftOut(
                    "its body is in the file '\(path.prefix(200))', which is not there",
                    line: content?["_file"]?.line ?? response.line
                )
            }
            return bytes
        }
        guard let content, let text = content["text"], let value = text.text else {
            try self.refuseMissingBody(response, exchange)
            return []
        }
        if self.isPolly { return try PollyBody.bytes(content, text, exchange.headers) }
        // Firefox writes an empty text for a body that its cache no longer holds.
        if value.isEmpty, let size = content["size"]?.int, size > 0 {
            try self.refuseMissingBody(response, exchange)
            return []
        }
        guard content["encoding"]?.text?.lowercased() == "base64" else {
            let size = content["size"]?.int
            // mitmproxy writes the coded size, and what decoding adds to it.
            let decoded = content["compression"]?.int.flatMap { (size ?? 0).addingReportingOverflow($0).partialValue }
            let isCoded = exchange.headers.contains(named: "content-encoding")
            let length = isCoded ? nil : exchange.headers.first(named: "content-length").flatMap { Int($0) }
            switch HARText.read(value, lengths: [size, decoded, length], headers: exchange.headers) {
            case .bytes(let bytes): return bytes
            case .bytesPerCharacter(let bytes):
                notes.append("each character of its body is taken for a byte")
                return bytes
            case .lost:
                guard exchange.mayHaveBody else { return [] }
                throw LeftOut("its body is stored as text, and bytes of it are lost", line: text.line)
            }
        }
        guard let bytes = HARText.base64(value) else { throw LeftOut("its body is no base64", line: text.line) }
        if let size = content["size"]?.int, size > 0, size != bytes.count {
            let length = Plural.text(bytes.count, "byte", "bytes")
            notes.append("its body has \(length), though it is said to be of \(size)")
        }
        return bytes
    }

    /// An entry without a body is played where the response had none.
    private func refuseMissingBody(_ response: ForeignNode, _ exchange: ForeignExchange) throws(LeftOut) {
        guard exchange.mayHaveBody else { return }
        let status = exchange.status
        let length = exchange.headers.first(named: "content-length").flatMap { Int($0) }
        let isRedirect = (300...399).contains(status) && exchange.headers.contains(named: "location")
        if isRedirect || length == 0 { return }
        let size = [response["content"]?["size"]?.int, response["bodySize"]?.int, length].compactMap { $0 }
            .first { $0 > 0 }
        if let tool = self.holdsNoBodies {
            throw LeftOut("archives of \(tool) hold no bodies: nothing to play", line: response.line)
        }
        guard let size else { return }
        throw LeftOut("the file does not hold its body of \(size) bytes", line: (response["content"] ?? response).line)
    }
}
