package import TapedeckCore

/// A field section of HTTP/2 as it came: pseudo-header fields apart, the others in their order, with duplicates and the very
/// bytes of their values (RFC 9113 section 8.2).
package struct HTTP2Head: Sendable {
    /// A pseudo-header field (RFC 9113 section 8.3).
    package enum Pseudo: String, Sendable, CaseIterable {
        case method = ":method"
        case scheme = ":scheme"
        case authority = ":authority"
        case path = ":path"
        case status = ":status"
        /// Of an extended CONNECT (RFC 8441 section 4).
        case `protocol` = ":protocol"
    }

    /// The pseudo-header fields, in the order in which they came.
    package private(set) var pseudo: [(name: Pseudo, value: [UInt8])] = []
    /// The fields, one after the other, as lines of HTTP/1.1: `name: value` and the end of a line. No value can hold an end
    /// of a line (RFC 9113 section 8.2.1).
    package private(set) var lines: [UInt8] = []
    /// The offsets of names and values in ``lines``.
    private var bounds: [(name: Range<Int>, value: Range<Int>)] = []
    /// Name and value of each field, and 32 bytes for each, as SETTINGS_MAX_HEADER_LIST_SIZE counts (RFC 9113 section 6.5.2).
    private(set) var size = 0

    package init() {}

    /// Appends a field that came off the wire.
    mutating func append(name: UnsafeBufferPointer<UInt8>, value: UnsafeBufferPointer<UInt8>) {
        self.size += name.count + value.count + 32
        if name.first == ASCII.colon {
            guard let known = Pseudo(rawValue: ByteText.string(from: UnsafeRawBufferPointer(name))) else { return }
            self.pseudo.append((known, Array(value)))
            return
        }
        let start = self.lines.count
        self.lines.append(contentsOf: name)
        self.lines.append(ASCII.colon)
        self.lines.append(ASCII.space)
        self.lines.append(contentsOf: value)
        self.bounds.append((start..<start + name.count, self.lines.count - value.count..<self.lines.count))
        self.lines.append(ASCII.carriageReturn)
        self.lines.append(ASCII.lineFeed)
    }

    /// The value of a pseudo-header field.
    package func value(of name: Pseudo) -> [UInt8]? {
        self.pseudo.first { $0.name == name }?.value
    }

    /// The value of the first field called `name`, in lower case.
    package func value(of name: String) -> ArraySlice<UInt8>? {
        let name = Array(name.utf8)
        return self.bounds.first { self.lines[$0.name].elementsEqual(name) }.map { self.lines[$0.value] }
    }

    /// The fields but the pseudo-header ones.
    package var fields: [HeaderField] {
        self.bounds.map {
            HeaderField(ByteText.string(from: self.lines[$0.name]), ByteText.string(from: self.lines[$0.value]))
        }
    }

    /// ``lines`` with all cookies in the first of their fields: HTTP/2 may send them in crumbs (RFC 9113 section 8.2.3).
    package var linesWithWholeCookies: [UInt8] {
        let crumbs = self.bounds.filter { self.lines[$0.name].elementsEqual("cookie".utf8) }
        guard crumbs.count > 1, let first = crumbs.first else { return self.lines }
        var result = Array(self.lines[..<first.value.lowerBound])
        result += crumbs.map { self.lines[$0.value] }.joined(separator: Array("; ".utf8))
        var end = first.value.upperBound
        for crumb in crumbs.dropFirst() {
            result += self.lines[end..<crumb.name.lowerBound]
            // Behind the value and the end of its line.
            end = crumb.value.upperBound + 2
        }
        return result + self.lines[end...]
    }

    /// The status of a response; `nil` in trailer fields.
    package var status: Int? {
        self.value(of: .status).flatMap { Int(String(decoding: $0, as: UTF8.self)) }
    }
}
