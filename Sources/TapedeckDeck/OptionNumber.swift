package import TapedeckCassettes
import TapedeckCore

/// The numbers of options as people write them.
package enum OptionNumber {
    /// The size that means "no limit": larger than any disk, and small enough to be added up.
    private static let unlimited = 1 << 50

    /// Parses a limit such as `64M`, in bytes; 0 means no limit.
    ///
    /// - Throws: ``DeckError`` that names the option.
    package static func size(_ text: String, _ option: String) throws(DeckError) -> Int {
        do throws(ByteSize.Problem) {
            let bytes = try ByteSize(text).bytes
            return bytes == 0 ? self.unlimited : bytes
        } catch {
            throw DeckError("\(option): \(error)", kind: .badOption)
        }
    }

    /// Reads a size that is to stay free, in bytes; 0 is nothing.
    ///
    /// - Throws: ``DeckError`` that names the option.
    package static func room(_ text: String, _ option: String) throws(DeckError) -> Int {
        try self.size(text, option) % self.unlimited
    }

    /// Returns the limit for a number; 0 means no limit.
    ///
    /// - Throws: ``DeckError`` that names the option, for a negative number.
    package static func count(_ number: Int, _ option: String) throws(DeckError) -> Int {
        guard number >= 0 else { throw DeckError("\(option) takes a number, and 0 for no limit", kind: .badOption) }
        return number == 0 ? .max : number
    }

    /// Returns a number of bytes as an option takes it, in the largest unit that divides it: `512M`.
    package static func text(ofSize bytes: Int) -> String {
        let units = [("G", 30), ("M", 20), ("K", 10)]
        guard bytes > 0, let unit = units.first(where: { bytes % (1 << $0.1) == 0 }) else { return "\(bytes)" }
        return "\(bytes >> unit.1)\(unit.0)"
    }
}
