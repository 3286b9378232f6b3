// The time that a session takes to choose an answer, by the number of response sets on the tape: exact URLs, and
// patterns and templates spread over 100 origins. See Benchmarks/README.md.

import TapedeckCore

/// Times a choice many times over and gives the median of what one choice took, in nanoseconds.
struct Measurement {
    /// Choices timed together: a clock is too coarse for one.
    private static let batch = 200
    private static let batches = 400

    let tape: Tape
    /// Writes the request of a number, as it would come off a socket: its bytes are in the cache.
    let request: (Int, inout [UInt8], inout [UInt8]) -> Void
    /// The number of different requests, spread evenly over the tape.
    let requests: Int
    let sets: Int

    func median() -> Double {
        var state = SessionState(name: "benchmark", mode: .replay, tape: self.tape)
        let method = Array("GET".utf8)
        let clock = ContinuousClock()
        var random = SeededRandom(seed: 1)
        var key = RequestKey()
        var origin: [UInt8] = []
        var target: [UInt8] = []
        var played = 0
        var times: [Double] = []
        let warmUp = max(20, self.requests * 4 / Self.batch)
        for round in 0..<(Self.batches + warmUp) {
            let time = clock.measure {
                for _ in 0..<Self.batch {
                    let number = Int(random.next() % UInt64(self.requests)) * (self.sets / self.requests)
                    self.request(number, &origin, &target)
                    method.withUnsafeBytes { key.begin(method: $0, origin: origin) }
                    target.withUnsafeBytes { key.append(target: $0) }
                    if case .decided(.play) = state.answer(MatchRequest(key)) { played += 1 }
                }
            }
            if round >= warmUp { times.append(Double(time.components.attoseconds) / 1e9 / Double(Self.batch)) }
        }
        precondition(played == (Self.batches + warmUp) * Self.batch, "every request is to be answered")
        return times.sorted()[times.count / 2]
    }
}

/// Writes `text` with `#` replaced by a number.
func write(_ text: StaticString, _ number: Int, to bytes: inout [UInt8]) {
    bytes.removeAll(keepingCapacity: true)
    for byte in UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount) {
        if byte == UInt8(ascii: "#") {
            var digits = 1
            while digits * 10 <= number { digits *= 10 }
            while digits > 0 {
                bytes.append(0x30 + UInt8(number / digits % 10))
                digits /= 10
            }
        } else {
            bytes.append(byte)
        }
    }
}

func set(_ name: String, _ request: RequestMatcher) -> ResponseSet {
    ResponseSet(name: name, request: request, variants: [Variant(name: "ok", takes: [Take()])])
}

func exact(_ count: Int, requests: Int) -> Measurement {
    let sets = (0..<count).map { number in
        let target = "/v1/accounts/\(number)/orders?page=\(number % 7)&sort=date"
        let url = AbsoluteURL(origin: Origin(scheme: .https, host: "api\(number % 100).example.com"), target: target)
        return set("\(number)", RequestMatcher(method: "GET", url: url))
    }
    return Measurement(
        tape: Tape([Cassette(name: "exact", responseSets: sets)]),
        request: { number, origin, target in
            write("https://api#.example.com", number % 100, to: &origin)
            write("/v1/accounts/#/orders?page=", number, to: &target)
            target.append(0x30 + UInt8(number % 7))
            target.append(contentsOf: "&sort=date".utf8)
        },
        requests: requests,
        sets: count
    )
}

func patterns(_ count: Int, templates: Bool) throws -> Measurement {
    let sets = try (0..<count).map { number in
        let url: URLMatcher =
            templates
            ? .template(
                try URLTemplate("https://api\(number % 100).example.com/v1/tenant\(number)/users/{user}/orders")
            )
            : .pattern(
                try Pattern(
                    #"https://api\#(number % 100)\.example\.com/v1/tenant\#(number)/users/(?<user>\d+)/orders(\?.*)?"#,
                    scope: .whole
                )
            )
        return set("\(number)", RequestMatcher(methods: ["GET"], url: url))
    }
    return Measurement(
        tape: Tape([Cassette(name: "patterns", responseSets: sets)]),
        request: { number, origin, target in
            write("https://api#.example.com", number % 100, to: &origin)
            write("/v1/tenant#/users/12345/orders?page=3", number, to: &target)
        },
        requests: count,
        sets: count
    )
}

func line(_ name: String, _ nanoseconds: Double, _ reference: Double?) {
    let padded = name + String(repeating: " ", count: max(1, 52 - name.count))
    let ratio = reference.map { "   \(($0 > 0 ? nanoseconds / $0 * 100 : 0).rounded() / 100) times that of 10" } ?? ""
    print("\(padded)\(Int(nanoseconds.rounded())) ns\(ratio)")
}

var reference: Double?
for count in [10, 1_000, 100_000] {
    let time = exact(count, requests: 10).median()
    line("\(count) exact sets, 10 of them asked for", time, reference)
    reference = reference ?? time
}
line("100000 exact sets, 1000 of them asked for", exact(100_000, requests: 1_000).median(), reference)
line("100000 exact sets, all of them asked for", exact(100_000, requests: 100_000).median(), reference)
for count in [1_000, 10_000] {
    line("\(count) patterns, 100 origins, all asked for", try patterns(count, templates: false).median(), nil)
    line("\(count) templates, 100 origins, all asked for", try patterns(count, templates: true).median(), nil)
}
