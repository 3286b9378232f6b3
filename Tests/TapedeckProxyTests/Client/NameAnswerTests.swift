import Testing

@testable import TapedeckProxy

/// The DNS server of an isolated command.
@Suite struct NameAnswerTests {
    private static func query(_ name: String, type: UInt8 = 1, flags: UInt8 = 1) -> [UInt8] {
        let labels = name.split(separator: ".").flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
        return [0xAB, 0xCD, flags, 0, 0, 1, 0, 0, 0, 0, 0, 0] + labels + [0, 0, type, 0, 1]
    }

    private static func address(_ answer: [UInt8]?) -> [UInt8]? {
        // One answer, with four bytes at its end.
        guard let answer, answer[7] == 1 else { return nil }
        return Array(answer.suffix(4))
    }

    @Test func `each name has its own address, which maps back to it`() throws {
        let table = NameTable()
        let first = Self.address(NameAnswer.answer(to: Self.query("api.example.com"), from: table))
        let second = Self.address(NameAnswer.answer(to: Self.query("db"), from: table))
        #expect(first == [198, 18, 0, 2])
        #expect(second == [198, 18, 0, 3])
        #expect(Self.address(NameAnswer.answer(to: Self.query("API.Example.com"), from: table)) == first)
        #expect(table.host(at: "198.18.0.2") == "api.example.com")
        #expect(table.host(at: "203.0.113.7") == "203.0.113.7")
        #expect(table.host(at: "2001:db8::1") == "2001:db8::1")
    }

    @Test func `an answer repeats the query's id and question`() throws {
        let query = Self.query("a.test")
        let answer = try #require(NameAnswer.answer(to: query, from: NameTable()))
        #expect(answer.prefix(4) == [0xAB, 0xCD, 0x81, 0x80])
        #expect(Array(answer[12..<query.count]) == Array(query[12...]))
        #expect(answer.count == query.count + 16)
    }

    @Test func `there are only address records, and localhost is the machine itself`() throws {
        let table = NameTable()
        for type: UInt8 in [5, 15, 16, 28, 65] {
            let answer = try #require(NameAnswer.answer(to: Self.query("a.test", type: type), from: table))
            #expect(answer[3] & 0x0F == 0 && answer[7] == 0, "\(type)")
        }
        #expect(NameAnswer.answer(to: Self.query("1.0.18.198.in-addr.arpa", type: 12), from: table)?[3] == 0x83)
        #expect(Self.address(NameAnswer.answer(to: Self.query("x.localhost"), from: table)) == [127, 0, 0, 1])
        #expect(Self.address(NameAnswer.answer(to: Self.query("localhost", type: 28), from: table)) == [0, 0, 0, 1])
    }

    @Test func `an invalid query is not answered or is refused`() {
        let table = NameTable()
        let query = Self.query("a.test")
        #expect(NameAnswer.answer(to: [], from: table) == nil)
        #expect(NameAnswer.answer(to: Self.query("a.test", flags: 0x81), from: table) == nil)
        #expect(NameAnswer.answer(to: Self.query("a.test", flags: 0x28), from: table)?[3] == 0x84)
        for length in 12..<query.count {
            #expect(NameAnswer.answer(to: Array(query.prefix(length)), from: table)?[3] == 0x81, "\(length)")
        }
        #expect(NameAnswer.answer(to: Self.query("a b.test"), from: table)?[3] == 0x83)
    }
}
