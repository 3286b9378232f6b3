import TapedeckCore

/// International bank account numbers (ISO 13616-1).
enum BankAccount {
    /// The part after the check digits, by country, as in the IBAN registry of SWIFT: numbers of digits (`n`), capitals
    /// (`a`) or either (`c`).
    private static let structures: [String: String] = [
        "AD": "8n12c", "AE": "19n", "AL": "8n16c", "AT": "16n", "AZ": "4a20c", "BA": "16n", "BE": "12n",
        "BG": "4a6n8c", "BH": "4a14c", "BR": "23n1a1c", "CH": "5n12c", "CR": "18n", "CY": "8n16c", "CZ": "20n",
        "DE": "18n", "DK": "14n", "DO": "4c20n", "EE": "16n", "EG": "25n", "ES": "20n", "FI": "14n", "FO": "14n",
        "FR": "10n11c2n", "GB": "4a14n", "GE": "2a16n", "GI": "4a15c", "GL": "14n", "GR": "7n16c", "GT": "4c20c",
        "HR": "17n", "HU": "24n", "IE": "4a14n", "IL": "19n", "IQ": "4a15n", "IS": "22n", "IT": "1a10n12c",
        "JO": "4a4n18c", "KW": "4a22c", "KZ": "3n13c", "LB": "4n20c", "LI": "5n12c", "LT": "16n", "LU": "3n13c",
        "LV": "4a13c", "MC": "10n11c2n", "MD": "2c18c", "ME": "18n", "MK": "3n10c2n", "MT": "4a5n18c", "NL": "4a10n",
        "NO": "11n", "PK": "4a16c", "PL": "24n", "PS": "4a21c", "PT": "21n", "QA": "4a21c", "RO": "4a16c",
        "RS": "18n", "SA": "2n18c", "SE": "20n", "SI": "15n", "SK": "20n", "SM": "1a10n12c", "TN": "20n",
        "TR": "6n16c", "UA": "6n19c", "VA": "18n", "XK": "16n",
    ]

    /// The greatest number of characters of an IBAN.
    static let longest = 34

    /// True if letters and digits are an IBAN: of a country's structure, with the right check digits.
    static func isNumber(_ number: [UInt8]) -> Bool {
        let number = number.map { (0x61...0x7A).contains($0) ? $0 & 0xDF : $0 }
        guard number.count > 4, number[2...3].allSatisfy({ (0x30...0x39).contains($0) }),
            let kinds = Self.kinds(ofCountry: String(decoding: number.prefix(2), as: UTF8.self)),
            number.count == kinds.count + 4
        else { return false }
        let fits = zip(kinds, number.dropFirst(4)).allSatisfy { kind, byte in
            switch kind {
            case "n": (0x30...0x39).contains(byte)
            case "a": (0x41...0x5A).contains(byte)
            default: (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
            }
        }
        return fits && Self.remainder(Array(number.dropFirst(4) + number.prefix(4))) == 1
    }

    /// The kind of each character after the check digits: `n`, `a` or `c`. `nil` for an unknown country.
    static func kinds(ofCountry country: String) -> [Character]? {
        guard let structure = Self.structures[country] else { return nil }
        var kinds: [Character] = []
        var count = 0
        for character in structure {
            if let digit = character.wholeNumberValue {
                count = count * 10 + digit
            } else {
                kinds += Array(repeating: character, count: count)
                count = 0
            }
        }
        return kinds
    }

    /// An IBAN of a country with this part behind its check digits.
    static func number(country: String, rest: [UInt8]) -> String {
        let check = 98 - Self.remainder(rest + Array(country.utf8) + [0x30, 0x30])
        return "\(country)\(check < 10 ? "0" : "")\(check)\(String(decoding: rest, as: UTF8.self))"
    }

    /// The remainder modulo 97, with letters as the numbers from 10 to 35 (ISO 7064, MOD 97-10).
    private static func remainder(_ characters: [UInt8]) -> Int {
        characters.reduce(0) { remainder, byte in
            let value = byte <= 0x39 ? Int(byte) - 0x30 : Int(byte) - 0x41 + 10
            return (remainder * (value > 9 ? 100 : 10) + value) % 97
        }
    }
}
