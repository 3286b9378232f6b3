import TapedeckPlatform

extension YAMLNode {
    /// The text of a scalar; empty for a collection.
    package var string: String {
        self.document.source.withUnsafeBufferPointer { source in
            guard let base = source.baseAddress else { return "" }
            return YAMLScalarDecoder.string(of: self.record, base: base)
        }
    }

    /// The text of a scalar as UTF-8; empty for a collection.
    package var bytes: [UInt8] {
        self.document.source.withUnsafeBufferPointer { source in
            guard let base = source.baseAddress else { return [] }
            return YAMLScalarDecoder.bytes(of: self.record, base: base)
        }
    }

    /// Gives the text of a scalar as UTF-8 whenever it is called; holds on to the source, not to the whole document.
    package var deferredBytes: @Sendable () -> [UInt8] {
        let record = self.record
        let source = self.document.source
        return {
            source.withUnsafeBufferPointer { source in
                guard let base = source.baseAddress else { return [] }
                return YAMLScalarDecoder.bytes(of: record, base: base)
            }
        }
    }

    /// Calls `body` with the text of a scalar as UTF-8, without a copy where the source holds it as it is.
    package func withScalarBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        let record = self.record
        guard record.isSimple && !record.isCollection else {
            return try self.bytes.withUnsafeBytes(body)
        }
        return try self.document.source.withUnsafeBytes { source in
            try body(UnsafeRawBufferPointer(rebasing: source[record.inner]))
        }
    }

    /// True if the node is a scalar with exactly this text, in any style.
    package func scalarEquals(_ literal: StaticString) -> Bool {
        guard literal.hasPointerRepresentation else {
            return self.string == literal.description && self.kind == .scalar
        }
        return self.hasText(
            UnsafeRawBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount)
        )
    }

    func hasText(_ text: UnsafeRawBufferPointer) -> Bool {
        guard self.kind == .scalar else { return false }
        return self.withScalarBytes { bytes in
            guard bytes.count == text.count else { return false }
            guard let left = bytes.baseAddress, let right = text.baseAddress else { return true }
            return memcmp(left, right, text.count) == 0
        }
    }

    /// True if the node is a null of the core schema: plain `~`, `null`, `Null`, `NULL`, or nothing at all.
    ///
    /// YAML 1.2 section 10.3.2, as are `bool`, `int` and `double`.
    package var isNull: Bool {
        guard self.style == .plain else { return false }
        return self.record.start == self.record.end
            || self.scalarEquals("null") || self.scalarEquals("~")
            || self.scalarEquals("Null") || self.scalarEquals("NULL")
    }

    /// The value of plain `true`, `false`, `True`, `False`, `TRUE` or `FALSE`; nil for everything else.
    package var bool: Bool? {
        guard self.style == .plain else { return nil }
        if self.scalarEquals("true") || self.scalarEquals("True") || self.scalarEquals("TRUE") {
            return true
        }
        if self.scalarEquals("false") || self.scalarEquals("False") || self.scalarEquals("FALSE") {
            return false
        }
        return nil
    }

    /// The value of a plain integer (decimal, `0x…` or `0o…`) that fits; nil for everything else.
    package var int: Int? {
        guard self.style == .plain else { return nil }
        return self.withScalarBytes { bytes in
            var digits = bytes[...]
            guard let first = digits.first else { return nil }
            if digits.count > 2, first == UInt8(ascii: "0") {
                if digits[1] == UInt8(ascii: "x") { return Self.integer(digits.dropFirst(2), radix: 16) }
                if digits[1] == UInt8(ascii: "o") { return Self.integer(digits.dropFirst(2), radix: 8) }
            }
            let isNegative = first == UInt8(ascii: "-")
            if isNegative || first == UInt8(ascii: "+") {
                digits = digits.dropFirst()
            }
            return Self.integer(digits, radix: 10, isNegative: isNegative)
        }
    }

    /// The value of a plain number, `.inf` or `.nan`; nil for everything else, also for `0x…` and `0o…`.
    package var double: Double? {
        guard self.style == .plain else { return nil }
        return self.withScalarBytes { bytes in
            var rest = bytes[...]
            guard let first = rest.first else { return nil }
            let isNegative = first == UInt8(ascii: "-")
            if isNegative || first == UInt8(ascii: "+") {
                rest = rest.dropFirst()
            }
            switch String(decoding: rest.prefix(5), as: UTF8.self) {
            case ".inf", ".Inf", ".INF":
                return isNegative ? -Double.infinity : Double.infinity
            case ".nan", ".NaN", ".NAN":
                return rest.count == bytes.count ? Double.nan : nil
            default:
                return Self.isDecimal(rest) ? Double(String(decoding: bytes, as: UTF8.self)) : nil
            }
        }
    }

    private static func integer(
        _ digits: Slice<UnsafeRawBufferPointer>,
        radix: Int,
        isNegative: Bool = false
    ) -> Int? {
        guard !digits.isEmpty else { return nil }
        var value = 0
        for byte in digits {
            guard let digit = YAMLByte.hexValue(byte), digit < radix else { return nil }
            let (product, overflow) = value.multipliedReportingOverflow(by: radix)
            let step = isNegative ? -Int(digit) : Int(digit)
            let (sum, carry) = product.addingReportingOverflow(step)
            guard !overflow, !carry else { return nil }
            value = sum
        }
        return value
    }

    /// True if the text is `[0-9]+(\.[0-9]*)?` or `\.[0-9]+`, with or without an exponent.
    private static func isDecimal(_ text: Slice<UnsafeRawBufferPointer>) -> Bool {
        func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
        let whole = text.prefix(while: isDigit)
        var rest = text.dropFirst(whole.count)
        var digits = whole.count
        if rest.first == YAMLByte.dot {
            rest = rest.dropFirst()
            let fraction = rest.prefix(while: isDigit)
            digits += fraction.count
            rest = rest.dropFirst(fraction.count)
        }
        guard digits > 0 else { return false }
        guard let exponent = rest.first else { return true }
        guard exponent == UInt8(ascii: "e") || exponent == UInt8(ascii: "E") else { return false }
        rest = rest.dropFirst()
        if rest.first == UInt8(ascii: "+") || rest.first == UInt8(ascii: "-") {
            rest = rest.dropFirst()
        }
        return !rest.isEmpty && rest.allSatisfy(isDigit)
    }
}
