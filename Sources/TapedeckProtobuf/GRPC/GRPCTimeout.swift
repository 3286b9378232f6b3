/// The value of `grpc-timeout` (gRPC over HTTP2, "Requests").
package enum GRPCTimeout {
    /// Returns the time in nanoseconds; `nil` for a text that is none: up to eight digits and a unit.
    package static func nanoseconds(_ text: String) -> Int64? {
        let digits = text.dropLast()
        guard (1...8).contains(digits.utf8.count), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let value = Int64(digits)
        else { return nil }
        switch text.last {
        case "H": return value * 3_600_000_000_000
        case "M": return value * 60_000_000_000
        case "S": return value * 1_000_000_000
        case "m": return value * 1_000_000
        case "u": return value * 1_000
        case "n": return value
        default: return nil
        }
    }
}
