package import TapedeckProtobuf

/// A file with descriptors of protobuf (`FileDescriptorSet`) that a cassette names.
package struct DescriptorFile: Sendable, Equatable {
    /// As the cassette names it: relative to the cassette's own folder, with `/` between parts.
    package var name: String
    /// The path of the file.
    package var path: String
    /// In bytes.
    package var size: Int
    package var descriptors: DescriptorSet

    package init(name: String, path: String, size: Int, descriptors: DescriptorSet) {
        self.name = name
        self.path = path
        self.size = size
        self.descriptors = descriptors
    }

    /// Files are equal if the cassette names them alike.
    package static func == (left: DescriptorFile, right: DescriptorFile) -> Bool { left.name == right.name }
}

extension [DescriptorFile] {
    /// Returns the descriptors of all files together, the first file's first; `nil` if there is no file.
    ///
    /// - Throws: if one file needs a type that another file of the same name lacks.
    package func merged() throws(DescriptorError) -> DescriptorSet? {
        var all: DescriptorSet?
        for file in self { all = try all?.merging(file.descriptors) ?? file.descriptors }
        return all
    }
}
