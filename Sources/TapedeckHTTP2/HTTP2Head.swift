package import TapedeckCore

/// A field section of HTTP/2 as received: pseudo-header fields separately, the others in their order, with duplicates
/// and the exact bytes of their values (RFC 9113 section 8.2).
package struct HTTP2Head: Sendable {
    /// A pseudo-header field (RFC 9113 section 8.3).
    package enum Pseudo: String, Sendable, CaseIterable {
        case method = ":method"
        case scheme = ":scheme"
        case authority = ":authority"
        case path = ":path"
        case status = ":status"
        /// The field of an extended CONNECT (RFC 8441 section 4).
        case `protocol` = ":protocol"

        /// The field with this name; `nil` for any other.
        fileprivate init?(_ name: UnsafeBufferPointer<UInt8>) {
            // Every request has four of them, so no text is made.
            switch (name.count, name[1]) {
            case (7, UInt8(ascii: "m")): self = .method
            case (7, UInt8(ascii: "s")): self = name[2] == UInt8(ascii: "c") ? .scheme : .status
            case (10, UInt8(ascii: "a")): self = .authority
            case (5, UInt8(ascii: "p")): self = .path
            case (9, UInt8(ascii: "p")): self = .protocol
            default: return nil
            }
            guard self.rawValue.utf8.elementsEqual(name) else { return nil }
        }
    }

    /// The pseudo-header fields, in the order in which they came; the values are places in ``values``.
    private var pseudo: [(name: Pseudo, value: Range<Int>)] = []
    /// The values of the pseudo-header fields, one after the other.
    private var values: [UInt8] = []
    /// The fields, one after the other, as lines of HTTP/1.1: `name: value` and the end of a line. No value can hold an end
    /// of a line (RFC 9113 section 8.2.1).
    package private(set) var lines: [UInt8] = []
    /// The offsets of names and values in ``lines``.
    private var bounds: [(name: Range<Int>, value: Range<Int>)] = []
    /// Name and value of each field, and 32 bytes for each, as SETTINGS_MAX_HEADER_LIST_SIZE counts (RFC 9113 section 6.5.2).
    private(set) var size = 0
    /// True if fields are missing, because together they are too large.
    package private(set) var isTooLarge = false
    /// How many of the fields are cookies.
    private var cookieCount = 0

    /// Stands between cookies of one field (RFC 6265 section 4.2.1).
    static let crumbSeparator = Array("; ".utf8)
    private static let cookie = Array("cookie".utf8)

    package init() {}

    /// Appends a field that came off the wire, without white space around its value (RFC 9110 section 5.5).
    ///
    /// - Parameter limit: the maximum ``size``; a field beyond it is left out.
    mutating func append(
        name: UnsafeBufferPointer<UInt8>,
        value received: UnsafeBufferPointer<UInt8>,
        limit: Int
    ) {
        self.size += name.count + received.count + 32
        guard self.size <= limit else {
            self.isTooLarge = true
            return
        }
        var value = received
        while let first = value.first, first == ASCII.space || first == ASCII.tab {
            value = UnsafeBufferPointer(rebasing: value.dropFirst())
        }
        while let last = value.last, last == ASCII.space || last == ASCII.tab {
            value = UnsafeBufferPointer(rebasing: value.dropLast())
        }
        if name.count > 1, name[0] == ASCII.colon {
            guard let known = Pseudo(name) else { return }
            if self.values.isEmpty {
                self.values.reserveCapacity(256)
                self.pseudo.reserveCapacity(4)
            }
            let start = self.values.count
            self.values.append(contentsOf: value)
            self.pseudo.append((known, start..<start + value.count))
            return
        }
        if self.lines.isEmpty {
            self.lines.reserveCapacity(512)
            self.bounds.reserveCapacity(12)
        }
        let start = self.lines.count
        self.lines.append(contentsOf: name)
        self.lines.append(ASCII.colon)
        self.lines.append(ASCII.space)
        self.lines.append(contentsOf: value)
        let end = self.lines.count
        self.bounds.append((start..<start + name.count, end - value.count..<end))
        self.lines.append(ASCII.carriageReturn)
        self.lines.append(ASCII.lineFeed)
        if name.count == Self.cookie.count, name.elementsEqual(Self.cookie) { self.cookieCount += 1 }
    }

    /// The names of the pseudo-header fields, in the order in which they came.
    package var pseudoNames: [Pseudo] { self.pseudo.map(\.name) }

    /// The value of a pseudo-header field.
    package func value(of name: Pseudo) -> ArraySlice<UInt8>? {
        self.pseudo.first { $0.name == name }.map { self.values[$0.value] }
    }

    /// The value of the first field called `name`, in lower case.
    package func value(of name: StaticString) -> ArraySlice<UInt8>? {
        let text = UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
        return self.bounds.first { $0.name.count == text.count && self.lines[$0.name].elementsEqual(text) }
            .map { self.lines[$0.value] }
    }

    /// The fields but the pseudo-header ones.
    package var fields: [HeaderField] {
        self.bounds.map {
            HeaderField(ByteText.string(from: self.lines[$0.name]), ByteText.string(from: self.lines[$0.value]))
        }
    }

    /// The places of the fields with cookies.
    private var crumbs: [(name: Range<Int>, value: Range<Int>)] {
        self.bounds.filter { self.lines[$0.name].elementsEqual(Self.cookie) }
    }

    /// The parts of the request besides its fields, for an origin of HTTP/2.
    package var form: HTTP2RequestForm {
        HTTP2RequestForm(
            pseudo: self.pseudoNames,
            crumbs: self.cookieCount > 1 ? self.crumbs.map(\.value.count) : []
        )
    }

    /// ``lines`` with all cookies in the first of their fields: HTTP/2 may send them in crumbs (RFC 9113 section 8.2.3).
    package var linesWithWholeCookies: [UInt8] {
        guard self.cookieCount > 1 else { return self.lines }
        let crumbs = self.crumbs
        guard let first = crumbs.first else { return self.lines }
        var result = Array(self.lines[..<first.value.lowerBound])
        result += crumbs.map { self.lines[$0.value] }.joined(separator: Self.crumbSeparator)
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
