import TapedeckCore

/// Reads the gRPC cassettes of the tests of Pydantic AI, which record calls of `xai-sdk` (`NAME.xai.yaml`): the messages
/// of unary and of streamed chat completions.
package struct XAICassette: ImportFormat {
    package let name = "xai"

    package init() {}

    package func recognises(_ file: ImportFile) -> Bool {
        guard let interactions = file.document?["interactions"] else { return false }
        return interactions.items.contains { node in
            node["request_sample"]?.isMap == true || node["request_stream"]?.isMap == true
                || node["collections_method"]?.isMap == true
        }
    }

    package func read(_ file: ImportFile) throws(ForeignError) -> ImportedFile {
        let document = try file.requiredDocument()
        guard let interactions = document["interactions"], interactions.isList || interactions.isNull else {
            throw ForeignError(message: "it has no list of interactions", line: document.line, column: 1)
        }
        return ImportedFile(
            exchanges: interactions.items.map { node in
                ForeignEntry.reading(node) { (node) throws(LeftOut) in try Self.exchange(node) }
            }
        )
    }

    private static func exchange(_ node: ForeignNode) throws(LeftOut) -> ForeignExchange {
        if let request = node["request_sample"] {
            guard let response = node["response_sample"], response.isMap else {
                throw LeftOut("it has no response", line: request.line)
            }
            var exchange = try self.call("GetCompletion", request)
            exchange.body = try self.frame(try self.message(response["raw"], "response", line: response.line))
            exchange.time = self.time(response["json"])
            return exchange
        }
        if let request = node["request_stream"] {
            guard let response = node["response_stream"], response.isMap else {
                throw LeftOut("it has no response", line: request.line)
            }
            var exchange = try self.call("GetCompletionChunk", request)
            try self.readChunks(response, into: &exchange)
            return exchange
        }
        if let call = node["collections_method"] {
            let method = (call["method"]?.text ?? "").prefix(80)
            throw LeftOut("the file has no request message of its call of collections.\(method)", line: call.line)
        }
        throw LeftOut("it is no call that this format knows", line: node.line)
    }

    /// A successful call. The file has no metadata: it was sent to the host that `xai-sdk` has by default.
    private static func call(_ method: String, _ request: ForeignNode) throws(LeftOut) -> ForeignExchange {
        let message = try self.message(request["raw"], "request", line: request.line)
        guard let sent = self.asSent(message) else {
            throw LeftOut("its request is no message of protobuf", line: request.line)
        }
        var exchange = ForeignExchange()
        exchange.method = "POST"
        exchange.url = "https://api.x.ai/xai_api.Chat/\(method)"
        exchange.requestHeaders = [HeaderField("content-type", "application/grpc")]
        exchange.requestBody = try self.frame(sent)
        exchange.status = 200
        exchange.headers = [HeaderField("content-type", "application/grpc")]
        exchange.trailers = [HeaderField("grpc-status", "0")]
        return exchange
    }

    private static func readChunks(_ response: ForeignNode, into exchange: inout ForeignExchange) throws(LeftOut) {
        let chunks = response["chunks_raw"]?.items ?? []
        guard !chunks.isEmpty else {
            throw LeftOut("it has no chunk of the answer: the test did not read it", line: response.line)
        }
        for chunk in chunks {
            exchange.body += try self.frame(try self.message(chunk, "response", line: chunk.line))
        }
        let readable = response["chunks_json"]?.items ?? []
        exchange.time = self.time(readable.first?["chunk"])
        // The recorder keeps the chunks that the test has read.
        if let last = readable.last?["chunk"],
            last["outputs"]?.items.contains(where: { $0["finish_reason"] != nil }) != true
        {
            exchange.notes.append("its last chunk has no finish_reason: the test may have left before the end")
        }
    }

    private static func time(_ json: ForeignNode?) -> Instant? {
        json?["created"]?.text.flatMap(RecordedTime.init)?.instant
    }

    // MARK: Messages

    private static func message(_ node: ForeignNode?, _ what: String, line: Int) throws(LeftOut) -> [UInt8] {
        guard let node, node.isBinary, let bytes = node.bytes else {
            throw LeftOut("the message of its \(what) is no `!!binary`", line: node?.line ?? line)
        }
        return bytes
    }

    /// The message in its frame.
    private static func frame(_ message: [UInt8]) throws(LeftOut) -> [UInt8] {
        guard let count = UInt32(exactly: message.count) else {
            throw LeftOut("a message of it is longer than 4 GiB", line: 1)
        }
        return [0] + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: count >> UInt32($0)) } + message
    }

    /// The number of the field `n` of a request.
    private static let field: UInt64 = 8

    /// Returns a request as `xai-sdk` sends it: the recorder keeps the message before the SDK adds the number of answers,
    /// `n`, which is 1 for these calls. Fields are in the order of their numbers.
    ///
    /// `nil` for bytes that are no message.
    private static func asSent(_ message: [UInt8]) -> [UInt8]? {
        var place: Int?
        var index = 0
        while index < message.count {
            let start = index
            guard let tag = self.varint(message, &index), tag >> 3 > 0 else { return nil }
            if tag >> 3 == self.field { return message }
            if tag >> 3 > self.field, place == nil { place = start }
            let length: UInt64
            switch tag & 7 {
            case 0:
                guard self.varint(message, &index) != nil else { return nil }
                length = 0
            case 1: length = 8
            case 2:
                guard let size = self.varint(message, &index) else { return nil }
                length = size
            case 5: length = 4
            default: return nil
            }
            guard length <= UInt64(message.count - index) else { return nil }
            index += Int(length)
        }
        let end = place ?? message.count
        return Array(message[..<end]) + [UInt8(truncatingIfNeeded: self.field << 3), 1] + message[end...]
    }

    private static func varint(_ bytes: [UInt8], _ index: inout Int) -> UInt64? {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            guard index < bytes.count else { return nil }
            let byte = bytes[index]
            index += 1
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
        }
        return nil
    }
}
