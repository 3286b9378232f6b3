import TapedeckCore
import TapedeckYAML

extension ProjectGrammar {
    /// `record:` of a project file: what is recorded.
    static let record = Mapping<RecordSettings>("record", "`record`") {
        Key("only", \.only, .hosts, usually: [])
            .means("hosts to record; others pass through")
        Key("except", \.except, .hosts, usually: [])
            .means("hosts that are not recorded")
        Key("passthrough", \.passthrough, .hosts, usually: [])
            .means("hosts that pass through, without their TLS being read")
        Key("block", \.block, .hosts, usually: [])
            .means("hosts whose requests get 403")
        Key("loopback", \.recordsLoopback, .bool)
            .means("`true`: requests to this machine are recorded, too")
        Key("keepHeaders", \.keptHeaders, .list { try KeptHeaders($0) })
            .means("header fields of requests to note beside the usual ones; `*` or `none`")
        Key("maxBody", \.maxBody, .made { try ByteSize($0) })
            .means("size of response bodies above which nothing is recorded, such as 512k")
        Key("statuses", \.statuses, .list { try StatusFilter($0) })
            .means("statuses to record, such as 200,2xx")
        Key("faults", \.recordsFaults, .bool)
            .means("`true`: failures are recorded even beside answers; `false`: never")
    }
}

extension Codec {
    /// A value that is made of a text; project files are not written.
    fileprivate static func made(_ make: @escaping @Sendable (String) throws -> Value) -> Self {
        Codec(.text, read: { $0.made($1, $2, make) }, write: { _, _ in })
    }

    /// A value that is made of a list with commas, or of a list.
    fileprivate static func list(_ make: @escaping @Sendable (String) throws -> Value) -> Self {
        Codec(
            .oneOrList(.text),
            read: { reader, node, name in
                guard node.kind == .sequence else { return reader.made(node, name, make) }
                let items = reader.texts(node, name)
                return items.isEmpty ? nil : reader.made(node, name, from: items.joined(separator: ","), make)
            },
            write: { _, _ in }
        )
    }
}

extension Codec where Value == [HostPattern] {
    /// One pattern, or a list of them.
    static var hosts: Self {
        Codec(
            .oneOrList(.text),
            read: { reader, node, name in
                if node.kind == .sequence, node.count == 0 {
                    reader.error(node, "`\(name)` is an empty list; leave it out, or name hosts")
                }
                let nodes = node.kind == .sequence ? Array(node.items) : [node]
                return nodes.compactMap { reader.made($0, name) { try HostPattern($0) } }
            },
            write: { _, _ in }
        )
    }
}
