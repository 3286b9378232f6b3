import TapedeckControlAPI
import TapedeckCore

/// Reads the JSON that clients send, and reports errors with a JSON pointer (RFC 6901). An unknown member is an error,
/// because it is usually misspelt.
enum StrictJSON {
    /// - Throws: ``Problem``.
    static func decode<Model: Decodable>(_ type: Model.Type, from bytes: [UInt8]) throws -> Model {
        let value: JSONValue
        do {
            value = try JSONValue(parsing: bytes)
        } catch {
            throw Problem(400, "invalid-json", "The body is no JSON", "the body is no JSON: \(error)")
        }
        let members = MemberLog()
        let model: Model
        do {
            model = try ValueDecoder(value, at: [], members).decode(type)
        } catch let error as DecodingError {
            throw Problem.badBody(Self.pointer(error.place.codingPath), error.place.debugDescription)
        }
        let unknown = members.unknown
        guard unknown.isEmpty else { throw Problem.badBody(unknown) }
        return model
    }

    static func pointer(_ path: [any CodingKey]) -> String {
        path.map { "/" + Self.escaped($0.intValue.map(String.init) ?? $0.stringValue) }.joined()
    }

    /// RFC 6901 section 3.
    static func escaped(_ name: String) -> String {
        String(name.flatMap { $0 == "~" ? "~0" : $0 == "/" ? "~1" : String($0) })
    }
}

/// JSON that another reader reads, such as a cassette's `request:`.
struct RawJSON: Decodable, Sendable {
    let value: JSONValue

    init(from decoder: any Decoder) throws {
        guard let decoder = decoder as? ValueDecoder else {
            throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "no JSON"))
        }
        self.value = decoder.value
    }

    var bytes: [UInt8] { self.value.compactText }
}

/// The members of objects that were read.
final class MemberLog {
    private struct Object {
        var path: [any CodingKey]
        var members: [String]
        var known: Set<String> = []
    }

    private var objects: [String: Object] = [:]
    private var order: [String] = []

    func note(_ members: [JSONMember], at path: [any CodingKey]) {
        let pointer = StrictJSON.pointer(path)
        guard self.objects[pointer] == nil else { return }
        self.objects[pointer] = Object(path: path, members: members.map(\.name))
        self.order.append(pointer)
    }

    func noteAsked(_ name: String, at path: [any CodingKey]) {
        self.objects[StrictJSON.pointer(path)]?.known.insert(name)
    }

    /// The members that were not read, and those that occur twice.
    var unknown: [ProblemModel.Detail] {
        self.order.compactMap { self.objects[$0] }.flatMap { object -> [ProblemModel.Detail] in
            var seen: Set<String> = []
            return object.members.compactMap { name in
                let pointer = StrictJSON.pointer(object.path) + "/" + StrictJSON.escaped(name)
                guard seen.insert(name).inserted else {
                    return ProblemModel.Detail(pointer: pointer, detail: "`\(name)` is there twice")
                }
                guard !object.known.contains(name) else { return nil }
                let near = Spelling.nearest(to: name, among: object.known.sorted())
                let hint =
                    near.map { "did you mean `\($0)`?" }
                    ?? "there is \(object.known.sorted().map { "`\($0)`" }.joined(separator: ", "))"
                return ProblemModel.Detail(pointer: pointer, detail: "there is no member `\(name)`; \(hint)")
            }
        }
    }
}

extension DecodingError {
    /// The place and kind of the error.
    fileprivate var place: Context {
        switch self {
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context): return context
        case .keyNotFound(let key, let context):
            return Context(codingPath: context.codingPath, debugDescription: "`\(key.stringValue)` is missing")
        @unknown default: return Context(codingPath: [], debugDescription: "the body is not right")
        }
    }
}
