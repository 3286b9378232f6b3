import TapedeckCore

/// The metadata of a session of Fiddler (`raw/1_m.xml`), as far as it can be read.
struct FiddlerMetadata {
    /// Bits of `BitFlags`, in hexadecimal digits, as FiddlerCore names them.
    private enum Flag {
        static let isHTTPS = 0x1
        static let responseGeneratedByFiddler = 0x100
        static let responseBodyDropped = 0x2_0000
        static let isWebSocketTunnel = 0x4_0000
        static let requestBodyDropped = 0x10_0000
    }

    private var flags = 0
    private var timers: [String: Instant] = [:]
    /// The port of the server, in files of other tools; in those of Fiddler that of the client's end.
    private var port: String?

    init(_ bytes: [UInt8]) {
        var scanner = MarkupScanner(bytes)
        // Flags that were read before an error count.
        while let token = try? scanner.next() {
            guard case .start(let tag) = token else { continue }
            switch tag.name {
            case "Session": self.flags = tag["BitFlags"].flatMap { Int($0, radix: 16) } ?? 0
            case "SessionTimers":
                for attribute in tag.attributes {
                    // A time that did not come is 0001-01-01T00:00:00.
                    guard let time = RecordedTime(attribute.value)?.instant, time.milliseconds > 0 else { continue }
                    self.timers[attribute.name] = time
                }
            case "SessionFlag" where tag["N"]?.lowercased() == "x-egressport": self.port = tag["V"]
            default: break
            }
        }
    }

    /// True if the request went over TLS.
    var isTLS: Bool { self.flags & Flag.isHTTPS != 0 || self.port == "443" }
    var isWebSocket: Bool { self.flags & Flag.isWebSocketTunnel != 0 }
    /// True if the answer is of Fiddler itself.
    var isMadeUp: Bool { self.flags & Flag.responseGeneratedByFiddler != 0 }
    /// True if Fiddler did not keep the body of the answer.
    var lacksBody: Bool { self.flags & Flag.responseBodyDropped != 0 }
    /// True if Fiddler did not keep the body of the request.
    var lacksRequestBody: Bool { self.flags & Flag.requestBodyDropped != 0 }

    /// When the answer was there.
    var time: Instant? { self.timers["ServerDoneResponse"] ?? self.timers["ClientDoneResponse"] }

    /// The time from the last byte of the request to the first one of the answer, in milliseconds.
    var latency: Int? {
        guard let sent = self.timers["ServerGotRequest"], let came = self.timers["ServerBeginResponse"] else {
            return nil
        }
        let latency = came.milliseconds - sent.milliseconds
        return latency > 0 && latency < 1_000_000_000 ? Int(latency) : nil
    }
}
