import TapedeckCore
import TestShare
import Testing

@Suite
struct RequestKeyTests {
    private func text(_ method: String?, _ url: String) throws -> String {
        String(decoding: try Samples.key(method, url).bytes, as: UTF8.self)
    }

    @Test(arguments: [
        ("https://example.com", "https://example.com/"),
        ("https://example.com/", "https://example.com/"),
        ("HTTPS://EXAMPLE.com/Path", "https://example.com/Path"),
        ("https://example.com:443/a", "https://example.com/a"),
        ("http://example.com:80/a", "http://example.com/a"),
        ("http://example.com:443/a", "http://example.com:443/a"),
        ("https://example.com:/a", "https://example.com/a"),
        ("https://example.com:08443/a", "https://example.com:8443/a"),
        ("http://[::1]:8080/a", "http://[::1]:8080/a"),
        ("http://[2001:DB8::A]/a", "http://[2001:db8::a]/a"),
        ("https://example.com/a#fragment", "https://example.com/a"),
        ("https://example.com/a?b#c?d&e", "https://example.com/a?b"),
        ("https://example.com#f", "https://example.com/"),
        ("https://example.com/a?", "https://example.com/a"),
        ("https://example.com/a?#f", "https://example.com/a"),
        ("https://example.com/a?&", "https://example.com/a"),
        ("https://example.com/a?&&b=1&", "https://example.com/a?b=1"),
        ("https://example.com?b=1", "https://example.com/?b=1"),
        ("https://example.com/a?b=1&a=2", "https://example.com/a?a=2&b=1"),
        ("https://example.com/a?b=2&a&b=1", "https://example.com/a?a&b=2&b=1"),
        ("https://example.com/a?b=&b", "https://example.com/a?b&b"),
        ("https://example.com/a?a=x=y&a=?", "https://example.com/a?a=x=y&a=?"),
        ("https://example.com/%7euser/%41%2d%2E%5f", "https://example.com/~user/A-._"),
        ("https://example.com/a%2fb%3a", "https://example.com/a%2Fb:"),
        ("https://example.com/a?q=%e4%B8%ad", "https://example.com/a?q=%E4%B8%AD"),
        ("https://example.com/a?%62=1&a=%26", "https://example.com/a?a=%26&b=1"),
        ("https://example.com/100%", "https://example.com/100%25"),
        ("https://example.com/a%4", "https://example.com/a%254"),
        ("https://example.com/%zz%41", "https://example.com/%25zzA"),
        ("https://example.com./a", "https://example.com/a"),
        ("https://example.com/a?b=%3D%2f%7B%22x%22%7D", "https://example.com/a?b==/{%22x%22}"),
        ("https://example.com/a?b=%7B%7Bc", "https://example.com/a?b={%7Bc"),
        ("https://example.com/a+b?c+d", "https://example.com/a+b?c%20d"),
    ])
    func hasOneSpellingForURLsThatMeanTheSame(_ url: String, _ canonical: String) throws {
        #expect(try self.text("GET", url) == "GET \(canonical)")
        #expect(try self.text("GET", canonical) == "GET \(canonical)")
    }

    @Test(
        "tells apart what may mean something else",
        arguments: [
            ("https://example.com/a", "https://example.com/a/"), ("https://example.com/a", "https://example.com/A"),
            ("https://example.com/a", "http://example.com/a"), ("https://example.com/", "https://www.example.com/"),
            ("https://example.com/", "https://example.com:8443/"),
            ("https://example.com/a?b=1", "https://example.com/a?b=2"),
            ("https://example.com/a?b=1&b=2", "https://example.com/a?b=2&b=1"),
            ("https://example.com/a?b=%2B", "https://example.com/a?b=+"),
            ("https://example.com/a?b=1", "https://example.com/a?b=1&b=1"),
            ("https://example.com/a%2Fb", "https://example.com/a/b"),
            ("https://example.com/a+b", "https://example.com/a%20b"),
            ("https://example.com/a?b=%26c=1", "https://example.com/a?b=&c=1"),
        ]
    )
    func keysOfURLsThatMayDifferInMeaningDiffer(_ left: String, _ right: String) throws {
        #expect(try Samples.key("GET", left) != Samples.key("GET", right))
    }

    @Test func theMethodIsPartOfTheKeyAndKeepsItsCase() throws {
        let url = "https://example.com/a"
        #expect(try Samples.key("GET", url) != Samples.key("POST", url))
        #expect(try Samples.key("get", url) != Samples.key("GET", url))
        #expect(try self.text(nil, url) == "* https://example.com/a")
    }

    /// `OPTIONS *` is a URL in a cassette whose path is an asterisk.
    @Test func anAsteriskIsATargetOfItsOwn() throws {
        let key = try Samples.wireKey("OPTIONS", origin: "https://example.com", target: Array("*".utf8))
        #expect(try key == Samples.key("OPTIONS", "https://example.com/*"))
        #expect(try key != Samples.key("OPTIONS", "https://example.com/"))
    }

    @Test func storageIsReusedWithoutATraceOfTheLastRequest() throws {
        let key = try Samples.wireKey("GET", origin: "https://a.example", target: Array("/b?d=1&c=2".utf8))
        #expect(try key == Samples.key("GET", "https://a.example/b?c=2&d=1"))
        #expect(try key.hashValue == Samples.key("GET", "https://a.example/b?c=2&d=1").hashValue)
    }

    /// Clients differ in whether they encode what RFC 3986 leaves out of URLs.
    @Test func strayCharactersMatchTheirEncodedForm() throws {
        let raw = "https://a.example/a<b>|c^\\`\"?q=<x>|"
        let encoded = "https://a.example/a%3Cb%3E%7Cc%5E%5C%60%22?q=%3Cx%3E%7C"
        #expect(try Samples.key("GET", raw) == Samples.key("GET", encoded))
        #expect(
            try Samples.wireKey("GET", origin: "https://a.example", target: Array("/a<b>".utf8))
                == Samples.key("GET", "https://a.example/a%3Cb%3E")
        )
    }

    /// Bytes in a target that are not UTF-8 are written in a cassette as `ByteText` writes them.
    @Test func aTargetThatIsNotUTF8HasTheSameKeyOnTheWireAndInTheCassette() throws {
        let target: [UInt8] = Array("/caf".utf8) + [0xE9] + Array("?a=".utf8) + [0xFF]
        let origin = try Samples.url("https://example.com/").origin
        let wire = try Samples.wireKey("GET", origin: origin.description, target: target)
        let taped = RequestKey(method: "GET", url: AbsoluteURL(origin: origin, target: ByteText.string(from: target)))
        #expect(wire == taped)
    }

    @Test(arguments: seeds(4))
    func anyOrderOfDifferentlyNamedQueryKeysGivesTheSameKey(seed: UInt64) throws {
        var generator = SeededRandom(seed: seed)
        let letters = Array("abcxyzABC019-._~%+!$'()*,;:@/?é")
        for _ in 0..<300 {
            // Each name has a run of values whose order must stay while the runs are mixed with one another.
            let runs = (0..<Int.random(in: 1...6, using: &generator)).map { number in
                (0..<Int.random(in: 1...3, using: &generator)).map { _ in
                    let value = (0..<Int.random(in: 0...5, using: &generator))
                        .map { _ in letters.randomElement(using: &generator) ?? "a" }
                    return "n\(number)=\(String(value))"
                }
            }
            let inOrder = runs.flatMap { $0 }.joined(separator: "&")
            var rest = runs
            var mixed: [String] = []
            while let run = rest.indices.filter({ !rest[$0].isEmpty }).randomElement(using: &generator) {
                mixed.append(rest[run].removeFirst())
            }
            let shuffled = mixed.joined(separator: "&")
            #expect(
                try Samples.key("GET", "https://example.com/p?\(inOrder)")
                    == Samples.key("GET", "https://example.com/p?\(shuffled)"),
                "\(inOrder)  \(shuffled)"
            )
        }
    }

    @Test(arguments: seeds(4))
    func percentEncodingUnreservedCharactersKeepsTheKey(seed: UInt64) throws {
        var generator = SeededRandom(seed: seed)
        let letters = Array("abcXYZ019-._~".utf8)
        for _ in 0..<300 {
            let plain = (0..<Int.random(in: 1...8, using: &generator))
                .map { _ in letters.randomElement(using: &generator) ?? 0x61 }
            let encoded = plain.map { byte in
                switch Int.random(in: 0...2, using: &generator) {
                case 0: String(UnicodeScalar(byte))
                case 1: "%" + String(byte, radix: 16)
                default: "%" + String(byte, radix: 16, uppercase: true)
                }
            }
            let text = String(decoding: plain, as: UTF8.self)
            #expect(
                try Samples.key("GET", "https://example.com/\(text)?\(text)=\(text)&q")
                    == Samples.key(
                        "GET",
                        "https://example.com/\(encoded.joined())?q&\(encoded.joined())=\(encoded.joined())"
                    )
            )
        }
    }
}
