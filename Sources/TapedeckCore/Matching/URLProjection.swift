/// The part of a canonical URL that a matcher compares.
struct URLProjection: Sendable, Hashable {
    enum Query: Sendable, Hashable {
        case all
        case none
        /// All parameters but those of these names.
        case except([String])
    }

    enum Part: Sendable, Hashable {
        /// Scheme, host and port, path and query.
        case url
        /// Path and query.
        case target
        /// Scheme, host and port, and a slash.
        case origin
    }

    var part: Part
    var query: Query

    static let whole = URLProjection(part: .url, query: .all)

    /// The part of `url`, which is in canonical form.
    ///
    /// - Parameter path: where the path begins in it.
    func apply(to url: ArraySlice<UInt8>, path: Int) -> [UInt8] {
        switch self.part {
        case .url: self.reduced(url)
        case .target: self.reduced(url[path...])
        case .origin: Array(url[..<path]) + [ASCII.slash]
        }
    }

    private func reduced(_ url: ArraySlice<UInt8>) -> [UInt8] {
        switch self.query {
        case .all: return Array(url)
        case .none: return Array(url.prefix { $0 != ASCII.question })
        case .except(let names):
            guard let question = url.firstIndex(of: ASCII.question) else { return Array(url) }
            let kept = url[(question + 1)...].split(separator: ASCII.ampersand).filter { parameter in
                !names.contains(QueryText.decoded(parameter.prefix { $0 != ASCII.equals }))
            }
            var result = Array(url[..<question])
            for (index, parameter) in kept.enumerated() {
                result.append(index == 0 ? ASCII.question : ASCII.ampersand)
                result.append(contentsOf: parameter)
            }
            return result
        }
    }
}
