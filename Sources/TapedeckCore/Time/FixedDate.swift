/// The two forms of dates that every exchange of a recording has, without a general parser and formatter: the one that
/// HTTP generates (RFC 9110 section 5.6.7), `Sun, 06 Nov 1994 08:49:37 GMT`, and that of RFC 3339 in UTC.
enum FixedDate {
    /// Returns `nil` for a year that does not have four digits.
    static func http(_ civil: CivilTime) -> String? {
        self.text(civil, length: 29) { text in
            text.append(TimeNames.weekdays[civil.weekday].utf8.prefix(3))
            text.append(", ".utf8)
            text.append(civil.day, digits: 2)
            text.append(" ".utf8)
            text.append(TimeNames.months[civil.month - 1].utf8.prefix(3))
            text.append(" ".utf8)
            text.append(Int(civil.year), digits: 4)
            text.append(" ".utf8)
            text.append(time: civil)
            text.append(" GMT".utf8)
        }
    }

    /// Returns `nil` for a year that does not have four digits.
    static func rfc3339(_ civil: CivilTime) -> String? {
        self.text(civil, length: 20) { text in
            text.append(Int(civil.year), digits: 4)
            text.append("-".utf8)
            text.append(civil.month, digits: 2)
            text.append("-".utf8)
            text.append(civil.day, digits: 2)
            text.append("T".utf8)
            text.append(time: civil)
            text.append("Z".utf8)
        }
    }

    private static func text(_ civil: CivilTime, length: Int, _ write: (inout Writer) -> Void) -> String? {
        guard (1_000...9_999).contains(civil.year) else { return nil }
        return String(unsafeUninitializedCapacity: length) { buffer in
            var writer = Writer(buffer: buffer)
            write(&writer)
            return writer.count
        }
    }

    private struct Writer {
        let buffer: UnsafeMutableBufferPointer<UInt8>
        var count = 0

        mutating func append(_ text: some Sequence<UInt8>) {
            for byte in text {
                self.buffer[self.count] = byte
                self.count += 1
            }
        }

        mutating func append(_ number: Int, digits: Int) {
            var rest = number
            for place in (0..<digits).reversed() {
                self.buffer[self.count + place] = UInt8(0x30 + rest % 10)
                rest /= 10
            }
            self.count += digits
        }

        mutating func append(time civil: CivilTime) {
            self.append(civil.hour, digits: 2)
            self.append(":".utf8)
            self.append(civil.minute, digits: 2)
            self.append(":".utf8)
            self.append(civil.second, digits: 2)
        }
    }

    /// Reads the form that HTTP generates; `nil` for any other text.
    static func instant(http text: String) -> Instant? {
        let bytes = text.utf8
        guard bytes.count == 29 else { return nil }
        return bytes.withContiguousStorageIfAvailable { bytes in
            /// The number at an offset, or -1.
            func number(_ offset: Int, _ digits: Int) -> Int {
                var number = 0
                for byte in bytes[offset..<(offset + digits)] {
                    guard byte >= 0x30, byte <= 0x39 else { return -1 }
                    number = number * 10 + Int(byte - 0x30)
                }
                return number
            }
            func name(_ offset: Int, among names: [String]) -> Int? {
                names.firstIndex { $0.utf8.prefix(3).elementsEqual(bytes[offset..<(offset + 3)]) }
            }
            guard bytes[3] == ASCII.comma, bytes[19] == ASCII.colon, bytes[22] == ASCII.colon,
                [4, 7, 11, 16, 25].allSatisfy({ bytes[$0] == ASCII.space }), bytes[26...].elementsEqual("GMT".utf8),
                name(0, among: TimeNames.weekdays) != nil, let month = name(8, among: TimeNames.months)
            else { return nil }
            let year = number(12, 4)
            guard year >= 1_601 else { return nil }
            return CivilTime(
                year: year,
                month: month + 1,
                day: number(5, 2),
                hour: number(17, 2),
                minute: number(20, 2),
                second: number(23, 2)
            )?.instant
        } ?? nil
    }
}
