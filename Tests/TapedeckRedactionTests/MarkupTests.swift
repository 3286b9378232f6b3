import TapedeckCore
import Testing

@testable import TapedeckRedaction

/// Secrets in HTML, and in base64 that is broken into lines.
@Suite struct MarkupTests {
    private static let value = "qWIVdtyauvtL4Y03dnTfvhQ0"

    @Test(arguments: [
        "<input type=\"hidden\" name=\"csrf_token\" value=\"@@\">",
        "<input value='@@' type='hidden' name='authenticity_token'/>",
        "<INPUT NAME=csrf_token VALUE=@@>",
        "<meta name=\"csrf-token\" content=\"@@\" />",
        "<meta content=\"@@\"\n name=\"csrf-token\">",
        "<input type=\"password\" value=\"@@\">",
    ])
    func `The value of a field in HTML is a secret`(tag: String) throws {
        let html = "<p title=\"a > b\">\(tag.replacing("@@", with: Self.value))<p>Hello</p>"
        let redacted = try redactor().redacted(html, type: "text/html")
        #expect(!redacted.contains(Self.value))
        let parts = "<p title=\"a > b\">\(tag)<p>Hello</p>".split(separator: "@@")
        #expect(redacted.hasPrefix(parts[0] + "{{secret."))
        #expect(redacted.hasSuffix("<p>Hello</p>"))
    }

    @Test(arguments: [
        "<input type=\"hidden\" name=\"page\" value=\"qWIVdtyauvtL4Y03dnTf\">",
        "<meta name=\"csrf-param\" content=\"authenticity_token\">",
        "<meta name=\"description\" content=\"csrf-token\">", "<input name=\"csrf_token\">",
        "<input name=\"csrf_token\" value",
    ])
    func `Other fields in HTML stay`(tag: String) throws {
        #expect(try redactor().redacted(tag, type: "text/html") == tag)
    }

    @Test(arguments: [64, 76], ["\n", "\r\n"])
    func `A secret in base64 in lines is found, whether a rule finds it or it is known`(width: Int, end: String) throws
    {
        func lines(_ text: String) -> String {
            var encoded = Base64.encode(Array(text.utf8))[...]
            var lines: [String] = []
            while !encoded.isEmpty {
                lines.append(String(decoding: encoded.prefix(width), as: UTF8.self))
                encoded = encoded.dropFirst(width)
            }
            return lines.joined(separator: end)
        }
        let filling = String(repeating: "Nothing to see in this line of text. ", count: 5)
        let redactor = try redactor()
        let ruled = lines(filling + "https://h/?api_key=\(Self.value)& " + filling)
        let redacted = try redactor.redacted("Content-Transfer-Encoding: base64\(end)\(end)\(ruled)\(end)--end")
        let first = ruled.prefix(width)
        #expect(redacted.hasPrefix("Content-Transfer-Encoding: base64\(end)\(end)\(first)\(end)"))
        #expect(redacted.hasSuffix("\(ruled.suffix(16))\(end)--end"))
        #expect(redacted.contains("{{secret.api_key"))
        let known = lines(filling + Self.value + filling)
        let again = try redactor.redacted(known)
        #expect(again.hasPrefix("\(first)\(end)") && again.contains("{{secret."))
        for (text, found) in [(ruled, try redactor.redacted(ruled)), (known, again)] {
            // The rest reveals nothing of it, even joined.
            let kept = found.replacing(/\{\{[^}]*\}\}|\s/, with: "")
            #expect(kept.count < text.count - 20 && kept.count > text.count * 3 / 4)
            let decoded = Array(kept.utf8).withUnsafeBytes { Base64.decodeEither($0) }
            #expect(!String(decoding: try #require(decoded), as: UTF8.self).contains(Self.value.prefix(6)))
        }
        let innocent = lines(filling + filling)
        #expect(try redactor.redacted(innocent) == innocent)
    }
}
