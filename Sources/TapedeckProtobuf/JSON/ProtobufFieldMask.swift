/// The JSON of a `google.protobuf.FieldMask`: paths in lowerCamelCase, separated by commas.
enum ProtobufFieldMask {
    /// Returns `nil` if a path would not survive a round trip, because it has capital letters, or an underscore without
    /// a lower-case letter behind it.
    static func json(of paths: [String]) -> String? {
        var result: [String] = []
        for path in paths {
            var name = ""
            var isBehindUnderscore = false
            for scalar in path.unicodeScalars {
                switch scalar {
                case "A"..."Z", ",": return nil
                case "a"..."z" where isBehindUnderscore: name += String(scalar).uppercased()
                case _ where isBehindUnderscore: return nil
                case "_": break
                default: name.unicodeScalars.append(scalar)
                }
                isBehindUnderscore = scalar == "_"
            }
            guard !isBehindUnderscore else { return nil }
            result.append(name)
        }
        return result.joined(separator: ",")
    }

    /// Returns `nil` if a name has an underscore, which lowerCamelCase does not allow.
    static func paths(of json: String) -> [String]? {
        guard !json.contains("_") else { return nil }
        return json.split(separator: ",").map { path in
            path.unicodeScalars.reduce(into: "") { name, scalar in
                name += "A"..."Z" ~= scalar ? "_" + String(scalar).lowercased() : String(scalar)
            }
        }
    }
}
