/// One node in the arena of a document.
///
/// Nodes are in document order, each collection before its children. `next` is the index after the last descendant, so
/// the next sibling needs no separate link.
struct YAMLRecord {
    /// The kind of a node and, for a scalar, its style.
    enum Shape: UInt8 {
        case plain
        case singleQuoted
        case doubleQuoted
        case literal
        case folded
        case mapping
        case sequence
    }

    /// The treatment of line ends at the end of a literal or folded block.
    enum Chomping: UInt8 {
        case clip
        case strip
        case keep
    }

    /// The first byte of the node's own text.
    var start: UInt32

    /// The byte after the node's own text.
    var end: UInt32

    /// The index after the last descendant.
    var next: UInt32 = 0

    /// Pairs of a mapping, items of a sequence, or the indentation of a literal or folded block.
    var count: UInt32 = 0

    /// One more than the offset of the `-` before an item of a block sequence; 0 for every other node.
    var indicator: UInt32 = 0

    /// The kind and style of the node.
    var shape: Shape

    /// Only of use for a literal or folded block.
    var chomping: Chomping = .clip

    /// For a scalar: its text equals the bytes between the quotes. For a collection: it is a flow collection.
    var isSimple: Bool = false

    /// Creates the record of a scalar; the caller sets `next` when it is added to the arena.
    init(shape: Shape, start: Int, end: Int) {
        self.shape = shape
        self.start = UInt32(truncatingIfNeeded: start)
        self.end = UInt32(truncatingIfNeeded: end)
    }

    /// True if the node is a mapping or a sequence.
    var isCollection: Bool {
        self.shape == .mapping || self.shape == .sequence
    }

    /// The bytes between the quotes, or all of a scalar without quotes.
    var inner: Range<Int> {
        let quotes = self.shape == .singleQuoted || self.shape == .doubleQuoted ? 1 : 0
        return Int(self.start) + quotes..<Int(self.end) - quotes
    }
}
