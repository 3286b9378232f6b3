import TapedeckCore

/// The kind of a value that changes with each run.
package enum VariationLook: String, Sendable, CaseIterable {
    case time
    case uuid
    /// The placeholder of a secret.
    case secret
    case random

    /// Returns `nil` for values that look chosen: words, small numbers.
    package init?(_ text: String) {
        if text.hasPrefix(SecretPlaceholder.start) {
            self = .secret
        } else if Self.isTime(text) {
            self = .time
        } else if Self.isUUID(text) {
            self = .uuid
        } else if Self.isRandom(text) {
            self = .random
        } else {
            return nil
        }
    }

    /// As the end of "looks like".
    package var words: String {
        switch self {
        case .time: "a time"
        case .uuid: "a UUID"
        case .secret: "a secret"
        case .random: "a random value"
        }
    }

    /// A date, or seconds or milliseconds since 1970 in the years 2001 to 2128.
    private static func isTime(_ text: String) -> Bool {
        if Instant(rfc3339: text) != nil || Instant(httpDate: text) != nil { return true }
        let whole = text.utf8.prefix { self.isDigit($0) }
        let rest = text.utf8.dropFirst(whole.count)
        guard whole.count == 10 || whole.count == 13, (0x31...0x34).contains(whole.first ?? 0) else { return false }
        return rest.isEmpty || rest.first == 0x2E && rest.count > 1 && rest.dropFirst().allSatisfy(self.isDigit)
    }

    /// 8-4-4-4-12 hexadecimal digits.
    private static func isUUID(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: 0x2D, omittingEmptySubsequences: false)
        return parts.map(\.count) == [8, 4, 4, 4, 12]
            && parts.allSatisfy { $0.allSatisfy { ASCII.hexValue($0) != nil } }
    }

    /// At least 8 letters and digits, both, in one run; or 12 digits. Words with a number at their end, such as `page2`
    /// or `production-1`, are excluded: in random values, digits are between letters.
    private static func isRandom(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        let isPlain = bytes.allSatisfy { ASCII.isUnreserved($0) || [0x2B, 0x2F, 0x3D].contains($0) }
        guard isPlain, bytes.count >= 8 else { return false }
        if bytes.allSatisfy(self.isDigit) { return bytes.count >= 12 }
        var changes = 0
        for (left, right) in zip(bytes, bytes.dropFirst()) where self.isDigit(left) != self.isDigit(right) {
            changes += 1
        }
        return changes >= 3 && Set(bytes).count >= 6 && !text.contains("--")
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}
