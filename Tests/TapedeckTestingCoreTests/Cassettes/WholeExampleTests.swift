import Foundation
import TapedeckCassettes
import TapedeckCore
import TapedeckTestingCore
import Testing

@Suite("A cassette built in Swift")
struct WholeExampleTests {
    private static let example = Cassette(
        about: "GitHub search, as the app uses it",
        profiles: ["bad day": ["search repositories": "rate limited", "*": "offline"]]
    ) {
        ResponseSet("search repositories", .get("https://api.github.com/search/repositories?q=swift&sort=stars")) {
            Variant("found", .json(["total_count": 1], contentType: "application/json; charset=utf-8"))
            Variant(
                "rate limited",
                .text("API rate limit exceeded", status: 403, contentType: nil, headers: ["retry-after": "60"])
            )
        }
        ResponseSet("any repository", .get("https://api.github.com/repos/{owner}/{repo}")) {
            Variant("found", .json(text: #"{"full_name": "{{url.owner}}/{{url.repo}}"}"#).template())
        }
        ResponseSet(
            "create an issue",
            .post("https://api.github.com/repos/o/r/issues").otherQuery(.refused).json(
                text: #"{"title": "It breaks"}"#
            )
        ) {
            Variant("created", .sequence([.status(202), .json(text: #"{"number": 7}"#, status: 201)]))
        }
    }

    @Test("means the same as the whole example on the format's page")
    func wholeExample() throws {
        let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../docs/cassette-format.md").standardized
        let text = try String(contentsOf: page, encoding: .utf8)
        let heading = try #require(text.firstRange(of: "## A whole example"))
        let start = try #require(text[heading.upperBound...].firstRange(of: "```yaml\n"))
        let end = try #require(text[start.upperBound...].firstRange(of: "```"))
        let byHand = try Reading.cassette(String(text[start.upperBound..<end.lowerBound]))
        #expect(byHand.responseSets.count == 3)
        #expect(try Reading.cassette(Self.example.yaml) == byHand)
    }

    @Test("is printed as the deck writes it")
    func style() throws {
        let cassette = Cassette(
            about: "all kinds of lines",
            match: [.method, .url],
            ignore: .init(query: ["ts"], headers: ["x-trace"], json: ["$.id"]),
            dates: .shifted(json: ["$.created_at"]),
            delay: .fixed(.milliseconds(200)),
            state: ["cart": "empty"],
            profiles: ["bad day": ["search": "rate limited", "https://a.test": "offline"]]
        ) {
            ResponseSet(
                "search",
                .methods(["GET", "HEAD"], "https://a.test/search/{kind}").query("q", .present)
                    .header("accept", .contains("json")).cookie("theme", .oneOf("dark", "light")).state("user", "ada")
                    .and(.any("/search/{x}")).not(.any.header("user-agent", .pattern("bot", ignoringCase: true))),
                selected: "found",
                priority: 2,
                requires: ["cart": "empty", "user": nil],
                sets: ["cart": "full"]
            ) {
                Variant(
                    "found",
                    .json(["total": 1, "items": [["id": "a"]]]).template().delayed(.seconds(2)).merging(["a": nil])
                        .bandwidth(bytesPerSecond: 64_000).dribbled(pieces: 5, over: .seconds(2))
                        .fuzzing("$.total", .hugeNumbers).settingState("found", to: "yes it was")
                )
                Variant("text", .text("one\ntwo\n").header("x-a", "b").trailer("x-sum", "five"))
                Variant("cut", .text("half").fault(.resetDuringBody))
                Variant("rate limited", .sequence([.status(429), .fault(.timeout)], after: .unmatched))
                Variant(
                    "mixed",
                    .sequence([.variant("found"), .fault(.timeout).times(2), .status(503)], after: .variant("text"))
                )
                Variant("often", .random([(9, .variant("found")), (1, .empty())]))
                Variant(
                    "for members",
                    .when(.any.header("authorization", .present), then: .variant("found"), otherwise: .status(401))
                )
                Variant("live", .passthrough)
            }
            ResponseSet("upload", .post("https://a.test/form").or(.put("https://a.test/form"))) {
                Variant("offline", .fault(.connectionReset))
            }
            ResponseSet("order", .post("https://a.test/orders?a=b").jsonPath("$.items", .present, count: 2)) {
                Variant("placed", .empty(headers: ["a": "b", "a": "c"]))
            }
        }
        let read = try Reading.cassette(cassette.yaml)
        #expect(cassette.yaml == String(decoding: CassetteWriter.text(of: read), as: UTF8.self))
    }

    @Test("keeps its text if created from YAML")
    func text() {
        #expect(Cassette(yaml: "not: [read").yaml == "not: [read")
    }

    @Test("is built with conditions and loops, or from arrays")
    func builders() throws {
        let isSlow = true
        let names = ["a", "b"]
        let built = Cassette {
            for name in names {
                ResponseSet(name, .get("/\(name)")) {
                    Variant("found", .status(200))
                    if isSlow { Variant("late", .status(200).delayed(.seconds(1))) }
                }
            }
        }
        let variants = [Variant("found", .status(200)), Variant("late", .status(200).delayed(.seconds(1)))]
        let listed = Cassette(
            responseSets: names.map { ResponseSet($0, .get("/\($0)"), variants: variants) }
        )
        #expect(built == listed)
        #expect(try Reading.cassette(built.yaml).responseSets.map(\.variants.count) == [2, 2])
    }
}
