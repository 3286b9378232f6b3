import TapedeckCore

/// A secret that was found in a text.
struct SecretEdit: Sendable {
    /// The place in bytes of the text.
    var range: Range<Int>
    /// The decoded secret.
    var value: [UInt8]
    /// Its name, after its place or its shape.
    var name: String
    /// The id of the rule that found it.
    var rule: String
    var form: SecretPlaceholder.Form = .raw
    var certainty = SecretCertainty.certain
    /// Its number or name in the vault, if it was found as a literal.
    var known: SecretPlaceholder?
    /// The number of leading bytes that all secrets of its kind share, as its rule says.
    var commonStart = 0
    /// The bytes of its value around the secret; `nil` if it is not part of a text in base64.
    var frame: SecretFrame?
    /// True for a file within a text, such as an archive in base64, which stays: its edits within the text are dropped.
    var isFile = false
    /// The kind of a value that tells which machine it is; `nil` for a secret.
    var machine: MachineIdentity?
    /// True for a further piece of a secret that a stream sends in several: it goes without a trace.
    var isRest = false
    /// Secrets within it that also occur alone, such as the password in Basic credentials.
    var parts: [Part] = []

    struct Part: Sendable {
        var value: [UInt8]
        var name: String
    }

    private static let middle = Array("_secret_".utf8)

    /// The secret without the id in front of it: `pi_1Abc_secret_xyz` begins with the id of a payment, which stands in clear
    /// elsewhere.
    func withoutID(in text: UnsafeRawBufferPointer) -> SecretEdit {
        guard self.form == .raw, self.known == nil, self.range.count < 256,
            let place = text.slice(self.range).range(of: Self.middle, from: 0), place.lowerBound >= 12,
            self.range.count - place.upperBound >= 12,
            let start = text[self.range].firstIndex(of: 0x5F), start < self.range.lowerBound + 8
        else { return self }
        var part = self
        part.range = (self.range.lowerBound + place.upperBound)..<self.range.upperBound
        part.value = Array(text[part.range])
        return part
    }

    /// The part behind the host of a URL and the `/` after it, for a match that goes beyond it.
    func behind(_ host: Range<Int>, in text: UnsafeRawBufferPointer) -> SecretEdit {
        guard self.range.lowerBound < host.upperBound, self.range.upperBound > host.upperBound + 1 else { return self }
        var part = self
        part.range = (host.upperBound + 1)..<self.range.upperBound
        part.value = Array(text[part.range])
        (part.known, part.parts, part.commonStart) = (nil, [], 0)
        return part
    }
}

extension SecretEdit {
    /// A file, which stays.
    init(file range: Range<Int>) {
        self.init(range: range, value: [], name: "", rule: "", isFile: true)
    }
}

extension [SecretEdit] {
    /// Without those in files that stay. A secret that is a whole file, as its name says, is none of them.
    func outsideFiles() -> (secrets: [SecretEdit], files: [SecretEdit]) {
        let files = self.filter(\.isFile)
        guard !files.isEmpty else { return (self, []) }
        let secrets = self.filter { edit in
            !edit.isFile
                && !files.contains { $0.range != edit.range && $0.range.clamped(to: edit.range) == edit.range }
        }
        return (secrets, files)
    }

    /// In order and without overlaps. Of edits that overlap, one that covers the others stays; if none does, what they
    /// cover together is one secret. Edits that touch a protected place are dropped.
    func resolved(in text: UnsafeRawBufferPointer, protected: [Range<Int>]) -> [SecretEdit] {
        guard !self.isEmpty else { return [] }
        let ordered = self.enumerated().sorted { left, right in
            let (one, other) = (left.element.range, right.element.range)
            if one.lowerBound != other.lowerBound { return one.lowerBound < other.lowerBound }
            if one.upperBound != other.upperBound { return one.upperBound > other.upperBound }
            return left.offset < right.offset
        }
        var result: [SecretEdit] = []
        // Those that grew: their values are read when they are done growing.
        var grown: [Int] = []
        var place = 0
        for (_, edit) in ordered where !edit.range.isEmpty {
            while place < protected.count, protected[place].upperBound <= edit.range.lowerBound { place += 1 }
            if place < protected.count, protected[place].lowerBound < edit.range.upperBound { continue }
            guard let last = result.last, edit.range.lowerBound < last.range.upperBound else {
                result.append(edit)
                continue
            }
            guard edit.range.upperBound > last.range.upperBound else { continue }
            let both = last.range.lowerBound..<edit.range.upperBound
            if grown.last != result.count - 1 { grown.append(result.count - 1) }
            result[result.count - 1] = SecretEdit(
                range: both,
                value: [],
                name: last.name,
                rule: last.rule,
                certainty: Swift.max(last.certainty, edit.certainty)
            )
        }
        for index in grown { result[index].value = [UInt8](text[result[index].range]) }
        return result
    }
}
