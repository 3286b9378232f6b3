import Foundation
import TapedeckControlAPI

extension Tapedeck.Answer {
    /// A response that the test has in its hands, such as what the tape said, changed.
    public static func response(_ response: Tapedeck.Response) -> Tapedeck.Answer {
        guard response.fault == nil else {
            var take = StaticTake(status: nil)
            take.fault = response.fault
            take.urlError = response.urlError
            return Tapedeck.Answer(take)
        }
        var take = StaticTake(status: response.status)
        take.headers = response.headers.map { Tapedeck.JSON.Member($0.name, Tapedeck.JSON($0.value)) }
        if !response.body.isEmpty {
            take.body =
                String(data: response.body, encoding: .utf8).map { ["text": Tapedeck.JSON($0)] }
                ?? ["base64": Tapedeck.JSON(response.body.base64EncodedString())]
        }
        return Tapedeck.Answer(take)
    }
}

extension Tapedeck.Response {
    /// - Throws: ``TapedeckError`` when the tape has no answer.
    init(_ answer: TapeAnswerModel, for exchange: Tapedeck.Exchange) throws {
        guard answer.outcome == "played", let take = answer.take else {
            let reason =
                answer.outcome == "forwarded"
                ? "the live server is asked, which says what it says when the request is let go"
                : "nothing on tape answers it"
            throw TapedeckError(
                .refused,
                "the tape does not say what to answer to \(exchange.method) \(exchange.request.shownURL): \(reason)"
            )
        }
        let body = take.body.flatMap { body in
            body.text.map { Data($0.utf8) } ?? body.base64.flatMap { Data(base64Encoded: $0) }
        }
        self.init(
            status: take.status ?? 0,
            headers: (take.headers ?? []).flatMap { field in field.map { ($0.key, $0.value) } },
            body: body ?? Data()
        )
        self.fault = take.fault.flatMap { Tapedeck.Fault(rawValue: $0) }
        self.urlError = take.urlError.flatMap { Tapedeck.URLErrorName(rawValue: $0) }
    }
}
