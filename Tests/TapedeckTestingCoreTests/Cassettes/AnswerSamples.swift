import Foundation
import TapedeckTestingCore

/// Answers with the lines that a variant of a file has for the same.
enum AnswerSamples {
    static let all: [(Tapedeck.Answer, String)] = [
        (.status(503), "takes: [{ status: 503 }]"),
        (
            .status(200, reason: "Fine", headers: ["A": "1", "a": "2"]),
            "takes: [{ status: 200, reason: Fine, headers: [A: 1, a: 2] }]"
        ),
        (.empty(), "empty: true"),
        (
            .json(["b": 1, "a": [true, nil]]),
            """
            takes:
              - status: 200
                headers: { content-type: application/json }
                body:
                  json: |
                    {
                      "b": 1,
                      "a": [
                        true,
                        null
                      ]
                    }
                  layout: compact
            """
        ),
        (
            .json([], headers: ["Content-Type": "text/json"]),
            "takes: [{ status: 200, headers: { Content-Type: text/json }, body: { json: '[]' } }]"
        ),
        (
            .json(text: "{ \"a\" : 1 }", contentType: nil),
            "takes: [{ status: 200, body: { json: '{ \"a\" : 1 }' } }]"
        ),
        (
            .text("hi\n", status: 404),
            "takes: [{ status: 404, headers: { content-type: text/plain; charset=utf-8 }, body: { text: \"hi\\n\" } }]"
        ),
        (.text("", contentType: nil), "takes: [{ status: 200, body: { text: '' } }]"),
        (.data(Data([0, 255]), contentType: nil), "takes: [{ status: 200, body: { base64: AP8= } }]"),
        (
            .data(Data("é\r\n".utf8), contentType: "text/css"),
            "takes: [{ status: 200, headers: { content-type: text/css }, body: { text: \"é\\r\\n\" } }]"
        ),
        (
            .status(200).header("a", "b").trailer("c", "d").endingAtClose(),
            "takes: [{ status: 200, headers: { a: b }, trailers: { c: d }, endsAtClose: true }]"
        ),
        (.fault(.connectionReset), "fault: connectionReset"),
        (
            .text("abc", contentType: nil, headers: ["content-length": "5"]).fault(.truncatedBody),
            """
            takes:
              - { status: 200, fault: truncatedBody, headers: { content-length: 5 }, body: { text: abc } }
            """
        ),
        (.text("abc").fault(.hang), "fault: hang"),
        (
            .sequence([.status(202), .fault(.timeout), .status(201)], after: .cycle),
            "{ after: cycle, takes: [{ status: 202 }, { fault: timeout }, { status: 201 }] }"
        ),
        (
            .sequence([.variant("offline"), .status(503).times(2), .sequence([.status(201), .status(202)])]),
            """
            sequence:
              - offline
              - { times: 2, takes: [{ status: 503 }] }
              - takes: [{ status: 201 }, { status: 202 }]
            """
        ),
        (
            .sequence([.status(202), .status(201).delayed(.seconds(1))], after: .variant("offline")),
            """
            sequence:
              - takes: [{ status: 202 }]
              - { delay: 1s, takes: [{ status: 201 }] }
            after: { variant: offline }
            """
        ),
        (
            .random([(9, .status(200)), (1, .variant("offline")), (2, .variant("slow"))]),
            """
            random:
              - { weight: 9, takes: [{ status: 200 }] }
              - offline
              - { weight: 2, variant: slow }
            """
        ),
        (
            .when(.get("/x").query("a", "1"), then: .variant("offline")),
            """
            when: { method: GET, url: /x, otherQuery: allowed, query: { a: 1 } }
            then: offline
            """
        ),
        (
            .when(.any, then: .status(200), otherwise: .fault(.hang)),
            "{ when: { urlPattern: /.* }, then: { takes: [{ status: 200 }] }, otherwise: { fault: hang } }"
        ),
        (.passthrough.delayed(.seconds(120)), "{ passthrough: true, delay: 2m }"),
        (
            .variant("offline").delayed(.uniform(.milliseconds(100) ... .milliseconds(1_500))),
            "{ variant: offline, delay: { uniform: [100ms, 1.5s] } }"
        ),
        (
            .status(200).delayed(.normal(.milliseconds(300), deviation: .milliseconds(50))),
            "{ takes: [{ status: 200 }], delay: { normal: 300ms, deviation: 50ms } }"
        ),
        (
            .status(200).delayed(.logNormal(.milliseconds(300), sigma: 0.4)),
            "{ takes: [{ status: 200 }], delay: { logNormal: 300ms, sigma: 0.4 } }"
        ),
        (.status(200).delayed(.microseconds(1_200)), "{ takes: [{ status: 200 }], delay: 2ms }"),
        (.status(200).delayed(.seconds(-1)), "{ takes: [{ status: 200 }], delay: 0 }"),
        (
            .status(200).bandwidth(bytesPerSecond: 65_536).dribbled(pieces: 3, over: .seconds(1)),
            "{ takes: [{ status: 200 }], bandwidth: 64 KiB/s, dribble: { pieces: 3, over: 1s } }"
        ),
        (
            .status(200).template().merging(["a": nil]).fuzzing("$.b", .nulls).fuzzing("$.c", .emoji),
            """
            takes: [{ status: 200 }]
            template: true
            merge: '{"a":null}'
            fuzz: { $.b: nulls, $.c: emoji }
            """
        ),
        (
            .status(200).settingState("a", to: "1").settingState("b", to: nil).settingState("a", to: "2"),
            "{ takes: [{ status: 200 }], sets: { a: 2, b: null } }"
        ),
        (
            .grpc(.proto("1: 7"), .data(Data([8, 1])).after(1), status: .aborted, message: "no"),
            """
            takes:
              - messages: [{ proto: '1: 7' }, { base64: CAE=, after: 1 }]
                grpcStatus: ABORTED
                grpcMessage: "no"
            """
        ),
        (.grpc(), "takes: [{ messages: [] }]"),
        (
            .grpc(.proto("1: 7").after(2).after(1)).fault(.truncatedBody),
            "takes: [{ fault: truncatedBody, messages: [{ proto: '1: 7', after: 1 }] }]"
        ),
        (.grpc(status: .notFound).header("x", "y"), "takes: [{ headers: { x: y }, grpcStatus: NOT_FOUND }]"),
        (
            .sequence([.status(200), .variant("offline")]).header("x", "y"),
            "sequence: [{ takes: [{ status: 200, headers: { x: y } }] }, offline]"
        ),
    ]
}
