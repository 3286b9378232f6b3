import TapedeckCassettes
import TapedeckControlAPI
import Testing

@testable import TapedeckControlServer

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

extension ForeignFiles {
    /// Accepts every file as the cassette of ``RunningControl``, except for names that mean a failure.
    static let made = ForeignFiles(
        stem: { $0.split(separator: ".").first.map(String.init) ?? $0 },
        take: { upload in
            switch upload.name {
            case "full.har": throw Failure.file(FileError("write", upload.location.path, code: ENOSPC))
            case "forbidden.har": throw Failure.file(FileError("write", upload.location.path, code: EROFS))
            case "broken.har": throw Failure.badCassette("the cassette to add to is broken")
            default: break
            }
            try FileContents.makeFolder(upload.location.folder)
            try FileContents.replace(upload.location.path, with: Array(RunningControl.cassette.utf8))
            var written = ImportReport.Written(path: upload.location.path)
            written.files = [upload.name]
            var report = ImportReport()
            report.cassettes = [written]
            return report
        },
        give: { location, format in
            guard format == "har" else { throw Failure.badRequest("there is no format '\(format)'") }
            let report = ExportReport(
                cassette: location.name,
                format: format,
                exchanges: 2,
                leftOut: [.init(set: "order", reason: "it is an order")]
            )
            return Download(bytes: Array("{}".utf8), mediaType: "application/json", ending: "har", report: report)
        }
    )
}

/// Files of other tools, in and out.
@Suite struct ForeignFileRouteTests {
    private static let bytes = ["Content-Type: application/octet-stream"]

    private func send(_ control: RunningControl, _ query: String, _ body: String = "{}") async throws -> ControlAnswer {
        try await control.ask("POST", "/v1/cassettes/import?\(query)", body, headers: Self.bytes)
    }

    @Test func aFileIsImportedUnderItsOwnOrAnotherName() async throws {
        try await RunningControl.use { control in
            let report = try await self.send(control, "name=../away/traffic.har").decoded(ImportReport.self)
            #expect(report.cassettes.map(\.path) == ["traffic"])
            #expect(report.cassettes.first?.files == ["traffic.har"])
            let other = try await self.send(control, "name=traffic.har&cassette=team/api").decoded(ImportReport.self)
            #expect(other.cassettes.map(\.path) == ["team/api"])
            let list = try await control.ask(CassetteList.self, "GET", "/v1/cassettes").cassettes
            #expect(list.map(\.name) == ["shop", "team/api", "traffic"])
        }
    }

    @Test func anImportAddsToAnExistingCassetteOnlyIfRequested() async throws {
        try await RunningControl.use { control in
            let plain = try await self.send(control, "name=shop.har")
            #expect(plain.problem == "conflict")
            let appended = try await self.send(control, "name=shop.har&append=true")
            #expect(appended.status == 200)
        }
    }

    @Test func aFileThatIsTooLargeOrOfAnotherTypeIsRefused() async throws {
        try await RunningControl.use(.with { $0.importLimit = 10 }) { control in
            let large = try await self.send(control, "name=a.har", "{          }")
            #expect(large.problem == "body-too-large")
            let json = try await control.ask(
                "POST",
                "/v1/cassettes/import?name=a.har",
                "{}",
                headers: ["Content-Type: text/plain"]
            )
            #expect(json.problem == "not-json")
        }
    }

    @Test(arguments: [("full", 507, "disk-full"), ("forbidden", 403, "not-writable"), ("broken", 422, "bad-cassette")])
    func anImportThatCannotBeSavedReportsTheReason(_ name: String, _ status: Int, _ problem: String) async throws {
        try await RunningControl.use { control in
            let answer = try await self.send(control, "name=\(name).har")
            #expect(answer.status == status)
            #expect(answer.problem == problem)
        }
    }

    @Test func oneFileIsImportedAtATime() async throws {
        try await RunningControl.use { control in
            let turn = try control.server.service.imports.enter()
            let answer = try await self.send(control, "name=a.har")
            #expect(answer.problem == "too-many-waiting")
            #expect(answer.headers["retry-after"] == "1")
            withExtendedLifetime(turn) {}
        }
    }

    @Test func aCassetteIsExportedAsADownload() async throws {
        try await RunningControl.use { control in
            let answer = try await control.ask("GET", "/v1/cassettes/shop/export")
            #expect(answer.text == "{}")
            #expect(answer.headers["content-disposition"] == "attachment; filename=\"shop.har\"")
            #expect(answer.headers["x-tapedeck-left-out"] == "1")
            let report = try await control.ask(ExportReport.self, "GET", "/v1/cassettes/shop/export?report=true")
            #expect(report.leftOut.map(\.set) == ["order"])
            #expect(try await control.ask("GET", "/v1/cassettes/shop/export?format=pdf").problem == "bad-request")
            #expect(try await control.ask("GET", "/v1/cassettes/none/export").problem == "unknown-cassette")
        }
    }
}
