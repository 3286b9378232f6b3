/// The features of editions (protobuf.dev/editions/features) that affect the encoding and JSON of a field.
///
/// proto2 and proto3 each stand for a fixed set of features.
struct Features: Sendable {
    enum Presence: Int {
        case explicit = 1
        case implicit = 2
        case required = 3
    }

    var presence: Presence
    /// False for closed enums, whose undefined values are treated as unknown fields.
    var isEnumOpen: Bool
    var isPacked: Bool
    var validatesUTF8: Bool
    /// True for messages that are encoded as groups.
    var isDelimited: Bool

    static let proto2 = Features(
        presence: .explicit,
        isEnumOpen: false,
        isPacked: false,
        validatesUTF8: false,
        isDelimited: false
    )
    static let proto3 = Features(
        presence: .implicit,
        isEnumOpen: true,
        isPacked: true,
        validatesUTF8: true,
        isDelimited: false
    )
    /// Edition 2023 and later.
    static let editions = Features(
        presence: .explicit,
        isEnumOpen: true,
        isPacked: true,
        validatesUTF8: true,
        isDelimited: false
    )

    /// Returns these features with the changes that an element makes for itself and everything inside it.
    func changed(by changes: FeatureChanges) -> Features {
        Features(
            presence: changes.presence ?? self.presence,
            isEnumOpen: changes.isEnumOpen ?? self.isEnumOpen,
            isPacked: changes.isPacked ?? self.isPacked,
            validatesUTF8: changes.validatesUTF8 ?? self.validatesUTF8,
            isDelimited: changes.isDelimited ?? self.isDelimited
        )
    }
}

/// The features that the options of an element set; `nil` for inherited ones.
struct FeatureChanges: Sendable {
    var presence: Features.Presence?
    var isEnumOpen: Bool?
    var isPacked: Bool?
    var validatesUTF8: Bool?
    var isDelimited: Bool?

    init() {}

    /// Decodes a `google.protobuf.FeatureSet`.
    mutating func read(_ reader: WireReader) throws(WireError) {
        var reader = reader
        while let field = try reader.next() {
            guard case .varint(let value) = field.value else { continue }
            switch field.number {
            case 1: self.presence = Features.Presence(rawValue: Int(truncatingIfNeeded: value))
            case 2: self.isEnumOpen = value == 1
            case 3: self.isPacked = value == 1
            case 4: self.validatesUTF8 = value == 2
            case 5: self.isDelimited = value == 2
            default: break
            }
        }
    }
}
