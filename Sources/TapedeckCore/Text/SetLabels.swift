/// The names and requests of response sets as columns of a table in which no column says what another one says, and what all
/// rows share is said once above them.
package struct SetLabels: Sendable {
    /// The origin of all sets, which the columns leave out; `nil` if they have several, and for a single set.
    package let origin: String?
    private let requests: [Request]

    /// A set's name, and its request in parts, such as `GET`, `https://api.example.com` and `/users?page=1`.
    private struct Request {
        let name: String
        let method: String
        /// Empty for a request of any origin.
        let origin: String
        let target: String

        init(name: String, line: String) {
            self.name = name
            let space = line.firstIndex(of: " ") ?? line.endIndex
            self.method = String(line[..<space])
            let url = line[space...].dropFirst()
            guard url.hasPrefix("http://") || url.hasPrefix("https://"), let scheme = url.firstRange(of: "://") else {
                (self.origin, self.target) = ("", String(url))
                return
            }
            let end = url[scheme.upperBound...].firstIndex { "/?#{".contains($0) } ?? url.endIndex
            (self.origin, self.target) = (String(url[..<end]), String(url[end...]))
        }

        /// The name of a recorded set, such as `GET api.example.com/users (2)`, behind its host; `nil` for any other name.
        var place: Substring? {
            guard let scheme = self.origin.firstRange(of: "://") else { return nil }
            let start = "\(self.method) \(self.origin[scheme.upperBound...])"
            guard self.name.hasPrefix(start),
                self.target.hasPrefix(Self.withoutNumber(self.name.dropFirst(start.count)))
            else { return nil }
            return self.name.dropFirst(start.count)
        }

        /// The name of a recorded set without its host.
        var shortName: String? { self.place.map { "\(self.method) \($0)" } }

        static func withoutNumber(_ name: Substring) -> Substring {
            guard name.hasSuffix(")"), let space = name.lastIndex(of: " "), name[space...].hasPrefix(" (") else {
                return name
            }
            return name[..<space]
        }
    }

    /// - Parameters:
    ///   - sets: the names of the sets, and the methods and URLs of their requests.
    ///   - sharesOrigin: false to keep the host in each name.
    package init(_ sets: [(name: String, request: String)], sharesOrigin: Bool = true) {
        self.requests = sets.map { Request(name: $0.name, line: $0.request) }
        let origins = Set(self.requests.map(\.origin))
        let isShared = sharesOrigin && self.requests.count > 1 && origins.count == 1
        self.origin = isShared ? origins.first.flatMap { $0.isEmpty ? nil : $0 } : nil
    }

    /// The name of a set; that of a recorded one without the shared host.
    package func name(_ number: Int) -> String {
        let request = self.requests[number]
        return self.origin == nil ? request.name : request.shortName ?? request.name
    }

    /// The name of a recorded set without its host, as tables have it; `nil` for any other name.
    static func shortName(_ name: String, request: String) -> String? {
        Request(name: name, line: request).shortName
    }

    /// The rest of the request, which the name does not say.
    package func request(_ number: Int) -> String {
        let request = self.requests[number]
        if let place = request.place {
            return String(request.target.dropFirst(Request.withoutNumber(place).count))
        }
        let url = self.origin == nil ? request.origin + request.target : request.target
        let line = url.isEmpty ? request.method : "\(request.method) \(url)"
        return line == request.name ? "" : line
    }
}
