import Foundation
import Testing

/// Expects two outputs to be equal. `#expect(a == b)` would work out how they differ byte by byte, which takes for ever
/// on the ones here.
func expectSame(_ found: Data, _ expected: Data, sourceLocation: SourceLocation = #_sourceLocation) {
    let isSame = found == expected
    let shown = [expected, found].map { "\($0.count) bytes: \(String(decoding: $0.prefix(1500), as: UTF8.self))" }
    #expect(isSame, "expected \(shown[0])\nfound \(shown[1])", sourceLocation: sourceLocation)
}
