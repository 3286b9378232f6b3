import Foundation
import TapedeckCassettes
import TapedeckCore
import Testing

/// The keys in the reference are those of the grammar.
///
/// `TAPEDECK_WRITE_GOLDENS=1 swift test --filter ReferenceTests` writes them anew.
@Suite
struct ReferenceTests {
    private static let path = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../docs/cassette-reference.md").standardized

    @Test func theReferenceListsAllKeys() throws {
        let text = try String(contentsOf: Self.path, encoding: .utf8)
        var expected = text
        for (name, lines) in CassetteSchema.reference {
            let start = try #require(expected.range(of: "<!-- keys: \(name) -->\n"), "no list of `\(name)`")
            let end = try #require(expected[start.upperBound...].range(of: "<!-- end -->"))
            let list = lines.map { Self.wrapped($0) + "\n" }.joined()
            expected.replaceSubrange(start.upperBound..<end.lowerBound, with: list)
        }
        if ProcessInfo.processInfo.environment["TAPEDECK_WRITE_GOLDENS"] != nil {
            try expected.write(to: Self.path, atomically: true, encoding: .utf8)
        } else {
            #expect(text == expected)
        }
    }

    /// A line of a list, at most 140 columns wide.
    private static func wrapped(_ line: String) -> String {
        var lines = [""]
        for word in line.split(separator: " ") {
            let last = lines[lines.count - 1]
            if !last.isEmpty, last.count + 1 + word.count > 140 {
                lines.append("  \(word)")
            } else {
                lines[lines.count - 1] = last.isEmpty ? String(word) : "\(last) \(word)"
            }
        }
        return lines.joined(separator: "\n")
    }
}

/// The JSON Schemas for editors.
@Suite
struct SchemaTests {
    @Test(arguments: [false, true])
    func everyReferenceLeadsToADefinition(ofProject: Bool) throws {
        let schema = ofProject ? CassetteSchema.project : CassetteSchema.cassette
        guard case .object(let definitions)? = schema["$defs"] else {
            Issue.record("there are no definitions")
            return
        }
        let names = Set(definitions.map(\.name))
        let used = Set(Self.references(in: schema).map { String($0.dropFirst("#/$defs/".count)) })
        #expect(used.isSubset(of: names))
        #expect(names.isSubset(of: used))
    }

    private static func references(in value: JSONValue) -> [String] {
        switch value {
        case .object(let members):
            members.flatMap { member in
                if member.name == "$ref", case .string(let text) = member.value {
                    [text]
                } else {
                    self.references(in: member.value)
                }
            }
        case .array(let items): items.flatMap(Self.references)
        default: []
        }
    }
}
