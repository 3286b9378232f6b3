/// The first parts of the names in templates.
enum TemplateName: String, CaseIterable {
    case url
    case request
    case query
    case header
    case cookie
    case form
    case json
    case take
    case state
    case random
    case now

    /// The part of a name after `request.`.
    enum RequestPart: String, CaseIterable {
        case method
        case url
        case scheme
        case host
        case port
        case path
        case query
        case body
    }
}
