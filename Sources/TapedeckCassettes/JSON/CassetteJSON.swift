package import TapedeckCore
import TapedeckYAML

/// The shape of the cassette file as JSON, as clients of the control API speak it: the same keys and values, read and
/// written by the same code as the file.
///
/// It differs from the file in this:
/// - A response set without `variants` may have the keys of a take, or of a behaviour, itself. It then has one variant,
///   called `stub`.
/// - Where the file has JSON as a text (`json`, `jsonSubset`, `variables`, `merge`), an object or a list may stand as
///   it is. It means its compact text.
/// - There are no body files.
/// - A variant may have `hold: true` in place of all that a behaviour has: requests wait until somebody lets them go.
package enum CassetteJSON {
    /// What is wrong, and where.
    package struct Problem: Sendable, Equatable {
        /// A JSON pointer (RFC 6901); empty for the whole.
        package var pointer: String
        package var message: String

        package init(pointer: String, message: String) {
            self.pointer = pointer
            self.message = message
        }
    }

    /// JSON that says nothing the file could say.
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
    /// What the variant of a response set without `variants` is called.
    package static let stubName = "stub"

    /// The keys of a response set, with those that it may have in place of `variants`.
    static let setKeys = CassetteKeys.set + Self.stubKeys
    /// Of the keys of takes and behaviours those that are not a response set's own: `request` and `sets` are.
    private static let stubKeys = (CassetteKeys.take + CassetteKeys.behaviour + [CassetteKeys.hold]).filter { key in
        !CassetteKeys.set.contains(key)
    }
    /// With one of these, a response set without `variants` is a behaviour; without, a take, which can have a fault.
    private static let answerKeys = CassetteKeys.answer.filter { $0 != "fault" } + [CassetteKeys.hold]

    // MARK: Reading

    /// A response set.
    ///
    /// - Parameter name: what it is to be called. A `name` in the JSON must be the same; without one there it is taken.
    package static func responseSet(_ json: [UInt8], name: String? = nil) -> Result<ResponseSet, Invalid> {
        Self.value(json).flatMap { self.responseSet($0, name: name) }
    }

    /// As ``responseSet(_:name:)``, of JSON that stands at `pointer` in what somebody sent.
    package static func responseSet(
        _ json: JSONValue,
        name: String? = nil,
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
        var flow = JSONFlow(at: pointer)
        if json["variants"] == nil {
            guard members.contains(where: { self.stubKeys.contains($0.name) }) else {
                let message =
                    "a response set has `variants`, or is itself one answer: give it a `status`, a `fault`, "
                    + "or another of: \(self.answerKeys.joined(separator: ", "))"
                return .failure(Invalid(problems: [Problem(pointer: pointer, message: message)]))
            }
            self.writeStub(members, to: &flow, at: pointer)
        } else {
            flow.write(.object(members), at: pointer)
        }
        return self.read(flow) { $0.readSet($1, rules: MatchingRules()) }
    }

    /// What a request must be, to ask for requests that came; `{}` is every request.
    package static func matcher(_ json: [UInt8]) -> Result<RequestMatcher, Invalid> {
        Self.value(json).flatMap { self.matcher($0) }
    }

    /// As ``matcher(_:)``, of JSON that stands at `pointer` in what somebody sent.
    package static func matcher(_ json: JSONValue, at pointer: String = "") -> Result<RequestMatcher, Invalid> {
        var flow = JSONFlow(at: pointer)
        flow.write(json, at: pointer)
        return self.read(flow) { $0.readMatcher($1, .question) }
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

    /// A set that is one answer, with the variant that it is.
    private static func writeStub(_ members: [JSONMember], to flow: inout JSONFlow, at pointer: String) {
        let isBehaviour = members.contains { self.answerKeys.contains($0.name) }
        let own = members.filter { !self.stubKeys.contains($0.name) }
        let stub = members.filter { self.stubKeys.contains($0.name) }
        let take = isBehaviour ? [] : stub.filter { CassetteKeys.take.contains($0.name) }
        let behaviour = isBehaviour ? stub : stub.filter { !CassetteKeys.take.contains($0.name) }
        var names: Set<String> = []
        for member in members where !names.insert(member.name).inserted {
            flow.refuse(pointer, "the member \"\(member.name)\" comes twice")
        }
        flow.raw("{")
        for member in own {
            flow.member(member, of: pointer, depth: 0)
            flow.raw(",")
        }
        flow.line(pointer)
        flow.raw("variants: [{ name: ")
        flow.text(self.stubName)
        for member in behaviour {
            flow.raw(",")
            flow.member(member, of: pointer, depth: 0)
        }
        if !isBehaviour {
            flow.raw(",")
            flow.line(pointer)
            flow.raw("takes: [")
            flow.list(take, "{", "}") { $0.member($1, of: pointer, depth: 0) }
            flow.raw("]")
        }
        flow.raw("}]}")
    }

    static func read<Value>(
        _ flow: JSONFlow,
        _ read: (inout CassetteReader, YAMLNode) -> Value?
    ) -> Result<Value, Invalid> {
        guard flow.problems.isEmpty else { return .failure(Invalid(problems: flow.problems)) }
        do {
            let document = try YAMLDocument(parsing: flow.bytes)
            var reader = CassetteReader(path: "", notation: .json)
            let value = document.root.flatMap { read(&reader, $0) }
            let problems = CassetteReader.sorted(reader.diagnostics).filter { $0.severity == .error }.map { problem in
                Problem(pointer: flow.pointer(ofLine: problem.line ?? 1), message: problem.message)
            }
            guard let value, problems.isEmpty else { return .failure(Invalid(problems: problems)) }
            return .success(value)
        } catch {
            return .failure(
                Invalid(problems: [Problem(pointer: flow.pointer(ofLine: error.line), message: error.message)])
            )
        }
    }
}
