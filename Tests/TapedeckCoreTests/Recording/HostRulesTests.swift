import TapedeckCore
import Testing

/// The rules for hosts, and their precedence.
@Suite
struct HostRulesTests {
    private func rules(
        only: [String] = [],
        except: [String] = [],
        passthrough: [String] = [],
        block: [String] = []
    ) throws -> RecordSettings {
        var settings = RecordSettings()
        settings.only = try only.map { try HostPattern($0) }
        settings.except = try except.map { try HostPattern($0) }
        settings.passthrough = try passthrough.map { try HostPattern($0) }
        settings.block = try block.map { try HostPattern($0) }
        return settings
    }

    private func verdict(_ rules: HostRules, _ host: String) -> HostRules.Verdict {
        rules.verdict(on: Origin(scheme: .https, host: host))
    }

    @Test func everyHostIsRecordedExceptThisMachine() throws {
        let rules = RecordSettings().hosts
        #expect(self.verdict(rules, "api.example.com") == .usual)
        for host in ["localhost", "app.localhost", "127.0.0.1", "127.8.9.1", "127.1", "::1", "::ffff:127.0.0.1"] {
            #expect(self.verdict(rules, host) == .passThrough(.loopback), "\(host)")
        }
        for host in ["localhost.example.com", "notlocalhost", "128.0.0.1", "127.example.com", "::2", "10.0.0.1"] {
            #expect(self.verdict(rules, host) == .usual, "\(host)")
        }
    }

    @Test func blockHasTheHighestPrecedenceAndOnlyTheLowest() throws {
        let rules = try self.rules(
            only: ["*.example.com"],
            except: ["cdn.example.com", "both.example.com", "all.example.com"],
            passthrough: ["pinned.example.com", "both.example.com", "all.example.com"],
            block: ["all.example.com"]
        ).hosts
        #expect(self.verdict(rules, "api.example.com") == .usual)
        #expect(self.verdict(rules, "api.example.org") == .passThrough(.notOnly))
        #expect(self.verdict(rules, "cdn.example.com") == .passThrough(.except("cdn.example.com")))
        #expect(self.verdict(rules, "pinned.example.com") == .passThrough(.passthrough("pinned.example.com")))
        #expect(self.verdict(rules, "both.example.com") == .passThrough(.passthrough("both.example.com")))
        #expect(self.verdict(rules, "all.example.com") == .block("all.example.com"))
    }

    @Test func aNamedHostOfThisMachineIsRecorded() throws {
        let rules = try self.rules(only: ["localhost:8080"]).hosts
        #expect(rules.verdict(on: Origin(scheme: .http, host: "localhost", port: 8080)) == .usual)
        #expect(rules.verdict(on: Origin(scheme: .http, host: "localhost", port: 8081)) == .passThrough(.notOnly))
    }

    private static let here = Origin(scheme: .http, host: "127.0.0.1", port: 8080)
    private static let beyond = Origin(scheme: .https, host: "api.example.com")

    /// Verdict, mode, true for an origin on this machine, true for a named origin; and the result.
    @Test(
        arguments: [
            (.usual, .replay, true, false, .usual),
            (.block("*"), .replay, false, true, .block("*")),
            (.passThrough(.passthrough("a")), .replay, false, false, .passThrough(.passthrough("a"))),
            (.passThrough(.except("a")), .replay, false, false, .passThrough(.except("a"))),
            (.passThrough(.except("a")), .passthrough, false, false, .usual),
            (.passThrough(.notOnly), .record, false, false, .passThrough(.notOnly)),
            (.passThrough(.notOnly), .replay, false, false, .usual),
            (.passThrough(.notOnly), .replay, true, false, .passThrough(.local)),
            (.passThrough(.loopback), .replay, true, false, .passThrough(.local)),
            (.passThrough(.loopback), .replay, true, true, .usual),
            (.passThrough(.loopback), .record, true, false, .passThrough(.loopback)),
            (.passThrough(.loopback), .append, true, false, .passThrough(.loopback)),
            (.passThrough(.loopback), .record, true, true, .usual),
            (.passThrough(.loopback), .passthrough, true, false, .usual),
        ] as [(HostRules.Verdict, Mode, Bool, Bool, HostRules.Verdict)]
    )
    func theRulesHoldInEachMode(
        verdict: HostRules.Verdict,
        mode: Mode,
        isHere: Bool,
        isAsked: Bool,
        applied: HostRules.Verdict
    ) {
        #expect(verdict.applied(to: isHere ? Self.here : Self.beyond, in: mode, isAsked: isAsked) == applied)
    }

    @Test func onlyUnnamedHostsOfThisMachineAreLocal() {
        #expect(HostRules.Reason.local.isLocal(Self.here))
        #expect(HostRules.Reason.loopback.isLocal(Self.here))
        #expect(HostRules.Reason.notOnly.isLocal(Self.here))
        #expect(!HostRules.Reason.notOnly.isLocal(Self.beyond))
        #expect(!HostRules.Reason.passthrough("*").isLocal(Self.here))
    }

    @Test func optionsOverrideTheProjectAndExcludedHostsAddUp() throws {
        var project = try self.rules(only: ["a"], except: ["b"], passthrough: ["c"], block: ["d"])
        project.recordsLoopback = true
        project.recordsFaults = false
        project.maxBody = try ByteSize("1m")
        project.statuses = try StatusFilter("2xx")
        var options = try self.rules(only: ["x"], except: ["y"], block: ["z"])
        options.maxBody = try ByteSize("5k")
        let merged = options.over(project)
        #expect(merged.only.map(\.source) == ["x"])
        #expect(merged.except.map(\.source) == ["y", "b"])
        #expect(merged.passthrough.map(\.source) == ["c"])
        #expect(merged.block.map(\.source) == ["z", "d"])
        #expect(merged.maxBody?.bytes == 5_120)
        #expect(merged.recordsLoopback == true)
        #expect(merged.recordsFaults == false)
        #expect(merged.statuses == project.statuses)
        #expect(RecordSettings().over(project) == project)
    }
}
