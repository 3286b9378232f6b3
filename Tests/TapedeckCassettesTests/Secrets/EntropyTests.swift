import TapedeckCore
import TestShare
import Testing

@testable import TapedeckCassettes

/// Words that look random, and words that only seem so.
@Suite struct EntropyTests {
    @Test(arguments: [
        "x8Kq2LmZ9vRt4WpYc7Nb1JdF", "key=Qm9vV3hZ7Tt2Kk9Lp0sDfGh4Jr6Nn8Xc;", "AbCd-9xZqW3kLmP7vT2nRy8sUf4Hj6Gd",
        #"{"note":"x8Kq2LmZ9vRt4WpYc7Nb1JdF"}"#, "wJalr7UtnF3EMI/K7MD9ENG/bPx2RfiCYzT1kqW8+sL0",
        "use x8Kq2LmZ9vRt4WpYc7Nb1JdF, please", "--token=x8Kq2LmZ9vRt4WpYc7Nb1JdF",
        #"{"app.key":"x8Kq2LmZ9vRt4WpYc7Nb1JdF"}"#,
    ])
    func `A random word is found`(text: String) {
        #expect(Entropy.words(in: Array(text.utf8)).count == 1)
    }

    @Test(arguments: [
        "", "short", "7f3c1a9b-e2d4-4c6f-8a1b-0c2d4e6f8a9b", "7F3C1A9BE2D44C6F8A1B0C2D4E6F8A9B7F3C1A9B",
        "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "the-quick-brown-fox-jumps-over-the-lazy-dog", "/v1/Users/List2/WithAllOfTheirThings",
        "aaaaaaaaaaaaaaaaAAAAAAAAAAAA11111111", "123456789012345678901234567890",
        "applicationDidFinishLaunchingWithOptions", "xmlSecOpenSSLTransformDes3CbcId", "sz_xDRI3PixmapFromBufferReq",
        "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2",
        "sha512-q7Rk2ZpX9sLw4VbN8tYcE5jH3mD6fG1aS0oUiPzXcVbNmQwErTyUiOpAsDfGhJkLq7Rk2ZpX9sLw4VbN8tYcEw==",
        #"ETag: W/"d20-ZHlyCzvRVweI5qleuamBhoeSO1g""#, #"{"integrity":"q7Rk2ZpX9sLw4VbN8tYcE5jH3mD6fG1a"}"#,
        #"{"nextCursor": "q7Rk2ZpX9sLw4VbN8tYcE5jH3mD6fG1a"}"#, "?page_token=q7Rk2ZpX9sLw4VbN8tYcE5jH3mD6fG1a",
        "<script nonce=\"q7Rk2ZpX9sLw4VbN8tYcE5jH3mD6fG1a\">", "boundary=q7Rk2ZpX9sLw4VbN8tYcE5jH3mD6fG1a",
        "/static/q7Rk2ZpX9sLw4VbN8tYcE5jH3mD6fG1a", "main.q7Rk2ZpX9sLw4VbN8tYcE5jH3m.js",
        #"{"bokeh-3.9.2.js": "8BA2lCFB/luHKrcA0KQoo/9od3p8SutckZ7jzRUSaVQZ3ED7jBX76YgqEAHWk2tV"}"#,
        "--GvVFZ9=ZCyp5jSEed6vjkD_Ww3vpc8Inh=pcNyhgd76_2TakLUlfvXTfcITYb2\r\n",
        "q7Rk2ZpX9sLw4VbN8tYcE5jH3m.woff2", "url(data:font/woff2;base64,d09GMgABAAAAADrAAA4AAAAAbZQAADpn)",
        "eyJ1cmwiOiJodHRwczovL2FwaS5naXRodWIuY29tL3JlcG9z", "H4sIAAAAAAAAA51Uy27bMBD8F57j6GE7iQUU7SFpT24uORS5CCuJkhlT",
        "iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4",
        "MBsGA1UECgwUQnV5cGFzcyBBUy05ODMxNjMzMjcxIDAeBgNVBAMMF0J1eXBhc3Mg\nQ2xhc3MgMyBSb290IENBMB4XDTEwMTAyNjA4Mjg1OFoX",
    ])
    func `Words, digests, identifiers, paths and data are not`(text: String) {
        #expect(Entropy.words(in: Array(text.utf8)).isEmpty)
    }

    @Test(.long, arguments: seeds(1)) func `Nine in ten words drawn at random are found`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
        for (length, share) in [(24, 0.75), (32, 0.88), (40, 0.9), (64, 0.9)] {
            let found = (0..<1000).count { _ in
                let word = (0..<length).map { _ in alphabet.randomElement(using: &random)! }
                return Entropy.words(in: Array("\"".utf8) + word + Array("\"".utf8)).count == 1
            }
            #expect(found >= Int(share * 1000), "\(found) of 1000 with \(length) characters")
        }
    }
}

/// The words that no rule knows, in the summary of a recording.
@Suite struct UnknownSecretsTests {
    @Test func `A word counts once, in any place, and is not shown`() {
        let word = "x8Kq2LmZ9vRt4WpYc7Nb1JdF"
        var unknown = UnknownSecrets()
        for number in 1...3 {
            unknown.note(.made(number, "GET", "/list?a=\(word)", type: "text/plain", text: "it is \(word)"))
        }
        #expect(unknown.count == 1)
        #expect(unknown.places == ["GET https://a.test/list: URL, 24 characters"])
    }
}
