import TapedeckCore
import TapedeckRedaction

// The cost of searching bodies for secrets, in nanoseconds per byte, with an empty vault and with 10,000 secrets in it,
// compared with copying the bytes and parsing them as JSON.

let clock = ContinuousClock()
let rounds = 20

/// The least time of several rounds, in nanoseconds for each byte.
@MainActor
func measure(_ name: String, _ size: Int, _ body: () -> Int) {
    var best = Duration.seconds(1000)
    var check = 0
    for _ in 0..<rounds {
        let time = clock.measure { check &+= body() }
        best = min(best, time)
    }
    let nanoseconds = Double(best.components.attoseconds) / 1e9 + Double(best.components.seconds) * 1e9
    let hundredths = Int((nanoseconds / Double(size) * 100).rounded())
    let text = "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100)"
    print("\(name): \(text) ns/byte\(check == 0 ? "!" : "")")
}

func item(_ number: Int) -> String {
    """
    {"id":\(number * 7919),"node_id":"MDEwOlJlcG9zaXRvcnk\(number)","full_name":"octo/repo-\(number)","private":false,\
    "html_url":"https://github.com/octo/repo-\(number)","description":"A repository with a name of its own",\
    "created_at":"2026-11-21T10:00:00Z","sha":"6dcb09b5b57875f334f61aebed695e2e4193\(1000 + number % 9000)","size":\(number)},
    """
}

let json = Array(("[" + (0..<2500).map(item).joined() + "{}]").utf8)
let prose = Array(
    String(repeating: "The quick brown fox jumps over the lazy dog, and then it goes on about its day. ", count: 10_000)
        .utf8
)

for (name, bytes) in [("JSON", json), ("text", prose)] {
    print("\(name), \(bytes.count >> 10) KiB")
    measure("  copy", bytes.count) {
        var copy = bytes
        copy[0] &+= 1
        return Int(copy[bytes.count - 1])
    }
    if name == "JSON" {
        measure("  JSON parsed", bytes.count) { (try? JSONValue(parsing: bytes)) == nil ? 0 : 1 }
    }
    for secrets in [0, 10_000] {
        let vault = SecretVault()
        for number in 0..<secrets {
            let value = "tok_\(UInt64(number) &* 0x9E37_79B9_7F4A_7C15)abc"
            _ = vault.placeholder(for: Array(value.utf8), called: "token")
        }
        let redactor = Redactor(.builtIn, vault: vault)
        var response = RecordedResponse()
        response.headers = [HeaderField("Content-Type", "application/json")]
        response.body = .bytes(bytes)
        let exchange = RecordedExchange(
            number: 1,
            method: "GET",
            url: "https://api.example.com/",
            requestHeaders: [],
            requestBody: .bytes([]),
            response: response,
            time: 0
        )
        measure("  redacted, \(secrets) secrets known", bytes.count) {
            (try? redactor.redact(exchange)) == nil ? 0 : 1
        }
        measure("  searched for known ones only, \(secrets)", bytes.count) {
            redactor.redactLiterals(exchange).number
        }
    }
}
