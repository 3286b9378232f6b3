import TapedeckCore

/// A name with a value of a Bruno file: a header field, a parameter, a variable.
struct BrunoField {
    var name: String
    var value: String
    var isEnabled = true
    /// True for a variable whose value is not in the file.
    var isSecret = false
}

/// How a request proves who sends it.
struct BrunoAuth {
    /// `none`, `inherit`, `basic`, `bearer`, `apikey`, and so on.
    var mode = "none"
    var values: [String: String] = [:]
}

/// The body of a request.
struct BrunoBody {
    /// `none`, `json`, `text`, `xml`, `sparql`, `formUrlEncoded`, `multipartForm`, `graphql`, `file`.
    var mode = "none"
    var text = ""
    var form: [BrunoField] = []
    var parts: [BrunoPart] = []
    var query = ""
    var variables = ""
}

/// A part of a form, or a file that is a body.
struct BrunoPart {
    var name = ""
    var value = ""
    /// Paths of files; `nil` for a text.
    var files: [String]?
    var type: String?
    var isEnabled = true
}

/// A request, or that of an example.
struct BrunoRequest {
    var method: String?
    var url: String?
    var headers: [BrunoField] = []
    var pathParameters: [BrunoField] = []
    var queryParameters: [BrunoField] = []
    var body = BrunoBody()
}

/// An answer that is saved with a request.
struct BrunoExample {
    var name: String?
    var line: Int
    var request: BrunoRequest?
    var response: Response?

    struct Response {
        var status = 200
        var reason = ""
        var headers: [BrunoField] = []
        var body: [UInt8] = []
    }
}

/// The fields, variables and authentication that a collection, a folder or a request gives to requests.
struct BrunoScope {
    var headers: [BrunoField] = []
    var variables: [BrunoField] = []
    var auth = BrunoAuth()
    /// True if a script changes requests before they are sent.
    var hasScript = false
}

/// A request file.
struct BrunoItem {
    var name: String?
    /// `http`, `graphql`, `grpc`, `ws` and so on.
    var kind = "http"
    /// The place in its folder.
    var sequence: Int?
    var line = 1
    var request = BrunoRequest()
    /// Its own variables, auth and script; header fields are those of the request.
    var scope = BrunoScope()
    /// True if Bruno encodes the URL.
    var encodesURL = false
    var examples: [Result<BrunoExample, LeftOut>] = []
}
