import Testing

@testable import TapedeckCassettes

/// The order of parameters in the query of a pattern.
@Suite struct PatternQueryTests {
    @Test(arguments: [
        (#"https://a\.test/p\?b=1&a=2"#, #"https://a\.test/p\?a=2&b=1"#),
        (#"/p\?b=(?<b>\d+)&a=[^&]*$"#, nil),
        (#"/p\?b=(?<b>\d+)&a=\w{2,3}$"#, #"/p\?a=\w{2,3}&b=(?<b>\d+)$"#),
        (#"/p\?c=1&b=2&b=1&a=3"#, #"/p\?a=3&b=2&b=1&c=1"#),
    ])
    func `is that of requests`(written: String, sorted: String?) {
        #expect(PatternText.query(written) == sorted.map { PatternText.Query.unsorted($0) } ?? PatternText.Query.sorted)
    }

    @Test(arguments: [
        #"/p\?a=1&b=2"#, #"/p\?b=1"#, #"/p\?(b=1&a=2|c=3)"#, #"/p\?b=(1&a=2)"#, #"/p\?.*&a=1"#, "/p",
        #"/p\?b=1|/q\?b=1&a=2"#,
    ])
    func `stays where it is right, or cannot be told`(written: String) {
        #expect(PatternText.query(written) == .sorted)
    }
}
