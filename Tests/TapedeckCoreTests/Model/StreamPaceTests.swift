import TapedeckCore
import Testing

@Suite struct StreamPaceTests {
    @Test(arguments: [
        ("instant", StreamPace.instant), ("recorded", .recorded(factor: 1)), ("0.5x", .recorded(factor: 0.5)),
        (".25x", .recorded(factor: 0.25)), ("10x", .recorded(factor: 10)), ("999x", .recorded(factor: 999)),
    ])
    func aPaceIsRead(_ text: String, _ pace: StreamPace) throws {
        #expect(try StreamPace(text) == pace)
        #expect(try StreamPace(pace.description) == pace)
    }

    @Test(arguments: [
        "", "x", ".x", "fast", "Recorded", "0x", "-1x", "1e3x", "infx", "nanx", "0x10x", "1000x", "2", "2 x", "1.1.1x",
    ])
    func anythingElseIsRefusedInOneSentence(_ text: String) {
        let error = #expect(throws: StreamPace.Invalid.self) { try StreamPace(text) }
        #expect(error?.description.contains(text) == true)
    }
}
