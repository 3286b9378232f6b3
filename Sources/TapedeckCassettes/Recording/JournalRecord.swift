import TapedeckCore

/// The binary form of an exchange in the journal: texts and lists with their lengths in front, little-endian.
struct JournalRecordWriter {
    private(set) var bytes: [UInt8] = []

    static func encode(_ exchange: RecordedExchange) -> [UInt8] {
        var writer = JournalRecordWriter()
        writer.bytes.reserveCapacity(Self.size(of: exchange))
        writer.write(exchange.requestPart.rawValue)
        writer.write(exchange.number)
        writer.write(exchange.time)
        writer.write(exchange.method)
        writer.write(exchange.url)
        writer.write(exchange.requestHeaders)
        writer.write(exchange.requestBody)
        let response = exchange.response
        writer.write(response.status)
        writer.write(response.reason)
        writer.write(response.interim.count)
        for interim in response.interim {
            writer.write(interim.status)
            writer.write(interim.reason == nil ? 0 : 1)
            writer.write(interim.reason ?? "")
            writer.write(interim.headers)
        }
        writer.write(response.headers)
        writer.write(response.body)
        writer.write(response.trailers)
        writer.write(response.endsAtClose ? 1 : 0)
        writer.write(response.fault?.rawValue ?? "")
        writer.write(response.detail ?? "")
        writer.write(response.latency ?? -1)
        writer.write(response.isHTTP2 ? 1 : 0)
        writer.write(response.faultOptions.code.map { Int($0.rawValue) } ?? -1)
        writer.write(response.pieces)
        writer.write(response.order)
        writer.write(exchange.zone)
        writer.write(response.messagesBeforeFault ?? -1)
        return writer.bytes
    }

    /// About the size of the record.
    private static func size(of exchange: RecordedExchange) -> Int {
        var size = 512 + exchange.url.utf8.count
        for fields in [exchange.requestHeaders, exchange.response.headers, exchange.response.trailers] {
            for field in fields { size += 16 + field.name.utf8.count + field.value.utf8.count }
        }
        for case .bytes(let body) in [exchange.requestBody, exchange.response.body] { size += body.count }
        return size
    }

    private mutating func write(_ value: Int) {
        withUnsafeBytes(of: Int64(value).littleEndian) { self.bytes.append(contentsOf: $0) }
    }

    private mutating func write(_ text: String) {
        self.write(text.utf8.count)
        self.bytes.append(contentsOf: text.utf8)
    }

    private mutating func write(_ fields: [HeaderField]) {
        self.write(fields.count)
        for field in fields {
            self.write(field.name)
            self.write(field.value)
        }
    }

    private mutating func write(_ pieces: [RecordedPiece]) {
        self.write(pieces.count)
        for piece in pieces {
            self.write(piece.size)
            self.write(piece.time)
        }
    }

    private mutating func write(_ order: MessageOrder?) {
        self.write(order == nil ? 0 : 1)
        guard let order else { return }
        self.write(order.messages.count)
        for count in order.messages { self.write(count ?? -1) }
        self.write(order.end ?? -1)
    }

    private mutating func write(_ body: RecordedBody) {
        switch body {
        case .bytes(let bytes):
            self.write(0)
            self.write(bytes.count)
            self.bytes.append(contentsOf: bytes)
        case .file(let name, let size, let sha256):
            self.write(1)
            self.write(name)
            self.write(size)
            self.write(sha256)
        }
    }
}

/// Reads what ``JournalRecordWriter`` wrote; `nil` from any step means that the record is not whole.
struct JournalRecordReader {
    private let bytes: UnsafeRawBufferPointer
    private let version: Int
    private var index = 0

    private init(_ bytes: UnsafeRawBufferPointer, version: Int) {
        (self.bytes, self.version) = (bytes, version)
    }

    /// - Parameter version: that of the journal; version 1 knew no latency, version 2 no pieces, version 3 no partial
    ///   requests, version 4 no HTTP/2, version 5 no codes of its errors, version 6 no order of messages,
    ///   version 7 no messages before a fault and no time zone.
    static func decode(_ bytes: ArraySlice<UInt8>, version: Int) -> RecordedExchange? {
        bytes.withUnsafeBytes { bytes in
            var reader = JournalRecordReader(bytes, version: version)
            return reader.exchange()
        }
    }

    /// The number of the exchange alone.
    static func number(_ bytes: UnsafeRawBufferPointer, version: Int) -> Int? {
        let place = version >= 4 ? 8 : 0
        guard bytes.count >= place + 8 else { return nil }
        return Int(Int64(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: Int64.self)))
    }

    private mutating func exchange() -> RecordedExchange? {
        var part = RecordedExchange.RequestPart.whole
        if self.version >= 4 {
            guard let read = self.int().flatMap(RecordedExchange.RequestPart.init) else { return nil }
            part = read
        }
        guard let number = self.int(), let time = self.int(), let method = self.text(), let url = self.text(),
            let requestHeaders = self.fields(), let requestBody = self.body(), let response = self.response()
        else { return nil }
        var exchange = RecordedExchange(
            number: number,
            method: method,
            url: url,
            requestHeaders: requestHeaders,
            requestBody: requestBody,
            response: response,
            time: time
        )
        exchange.requestPart = part
        if self.version >= 8 {
            guard let zone = self.int(), let messages = self.int() else { return nil }
            exchange.zone = zone
            if messages >= 0 { exchange.response.faultOptions.after = .messages(messages) }
        }
        return exchange
    }

    private mutating func response() -> RecordedResponse? {
        var response = RecordedResponse()
        guard let status = self.int(), let reason = self.text(), let interimCount = self.int() else { return nil }
        response.status = status
        response.reason = reason
        for _ in 0..<max(0, interimCount) {
            guard let status = self.int(), let hasReason = self.int(), let reason = self.text(),
                let headers = self.fields()
            else { return nil }
            let interim = Take.Interim(status: status, reason: hasReason == 1 ? reason : nil, headers: headers)
            response.interim.append(interim)
        }
        guard let headers = self.fields(), let body = self.body(), let trailers = self.fields(),
            let endsAtClose = self.int(), let fault = self.text(), let detail = self.text()
        else { return nil }
        response.headers = headers
        response.body = body
        response.trailers = trailers
        response.endsAtClose = endsAtClose != 0
        response.fault = Fault(rawValue: fault)
        response.detail = detail.isEmpty ? nil : detail
        if self.version >= 2 {
            guard let latency = self.int() else { return nil }
            response.latency = latency < 0 ? nil : latency
        }
        if self.version >= 5 {
            guard let isHTTP2 = self.int() else { return nil }
            response.isHTTP2 = isHTTP2 == 1
        }
        if self.version >= 6 {
            guard let code = self.int() else { return nil }
            response.faultOptions.code = UInt32(exactly: code).map(HTTP2ErrorCode.init(rawValue:))
        }
        if self.version >= 3 {
            guard let pieces = self.pieces() else { return nil }
            response.pieces = pieces
        }
        if self.version >= 7 {
            guard let hasOrder = self.int() else { return nil }
            if hasOrder == 1 {
                guard let order = self.order() else { return nil }
                response.order = order
            }
        }
        return response
    }

    private mutating func int() -> Int? {
        self.take(8).map { Int(Int64(littleEndian: $0.loadUnaligned(as: Int64.self))) }
    }

    private mutating func text() -> String? {
        self.int().flatMap { self.take($0) }.flatMap { String(validating: $0, as: UTF8.self) }
    }

    private mutating func fields() -> [HeaderField]? {
        guard let count = self.int(), count >= 0 else { return nil }
        var fields: [HeaderField] = []
        // Each takes two lengths at least, so a count that is not true reserves little.
        fields.reserveCapacity(min(count, self.bytes.count / 16))
        for _ in 0..<count {
            guard let name = self.text(), let value = self.text() else { return nil }
            fields.append(HeaderField(name, value))
        }
        return fields
    }

    private mutating func pieces() -> [RecordedPiece]? {
        guard let count = self.int(), count >= 0 else { return nil }
        var pieces: [RecordedPiece] = []
        for _ in 0..<count {
            guard let size = self.int(), let time = self.int() else { return nil }
            pieces.append(RecordedPiece(size: size, time: time))
        }
        return pieces
    }

    private mutating func order() -> MessageOrder? {
        guard let count = self.int(), count >= 0 else { return nil }
        var order = MessageOrder()
        for _ in 0..<count {
            guard let messages = self.int() else { return nil }
            order.messages.append(messages < 0 ? nil : messages)
        }
        guard let end = self.int() else { return nil }
        order.end = end < 0 ? nil : end
        return order
    }

    private mutating func body() -> RecordedBody? {
        switch self.int() {
        case 0:
            return self.int().flatMap { self.take($0) }.map { .bytes(Array($0)) }
        case 1:
            guard let name = self.text(), let size = self.int(), let sha256 = self.text() else { return nil }
            return .file(name: name, size: size, sha256: sha256)
        default:
            return nil
        }
    }

    private mutating func take(_ count: Int) -> UnsafeRawBufferPointer? {
        guard count >= 0, count <= self.bytes.count - self.index else { return nil }
        defer { self.index += count }
        return UnsafeRawBufferPointer(rebasing: self.bytes[self.index..<(self.index + count)])
    }
}

extension RecordedResponse {
    /// The number of messages that came before a fault; `nil` if that is not counted.
    fileprivate var messagesBeforeFault: Int? {
        if case .messages(let count)? = self.faultOptions.after { count } else { nil }
    }
}
