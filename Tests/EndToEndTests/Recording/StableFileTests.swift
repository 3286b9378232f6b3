import Foundation
import TestShare
import Testing

/// Only changes at the origin change the file.
@Suite(.ownThreads) struct StableFileTests {
    private static let items = (1...40).map { #"{"id":\#($0),"name":"item \#($0)","tags":["a","b"]}"# }

    /// As an origin writes the time.
    private static func date(_ seconds: TimeInterval) -> [String: String] {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(identifier: "GMT")
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return ["Date": format.string(from: Date().addingTimeInterval(seconds))]
    }

    private static func record(_ folder: TestFolder, _ origin: ChangingOrigin, _ paths: [String]) throws -> [Substring]
    {
        let urls = paths.map { origin.base + $0 }
        let result = try folder.tapedeck(["record", "x", "--loopback", "--", "curl", "-sS"] + urls)
        #expect(result.exitCode == 0, "\(result.errorText)")
        return try folder.read("cassettes/x.yaml").split(separator: "\n", omittingEmptySubsequences: false)
            .filter { !$0.contains(" recorded: ") }
    }

    @Test(.long) func `One changed field at the origin is one changed line, at another time and in another order`()
        throws
    {
        let folder = try TestFolder()
        let origin = try ChangingOrigin(in: folder)
        func body(_ items: [String]) -> String {
            "{\"total\":\(items.count),\"items\":[\(items.joined(separator: ","))]}"
        }
        try origin.answer("/items", .init(body(Self.items), headers: Self.date(-20)))
        try origin.answer("/user", .init(#"{"login":"ada"}"#, headers: Self.date(-20)))
        let first = try Self.record(folder, origin, ["/items", "/user"])
        try origin.answer("/items", .init(body(Self.items), headers: Self.date(0)))
        try origin.answer("/user", .init(#"{"login":"ada"}"#, headers: Self.date(0)))
        let again = try Self.record(folder, origin, ["/user", "/items"])
        #expect(again == first)
        var changed = Self.items
        changed[20] = changed[20].replacing("item 21", with: "another")
        try origin.answer("/items", .init(body(changed), headers: Self.date(0)))
        let other = try Self.record(folder, origin, ["/items", "/user"])
        #expect(other.count == first.count)
        let lines = zip(first, other).filter { $0 != $1 }
        #expect(lines.count == 1, "\(lines)")
        #expect(lines.contains { $0.1.contains(#""name": "another""#) })
    }
}
