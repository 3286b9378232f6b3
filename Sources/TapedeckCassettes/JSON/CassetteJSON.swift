package import TapedeckCore
import TapedeckYAML

/// The form of the cassette file as JSON, for clients of the control API: the same keys and values, read and written by
/// the same code as the file.
///
/// Differences from the file:
/// - A response set without `variants` may have the keys of a take, or of a behaviour, itself. It then has one variant,
///   called `stub`.
/// - Where the file has JSON as a text (`json`, `jsonSubset`, `variables`, `merge`), an object or a list may stand as
///   it is. It means its compact text.
/// - Body files are those that the session was sent.
/// - A variant may have `hold: true` in place of all that a behaviour has: requests wait until somebody lets them go.
package enum CassetteJSON {
    /// An error and its place.
    package struct Problem: Sendable, Equatable {
        /// A JSON pointer (RFC 6901); empty for the whole.
        package var pointer: String
        package var message: String

        package init(pointer: String, message: String) {
            self.pointer = pointer
            self.message = message
        }
    }

    /// JSON that is not a valid part of a cassette.
    package struct Invalid: Error, Sendable, Equatable, CustomStringConvertible {
        /// Never empty; in the order of the JSON, as far as they have one.
        package var problems: [Problem]

        package var description: String {
            self.problems.map { $0.pointer.isEmpty ? $0.message : "\($0.pointer): \($0.message)" }
                .joined(separator: "\n")
        }
    }

    /// The largest JSON that is read, in bytes. 16 MiB.
    package static let sizeLimit = 16 << 20
    /// The name of the variant in a response set without `variants`.
    package static let stubName = "stub"

    /// With one of these, a response set without `variants` is a behaviour; without, a take, which can have a fault.
    private static let answerKeys =
        CassetteGrammar.answers.map(\.name).filter { $0 != "fault" && $0 != "grpcStatus" }

    // MARK: Reading

    /// Reads a response set.
    ///
    /// - Parameters:
    ///   - name: what it is to be called. A `name` in the JSON must be the same; without one there it is taken.
    ///   - files: body files; `nil` is none.
    package static func responseSet(
        _ json: [UInt8],
        name: String? = nil,
        files: SessionFiles? = nil
    ) -> Result<ResponseSet, Invalid> {
        Self.value(json).flatMap { self.responseSet($0, name: name, files: files) }
    }

    /// As ``responseSet(_:name:)``, for JSON at `pointer` in a received document.
    package static func responseSet(
        _ json: JSONValue,
        name: String? = nil,
        files: SessionFiles? = nil,
        at pointer: String = ""
    ) -> Result<ResponseSet, Invalid> {
        guard case .object(var members) = json else {
            return .failure(Invalid(problems: [Problem(pointer: pointer, message: "a response set is a JSON object")]))
        }
        if let name {
            if let given = json["name"], given.stringValue != name {
                let message = "the set is called \"\(name)\" where it is put; leave `name` out, or give the same"
                return .failure(Invalid(problems: [Problem(pointer: "\(pointer)/name", message: message)]))
            }
            members.removeAll { $0.name == "name" }
            members.insert(JSONMember(name: "name", value: .string(name)), at: 0)
        }
        guard json["variants"] == nil else {
            if let stray = members.first(where: { CassetteGrammar.stub.contains($0.name) })?.name {
                let message =
                    "`\(stray)` is a key of a variant or a take; a response set has `variants`, or is itself one answer"
                return .failure(Invalid(problems: [Problem(pointer: "\(pointer)/\(stray)", message: message)]))
            }
            return self.read(JSONNodes(.object(members), at: pointer), files: files) {
                $0.readSet($1, rules: MatchingRules())
            }
        }
        guard members.contains(where: { CassetteGrammar.stub.contains($0.name) }) else {
            let message =
                "a response set has `variants`, or is itself one answer: give it a `status`, a `fault`, "
                + "or another of: \(self.answerKeys.joined(separator: ", "))"
            return .failure(Invalid(problems: [Problem(pointer: pointer, message: message)]))
        }
        // The levels around a stub are not in the client's JSON, so they do not count for its depth.
        let nodes = JSONNodes(self.withVariant(members), at: pointer, depth: -4)
        let around = members.contains(where: self.isOfBehaviour) ? self.aroundBehaviour : self.aroundTake
        return self.read(nodes, at: pointer, leavingOut: around, files: files) {
            $0.readSet($1, rules: MatchingRules())
        }
    }

    /// Reads conditions on requests, to search the journal; `{}` matches every request.
    package static func matcher(_ json: [UInt8]) -> Result<RequestMatcher, Invalid> {
        Self.value(json).flatMap { self.matcher($0) }
    }

    /// As ``matcher(_:)``, for JSON at `pointer` in a received document.
    package static func matcher(_ json: JSONValue, at pointer: String = "") -> Result<RequestMatcher, Invalid> {
        self.read(JSONNodes(json, at: pointer)) { $0.readMatcher($1, .question) }
    }

    private static func value(_ json: [UInt8]) -> Result<JSONValue, Invalid> {
        guard json.count <= self.sizeLimit else {
            let message = "the JSON has \(json.count) bytes, and at most \(self.sizeLimit) are read"
            return .failure(Invalid(problems: [Problem(pointer: "", message: message)]))
        }
        do throws(JSONError) {
            return .success(try JSONValue(parsing: json))
        } catch {
            return .failure(Invalid(problems: [Problem(pointer: "", message: "this is no JSON: \(error)")]))
        }
    }

    /// Returns the response set of a stub: the members that are not its own are in the only variant.
    private static func withVariant(_ members: [JSONMember]) -> JSONValue {
        let isBehaviour = members.contains(where: self.isOfBehaviour)
        let own = members.filter { !CassetteGrammar.stub.contains($0.name) }
        let stub = members.filter { CassetteGrammar.stub.contains($0.name) }
        let keys = CassetteGrammar.take.names
        let take = isBehaviour ? [] : stub.filter { keys.contains($0.name) }
        var variant = [JSONMember(name: "name", value: .string(self.stubName))]
        variant += isBehaviour ? stub : stub.filter { !keys.contains($0.name) }
        if !isBehaviour { variant.append(JSONMember(name: "takes", value: .array([.object(take)]))) }
        return .object(own + [JSONMember(name: "variants", value: .array([.object(variant)]))])
    }

    private static func isOfBehaviour(_ member: JSONMember) -> Bool { self.answerKeys.contains(member.name) }

    /// The places around the members of a stub, which the JSON of the client does not have.
    private static let aroundBehaviour = ["/variants/0", "/variants"]
    private static let aroundTake = ["/variants/0/takes/0", "/variants/0/takes"] + Self.aroundBehaviour

    static func read<Value>(
        _ nodes: JSONNodes,
        at base: String = "",
        leavingOut places: [String] = [],
        files: SessionFiles? = nil,
        _ read: (inout CassetteReader, YAMLNode) -> Value?
    ) -> Result<Value, Invalid> {
        func problem(_ problem: Problem) -> Problem {
            let place = places.first { (problem.pointer + "/").hasPrefix(base + $0 + "/") } ?? ""
            return Problem(pointer: base + problem.pointer.dropFirst((base + place).count), message: problem.message)
        }
        guard nodes.problems.isEmpty else { return .failure(Invalid(problems: nodes.problems.map(problem))) }
        var reader = CassetteReader(path: "", notation: .json, files: files)
        let value = nodes.document.root.flatMap { read(&reader, $0) }
        let problems = CassetteReader.sorted(reader.diagnostics).filter { $0.severity == .error }.map {
            problem(Problem(pointer: nodes.pointer(ofLine: $0.line ?? 1), message: $0.message))
        }
        guard let value, problems.isEmpty else { return .failure(Invalid(problems: problems)) }
        return .success(value)
    }
}
