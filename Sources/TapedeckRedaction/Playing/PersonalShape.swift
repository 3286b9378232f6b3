import TapedeckCore

/// The shape of personal data: `email`, `card-4{16}`, `iban-DE`. Generated values pass the checks of programs, and
/// belong to no person.
enum PersonalShape: Sendable {
    /// An address at `example.com`, which is reserved (RFC 2606 section 3).
    case email
    /// A number of a payment card.
    case card(prefix: String, count: Int)
    /// A number of a bank account in a country.
    case iban(country: String)

    /// As a cassette says it.
    init?(_ text: String) {
        if text == "email" {
            self = .email
        } else if text.hasPrefix("iban-"), BankAccount.kinds(ofCountry: String(text.dropFirst(5))) != nil {
            self = .iban(country: String(text.dropFirst(5)))
        } else if text.hasPrefix("card-"), text.hasSuffix("}") {
            let parts = text.dropFirst(5).dropLast().split(separator: "{")
            guard parts.count == 2, let count = Int(parts[1]), (13...19).contains(count), parts[0].utf8.count <= 6,
                parts[0].utf8.allSatisfy({ (0x30...0x39).contains($0) })
            else { return nil }
            self = .card(prefix: String(parts[0]), count: count)
        } else {
            return nil
        }
    }

    /// Returns the shape of a value, or `nil` if it is not personal data.
    init?(of value: [UInt8]) {
        if value.contains(ASCII.at) {
            guard value.withUnsafeBytes({ EmailAddress.ranges(in: $0) }) == [0..<value.count] else { return nil }
            self = .email
            return
        }
        let number = value.filter { $0 != ASCII.space && $0 != 0x2D }
        if PaymentCard.isNumber(number), let prefix = PaymentCard.prefix(of: number) {
            self = .card(prefix: prefix, count: number.count)
        } else if BankAccount.isNumber(number) {
            self = .iban(country: String(decoding: number.prefix(2), as: UTF8.self).uppercased())
        } else {
            return nil
        }
    }

    var text: String {
        switch self {
        case .email: "email"
        case .card(let prefix, let count): "card-\(prefix){\(count)}"
        case .iban(let country): "iban-\(country)"
        }
    }

    func value(_ source: inout StableBytes) -> String {
        func digit() -> UInt8 { 0x30 + UInt8(source.next() % 10) }
        switch self {
        case .email:
            let id = (0..<10).map { _ in String(source.next() % 36, radix: 36) }.joined()
            return "user-\(id)@example.com"
        case .card(let prefix, let count):
            var digits = Array(prefix.utf8)
            while digits.count < count - 1 { digits.append(digit()) }
            let check = (10 - PaymentCard.luhn(digits + [0x30])) % 10
            return String(decoding: digits + [0x30 + UInt8(check)], as: UTF8.self)
        case .iban(let country):
            let kinds = BankAccount.kinds(ofCountry: country) ?? []
            let rest = kinds.map { $0 == "a" ? 0x41 + UInt8(source.next() % 26) : digit() }
            return BankAccount.number(country: country, rest: rest)
        }
    }
}
