import CNghttp2
package import TapedeckCore

/// Fields as libnghttp2 takes them, made once and sent any number of times.
package struct HTTP2Fields: Sendable {
    /// Names and values, one after the other.
    private var bytes: [UInt8] = []
    /// The ends of each name and value in ``bytes``.
    private var ends: [(name: Int, value: Int)] = []

    /// - Parameter fields: get names in lower case (RFC 9113 section 8.2), which libnghttp2 sees to.
    package init(_ fields: [HeaderField]) {
        self.bytes.reserveCapacity(fields.count * 40)
        self.ends.reserveCapacity(fields.count)
        for field in fields { self.append(field) }
    }

    /// The head of a response.
    package init(status: Int, _ fields: [HeaderField]) {
        self.bytes.reserveCapacity(16 + fields.count * 40)
        self.ends.reserveCapacity(fields.count + 1)
        self.append(HeaderField(HTTP2Head.Pseudo.status.rawValue, String(status)))
        for field in fields { self.append(field) }
    }

    private mutating func append(_ field: HeaderField) {
        ByteText.append(field.name, to: &self.bytes)
        let name = self.bytes.count
        ByteText.append(field.value, to: &self.bytes)
        self.ends.append((name, self.bytes.count))
    }

    /// Calls `body` with the fields, which it must copy.
    func with<Result>(_ body: (UnsafePointer<nghttp2_nv>?, Int) -> Result) -> Result {
        self.bytes.withUnsafeBufferPointer { bytes in
            // The library does not write through it.
            let base = UnsafeMutablePointer(mutating: bytes.baseAddress)
            return withUnsafeTemporaryAllocation(of: nghttp2_nv.self, capacity: self.ends.count) { list in
                var start = 0
                for (index, end) in self.ends.enumerated() {
                    list.initializeElement(
                        at: index,
                        to: nghttp2_nv(
                            name: base.map { $0 + start },
                            value: base.map { $0 + end.name },
                            namelen: end.name - start,
                            valuelen: end.value - end.name,
                            flags: UInt8(NGHTTP2_NV_FLAG_NONE.rawValue)
                        )
                    )
                    start = end.value
                }
                return body(list.baseAddress, self.ends.count)
            }
        }
    }
}

/// Bytes of a connection are not HTTP/2, or libnghttp2 failed.
package struct HTTP2Failure: Error, Sendable, CustomStringConvertible {
    let code: Int32

    package var description: String { String(cString: nghttp2_strerror(self.code)) }
}
