package import TapedeckCore

/// Writes the model as a cassette's text: the same model gives the same bytes, in time that grows with its size alone.
package struct CassetteWriter {
    private var yaml: YAMLWriter

    private init(reserving capacity: Int = 0) {
        self.yaml = YAMLWriter(reservingCapacity: capacity)
    }

    /// The whole file.
    package static func text(of cassette: Cassette) -> [UInt8] {
        let takes = cassette.responseSets.reduce(0) { $0 + $1.variants.reduce(0) { $0 + $1.takes.count } }
        var writer = CassetteWriter(reserving: takes * 512)
        writer.yaml.raw("tapedeck: \(CassetteKeys.formatVersion)\n")
        if let about = cassette.about { writer.pair("about", about, indent: 0) }
        if cassette.responseSets.isEmpty {
            writer.yaml.raw("responseSets: []\n")
        } else {
            writer.yaml.raw("responseSets:\n")
            for set in cassette.responseSets { writer.write(set, indent: 2) }
        }
        return writer.yaml.bytes
    }

    /// A response set as an item of a list whose dashes stand in column `indent`.
    static func item(_ set: ResponseSet, indent: Int) -> [UInt8] {
        var writer = CassetteWriter()
        writer.write(set, indent: indent)
        return writer.yaml.bytes
    }

    /// A variant as an item of a list whose dashes stand in column `indent`.
    static func item(_ variant: Variant, indent: Int) -> [UInt8] {
        var writer = CassetteWriter()
        writer.write(variant, indent: indent)
        return writer.yaml.bytes
    }

    /// Takes as items of a list whose dashes stand in column `indent`.
    static func items(_ takes: [Take], indent: Int) -> [UInt8] {
        var writer = CassetteWriter()
        for take in takes { writer.write(take, indent: indent) }
        return writer.yaml.bytes
    }

    // MARK: Sets

    private mutating func write(_ set: ResponseSet, indent: Int) {
        self.firstPair("name", set.name, indent: indent)
        self.key("request", indent: indent + 2)
        if let method = set.request.method { self.pair("method", method, indent: indent + 4) }
        self.pair("url", set.request.url.description, indent: indent + 4)
        if let body = set.request.body { self.write(body, indent: indent + 4) }
        self.key("variants", indent: indent + 2)
        for variant in set.variants { self.write(variant, indent: indent + 4) }
    }

    private mutating func write(_ condition: BodyMatcher, indent: Int) {
        self.key("body", indent: indent)
        switch condition {
        case .bytes(let body), .json(let body): self.write(body, indent: indent + 2)
        case .sha256(let digest): self.pair("sha256", digest, indent: indent + 2)
        }
    }

    private mutating func write(_ variant: Variant, indent: Int) {
        self.firstPair("name", variant.name, indent: indent)
        if variant.takes.count == 1, let fault = variant.takes[0].fault, variant.takes[0] == Take(fault: fault) {
            self.pair("fault", fault.rawValue, indent: indent + 2)
            return
        }
        self.key("takes", indent: indent + 2)
        for take in variant.takes { self.write(take, indent: indent + 4) }
    }

    // MARK: Takes

    private mutating func write(_ take: Take, indent: Int) {
        let inner = indent + 2
        if let fault = take.fault, take.isFaultAlone {
            self.firstPair("fault", fault.rawValue, indent: indent)
        } else {
            self.yaml.indent(indent)
            self.yaml.raw("- status: ")
            self.yaml.int(take.status)
            self.yaml.newline()
            if let reason = take.reason { self.pair("reason", reason, indent: inner) }
            if let fault = take.fault { self.pair("fault", fault.rawValue, indent: inner) }
        }
        if let detail = take.detail { self.pair("detail", detail, indent: inner) }
        if let recorded = take.recorded { self.pair("recorded", recorded, indent: inner) }
        if let request = take.request, request != Take.Request() { self.write(request, indent: inner) }
        if !take.interim.isEmpty {
            self.key("interim", indent: inner)
            for interim in take.interim {
                self.yaml.indent(inner + 2)
                self.yaml.raw("- status: ")
                self.yaml.int(interim.status)
                self.yaml.newline()
                if let reason = interim.reason { self.pair("reason", reason, indent: inner + 4) }
                self.write(interim.headers, as: "headers", indent: inner + 4)
            }
        }
        self.write(take.headers, as: "headers", indent: inner)
        if take.endsAtClose {
            self.yaml.indent(inner)
            self.yaml.raw("endsAtClose: true\n")
        }
        self.write(take.body, indent: inner)
        self.write(take.trailers, as: "trailers", indent: inner)
    }

    private mutating func write(_ request: Take.Request, indent: Int) {
        self.key("request", indent: indent)
        self.write(request.headers, as: "headers", indent: indent + 2)
        self.write(request.body, indent: indent + 2)
    }

    private mutating func write(_ fields: [HeaderField], as name: StaticString, indent: Int) {
        guard !fields.isEmpty else { return }
        self.key(name, indent: indent)
        for field in fields {
            self.yaml.indent(indent + 2)
            self.yaml.raw("- ")
            self.yaml.scalar(field.name)
            self.yaml.raw(": ")
            self.yaml.scalar(field.value)
            self.yaml.newline()
        }
    }

    // MARK: Bodies

    private mutating func write(_ body: StoredBody, indent: Int) {
        switch body {
        case .none:
            return
        case .inline(let body):
            self.key("body", indent: indent)
            self.write(body, indent: indent + 2)
        case .file(let file):
            self.key("body", indent: indent)
            self.pair("file", file.name, indent: indent + 2)
            if let coding = file.coding { self.pair("encoding", coding.rawValue, indent: indent + 2) }
        }
    }

    private mutating func write(_ body: InlineBody, indent: Int) {
        self.yaml.indent(indent)
        self.yaml.raw(body.form.rawValue)
        self.yaml.raw(": ")
        if body.form == .base64 {
            self.yaml.scalar(Base64.encode(body.content))
            self.yaml.newline()
        } else {
            body.content.withUnsafeBytes { bytes in
                if bytes.contains(ASCII.lineFeed), YAMLWriter.canBeLiteral(bytes) {
                    self.yaml.literal(bytes, indent: indent + 2)
                } else {
                    self.yaml.scalar(bytes)
                    self.yaml.newline()
                }
            }
        }
        if let layout = body.layout { self.pair("layout", layout.rawValue, indent: indent) }
        if let coding = body.coding { self.pair("encoding", coding.rawValue, indent: indent) }
    }

    // MARK: Lines

    private mutating func key(_ name: StaticString, indent: Int) {
        self.yaml.indent(indent)
        self.yaml.raw(name)
        self.yaml.raw(":\n")
    }

    private mutating func pair(_ name: StaticString, _ value: String, indent: Int) {
        self.yaml.indent(indent)
        self.yaml.raw(name)
        self.yaml.raw(": ")
        self.yaml.scalar(value)
        self.yaml.newline()
    }

    private mutating func firstPair(_ name: StaticString, _ value: String, indent: Int) {
        self.yaml.indent(indent)
        self.yaml.raw("- ")
        self.pair(name, value, indent: 0)
    }
}
