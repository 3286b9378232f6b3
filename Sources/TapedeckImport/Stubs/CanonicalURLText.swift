import TapedeckCore

/// Pieces of URLs in the spelling in which requests are compared: see ``RequestKey``.
enum CanonicalURLText {
    /// Returns a part of a path as it is compared; `nil` for a text that no path has as it is written, such as one with
    /// a space.
    static func path(_ text: String) -> String? {
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !"\"<>\\^`|?#".utf8.contains($0) }) else { return nil }
        return self.spelling(of: "/" + text).map { String($0.dropFirst()) }
    }

    /// Returns a decoded name or value of a query as it is compared.
    static func query(_ text: String) -> String {
        let encoded = QueryText.encoded(text).replacing("=", with: "%3D")
        return self.spelling(of: "/?a=" + encoded).map { String($0.dropFirst(4)) } ?? encoded
    }

    /// Returns the decoded name of a query's parameter as it is compared.
    static func name(_ text: String) -> String {
        let encoded = QueryText.encoded(text).replacing("=", with: "%3D")
        return self.spelling(of: "/?" + encoded).map { String($0.dropFirst(2)) } ?? encoded
    }

    private static func spelling(of target: String) -> String? {
        guard let url = AbsoluteURL("http://a" + target) else { return nil }
        let key = String(decoding: RequestKey(method: "G", url: url).bytes, as: UTF8.self)
        let start = "G http://a"
        return key.hasPrefix(start) ? String(key.dropFirst(start.count)) : nil
    }
}
