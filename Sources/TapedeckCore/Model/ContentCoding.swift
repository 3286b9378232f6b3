/// A content coding that Tapedeck can decode and encode again (RFC 9110 section 8.4.1).
package enum ContentCoding: String, Sendable, CaseIterable {
    /// RFC 1952.
    case gzip
    /// The zlib format of RFC 1950, or a bare stream of RFC 1951, which some send.
    case deflate
    /// RFC 7932.
    case br
    /// RFC 8878, with windows of up to 8 MiB (RFC 9659).
    case zstd

    /// The maximum number of codings on top of each other that is undone.
    package static let depthLimit = 5

    /// The coding of that name in any case, `x-gzip` included (RFC 9110 section 8.4.1.3); `nil` for any other.
    package init?(name: String) {
        let name = ASCII.lowercased(name)
        self.init(rawValue: name == "x-gzip" ? "gzip" : name)
    }

    /// Values that are no codings, which some servers send and all clients pass over: names of charsets, `none`, and that of
    /// ``AWSChunks``.
    private static let strays: Set<String> = [
        "identity", "none", "utf-8", "utf8", "us-ascii", "iso-8859-1", AWSChunks.name,
    ]

    /// Returns the codings of a message in the order in which they were applied (RFC 9110 section 8.4), without
    /// `identity` and names of charsets; `nil` if one is unknown, or if there are more than ``depthLimit``.
    package static func all(of fields: [HeaderField]) -> [ContentCoding]? {
        var codings: [ContentCoding] = []
        for field in fields where field.isNamed("content-encoding") {
            for name in field.value.utf8.split(separator: ASCII.comma) {
                let name = String(Substring(name).trimmingSpaces())
                if name.isEmpty || Self.strays.contains(ASCII.lowercased(name)) { continue }
                guard let coding = ContentCoding(name: name), codings.count < Self.depthLimit else { return nil }
                codings.append(coding)
            }
        }
        return codings
    }
}

/// The content codings that a client accepts.
package struct AcceptedCodings: OptionSet, Sendable, Hashable {
    package var rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// No coding: the body as it is. Other modules write this and not `[]`, which they could only make with a generic
    /// function of the standard library, a hundredth of a replayed request.
    package static var identity: AcceptedCodings { AcceptedCodings(rawValue: 0) }
    package static let gzip = AcceptedCodings(rawValue: 1)
    package static let deflate = AcceptedCodings(rawValue: 2)
    package static let br = AcceptedCodings(rawValue: 4)
    package static let zstd = AcceptedCodings(rawValue: 8)
    package static let all: AcceptedCodings = [.gzip, .deflate, .br, .zstd]

    package init(_ coding: ContentCoding) {
        self =
            switch coding {
            case .gzip: .gzip
            case .deflate: .deflate
            case .br: .br
            case .zstd: .zstd
            }
    }

    /// Returns the codings that the Accept-Encoding fields of a request accept; empty without the field.
    package init(of fields: [HeaderField]) {
        self = []
        for field in fields where field.isNamed("accept-encoding") {
            var value = field.value
            value.withUTF8 { self.add(fieldValue: UnsafeRawBufferPointer($0)) }
        }
    }

    /// Adds the codings of one Accept-Encoding field. A named coding counts as given; the asterisk represents the
    /// others. A quality of zero removes a coding (RFC 9110 section 12.5.3).
    package mutating func add(fieldValue: UnsafeRawBufferPointer) {
        var named: AcceptedCodings = []
        var offered: AcceptedCodings = []
        var offersOthers = false
        var rest = fieldValue[...]
        while !rest.isEmpty {
            let member = rest.prefix { $0 != ASCII.comma }
            rest = rest[member.endIndex...].dropFirst()
            let text = member.drop { $0 == ASCII.space || $0 == ASCII.tab }
            let name = text.prefix { $0 != ASCII.semicolon && $0 != ASCII.space && $0 != ASCII.tab }
            guard !name.isEmpty else { continue }
            let isOffered = !Self.isRefused(text[name.endIndex...])
            if name.elementsEqual("*".utf8) {
                offersOthers = isOffered
            } else if let coding = Self.coding(UnsafeRawBufferPointer(rebasing: name)) {
                named.insert(coding)
                if isOffered { offered.insert(coding) } else { offered.remove(coding) }
            }
        }
        self.subtract(named)
        self.formUnion(offered)
        if offersOthers { self.formUnion(AcceptedCodings.all.subtracting(named)) }
    }

    /// True if the parameters of a member are a quality of zero.
    private static func isRefused(_ parameters: Slice<UnsafeRawBufferPointer>) -> Bool {
        guard !parameters.isEmpty else { return false }
        let text = parameters.filter { $0 != ASCII.space && $0 != ASCII.tab && $0 != ASCII.semicolon }
            .map(ASCII.lowercased)
        return text.starts(with: "q=0".utf8) && !text.dropFirst(3).contains { (0x31...0x39) ~= $0 }
    }

    private static func coding(_ name: UnsafeRawBufferPointer) -> AcceptedCodings? {
        func isNamed(_ text: StaticString) -> Bool {
            name.count == text.utf8CodeUnitCount
                && (0..<name.count).allSatisfy { ASCII.lowercased(name[$0]) == text.utf8Start[$0] }
        }
        if isNamed("gzip") || isNamed("x-gzip") { return .gzip }
        if isNamed("deflate") { return .deflate }
        if isNamed("br") { return .br }
        if isNamed("zstd") { return .zstd }
        return nil
    }

    /// True if all of the codings are accepted.
    package func accepts(_ coding: BodyCoding) -> Bool {
        coding.layers.allSatisfy { self.contains(AcceptedCodings($0.coding)) }
    }
}
