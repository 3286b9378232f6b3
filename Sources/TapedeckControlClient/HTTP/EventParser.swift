/// One server-sent event.
struct ServerSentEvent: Equatable {
    /// `message` by default.
    var name: String
    var data: String
    /// The last id that the stream gave.
    var id: String?
}

/// Parses a stream of server-sent events in pieces of any size (WHATWG HTML, section 9.2.6). Fields about reconnecting
/// are ignored.
struct EventParser {
    private var line: [UInt8] = []
    private var name = ""
    private var data: [UInt8]?
    private var id: String?
    /// True if the last byte was a carriage return, so that a following line feed does not end another line.
    private var sawReturn = false
    private var isFirstLine = true

    /// The number of bytes of the incomplete event.
    var pendingBytes: Int { self.line.count + (self.data?.count ?? 0) }

    /// The events that are complete with `bytes`.
    mutating func receive(_ bytes: [UInt8]) -> [ServerSentEvent] {
        var events: [ServerSentEvent] = []
        for byte in bytes {
            defer { self.sawReturn = byte == UInt8(ascii: "\r") }
            guard byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") else {
                self.line.append(byte)
                continue
            }
            if byte == UInt8(ascii: "\n"), self.sawReturn { continue }
            if let event = self.endLine() { events.append(event) }
        }
        return events
    }

    private mutating func endLine() -> ServerSentEvent? {
        var line = self.line[...]
        if self.isFirstLine, line.starts(with: [0xEF, 0xBB, 0xBF]) { line = line.dropFirst(3) }
        self.isFirstLine = false
        defer { self.line.removeAll(keepingCapacity: true) }
        guard !line.isEmpty else { return self.endEvent() }
        let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
        var value = line[colon...].dropFirst()
        if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
        // A line that begins with a colon is a comment, and an unknown field is nothing to us: both fall through.
        switch String(decoding: line[..<colon], as: UTF8.self) {
        case "event": self.name = String(decoding: value, as: UTF8.self)
        case "id": self.id = String(decoding: value, as: UTF8.self)
        case "data":
            if self.data == nil { self.data = [] } else { self.data?.append(UInt8(ascii: "\n")) }
            self.data?.append(contentsOf: value)
        default: break
        }
        return nil
    }

    private mutating func endEvent() -> ServerSentEvent? {
        defer { (self.name, self.data) = ("", nil) }
        guard let data = self.data else { return nil }
        let name = self.name.isEmpty ? "message" : self.name
        return ServerSentEvent(name: name, data: String(decoding: data, as: UTF8.self), id: self.id)
    }
}
