import TapedeckCore
import TestShare
import Testing

@testable import TapedeckRedaction

/// The rule `pii`, which is off by default.
@Suite struct PersonalDataTests {
    private static func redactor() throws -> Redactor {
        try TapedeckRedactionTests.redactor(RedactionSettings(on: ["pii"]))
    }

    @Test(arguments: [
        ("write to ada.lovelace@corp.co.uk.", "write to {{secret.email#1}}."),
        (#"{"email":"ada+x@mail.corp.io"}"#, #"{"email":"{{secret.email#1}}"}"#),
        ("mail=ada%40corp.io&x=1", "mail={{secret.email#1:percent}}&x=1"),
        ("card 4111 1111 1111 1111 12/29", "card {{secret.card_number#1}} 12/29"),
        ("5555-5555-5555-4444", "{{secret.card_number#1}}"),
        (#"{"n":378282246310005}"#, #"{"n":"{{secret.card_number#1:number}}"}"#),
        (#"{"n":"6011111111111117"}"#, #"{"n":"{{secret.card_number#1}}"}"#),
        ("IBAN DE89 3704 0044 0532 0130 00 and more", "IBAN {{secret.iban#1}} and more"),
        ("GB82WEST12345698765432;", "{{secret.iban#1}};"),
        ("from NL91ABNA0417164300 to x", "from {{secret.iban#1}} to x"),
    ])
    func `Personal data is replaced if enabled`(text: String, expected: String) throws {
        #expect(try Self.redactor().redacted(text) == expected)
        #expect(try TapedeckRedactionTests.redactor().redacted(text) == text)
    }

    @Test(arguments: [
        "ada@example.com", "a@example", "a@host.test", "logo@2x.png", "jquery@3.5.1.min.js", "@media screen",
        "a @ b.io",
        "https://ada@corp.io/x", "npm i @scope/name@1.2.3", "4111 1111 1111 1112", "1234567890123452",
        "0.4111111111111111",
        "id4111111111111111", "1732288000123456789", "DE89 3704 0044 0532 0130 01", "DE89370400440532013000x",
        "ZZ82WEST12345698765432", "0000000000000000", "00000000-0000-4000-8000-000000000000",
    ])
    func `Similar text stays`(text: String) throws {
        #expect(try Self.redactor().redacted(text) == text)
    }

    @Test(arguments: [
        ("ada@corp.io", "email"), ("4111 1111 1111 1111", "card-4{16}"), ("378282246310005", "card-37{15}"),
        ("DE89 3704 0044 0532 0130 00", "iban-DE"), ("GB82WEST12345698765432", "iban-GB"),
        ("FR1420041010050500013M02606", "iban-FR"),
    ])
    func `Made-up values pass the checks of programs`(value: String, expected: String) throws {
        let shape = SecretShape(of: Array(value.utf8), named: "token")
        #expect(shape.text == expected)
        for name in ["a", "b", "c"] {
            let made = try SecretShape(shape.text).value(for: name)
            #expect(made != value && made != shape.value(for: name + "-2"))
            #expect(
                made.hasSuffix("@example.com") || PaymentCard.isNumber(Array(made.utf8))
                    || BankAccount.isNumber(Array(made.utf8)),
                "\(made)"
            )
            #expect(PersonalShape(of: Array(made.utf8))?.text ?? "email" == expected)
        }
    }

    @Test func `A rule that is on is off if a file disables it`() throws {
        let settings = [RedactionSettings(on: ["pii"]), RedactionSettings(off: ["pii"])]
        let redactor = Redactor(try RedactionRules(settings, environment: [:]), vault: SecretVault())
        #expect(try redactor.redacted("ada@corp.io") == "ada@corp.io")
        #expect(throws: RedactionError.self) { try RedactionRules([RedactionSettings(on: ["pi"])], environment: [:]) }
    }

    @Test(arguments: seeds(1)) func `Numbers drawn at random are seldom cards or accounts`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var found = 0
        for _ in 0..<5_000 {
            let text = "\(UInt64.random(in: 1_000_000_000_000...9_999_999_999_999_999, using: &random))"
            found +=
                text.utf8.withContiguousStorageIfAvailable { bytes in
                    PersonalData.edits(in: UnsafeRawBufferPointer(bytes)).count
                } ?? 0
        }
        // One in ten has the check digit, and fewer have the length and the first digits of a network.
        #expect(found < 250, "\(found) of 5,000")
    }
}
