/// Writes numbers in the text format of Prometheus, version 0.0.4.
package struct MetricsText {
    /// The Prometheus type of a metric.
    package enum Kind: String {
        /// It only grows.
        case counter
        case gauge
        case histogram
    }

    package private(set) var text = ""

    package init() {}

    /// Begins a metric. All its samples follow.
    package mutating func begin(_ name: String, _ kind: Kind, _ help: String) {
        self.text += "# HELP \(name) \(Self.escaped(help, quotes: false))\n# TYPE \(name) \(kind.rawValue)\n"
    }

    /// Appends one sample of the current metric.
    package mutating func sample(_ name: String, _ labels: KeyValuePairs<String, String>, _ value: String) {
        self.text += name
        if !labels.isEmpty {
            let pairs = labels.map { "\($0.key)=\"\(Self.escaped($0.value, quotes: true))\"" }
            self.text += "{\(pairs.joined(separator: ","))}"
        }
        self.text += " \(value)\n"
    }

    package mutating func sample(_ name: String, _ labels: KeyValuePairs<String, String>, _ value: Int) {
        self.sample(name, labels, String(value))
    }

    /// A metric of one number without labels.
    package mutating func add(_ name: String, _ kind: Kind, _ help: String, _ value: Int) {
        self.begin(name, kind, help)
        self.sample(name, [:], value)
    }

    /// A number of microseconds as seconds, exactly.
    package static func seconds(_ microseconds: Int) -> String {
        let fraction = String(microseconds % 1_000_000 + 1_000_000).dropFirst()
        guard let last = fraction.lastIndex(where: { $0 != "0" }) else { return String(microseconds / 1_000_000) }
        return "\(microseconds / 1_000_000).\(fraction[...last])"
    }

    private static func escaped(_ text: String, quotes: Bool) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\"" where quotes: result += "\\\""
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
