import TapedeckCore
import TapedeckProtobuf
import TapedeckYAML

extension Codec where Value == [DescriptorFile] {
    static var descriptors: Self {
        Codec(
            .oneOrList(.text),
            read: { reader, node, _ in reader.readDescriptors(node) },
            inline: { $0.flowList($1.map(\.name)) }
        )
    }
}

/// The types of messages.
extension CassetteReader {
    /// Reads `descriptors`: a file with descriptors, or a list of them.
    mutating func readDescriptors(_ node: YAMLNode) -> [DescriptorFile] {
        let nodes = node.kind == .sequence ? Array(node.items) : [node]
        return nodes.compactMap { node in
            guard let file = self.readDescriptor(node) else { return nil }
            self.add(file.descriptors, node)
            return file
        }
    }

    private mutating func readDescriptor(_ node: YAMLNode) -> DescriptorFile? {
        guard let name = self.text(node, "descriptors") else { return nil }
        switch self.readFile(node, coding: nil) {
        case .none: return nil
        case .inline(let body): return self.descriptorFile(name, path: "", body.content, node)
        case .file(let file):
            do {
                return self.descriptorFile(name, path: file.path, try file.contents(), node)
            } catch {
                self.error(node, "the descriptors cannot be read: \(error)")
                return nil
            }
        }
    }

    private mutating func descriptorFile(
        _ name: String,
        path: String,
        _ bytes: [UInt8],
        _ node: YAMLNode
    ) -> DescriptorFile? {
        do throws(DescriptorError) {
            return DescriptorFile(
                name: name,
                path: path,
                size: bytes.count,
                descriptors: try DescriptorSet(parsing: bytes)
            )
        } catch {
            self.error(node, "`descriptors`: \(error)")
            return nil
        }
    }

    private mutating func add(_ descriptors: DescriptorSet, _ node: YAMLNode) {
        do throws(DescriptorError) {
            self.descriptors = try self.descriptors?.merging(descriptors) ?? descriptors
        } catch {
            self.error(node, "these descriptors do not go with those before: \(error)")
        }
    }
}
