import NIOCore
import TapedeckCore
import TapedeckHTTP1

/// Feeds texts to the scanners as the tests want them fed.
enum Wire {
    /// A request with its Host, and the lines given.
    static func request(_ lines: String..., line: String = "GET / HTTP/1.1") -> String {
        ([line, "Host: a.test"] + lines).joined(separator: "\r\n") + "\r\n\r\n"
    }

    static func response(_ lines: String..., line: String = "HTTP/1.1 200 OK") -> String {
        ([line] + lines).joined(separator: "\r\n") + "\r\n\r\n"
    }

    static func scan(_ scanner: inout RequestScanner, _ text: String) -> ScanResult {
        self.scan(&scanner, Array(text.utf8))
    }

    static func scan(_ scanner: inout RequestScanner, _ bytes: [UInt8]) -> ScanResult {
        bytes.withUnsafeBytes { scanner.scan($0) }
    }

    static func scan(_ scanner: inout ResponseScanner, _ text: String) -> ScanResult {
        self.scan(&scanner, Array(text.utf8))
    }

    static func scan(_ scanner: inout ResponseScanner, _ bytes: [UInt8]) -> ScanResult {
        bytes.withUnsafeBytes { scanner.scan($0) }
    }

    /// The scanner behind a whole request, for what it found.
    static func scanned(_ text: String) -> RequestScanner {
        var scanner = RequestScanner()
        _ = self.scan(&scanner, text)
        return scanner
    }

    static func scannedResponse(_ text: String) -> ResponseScanner {
        var scanner = ResponseScanner()
        _ = self.scan(&scanner, text)
        return scanner
    }

    /// Method, target and fields as texts.
    static func parts(_ text: String) -> (method: String, target: String, fields: [HeaderField]) {
        let bytes = Array(text.utf8)
        var scanner = RequestScanner()
        return bytes.withUnsafeBytes { bytes in
            _ = scanner.scan(bytes)
            return (
                String(decoding: bytes[scanner.method], as: UTF8.self),
                String(decoding: bytes[scanner.target], as: UTF8.self),
                scanner.fields.fields(bytes)
            )
        }
    }

    /// Returns the scanner's result for each prefix, shortest first, with one scanner for all as on a connection.
    static func drip(_ bytes: [UInt8]) -> [ScanResult] {
        var scanner = RequestScanner()
        return (0...bytes.count).map { end in
            bytes.withUnsafeBytes { scanner.scan(UnsafeRawBufferPointer(rebasing: $0[..<end])) }
        }
    }

    static func dripResponse(_ bytes: [UInt8]) -> [ScanResult] {
        var scanner = ResponseScanner()
        return (0...bytes.count).map { end in
            bytes.withUnsafeBytes { scanner.scan(UnsafeRawBufferPointer(rebasing: $0[..<end])) }
        }
    }

    static func status(_ result: ScanResult) -> Int? {
        if case .malformed(let problem) = result { problem.status } else { nil }
    }
}

/// A decoded body.
struct DecodedBody: Equatable {
    var bytes: [UInt8] = []
    var trailers: [HeaderField]?
    var problem: MalformedMessage?
    /// The number of bytes that were not consumed.
    var rest = 0

    init(bytes: String = "", trailers: [HeaderField]? = nil, rest: Int = 0) {
        self.bytes = Array(bytes.utf8)
        self.trailers = trailers
        self.rest = rest
    }

    /// Decodes `text`, which comes in pieces of the sizes that `nextSize` gives.
    init(_ text: String, with decoder: BodyDecoder, nextSize: () -> Int = { .max }) {
        self.init(Array(text.utf8), with: decoder, nextSize: nextSize)
    }

    init(_ text: [UInt8], with decoder: BodyDecoder, nextSize: () -> Int = { .max }) {
        var decoder = decoder
        var buffer = ByteBuffer()
        var index = 0
        do {
            repeat {
                let size = min(text.count - index, max(1, nextSize()))
                buffer.writeBytes(text[index..<(index + size)])
                index += size
                while let piece = try decoder.next(&buffer) {
                    switch piece {
                    case .bytes(let bytes): self.bytes += Array(bytes.readableBytesView)
                    case .end(let trailers): self.trailers = trailers
                    }
                }
            } while index < text.count
        } catch {
            self.problem = error
        }
        self.rest = buffer.readableBytes
    }
}
