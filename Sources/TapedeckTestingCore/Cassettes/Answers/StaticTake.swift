/// One response, or one fault, without any behaviour around it.
struct StaticTake: Sendable, Equatable {
    /// `nil` for a fault without a response.
    var status: Int?
    var reason: String?
    var fault: Tapedeck.Fault?
    /// The error code of HTTP/2.
    var faultCode: String?
    var faultAfter: Tapedeck.Fault.Point?
    var urlError: Tapedeck.URLErrorName?
    /// In their order; a name may come several times.
    var headers: [Tapedeck.JSON.Member] = []
    /// The keys of `body`.
    var body: Tapedeck.JSON?
    var trailers: [Tapedeck.JSON.Member] = []
    var endsAtClose = false
    /// The part of an answer that only calls of gRPC have.
    var call: Call?

    struct Call: Sendable, Equatable {
        /// `nil` for a status in the head.
        var messages: [Tapedeck.JSON]?
        var status: Tapedeck.GRPCStatus?
        var message: String?
    }

    /// False for a fault alone.
    var hasResponse: Bool { self.status != nil || self.call != nil }

    init(status: Int?, headers: KeyValuePairs<String, String> = [:]) {
        self.status = status
        self.headers = headers.map { Tapedeck.JSON.Member($0.key, Tapedeck.JSON($0.value)) }
    }

    /// - Parameter contentType: not used where the headers have one.
    init(
        status: Int,
        contentType: String?,
        headers: KeyValuePairs<String, String>,
        body: Tapedeck.JSON?
    ) {
        self.init(status: status, headers: headers)
        self.body = body
        if let contentType, !self.headers.contains(where: { $0.name.lowercased() == "content-type" }) {
            self.headers.insert(Tapedeck.JSON.Member("content-type", Tapedeck.JSON(contentType)), at: 0)
        }
    }

    /// A fault, with the response that it needs, if it needs one. That has a body: without one nothing could break off.
    init(_ fault: Tapedeck.Fault, code: String? = nil, after: Tapedeck.Fault.Point? = nil) {
        if fault.hasResponse {
            let body: Tapedeck.JSON = ["text": "This text breaks off, or the connection does behind it.\n"]
            self.init(status: 200, contentType: "text/plain; charset=utf-8", headers: [:], body: body)
        } else {
            self.init(status: nil)
        }
        self.fault = fault
        self.faultCode = code
        self.faultAfter = after
    }

    /// The headers with a length that the body falls short of, if the fault is a truncated body and no length is given.
    private var sentHeaders: [Tapedeck.JSON.Member] {
        let says = ["content-length", "transfer-encoding"]
        guard self.fault == .truncatedBody, self.call == nil, self.trailers.isEmpty,
            !self.headers.contains(where: { says.contains($0.name.lowercased()) })
        else { return self.headers }
        // This form of a body is never shorter than the sent one: base64 is longer, and JSON loses its white space.
        let body = self.body?.members?.first?.value.string ?? ""
        return self.headers + [Tapedeck.JSON.Member("content-length", Tapedeck.JSON(String(body.utf8.count + 1)))]
    }

    /// As an item of `takes`, with its keys in the order that the deck writes them.
    var shape: Tapedeck.JSON {
        Tapedeck.JSON(shape: [
            ("status", self.status.map { Tapedeck.JSON($0) }), ("reason", self.reason.map { Tapedeck.JSON($0) }),
            ("fault", self.faultShape),
            ("urlError", self.urlError.map { Tapedeck.JSON($0.rawValue) }),
            ("headers", Tapedeck.JSON(unlessEmpty: self.sentHeaders.map { Tapedeck.JSON([$0]) })),
            ("endsAtClose", Tapedeck.JSON(ifTrue: self.endsAtClose)), ("body", self.body),
            ("messages", self.call?.messages.map { Tapedeck.JSON($0) }),
            ("grpcStatus", self.call?.status.map { Tapedeck.JSON($0.rawValue) }),
            ("grpcMessage", self.call?.message.map { Tapedeck.JSON($0) }),
            ("trailers", Tapedeck.JSON(unlessEmpty: self.trailers.map { Tapedeck.JSON([$0]) })),
        ])
    }

    /// The name of the fault, or that with its details.
    private var faultShape: Tapedeck.JSON? {
        guard let name = self.fault.map({ Tapedeck.JSON($0.rawValue) }) else { return nil }
        guard self.faultCode != nil || self.faultAfter != nil else { return name }
        let after: Tapedeck.JSON? = self.faultAfter.map { point in
            switch point {
            case .bytes(let count): Tapedeck.JSON(count)
            case .messages(let count): Tapedeck.JSON("\(count) messages")
            }
        }
        return Tapedeck.JSON(shape: [
            ("name", name), ("code", self.faultCode.map { Tapedeck.JSON($0) }), ("after", after),
        ])
    }

    /// The fault of a take that is nothing else, and that a behaviour may have in place of its takes.
    var loneFault: Tapedeck.JSON? {
        guard self.urlError == nil, self.status == nil, self.shape.members?.count == 1 else { return nil }
        return self.faultShape
    }
}
