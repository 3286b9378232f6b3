package import TapedeckProtobuf

extension DescriptorSet {
    /// The method that the path of a URL names, with or without segments in front.
    package func method(atPath path: String) -> MethodDescriptor? {
        let parts = path.split(separator: "/")
        guard parts.count >= 2 else { return nil }
        return self.method(parts.suffix(2).joined(separator: "/"))
    }

    /// The method that a URL names.
    package func method(atURL url: String) -> MethodDescriptor? {
        AbsoluteURL(url).flatMap { self.method(atPath: $0.path) }
    }
}
