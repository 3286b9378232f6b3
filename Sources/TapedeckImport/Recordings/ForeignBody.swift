/// Bodies in the forms in which recorders of several languages write them.
enum ForeignBody {
    /// The bytes of a body: a text, base64 that a tag marks as such, a list of such pieces, or an object of Python that
    /// holds one.
    static func bytes(_ node: ForeignNode?) throws(LeftOut) -> [UInt8] {
        guard let node, !node.isNull else { return [] }
        if node.text != nil {
            guard let bytes = node.bytes else { throw LeftOut("its body is no base64", line: node.line) }
            return bytes
        }
        if node.isList {
            var bytes: [UInt8] = []
            for item in node.items { bytes += try self.bytes(item) }
            return bytes
        }
        if let tag = node.tag, tag.hasPrefix("tag:yaml.org,2002:python/object") {
            // `io.BytesIO` and its like: the state is a tuple of the content, the position and the attributes.
            guard let content = node["state"]?.items.first ?? node["args"]?.items.first else { return [] }
            return try self.bytes(content)
        }
        guard !node.pairs.isEmpty else { return [] }
        throw LeftOut("its body is a map that this format has no meaning for", line: node.line)
    }
}
