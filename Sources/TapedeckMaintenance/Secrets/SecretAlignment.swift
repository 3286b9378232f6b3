import TapedeckCassettes
import TapedeckCore
import TapedeckRedaction

/// Finds the secrets in a text whose redacted form has placeholders for them.
enum SecretAlignment {
    /// The range of each secret in `old`, with its placeholder in `new`; placeholders that `old` has itself are left out.
    static func secrets(
        in old: [UInt8],
        redacted new: [UInt8]
    ) -> [(range: Range<Int>, placeholder: SecretPlaceholder)] {
        let found = new.withUnsafeBytes { SecretPlaceholder.all(in: $0) }
        var result: [(range: Range<Int>, placeholder: SecretPlaceholder)] = []
        var place = 0
        var end = 0
        for (index, (range, placeholder)) in found.enumerated() {
            place = min(place + range.lowerBound - end, old.count)
            end = range.upperBound
            if old[place...].starts(with: new[range]) {
                place += range.count
                continue
            }
            let next = index + 1 < found.count ? found[index + 1].range.lowerBound : new.count
            let behind = new[end..<next]
            let last = Self.first(behind, in: old, from: min(place + 1, old.count), isLast: index + 1 == found.count)
            result.append((place..<last, placeholder))
            place = last
        }
        return result
    }

    /// Returns the start of the text that follows a secret.
    private static func first(_ text: ArraySlice<UInt8>, in old: [UInt8], from start: Int, isLast: Bool) -> Int {
        if isLast { return max(start, old.count - text.count) }
        guard !text.isEmpty, start <= old.count - text.count else { return start }
        return (start...(old.count - text.count)).first { old[$0...].starts(with: text) } ?? start
    }
}
