import TapedeckCore

/// The path of an operation with its parts, `{name}` or `:name`.
struct MicrocksPath {
    private enum Piece {
        case text(String)
        case part(String)
    }

    private var pieces: [Piece] = []

    init(_ path: String) {
        var rest = path.prefix { $0 != "?" }
        var text = ""
        while let character = rest.first {
            if character == "{", let end = rest.firstIndex(of: "}") {
                self.add(&text, String(rest[rest.index(after: rest.startIndex)..<end]))
                rest = rest[end...].dropFirst()
            } else if character == ":", text.hasSuffix("/") {
                let name = rest.dropFirst().prefix { $0 != "/" && $0 != ":" }
                self.add(&text, String(name))
                rest = rest.dropFirst(name.count + 1)
            } else {
                text.append(character)
                rest = rest.dropFirst()
            }
        }
        if !text.isEmpty { self.pieces.append(.text(text)) }
    }

    private mutating func add(_ text: inout String, _ name: String) {
        if !text.isEmpty { self.pieces.append(.text(text)) }
        text = ""
        self.pieces.append(.part(name))
    }

    /// The names of its parts.
    var names: [String] { self.pieces.compactMap { if case .part(let name) = $0 { name } else { nil } } }

    /// The condition that the parts have values; those without one have any.
    func condition(_ values: [String: String], line: Int) throws(LeftOut) -> StubCondition {
        var path = ""
        var gaps: Set<String> = []
        for piece in self.pieces {
            switch piece {
            case .text(let text): path += text
            case .part(let name):
                if let value = values[name] {
                    path += ForeignText.formEncoded(value, keeping: "!$&'()*,:@=").replacing("+", with: "%20")
                } else {
                    var gap = StubParts.gap(name)
                    while !gaps.insert(gap).inserted { gap += "x" }
                    path += "{\(gap)}"
                }
            }
        }
        guard gaps.isEmpty else {
            do throws(PatternError) {
                return .request(RequestMatcher(url: .template(try URLTemplate(path))))
            } catch {
                throw LeftOut("its path '\(path.prefix(120))' cannot be used: \(error)", line: line)
            }
        }
        return .request(RequestMatcher(url: .exactPath(path), refusesOtherQuery: false))
    }
}
