import Foundation
import TapedeckCore
import Testing

@testable import TapedeckRedaction

/// Tokens in links, and assertions of SAML.
struct LinkAndAssertionTests {
    private static let token = "q8Zk3vN1xR7tB5wJ9mLc2HsT4pY6dF0gA"

    @Test(arguments: [
        "https://h.example/confirm/TOKEN", "see https://h.example/confirm/TOKEN. Then",
        "https://h.example/reset/MQ/TOKEN/",
        "(https://h.example/x/invite/TOKEN)", "https://h.example/magic-link/TOKEN?x=1",
        #"<p><a href="/reset/TOKEN">reset</a></p>"#, #"{"next": "/app/invite/TOKEN"}"#, "/confirm/TOKEN",
        "[reset](https://h.example/reset/TOKEN)", #"{"next": "\/reset\/TOKEN"}"#,
    ])
    func `the token alone is replaced`(_ text: String) throws {
        let redacted = try redactor().redacted(text.replacing("TOKEN", with: Self.token))
        let placeholders = SecretPlaceholder.all(in: redacted)
        #expect(placeholders.count == 1)
        let found = try #require(placeholders.first)
        #expect(redacted == text.replacing("TOKEN", with: found.placeholder.text))
    }

    @Test(arguments: ["https://h.example/items/TOKEN", "https://h.example/confirm/a/very-long-name/TOKEN"])
    func `a path that says nothing of a token stays`(_ text: String) throws {
        let text = text.replacing("TOKEN", with: Self.token)
        #expect(try redactor().redacted(text) == text)
    }

    /// One, two and three lines.
    @Test(arguments: [1_000, 76, 64])
    func `of an assertion the signature is replaced, and the rest can be read`(width: Int) throws {
        let signature = Data((0..<128).map { UInt8(($0 * 151 + 89) % 251) }).base64EncodedString()
        let lines = stride(from: 0, to: signature.count, by: width).map { start in
            String(signature.dropFirst(start).prefix(width))
        }
        let xml = """
            <samlp:Response ID="_1"><saml:NameID>ada</saml:NameID><ds:SignatureValue>\(lines.joined(separator: "\n"))\
            </ds:SignatureValue></samlp:Response>
            """
        let message = Data(xml.utf8).base64EncodedString()
        let html = try redactor().redacted(#"<input name="SAMLResponse" value="\#(message)">"#, type: "text/html")
        let form = try redactor().redacted(
            request: "SAMLResponse=\(message.replacing("+", with: "%2B").replacing("=", with: "%3D"))&RelayState=x",
            type: "application/x-www-form-urlencoded"
        )
        for text in [html, form] {
            #expect(text.contains("{{secret.signature_value"), "\(text)")
            let place = try #require(SecretPlaceholder.all(in: text).first?.range)
            let start = text.utf8.prefix(place.lowerBound).suffix { $0 != 0x22 && $0 != 0x3D }
            let readable = String(decoding: start, as: UTF8.self).replacing("%2B", with: "+")
            let decoded = Data(base64Encoded: readable).map { String(decoding: $0, as: UTF8.self) }
            #expect(decoded?.hasPrefix("<samlp:Response ID=\"_1\"><saml:NameID>ada</saml:NameID>") == true, "\(text)")
        }
    }

    @Test(arguments: [
        "fZJNT8MwDIb%2FSpR7mzZtB1gbUkFCIIGYxgEuKE3dLVKbdHEK499TNsbHYdzs2H78vnYWGvp%2BkM1IW7OG7QhIydt",
        // One in some thousand drawn values begins like XML.
        "PDToi0An018%2BjgLGQgrzvjEdL3aC2Mn%2BRf7b0bdRitHuu0%2Fr2sSG9ttgRnsg3ObWb1l%2FyM%2Bzq3lO3HO%3D",
    ])
    func `a message that is no XML is a secret as a whole`(_ message: String) throws {
        let form = try redactor().redacted(
            request: "SAMLResponse=\(message)",
            type: "application/x-www-form-urlencoded"
        )
        let placeholder = try #require(SecretPlaceholder.all(in: form).first?.placeholder)
        #expect(form == "SAMLResponse=\(placeholder.text)")
    }
}

extension Substring.UTF8View {
    /// The bytes behind the last one that ends the search.
    fileprivate func suffix(_ isPart: (UInt8) -> Bool) -> Substring.UTF8View {
        self[(self.lastIndex { !isPart($0) }.map { self.index(after: $0) } ?? self.startIndex)...]
    }
}
