import TapedeckCore
import TapedeckSessions
import Testing

@testable import TapedeckProxy

@Suite
struct ResponsePlanTests {
    private func plan(
        _ take: Take,
        length: Int = 5,
        decoded: Bool = false,
        _ client: ClientAbilities = ClientAbilities()
    ) -> ResponsePlan {
        ResponsePlan(take: take, bodyLength: length, servesDecoded: decoded, client: client)
    }

    private static let length = HeaderField("content-length", "5")
    private static let chunked = HeaderField("transfer-encoding", "chunked")
    private static let type = HeaderField("Content-Type", "text/plain")

    @Test func theRecordedLengthKeepsItsPosition() {
        let plan = self.plan(Take(headers: [Self.length, Self.type]))
        #expect(plan.framing == .length(5))
        #expect(plan.fields == [Self.length, Self.type])
        #expect(!plan.closes)
    }

    @Test func theLengthIsCorrectedAfterAnEditByHand() {
        let plan = self.plan(Take(headers: [HeaderField("CONTENT-length", "400"), Self.type]), length: 7)
        #expect(plan.framing == .length(7))
        #expect(plan.fields == [HeaderField("CONTENT-length", "7"), Self.type])
    }

    @Test func aTakeWithoutALengthGetsOne() {
        #expect(self.plan(Take(headers: [Self.type])).fields == [Self.type, HeaderField("Content-Length", "5")])
        #expect(self.plan(Take(), length: 0).fields == [HeaderField("Content-Length", "0")])
    }

    @Test func chunksStayChunks() {
        let plan = self.plan(Take(headers: [Self.type, Self.chunked, Self.length]))
        #expect(plan.framing == .chunked)
        #expect(plan.fields == [Self.type, Self.chunked])
    }

    @Test func trailersNeedChunks() {
        let plan = self.plan(Take(headers: [Self.length], trailers: [HeaderField("X", "y")]))
        #expect(plan.framing == .chunked)
        #expect(plan.fields == [HeaderField("Transfer-Encoding", "chunked")])
    }

    @Test func anHTTP10ClientGetsALengthForChunks() {
        let plan = self.plan(
            Take(headers: [Self.chunked], trailers: [HeaderField("X", "y")]),
            ClientAbilities(version: .http10)
        )
        #expect(plan.framing == .length(5))
        #expect(plan.fields == [HeaderField("Content-Length", "5")])
    }

    @Test(arguments: [(200, true), (204, false), (304, false), (404, true), (204, true)])
    func responsesToHEADAnd204And304HaveNoBody(_ status: Int, _ isHead: Bool) {
        for headers in [[Self.length, Self.type], [Self.chunked], []] {
            let take = Take(status: status, headers: headers, endsAtClose: status == 404)
            let plan = self.plan(take, ClientAbilities(isHead: isHead))
            #expect(plan.framing == .none)
            #expect(plan.fields == headers)
            #expect(!plan.closes)
        }
    }

    @Test func aBodyThatEndedAtCloseEndsAtCloseAgain() {
        let plan = self.plan(Take(headers: [Self.type], endsAtClose: true))
        #expect(plan.framing == .untilClose)
        #expect(plan.fields == [Self.type])
        #expect(plan.closes)
    }

    @Test func theConnectionClosesIfTheClientRequestsIt() {
        for isHead in [false, true] {
            #expect(self.plan(Take(), ClientAbilities(isHead: isHead, keepsAlive: false)).closes)
            #expect(!self.plan(Take(), ClientAbilities(isHead: isHead)).closes)
        }
    }

    @Test func aTruncatedBodyPromisesWhatTheOriginPromised() {
        let promised = HeaderField("Content-Length", "1000")
        let plan = self.plan(Take(headers: [promised], fault: .truncatedBody))
        #expect(plan.framing == .untilClose)
        #expect(plan.fields == [promised])
        #expect(plan.closes)
        let chunks = self.plan(Take(headers: [Self.chunked], fault: .truncatedBody))
        #expect(chunks.framing == .chunked)
        #expect(chunks.fields == [Self.chunked])
        #expect(chunks.closes)
    }

    /// RFC 9112 section 6.1: no Transfer-Encoding to an HTTP/1.0 client.
    @Test(arguments: [nil, Fault.truncatedBody])
    func anHTTP10ClientGetsNoTransferEncoding(_ fault: Fault?) {
        for isHead in [false, true] {
            let client = ClientAbilities(isHead: isHead, version: .http10)
            let plan = self.plan(Take(headers: [Self.chunked], fault: fault), client)
            #expect(!plan.fields.contains(named: "transfer-encoding"))
            #expect(plan.framing != .chunked)
        }
    }

    @Test func aDecodedBodyHasNoContentEncoding() {
        let take = Take(headers: [HeaderField("content-encoding", "gzip"), Self.length, Self.type])
        let plan = self.plan(take, length: 90, decoded: true)
        #expect(plan.fields == [HeaderField("content-length", "90"), Self.type])
        #expect(self.plan(take).fields == take.headers)
    }
}
