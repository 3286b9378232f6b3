import TapedeckCore
import TapedeckYAML
import Testing

@testable import TapedeckCassettes

/// `record:` of a project file.
@Suite
struct RecordSettingsTests {
    private func read(_ text: String) throws -> (settings: RecordSettings, problems: [String]) {
        let root = try #require(try YAMLDocument(parsing: Array(text.utf8)).root)
        var reader = CassetteReader(path: "tapedeck.yaml")
        var settings = RecordSettings()
        _ = reader.read(root, by: ProjectGrammar.record, into: &settings)
        return (settings, reader.diagnostics.map(\.description))
    }

    @Test func everyKey() throws {
        let (settings, problems) = try self.read(
            """
            only: [api.example.com, "*.github.com"]
            except: cdn.example.com
            passthrough: [pinned.example.com:8443]
            block: /telemetry/
            loopback: true
            keepHeaders: [User-Agent, X-Tenant]
            maxBody: 10 MB
            statuses: [200, 3xx]
            faults: false
            """
        )
        #expect(problems.isEmpty)
        #expect(settings.only.map(\.source) == ["api.example.com", "*.github.com"])
        #expect(settings.except.map(\.source) == ["cdn.example.com"])
        #expect(settings.passthrough.map(\.source) == ["pinned.example.com:8443"])
        #expect(settings.block.map(\.source) == ["/telemetry/"])
        #expect(settings.recordsLoopback == true)
        #expect(settings.keptHeaders == (try KeptHeaders("User-Agent,X-Tenant")))
        #expect(settings.maxBody?.bytes == 10_000_000)
        #expect(settings.statuses?.contains(304) == true)
        #expect(settings.statuses?.contains(201) == false)
        #expect(settings.recordsFaults == false)
    }

    @Test func textsStandForLists() throws {
        let (settings, problems) = try self.read("statuses: 200,404\nkeepHeaders: none\nonly: localhost:8080\n")
        #expect(problems.isEmpty)
        #expect(settings.statuses?.contains(404) == true)
        #expect(settings.keptHeaders == (try KeptHeaders("none")))
    }

    @Test(arguments: [
        ("onyl: [a]", "tapedeck.yaml:1:1: error: `record` has no key `onyl`; did you mean `only`?"),
        ("only: []", "tapedeck.yaml:1:7: error: `only` is an empty list; leave it out, or name hosts"),
        (
            "block: [https://a.example]",
            "tapedeck.yaml:1:9: error: `block`: `https://a.example` is no host: write the host alone, such as "
                + "api.example.com"
        ),
        ("loopback: yes", "tapedeck.yaml:1:11: error: `loopback` is true or false"),
        (
            "maxBody: big",
            "tapedeck.yaml:1:10: error: `maxBody`: `big` is no size; write a whole number and a unit, such as 64k, 512 KiB "
                + "or 10 MB"
        ),
        (
            "statuses: ok",
            "tapedeck.yaml:1:11: error: `statuses`: `ok` is no list of statuses; write them as in 200,2xx,300-399"
        ),
        ("[a]", "tapedeck.yaml:1:1: error: `record` is written as `key: value` lines"),
    ])
    func mistakes(_ text: String, _ problem: String) throws {
        let problems = try self.read(text).problems
        #expect(problems == [problem])
    }
}
