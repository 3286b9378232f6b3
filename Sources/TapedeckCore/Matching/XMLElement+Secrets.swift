extension XMLElement {
    /// Returns the actual element with this one's placeholders of secrets at their places.
    func aligned(to actual: XMLElement, _ values: inout [SecretTemplate.Value]) -> XMLElement {
        var result = actual
        for attribute in self.attributes {
            guard let place = result.attributes.firstIndex(where: { $0.name == attribute.name }) else { continue }
            result.attributes[place].value = Self.aligned(attribute.value, result.attributes[place].value, &values)
        }
        for (index, child) in self.children.enumerated() where index < result.children.count {
            switch (child, result.children[index]) {
            case (.element(let wanted), .element(let came)):
                result.children[index] = .element(wanted.aligned(to: came, &values))
            case (.text(let wanted), .text(let came)):
                result.children[index] = .text(Self.aligned(wanted, came, &values))
            default: continue
            }
        }
        return result
    }

    private static func aligned(_ wanted: String, _ came: String, _ values: inout [SecretTemplate.Value]) -> String {
        guard let template = SecretTemplate(wanted), let found = template.values(in: ByteText.bytes(of: came)) else {
            return came
        }
        values += found
        return wanted
    }

    /// The element as XML: equal to the original when it is compared.
    var xmlText: [UInt8] {
        var bytes: [UInt8] = []
        self.appendText(to: &bytes)
        return bytes
    }

    private func appendText(to bytes: inout [UInt8]) {
        bytes += "<\(self.name.local) xmlns=\"".utf8
        Self.append(self.name.namespace, to: &bytes)
        bytes += "\"".utf8
        for (number, attribute) in self.attributes.enumerated() {
            let prefix = attribute.name.namespace.isEmpty ? "" : "n\(number):"
            if !prefix.isEmpty {
                bytes += " xmlns:n\(number)=\"".utf8
                Self.append(attribute.name.namespace, to: &bytes)
                bytes += "\"".utf8
            }
            bytes += " \(prefix)\(attribute.name.local)=\"".utf8
            Self.append(attribute.value, to: &bytes)
            bytes += "\"".utf8
        }
        bytes += ">".utf8
        for child in self.children {
            switch child {
            case .element(let element): element.appendText(to: &bytes)
            case .text(let text): Self.append(text, to: &bytes)
            }
        }
        bytes += "</\(self.name.local)>".utf8
    }

    private static func append(_ text: String, to bytes: inout [UInt8]) {
        for byte in ByteText.bytes(of: text) {
            switch byte {
            case ASCII.ampersand: bytes += "&amp;".utf8
            case UInt8(ascii: "<"): bytes += "&lt;".utf8
            case UInt8(ascii: ">"): bytes += "&gt;".utf8
            case ASCII.quote: bytes += "&quot;".utf8
            case ASCII.tab, ASCII.lineFeed, ASCII.carriageReturn: bytes += "&#\(byte);".utf8
            default: bytes.append(byte)
            }
        }
    }
}
