import Glibc
import TapedeckCassettes
import TapedeckCore
import Yams

// Reads and writes cassettes of 1,000 and 10,000 takes of 1 KiB, beside Yams on the same content in the same run.
// Figures are CPU time of this thread, the best of several rounds.

struct PlainCassette: Encodable {
    var tapedeck = 1
    var responseSets: [PlainSet]
}

struct PlainSet: Encodable {
    struct Request: Encodable {
        var method: String
        var url: String
    }
    struct Variant: Encodable {
        var name: String
        var takes: [PlainTake]
    }
    var name: String
    var request: Request
    var variants: [Variant]
}

struct PlainTake: Encodable {
    var status: Int
    var recorded: String
    var headers: [[String: String]]
    var body: [String: String]
}

func seconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// The best of `rounds`, in seconds.
func best(_ rounds: Int, _ work: () throws -> Void) rethrows -> Double {
    var best = Double.infinity
    for _ in 0..<rounds {
        let start = seconds()
        try work()
        best = min(best, seconds() - start)
    }
    return best
}

/// JSON of 1 KiB that differs from take to take.
func body(_ number: Int) -> String {
    var text = "{\"id\":\(number),\"items\":["
    var item = 0
    while text.utf8.count < 960 {
        text += item == 0 ? "" : ","
        text += "{\"name\":\"item \(number * 31 + item)\",\"tags\":[\"a\",\"b\"],\"price\":\(item).50}"
        item += 1
    }
    return text + "]}"
}

func cassette(takes: Int) -> Cassette {
    let sets = (0..<takes).map { number in
        let wire = Array(body(number).utf8)
        let readable = wire.withUnsafeBytes { JSONLayout.readable($0) }
        let content = InlineBody(form: .json, content: readable?.text ?? wire, layout: readable?.layout)
        let take = Take(
            headers: [
                HeaderField("Content-Type", "application/json; charset=utf-8"),
                HeaderField("Content-Length", String(wire.count)),
                HeaderField("Date", "Sat, 21 Nov 2026 10:00:00 GMT"),
            ],
            body: .inline(content),
            recorded: "2026-11-21T10:00:00Z"
        )
        let url = AbsoluteURL(origin: Origin(scheme: .https, host: "api.example.test"), target: "/items/\(number)")
        return ResponseSet(
            name: "GET api.example.test/items/\(number)",
            request: RequestMatcher(method: "GET", url: url),
            variants: [Variant(name: "recorded", takes: [take])]
        )
    }
    return Cassette(name: "benchmark", responseSets: sets)
}

func plain(_ cassette: Cassette) -> PlainCassette {
    PlainCassette(
        responseSets: cassette.responseSets.map { set in
            PlainSet(
                name: set.name,
                request: PlainSet.Request(
                    method: set.request.exact?.method ?? "",
                    url: set.request.exact?.url.description ?? ""
                ),
                variants: set.variants.map { variant in
                    PlainSet.Variant(
                        name: variant.name,
                        takes: variant.takes.map { take in
                            var body = ""
                            if case .inline(let inline) = take.body {
                                body = String(decoding: inline.content, as: UTF8.self)
                            }
                            return PlainTake(
                                status: take.status,
                                recorded: take.recorded ?? "",
                                headers: take.headers.map { [$0.name: $0.value] },
                                body: ["json": body, "layout": "compact"]
                            )
                        }
                    )
                }
            )
        }
    )
}

func milliseconds(_ seconds: Double) -> String {
    let tenths = Int(seconds * 10_000)
    return "\(tenths / 10).\(tenths % 10) ms"
}

func ratio(_ theirs: Double, _ ours: Double) -> String {
    let tenths = Int(theirs / ours * 10)
    return "\(tenths / 10).\(tenths % 10)x"
}

for takes in [1_000, 10_000] {
    let model = cassette(takes: takes)
    let text = CassetteWriter.text(of: model)
    let string = String(decoding: text, as: UTF8.self)
    print("\(takes) takes, \(text.count / 1_000) kB")

    let load = best(7) {
        let result = CassetteReader.read(text, name: "benchmark", path: "benchmark.yaml")
        precondition(!result.hasErrors && result.cassette.responseSets.count == takes)
    }
    let compose = try best(3) {
        let node = try Yams.compose(yaml: string)
        precondition(node != nil)
    }
    print("  load   tapedeck \(milliseconds(load))   Yams.compose \(milliseconds(compose))   \(ratio(compose, load))")

    let write = best(7) { precondition(CassetteWriter.text(of: model) == text) }
    let codable = plain(model)
    let encode = try best(1) {
        let encoded = try YAMLEncoder().encode(codable)
        precondition(!encoded.isEmpty)
    }
    print("  write  tapedeck \(milliseconds(write))   YAMLEncoder  \(milliseconds(encode))   \(ratio(encode, write))")
}
