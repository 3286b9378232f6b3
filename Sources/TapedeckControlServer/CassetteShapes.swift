import TapedeckCassettes
import TapedeckControlAPI
import TapedeckCore

/// Reads JSON in the form of a cassette, and reports errors in it as problems.
enum CassetteShapes {
    static func responseSet(_ json: [UInt8], name: String) throws -> ResponseSet {
        try self.read(CassetteJSON.responseSet(json, name: name))
    }

    /// - Parameter pointer: where it stands in the body.
    static func matcher(_ json: JSONValue, at pointer: String) throws -> RequestMatcher {
        try self.read(CassetteJSON.matcher(json, at: pointer))
    }

    /// - Parameter pointer: where it stands in the body.
    static func answer(_ json: JSONValue, at pointer: String) throws -> CassetteJSON.Answer {
        try self.read(CassetteJSON.answer(json, at: pointer))
    }

    private static func read<Shape>(_ result: Result<Shape, CassetteJSON.Invalid>) throws -> Shape {
        do {
            return try result.get()
        } catch {
            throw Problem.badBody(error.problems.map { ProblemModel.Detail(pointer: $0.pointer, detail: $0.message) })
        }
    }
}
