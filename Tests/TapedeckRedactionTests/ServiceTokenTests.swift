import TapedeckCore
import TestShare
import Testing

@testable import TapedeckRedaction

/// Tokens of services: found in every place, in full, and nothing that only resembles them.
@Suite struct ServiceTokenTests {
    static let kinds = ServiceToken.all.map(\.pattern.text)

    private static func kind(_ text: String) throws -> ServiceToken {
        try #require(ServiceToken.all.first { $0.pattern.text == text })
    }

    private static func values(_ text: String, _ redactor: Redactor) -> [String] {
        redactor.findings(in: Array(text.utf8)).map { String(decoding: $0.value, as: UTF8.self) }
    }

    @Test(arguments: some(of: kinds), seeds(1))
    func `A token is found in texts of all kinds`(pattern: String, seed: UInt64) throws {
        let kind = try Self.kind(pattern)
        let redactor = try redactor()
        var random = SeededRandom(seed: seed)
        for _ in 0..<4 {
            let token = kind.made(&random)
            let near = String(decoding: kind.near, as: UTF8.self)
            for text in [
                token, "\(near) see \(token).", #"{"\#(near)":["\#(token)"]}"#,
                "https://\(near).example/\(token)?page=2",
                "\(near): '\(token)'; next", "\(near)=1&x=\(token)&y=2", "<\(near)>\(token)</\(near)>",
                "(\(near),\(token))", #"{"a":"line\n\#(token)\n"}"#,
            ] where near.isEmpty || text.contains(near) {
                let found = Self.values(text, redactor)
                let secret = ByteText.string(from: Self.secret(of: kind, in: Array(token.utf8)))
                #expect(found.contains { $0.contains(secret) }, "\(token) in \(text)")
            }
        }
    }

    @Test(arguments: some(of: ServiceToken.all.filter { $0.near.isEmpty && !$0.isWeak }.map(\.pattern.text)), seeds(1))
    func `A token is found among bytes`(pattern: String, seed: UInt64) throws {
        let kind = try Self.kind(pattern)
        var random = SeededRandom(seed: seed)
        for _ in 0..<4 {
            let token = Array(kind.made(&random).utf8)
            let long =
                token.count < 128 ? [UInt8(token.count)] : [UInt8(token.count & 127 | 128), UInt8(token.count >> 7)]
            for (before, after) in [
                ([0x0A] as [UInt8], [0x12] as [UInt8]), ([0x0A] + long, [0x12, 0x03, 0x61, 0x62, 0x63]),
                ([0xFF, 0xD8, 0, 0], [0]), ([0x6B, 0x3D], [0, 0x41]), ([], []),
            ] {
                let noise = (0..<40).map { _ in UInt8.random(in: 0x80...0xFF, using: &random) }
                let bytes = noise + before + token + after + noise
                let end = noise.count + before.count + token.count
                let place = (end - Self.secret(of: kind, in: token).count)..<end
                let found = bytes.withUnsafeBytes { RedactionRules.builtIn.tokens.tokens(inBinary: $0) }
                #expect(found.map(\.range).contains(place), "\(ByteText.string(from: token))")
            }
        }
    }

    /// The token without what only proves it.
    private static func secret(of kind: ServiceToken, in token: [UInt8]) -> [UInt8] {
        var ends = ServiceTokenPattern.RunEnds()
        return token.withUnsafeBytes { text in
            kind.pattern.match(in: text, at: 0, upTo: text.count, &ends).map { Array(text[$0.secret]) } ?? []
        }
    }

    @Test func `A token with a length byte before it ends at that length`() throws {
        let token = Array("ghp_0123456789abcdefghijABCDEFGHIJ012345".utf8)
        // Field 8 of a message in protocol buffers begins with the byte of a letter.
        let bytes = [0x0A, UInt8(token.count)] + token + [0x42, 0x01, 0x61]
        let found = bytes.withUnsafeBytes { RedactionRules.builtIn.tokens.tokens(inBinary: $0) }
        #expect(found.map(\.range) == [2..<(2 + token.count)])
    }

    @Test(arguments: ServiceToken.all.filter(\.hasFixedLength).map(\.pattern.text), seeds(1))
    func `A token of a fixed length is not found if shorter, longer or part of a word`(
        pattern: String,
        seed: UInt64
    ) throws {
        let kind = try Self.kind(pattern)
        let redactor = try redactor()
        var random = SeededRandom(seed: seed)
        let token = kind.made(&random)
        let near = String(decoding: kind.near, as: UTF8.self)
        for word in [String(token.dropLast()), token + token.suffix(1), "q" + token, token + "_x"] {
            let found = Self.values("\(near) \(word) ", redactor)
            #expect(!found.contains(word) && !found.contains(token), "\(word)")
        }
    }

    @Test(arguments: some(of: kinds), seeds(1))
    func `A made-up value is of the same kind`(pattern: String, seed: UInt64) throws {
        let kind = try Self.kind(pattern)
        var random = SeededRandom(seed: seed)
        let token = ByteText.string(from: Self.secret(of: kind, in: Array(kind.made(&random).utf8)))
        let shape = SecretShape(of: Array(token.utf8), named: kind.name)
        let value = shape.value(for: "a")
        #expect(value != token)
        // Characters that no shape has make a plain one.
        guard !token.contains(where: { "@%$".contains($0) }) else { return }
        #expect(try SecretShape(shape.text).value(for: "a") == value)
        #expect(SecretShape(of: Array(value.utf8), named: kind.name).text == shape.text, "\(token) gives \(shape.text)")
        if kind.hasFixedLength { #expect(value.utf8.count == token.utf8.count) }
    }

    @Test func `A stand-in for a token is not a token`() throws {
        let redactor = try redactor()
        for text in [
            "ghp_" + String(repeating: "x", count: 36), "AKIA" + String(repeating: "X", count: 16), "sk-...", "hf_xxx",
            "sk_live_" + String(repeating: "*", count: 24), "key-5f4dcc3b5aa765d61d8327deb882cf99",
            "AC0123456789abcdef0123456789abcdef", "s.getElementsByClassNameAll", "the ASIA region, npm_config_registry",
        ] {
            #expect(Self.values(text, redactor) == [], "\(text)")
        }
    }

    @Test(arguments: seeds(1)) func `Words of ordinary files are not tokens`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var text = ""
        for number in 0..<20_000 { text += OrdinaryWords.word(number, &random) + (number % 9 == 0 ? "\n" : " ") }
        let scanned = text.utf8.withContiguousStorageIfAvailable { bytes in
            var scanner = TextScanner(UnsafeRawBufferPointer(bytes), .builtIn, TextContext())
            scanner.run()
            return scanner.edits.filter { ["tokens", "aws", "gcp", "azure"].contains($0.rule) }
        }
        let found = try #require(scanned).map { String(decoding: $0.value, as: UTF8.self) }
        #expect(found.isEmpty, "\(found) of 20,000 words")
    }

    @Test(arguments: seeds(1)) func `Bytes drawn at random hold no tokens`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let bytes = (0..<(1 << 18)).map { _ in UInt8.random(in: 0...255, using: &random) }
        let found = bytes.withUnsafeBytes { RedactionRules.builtIn.tokens.tokens(inBinary: $0) }
        #expect(found.isEmpty)
    }

    @Test func `The tables hold together`() {
        #expect(Set(Self.kinds).count == Self.kinds.count)
        for token in ServiceToken.all {
            #expect(token.pattern.leastCount >= ServiceTokenTable.leastCount, "\(token.pattern.text)")
            #expect(RedactionRules.builtInIDs.contains(token.rule))
            #expect(SecretPlaceholder.isName(token.name))
            // The text after a run of variable length begins outside its class.
            for (part, next) in zip(token.pattern.parts, token.pattern.parts.dropFirst()) {
                guard case .run(let characters, let count) = part, count.count > 1 else { continue }
                switch next {
                case .literal(let bytes): #expect(!characters.contains(bytes[0]), "\(token.pattern.text)")
                case .run(let others, _):
                    #expect(!others.characters.contains(where: characters.contains), "\(token.pattern.text)")
                }
            }
        }
    }
}

extension ServiceToken {
    fileprivate var hasFixedLength: Bool {
        guard case .run? = self.pattern.parts.last else { return false }
        return self.pattern.parts.allSatisfy { $0.count.count == 1 }
    }

    /// A token of this kind, which ends in a letter or a digit.
    fileprivate func made(_ random: inout SeededRandom) -> String {
        var bytes: [UInt8] = []
        for (index, part) in self.pattern.parts.enumerated() {
            switch part {
            case .literal(let literal): bytes += literal
            case .run(let characters, let count):
                let alphabet = characters.characters
                let length = Int.random(
                    in: count.lowerBound...min(count.upperBound, count.lowerBound + 40),
                    using: &random
                )
                for _ in 0..<length { bytes.append(alphabet.randomElement(using: &random)!) }
                let plain = alphabet.filter { ASCII.hexValue($0) != nil || (0x41...0x7A).contains($0) && $0 != 0x5F }
                if index == self.pattern.parts.count - 1, length > 0, let last = plain.randomElement(using: &random) {
                    bytes[bytes.count - 1] = last
                }
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// Words such as ordinary files have: names of a minifier, names of programs, digests, identifiers, base64, English.
enum OrdinaryWords {
    private static let english = [
        "access", "key", "secret", "sky", "skill", "patch", "pattern", "account", "glance", "ghost", "dapper", "square",
        "message", "token", "value", "list", "user", "index", "color", "border", "sent", "asia", "mask", "live", "test",
        "get", "element", "style", "node", "render", "public", "private", "hook", "data", "figure", "name", "vault",
    ]

    /// Literal texts that tokens begin with, by their first two bytes.
    private static let beginnings = Dictionary(
        grouping: ServiceToken.all.compactMap { token -> [UInt8]? in
            guard case .literal(let bytes) = token.pattern.parts[0], bytes.count > 1 else { return nil }
            return bytes
        },
        by: { Self.pair($0[0], $0[1]) }
    )

    private static func pair(_ first: UInt8, _ second: UInt8) -> UInt16 { UInt16(first) << 8 | UInt16(second) }

    private static func hasBeginning(_ word: [UInt8]) -> Bool {
        zip(word.indices, zip(word, word.dropFirst())).contains { index, bytes in
            Self.beginnings[Self.pair(bytes.0, bytes.1)]?.contains { word[index...].starts(with: $0) } ?? false
        }
    }

    static func word(_ number: Int, _ random: inout SeededRandom) -> String {
        func drawn(_ alphabet: String, _ count: ClosedRange<Int>) -> String {
            let characters = Array(alphabet)
            let length = Int.random(in: count, using: &random)
            return String((0..<length).map { _ in characters.randomElement(using: &random)! })
        }
        /// Characters drawn behind such as `sk-` are no less a token than those that a service draws.
        func drawnApart(_ alphabet: String, _ count: ClosedRange<Int>) -> String {
            let word = drawn(alphabet, count)
            return Self.hasBeginning(Array(word.utf8)) ? drawnApart(alphabet, count) : word
        }
        let letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
        let hex = "0123456789abcdef"
        switch number % 8 {
        case 0: return drawn(letters + "_$", 1...3) + "." + drawn(letters, 1...3)
        case 1: return drawn(hex, [32...32, 40...40, 64...64].randomElement(using: &random)!)
        case 2: return [8, 4, 4, 4, 12].map { drawn(hex, $0...$0) }.joined(separator: "-")
        case 3: return drawnApart(letters + "0123456789+/", 20...200) + "="
        case 4: return drawnApart(letters + "0123456789-_", 16...64)
        case 5: return english.randomElement(using: &random)! + "-" + english.randomElement(using: &random)!
        case 6: return (0..<5).map { _ in english.randomElement(using: &random)!.capitalizedASCII }.joined()
        default:
            return english.randomElement(using: &random)! + ["_", "-", ".", "/"].randomElement(using: &random)!
                + drawn(hex, [8...8, 12...12, 20...20, 32...32, 40...40].randomElement(using: &random)!)
        }
    }
}

extension String {
    fileprivate var capitalizedASCII: String { self.prefix(1).uppercased() + self.dropFirst() }
}
