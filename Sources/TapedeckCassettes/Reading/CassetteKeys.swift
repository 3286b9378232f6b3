/// The words of the cassette format, in one place.
enum CassetteKeys {
    static let formatVersion = 1

    static let top = ["tapedeck", "about", "responseSets"]
    static let set = ["name", "request", "variants"]
    static let request = ["method", "url", "query", "body"]
    static let requestBody = ["text", "json", "base64", "layout", "sha256"]
    static let variant = ["name", "takes", "fault"]
    static let take = [
        "status", "reason", "interim", "headers", "body", "trailers", "endsAtClose", "fault", "detail", "recorded",
        "request",
    ]
    static let interim = ["status", "reason", "headers"]
    static let takeRequest = ["headers", "body"]
    static let body = ["text", "json", "base64", "file", "layout", "encoding"]
}
