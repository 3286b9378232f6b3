import TapedeckCore
import Testing

@testable import TapedeckRedaction

@Suite struct VaultTests {
    private static func value(_ number: Int) -> [UInt8] {
        var source = StableBytes("value", "\(number)")
        return Array("k\(source.next())x\(number)".utf8)
    }

    @Test func `Thousands of secrets are each found again`() {
        let vault = SecretVault()
        for number in 0..<3000 { _ = vault.placeholder(for: Self.value(number), called: "v") }
        #expect(vault.count == 3000)
        for number in stride(from: 0, to: 3000, by: 37) {
            let text = Array("a ".utf8) + Self.value(number) + Array(" b".utf8)
            let hits = text.withUnsafeBytes { vault.hits(in: $0) }
            #expect(hits.map(\.secret.number) == [number + 1])
            #expect(hits.first?.range == 2..<(text.count - 2))
        }
    }

    @Test func `Many threads agree on the number of a value`() async {
        let vault = SecretVault()
        let found = await withTaskGroup(of: [Int?].self) { group in
            for _ in 0..<8 {
                group.addTask {
                    (0..<500).map { number in
                        let placeholder = vault.placeholder(for: Self.value(number), called: "v")
                        let hits = Self.value(number).withUnsafeBytes { vault.hits(in: $0) }
                        return hits.first?.secret.number == placeholder.number ? placeholder.number : nil
                    }
                }
            }
            var all: [[Int?]] = []
            for await numbers in group { all.append(numbers) }
            return all
        }
        #expect(found.allSatisfy { $0 == found[0] && !$0.contains(nil) })
        #expect(Set(found[0]).count == 500)
    }

    @Test func `Beyond the limit the same value still has the same number`() {
        let vault = SecretVault()
        for number in 0..<SecretVault.valueLimit {
            _ = vault.placeholder(for: Array("\(number)".utf8), called: "v")
        }
        let one = vault.placeholder(for: Self.value(1), called: "v")
        let again = vault.placeholder(for: Self.value(1), called: "v")
        #expect(one == again)
        #expect(one != vault.placeholder(for: Self.value(2), called: "v"))
    }

    @Test func `A played value gets its name`() throws {
        let values = SecretValues([SecretDescription(name: "token", shape: "[a-z0-9]{24}")], environment: [:])
        let redactor = Redactor(.builtIn, vault: SecretVault(known: values))
        let value = values.value("token")
        let request = redactor.redact(
            url: "https://h/\(value)",
            fields: [HeaderField("Authorization", "Bearer \(value)"), HeaderField("X-Api-Key", "other")],
            body: Array(#"{"t":"\#(value)"}"#.utf8)
        )
        #expect(request.url == "https://h/{{secret.token}}")
        #expect(request.fields.map(\.value) == ["Bearer {{secret.token}}", "{{secret.api_key#1}}"])
        #expect(request.body.map { String(decoding: $0, as: UTF8.self) } == #"{"t":"{{secret.token}}"}"#)
    }
}
