/// The form of a value, as far as it can be said without the rest of the file: for the schema.
indirect enum Shape: Sendable {
    /// Any scalar but null: numbers and words such as `true` are texts as written.
    case text
    /// A text that matches a regular expression (ECMA-262).
    case matching(String)
    case words([String])
    case bool
    case yes
    case integer(ClosedRange<Int>)
    case number
    /// A text that is JSON; in the notation of the control API also the JSON itself.
    case json
    case list(Shape, atLeast: Int = 0)
    case oneOrList(Shape)
    /// A mapping whose keys the user chooses.
    case map(Shape)
    /// A mapping with these keys; those that may be missing end in `?`.
    case pairs([(key: String, shape: Shape)])
    /// The mapping of this name.
    case mapping(String)
    case either([Shape])
    case null
}
