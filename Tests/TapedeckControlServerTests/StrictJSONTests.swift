import TapedeckControlAPI
import Testing

@testable import TapedeckControlServer

/// Error messages for an invalid body.
@Suite struct StrictJSONTests {
    private static func errors<Model: Decodable>(_ type: Model.Type, _ json: String) -> [String] {
        do {
            _ = try StrictJSON.decode(type, from: Array(json.utf8))
            return []
        } catch let problem as Problem {
            return problem.model.errors?.map { "\($0.pointer): \($0.detail)" } ?? [problem.model.detail]
        } catch {
            return ["\(error)"]
        }
    }

    @Test(arguments: [
        (#"{"cassete": []}"#, "/cassete: there is no member `cassete`; did you mean `cassettes`?"),
        (#"{"unmatched": {"polic": "fail"}}"#, "/unmatched: `policy` is missing"),
        (#"{"unmatched": {"policy": "fail", "statuss": 1}}"#, "did you mean `status`?"),
        (#"{"cassettes": ["a", 5]}"#, "/cassettes/1: this is a number; it must be a text"),
        (#"{"seed": -1}"#, "/seed: -1 must be a whole number from 0 to 18446744073709551615"),
        (#"{"seed": 1.5}"#, "/seed: 1.5 must be a whole number"),
        (#"{"selections": {"a/b~c": null}}"#, "/selections/a~1b~0c: this is null; it must be a text"),
        (#"{"profiles": ["a", {"name": 1}]}"#, "/profiles/1/name: this is a number"),
        (#"{"name": "a", "name": "b"}"#, "/name: `name` is there twice"),
        (#"[]"#, ": this is a list; it must be an object"),
        (#"{"#, "the body is no JSON: line 1, column 2"),
        ("", "the body is no JSON"),
    ])
    func anErrorIsReportedWithItsPlace(_ json: String, _ message: String) {
        let errors = Self.errors(SessionRequest.self, json)
        #expect(errors.count == 1)
        #expect(errors.first?.contains(message) == true, "\(errors)")
    }

    @Test func everyUnknownMemberIsReported() {
        #expect(Self.errors(SelectionModel.self, #"{"variant": "a", "b": 1, "c": 2}"#).count == 2)
    }

    @Test func validJSONIsDecoded() throws {
        let json =
            #"{"name": null, "profiles": ["a", {"name": "b", "only": ["c"]}], "seed": 18446744073709551615, "port": 1e3}"#
        let request = try StrictJSON.decode(SessionRequest.self, from: Array(json.utf8))
        #expect(request.profiles == [ProfileChoice("a"), ProfileChoice("b", only: ["c"])])
        #expect(request.seed == .max)
        #expect(request.port == 1_000)
        let state = try StrictJSON.decode(StateModel.self, from: Array(#"{"state": {"a": "1", "b": null}}"#.utf8))
        #expect(state.state.count == 2)
        #expect(state.state["a"] == .some("1"))
        #expect(state.state["b"] == .some(nil))
    }
}
