import TapedeckCodings
import TapedeckCore
import TestShare
import Testing

@testable import TapedeckRedaction

/// The text around a secret stays.
@Suite struct PlacesTests {
    private static let slack = "T0ABCDEF12/B0GHIJKL34/q7Rk2Vb9Xw4Zt6Ym1Np8Ls3D"
    private static let discord = "y8K2-vQ4_tZ7xW1mB6nC3pL9rS5dF0gH2jJ4kM6qN8uT1wV3yX5zA7bD9eG1hK3mP5"

    @Test(arguments: [
        "https://hooks.slack.com/services/\(slack)", "https://hooks.slack.com:8443/services/\(slack)",
        "https://discord.com/api/webhooks/1123456789012345678/\(discord)",
        "https://discord.com/api/v10/webhooks/1123456789012345678/\(discord)?wait=true",
    ])
    func `the origin and the path of a webhook stay`(_ url: String) throws {
        let redacted = try redactor().redact(exchange(url: url))
        #expect(!redacted.url.contains(Self.slack) && !redacted.url.contains(Self.discord))
        let end = try #require(redacted.url.firstRange(of: "{{secret."))
        #expect(url.hasPrefix(redacted.url[..<end.lowerBound]))
        #expect(AbsoluteURL(redacted.url)?.origin == AbsoluteURL(url)?.origin)
        // In an answer, too.
        let text = try redactor().redacted("see \(url).")
        #expect(!text.contains(Self.slack) && !text.contains(Self.discord))
    }

    @Test func `an origin stays whatever a rule says`() throws {
        var settings = RedactionSettings()
        settings.rules = [
            RedactionRule(name: "host", place: .pattern(try Pattern("shop", scope: .anywhere))),
            RedactionRule(name: "api", place: .environment("API_HOST")),
        ]
        let redactor = try redactor(settings, environment: ["API_HOST": "api.shop.test"])
        let redacted = try redactor.redact(exchange(url: "https://api.shop.test:8443/shop?of=api.shop.test"))
        #expect(redacted.url.hasPrefix("https://api.shop.test:8443/{{secret."))
        #expect(redacted.url.dropFirst(26).contains("{{secret.api"))
    }

    @Test func `a match across the host is replaced behind it`() throws {
        let rule = RedactionRule(
            name: "tenant",
            place: .pattern(try Pattern("shop\\.test/tenants/[0-9]+", scope: .anywhere))
        )
        let redacted = try redactor(RedactionSettings(rules: [rule]))
            .redact(exchange(url: "https://shop.test/tenants/4711/a?b=shop.test/tenants/12"))
        #expect(redacted.url == "https://shop.test/{{secret.tenant#1}}/a?b={{secret.tenant#2}}")
    }

    @Test(arguments: [
        "Basic Operations", "HTTP Basic OpenID", "basic Oracle", "Basic Options", "Basic Orientation", "Basic dGVzdA",
    ])
    func `prose is no credential`(_ text: String) throws {
        let redactor = try redactor()
        #expect(try redactor.redacted(text, type: "text/plain") == text)
        let json = #"{"title":"\#(text)"}"#
        #expect(try redactor.redacted(json, type: "application/json") == json)
    }

    @Test(arguments: ["Basic YWRhOmh1bnRlcjIy", "Basic OnE3UmsyVmI5WHc0WnQ2WW0xTnA4THMzRA=="])
    func `credentials in a text are credentials`(_ text: String) throws {
        #expect(try !redactor().redacted("curl -H 'Authorization: \(text)'").contains(text))
    }

    @Test(arguments: [
        ("[![b](https://x.test/badge.svg?token=§)](https://link.test/a) after", "text/markdown"),
        ("| https://x.test/a?access_token=§| next |", "text/plain"),
        (#"{"a":"([x](https://x.test/a?token=§))"}"#, "application/json"),
    ])
    func `what is behind a URL stays`(_ text: String, _ type: String) throws {
        let token = "q7Rk2Vb9Xw4Zt6Ym1Np8Ls3DfG5hJ"
        let parts = text.split(separator: "§")
        let redacted = try redactor().redacted(text.replacing("§", with: token), type: type)
        #expect(redacted.hasPrefix(parts[0]) && redacted.hasSuffix(parts[1]), "\(redacted)")
        #expect(!redacted.contains(token))
    }

    private static func file(_ kind: String, of text: String) throws -> [UInt8] {
        let content = Array(text.utf8)
        switch kind {
        case "gzip": return try ContentCoder.encode(content, .gzip)
        case "zstd": return try ContentCoder.encode(content, .zstd)
        case "stored": return ZipFile.bytes([ZipFile.Member("a", content)])
        case "deflated":
            // Without the header and the checksum of zlib.
            let packed = Array(try ContentCoder.encode(content, .deflate).dropFirst(2).dropLast(4))
            return ZipFile.bytes([ZipFile.Member("a", packed, deflated: content)])
        default:
            var header = [UInt8](repeating: 0, count: 512)
            header.replaceSubrange(257..<262, with: "ustar".utf8)
            return header + content + [UInt8](repeating: 0, count: 1024)
        }
    }

    /// The body around a file, and its type.
    private enum Place: CaseIterable {
        case alone, part, part64, json, jsonLines, form, twice

        func body(_ file: [UInt8]) -> (type: String, bytes: [UInt8]) {
            let text = String(decoding: Base64.encode(file), as: UTF8.self)
            let lines = stride(from: 0, to: text.utf8.count, by: 76)
                .map { text.dropFirst($0).prefix(76) }.joined(separator: "\n")
            let start = "--b\r\nContent-Disposition: form-data; name=\"f\"; filename=\"a\"\r\n"
            switch self {
            case .alone: return ("application/octet-stream", file)
            case .part:
                let type = "multipart/form-data; boundary=b"
                return (type, Array("\(start)\r\n".utf8) + file + Array("\r\n--b--\r\n".utf8))
            case .part64:
                let head = "Content-Transfer-Encoding: base64\r\n\r\n"
                return ("multipart/mixed; boundary=b", Array("\(start)\(head)\(lines)\r\n--b--\r\n".utf8))
            case .json: return ("application/json", Array(#"{"name":"a","content":"\#(text)"}"#.utf8))
            case .jsonLines:
                let escaped = lines.replacing("\n", with: "\\n")
                return ("application/json", Array(#"{"name":"a","content":"\#(escaped)\n"}"#.utf8))
            case .form:
                let escaped = text.replacing("+", with: "%2B").replacing("/", with: "%2F").replacing("=", with: "%3D")
                return ("application/x-www-form-urlencoded", Array("name=a&content=\(escaped)&more=1".utf8))
            case .twice:
                let inner = Base64.encode(Array(#"{"content":"\#(text)"}"#.utf8))
                return ("application/json", Array(#"{"data":"\#(String(decoding: inner, as: UTF8.self))"}"#.utf8))
            }
        }
    }

    @Test(arguments: ["gzip", "zstd", "stored", "deflated", "tar"], Place.allCases)
    private func `a file with files in it stays, and its secrets are named`(kind: String, place: Place) throws {
        let redactor = try redactor()
        let token = "ghp_q7Rk2Vb9Xw4Zt6Ym1Np8Ls3DfG5hJ0aBcDeF"
        let text = "use \(token) or Zm9x7QpL2vTs8RwKd4Nb here\n" + String(repeating: "text ", count: 40)
        let (type, file) = place.body(try Self.file(kind, of: text))
        var recorded = exchange(responseHeaders: [HeaderField("Content-Type", type)])
        recorded.response.body = .bytes(file)
        #expect(try redactor.redact(recorded).response.body == .bytes(file))
        #expect(redactor.secretsInFiles(of: recorded) == ["github_token"])
        // And those that another exchange has shown.
        _ = try redactor.redact(exchange(responseBody: #"{"access_token":"Zm9x7QpL2vTs8RwKd4Nb"}"#))
        #expect(try redactor.redact(recorded).response.body == .bytes(file))
        #expect(redactor.secretsInFiles(of: recorded) == ["access_token", "github_token"])
        // A file that was cut off is searched as far as it goes, and ends nothing.
        recorded.response.body = .bytes(Array(file.prefix(file.count / 2)))
        _ = redactor.secretsInFiles(of: recorded)
    }

    @Test func `an archive whose checksum is wrong is searched`() throws {
        let redactor = try redactor()
        var file = try Self.file("deflated", of: "use ghp_q7Rk2Vb9Xw4Zt6Ym1Np8Ls3DfG5hJ0aBcDeF here")
        let entry = try #require(file.indices.last { file[$0...].starts(with: [0x50, 0x4B, 0x01, 0x02]) })
        file[entry + 16] ^= 1
        var recorded = exchange(responseHeaders: [HeaderField("Content-Type", "application/zip")])
        recorded.response.body = .bytes(file)
        #expect(redactor.secretsInFiles(of: recorded) == ["github_token"])
    }
}
