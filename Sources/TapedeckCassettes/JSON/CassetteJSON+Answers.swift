package import TapedeckCore
import TapedeckYAML

extension CassetteJSON {
    /// One answer, given to a held request.
    package struct Answer: Sendable, Equatable {
        package var take: Take
        /// The time before its first byte, or `nil`.
        package var delay: Pacing.Delay?

        package init(take: Take, delay: Pacing.Delay? = nil) {
            self.take = take
            self.delay = delay
        }
    }

    /// Reads an answer in the form of a take, which may also have a `delay`.
    ///
    /// - Parameter pointer: where it stands in what somebody sent.
    package static func answer(
        _ json: JSONValue,
        files: SessionFiles? = nil,
        at pointer: String = ""
    ) -> Result<Answer, Invalid> {
        guard case .object(let members) = json else {
            return .failure(Invalid(problems: [Problem(pointer: pointer, message: "a take is a JSON object")]))
        }
        let (delay, take) = (members.filter { $0.name == "delay" }, members.filter { $0.name != "delay" })
        return self.take(take, files, at: pointer).flatMap { take in
            guard !delay.isEmpty else { return .success(Answer(take: take)) }
            return self.delay(delay, at: pointer).map { Answer(take: take, delay: $0) }
        }
    }

    private static func take(
        _ members: [JSONMember],
        _ files: SessionFiles?,
        at pointer: String
    ) -> Result<Take, Invalid> {
        self.read(JSONNodes(.object(members), at: pointer), files: files) { $0.readTake($1) }
    }

    private static func delay(_ members: [JSONMember], at pointer: String) -> Result<Pacing.Delay, Invalid> {
        self.read(JSONNodes(.object(members), at: pointer)) { reader, node in
            node["delay"].flatMap { reader.readDelay($0) }
        }
    }
}
