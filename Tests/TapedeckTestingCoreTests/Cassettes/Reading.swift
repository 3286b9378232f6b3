import TapedeckCassettes
import TapedeckCore
import Testing

/// The deck's reading of built values.
enum Reading {
    /// A cassette's file, which must be without errors and warnings.
    static func cassette(
        _ yaml: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> TapedeckCore.Cassette {
        let result = CassetteReader.read(Array(yaml.utf8), name: "test", path: "test.yaml")
        try #require(
            result.diagnostics.isEmpty,
            "\(result.diagnostics.map(\.message))\n\(yaml)",
            sourceLocation: sourceLocation
        )
        return result.cassette
    }

    /// A response set as a session is given one.
    static func set(_ json: String) throws -> TapedeckCore.ResponseSet {
        try CassetteJSON.responseSet(Array(json.utf8)).get()
    }

    /// A question to the journal.
    static func matcher(_ json: String) throws -> TapedeckCore.RequestMatcher {
        try CassetteJSON.matcher(Array(json.utf8)).get()
    }

    /// The lines further in, but for the first.
    private static func indented(_ lines: String, by count: Int) -> String {
        lines.replacing("\n", with: "\n" + String(repeating: " ", count: count))
    }

    /// The set of a file written by hand, whose request's lines are given.
    static func set(request lines: String) throws -> TapedeckCore.ResponseSet {
        let file = """
            tapedeck: 1
            responseSets:
              - name: a
                request:
                  \(self.indented(lines, by: 6))
                variants:
                  - name: b
                    takes:
                      - status: 200

            """
        return try self.cassette(file).responseSets[0]
    }

    /// The set of a file written by hand, whose one variant's lines are given.
    static func set(variant lines: String) throws -> TapedeckCore.ResponseSet {
        let file = """
            tapedeck: 1
            responseSets:
              - name: a
                request:
                  url: /
                  otherQuery: allowed
                variants:
                  - name: b
                    \(self.indented(lines, by: 8))

            """
        return try self.cassette(file).responseSets[0]
    }
}
