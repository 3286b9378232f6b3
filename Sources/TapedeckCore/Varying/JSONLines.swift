/// JSON texts of which each has a line of its own.
enum JSONLines {
    /// The values of a body of two or more lines; `nil` for any other body.
    static func values(of body: [UInt8]) -> [JSONValue]? {
        let lines = body.split(separator: 0x0A).filter { !$0.allSatisfy { $0 <= ASCII.space } }
        guard lines.count > 1, lines.allSatisfy({ $0.first == 0x7B || $0.first == 0x5B }) else { return nil }
        let values = lines.compactMap { try? JSONValue(parsing: Array($0)) }
        return values.count == lines.count ? values : nil
    }
}
