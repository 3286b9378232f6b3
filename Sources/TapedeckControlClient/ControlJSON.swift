#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// JSON as the control API has it.
package enum ControlJSON {
    /// A value for people or other programs to read: members in order of their names, slashes as they are.
    ///
    /// - Parameter isPretty: on several lines; else on one, for streams of values.
    package static func text(_ value: some Encodable, isPretty: Bool = true) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        if isPretty { encoder.outputFormatting.insert(.prettyPrinted) }
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    static func bytes(_ value: some Encodable) throws -> [UInt8] {
        Array(try self.text(value, isPretty: false).utf8)
    }

    static func decode<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws -> Value {
        try JSONDecoder().decode(type, from: Data(bytes))
    }

    /// An object of members that are JSON already, in this order; those without a value are left out.
    static func object(_ members: KeyValuePairs<String, String?>) throws -> [UInt8] {
        let present = try members.compactMap { name, value in
            try value.map { "\(try self.text(name, isPretty: false)):\($0)" }
        }
        return Array("{\(present.joined(separator: ","))}".utf8)
    }
}
