import TapedeckCassettes
import TapedeckControlAPI
import TapedeckCore

/// Reads JSON in the form of a cassette, and reports errors in it as problems.
enum CassetteShapes {
    /// - Parameter files: body files that it may name.
    static func responseSet(_ json: [UInt8], name: String, files: SessionFiles) throws -> ResponseSet {
        try self.read(CassetteJSON.responseSet(json, name: name, files: files))
    }

    /// - Parameter pointer: its place in the body.
    static func matcher(_ json: JSONValue, at pointer: String) throws -> RequestMatcher {
        try self.read(CassetteJSON.matcher(json, at: pointer))
    }

    /// - Parameters:
    ///   - files: body files that it may name; `nil` is none.
    ///   - pointer: where it stands in the body.
    static func answer(
        _ json: JSONValue,
        files: SessionFiles? = nil,
        at pointer: String
    ) throws -> CassetteJSON.Answer {
        try self.read(CassetteJSON.answer(json, files: files, at: pointer))
    }

    private static func read<Shape>(_ result: Result<Shape, CassetteJSON.Invalid>) throws -> Shape {
        do {
            return try result.get()
        } catch {
            throw Problem.badBody(error.problems.map { ProblemModel.Detail(pointer: $0.pointer, detail: $0.message) })
        }
    }
}
