import TapedeckCore
import TapedeckHTTP1
import Testing

@Suite
struct FieldSectionTests {
    private func fields(_ line: String) throws -> FieldSection {
        let text = Wire.request(line)
        var scanner = RequestScanner()
        try #require(Wire.scan(&scanner, text) == .complete(text.utf8.count))
        return scanner.fields
    }

    @Test(arguments: [
        ("gzip", true, false), ("deflate", false, true), ("gzip, deflate, br", true, true), ("x-gzip", true, false),
        ("GZIP,DEFLATE", true, true), ("*", true, true), ("br", false, false), ("identity", false, false),
        ("", false, false), (" , ,gzip", true, false), ("gzipp", false, false), ("notgzip, gz", false, false),
        ("gzip;q=1.0, deflate;q=0.5", true, true), ("gzip;q=0", false, false), ("gzip; q=0", false, false),
        ("gzip ;q=0", false, false), ("gzip;q=0.0", false, false), ("gzip;q=0.000, deflate", false, true),
        ("gzip;q=0.001", true, false), ("gzip;q=0.1", true, false), ("gzip;Q=0", false, false),
        ("*;q=0", false, false), ("gzip, *;q=0", true, false), ("deflate;q=1, *;q=0", false, true),
    ])
    func readsTheCodingsThatTheClientAccepts(_ value: String, gzip: Bool, deflate: Bool) throws {
        let fields = try self.fields("Accept-Encoding: \(value)")
        #expect(fields.acceptedCodings.contains(.gzip) == gzip)
        #expect(fields.acceptedCodings.contains(.deflate) == deflate)
    }

    /// RFC 9110 section 12.5.3: `*` means the codings that are not listed.
    @Test func anAsteriskDoesNotTakeBackARefusal() throws {
        let fields = try self.fields("Accept-Encoding: gzip;q=0, *")
        #expect(!fields.acceptedCodings.contains(.gzip))
        #expect(fields.acceptedCodings.contains(.deflate))
    }

    @Test func offersInSeveralFieldsAddUp() throws {
        let fields = try self.fields("Accept-Encoding: gzip\r\naccept-encoding: deflate")
        #expect(fields.acceptedCodings.contains(.gzip))
        #expect(fields.acceptedCodings.contains(.deflate))
    }

    @Test(arguments: [
        ("close", true, false), ("keep-alive", false, true), ("Close, Keep-Alive", true, true), ("x", false, false),
        ("", false, false), (",,close,,", true, false), ("\tclose\t", true, false), ("clo se", false, false),
        ("not-close", false, false),
    ])
    func readsConnectionLists(_ value: String, close: Bool, keepAlive: Bool) throws {
        for name in ["Connection", "Proxy-Connection", "CONNECTION"] {
            let fields = try self.fields("\(name): \(value)")
            #expect(fields.asksForClose == close)
            #expect(fields.asksForKeepAlive == keepAlive)
        }
    }

    @Test(arguments: [("100-continue", true), ("100-Continue", true), ("101-continue", false), ("", false)])
    func readsExpect(_ value: String, _ expected: Bool) throws {
        #expect(try self.fields("Expect: \(value)").expectsContinue == expected)
    }

    @Test func readsUpgradeAndFraming() throws {
        #expect(try self.fields("UPGRADE: websocket").hasUpgrade)
        #expect(try self.fields("Content-LENGTH: 007").contentLength == 7)
        #expect(try self.fields("transfer-ENCODING: CHUNKED").isChunked)
        let plain = try self.fields("X: y")
        #expect(!plain.hasUpgrade && !plain.isChunked && !plain.hasTransferEncoding && !plain.expectsContinue)
        #expect(plain.contentLength == nil)
        #expect(plain.hostCount == 1)
        #expect(plain.slices.count == 2)
    }

    @Test func namesOfTheSameLengthAreNotMistaken() throws {
        let fields = try self.fields(
            """
            Hast: x\r\nExpact: 100-continue\r\nUpgrada: x\r\nConnektion: close\r\nContent-Langth: x\r\n\
            Accept-Encodinq: gzip\r\nTransfer-Encodinq: gzip\r\nProxy-Connektion: close
            """
        )
        #expect(fields.hostCount == 1)
        #expect(
            !fields.expectsContinue && !fields.hasUpgrade && !fields.asksForClose
                && !fields.acceptedCodings.contains(.gzip)
        )
        #expect(!fields.hasTransferEncoding && fields.contentLength == nil)
    }
}
