import TapedeckCassettes
import TapedeckControlAPI
import Testing

/// Answers that are edited in their cassette.
@Suite struct EditingRouteTests {
    private static let full = "/v1/sessions/default/sets/GET%20shop.test%2Fcart/variants/full/takes/1"

    private static func text(_ control: RunningControl) throws -> String {
        String(decoding: try FileContents.read("\(control.folder)/shop.yaml"), as: UTF8.self)
    }

    @Test func anAnswerIsWrittenIntoTheCassetteAndPlayedFromThenOn() async throws {
        try await RunningControl.use { control in
            let body = #"{"status": 206, "headers": [{"etag": "1"}], "body": {"text": "an apple"}}"#
            let set = try await control.ask("PUT", Self.full + "?cassette=shop", body)
            #expect(set.status == 200)
            #expect(set.text.contains(#""body":{"text":"an apple"}"#), "\(set.text)")
            let played = try await control.ask("GET", "/v1/sessions/default/sets/GET%20shop.test%2Fcart")
            #expect(played.text == set.text)
            let text = try Self.text(control)
            #expect(text.contains("        takes: [{ status: 200 }]\n  - name: order\n"), "\(text)")
            #expect(text.contains("  closed: { GET shop.test/cart: empty }\n"))
            // Written once more, the answer changes nothing.
            #expect(try await control.ask("PUT", Self.full, body).status == 200)
            #expect(try Self.text(control) == text)
        }
    }

    @Test func anInvalidEditIsReportedAndTheCassetteStaysUnchanged() async throws {
        try await RunningControl.use { control in
            let status = try await control.ask("PUT", Self.full, #"{"status": 17}"#)
            #expect(status.status == 422)
            #expect(status.text.contains(#""pointer":"/status""#), "\(status.text)")
            let number = Self.full.replacing("/takes/1", with: "/takes/2")
            #expect(try await control.ask("PUT", number, #"{"status": 200}"#).problem == "unknown-take")
            let variant = Self.full.replacing("/full/", with: "/ful/")
            #expect(try await control.ask("PUT", variant, #"{"status": 200}"#).problem == "unknown-take")
            let zero = Self.full.replacing("/takes/1", with: "/takes/0")
            #expect(try await control.ask("PUT", zero, #"{"status": 200}"#).status == 400)
            let added = #"{"request": {"url": "http://shop.test/new"}, "status": 200}"#
            #expect(try await control.ask("PUT", "/v1/sessions/default/added/new", added).status == 201)
            let path = "/v1/sessions/default/sets/new/variants/stub/takes/1"
            #expect(try await control.ask("PUT", path, #"{"status": 201}"#).status == 409)
            #expect(try Self.text(control) == RunningControl.cassette)
        }
    }

    @Test func aSessionsOwnFilesAreNotEdited() async throws {
        try await RunningControl.use { control in
            let files =
                #"{"files": {"mine.yaml": "tapedeck: 1\nresponseSets:\n  - name: a\n    request: { url: http://a.test/ }\n    variants: [{ name: x, empty: 204 }]\n"}}"#
            let made = try await control.ask(SessionModel.self, "POST", "/v1/sessions", files)
            let path = "/v1/sessions/\(made.id)/sets/a/variants/x/takes/1"
            let refused = try await control.ask("PUT", path, #"{"status": 200}"#)
            #expect(refused.status == 409)
            #expect(refused.text.contains("came with the session"))
        }
    }

    @Test func aKeptSelectionIsWrittenToTheCassette() async throws {
        try await RunningControl.use { control in
            let path = "/v1/sessions/default/selections/GET%20shop.test%2Fcart"
            let kept = try await control.ask("PUT", path, #"{"variant": "empty", "keeps": true}"#)
            #expect(kept.status == 200, "\(kept.text)")
            #expect(try Self.text(control).contains("selected: empty"))
            let unknown = try await control.ask("PUT", path, #"{"variant": "fool", "keeps": true}"#)
            #expect(unknown.problem == "bad-selection")
            // The first one plays again, and the line is gone.
            #expect(try await control.ask("PUT", path, #"{"variant": "full", "keeps": true}"#).status == 200)
            #expect(try Self.text(control) == RunningControl.cassette)
        }
    }
}
