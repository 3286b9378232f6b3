import TapedeckJSON
import Testing

/// A message in JSON, and its bytes as Google's protobuf for Python (7.36) writes them.
struct MessageSample: Sendable, CustomTestStringConvertible {
    let type: String
    let json: String
    let hex: String

    private init(_ type: String, _ json: String, _ hex: String) {
        self.type = type
        self.json = json
        self.hex = hex
    }

    var bytes: [UInt8] {
        let digits = self.hex.utf8.compactMap { ASCII.hexValue($0) }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    var testDescription: String { "\(self.type) \(self.json)" }

    static let all = [
        MessageSample(
            "tapedeck.test.Order",
            #"{}"#,
            #""#
        ),
        MessageSample(
            "tapedeck.test.Order",
            #"{"price": 1.5, "weight": -0.25}"#,
            #"09000000000000f83f15000080be"#
        ),
        MessageSample(
            "tapedeck.test.Order",
            #"{"price": "NaN", "weight": "-Infinity"}"#,
            #"09000000000000f87f15000080ff"#
        ),
        MessageSample(
            "tapedeck.test.Order",
            #"{"price": 1e+300, "weight": 1e+38}"#,
            #"099c7500883ce4377e159976967e"#
        ),
        MessageSample(
            "tapedeck.test.Order",
            #"{"signedNumber": -1, "bigNumber": "-9223372036854775808"}"#,
            #"18ffffffffffffffffff012080808080808080808001"#
        ),
        MessageSample(
            "tapedeck.test.Order",
            #"{"count": 4294967295, "bigCount": "18446744073709551615"}"#,
            #"28ffffffff0f30ffffffffffffffffff01"#
        ),
        MessageSample(
            "tapedeck.test.Order",
            #"{"zigzag": -2147483648, "bigZigzag": "9223372036854775807"}"#,
            #"38ffffffff0f40feffffffffffffffff01"#
        ),
        MessageSample(
            "tapedeck.test.Order",
            #"{"hash": 4294967295, "bigHash": "18446744073709551615"}"#,
            #"4dffffffff51ffffffffffffffff"#
        ),
        MessageSample(
            "tapedeck.test.Order",
            #"{"offset": -2, "bigOffset": "-3"}"#,
            #"5dfeffffff61fdffffffffffffff"#
        ),
        MessageSample(
            "tapedeck.test.Order",
            #"{"paid": true, "customerName": "Zoë 🎉\n\"x\""}"#,
            #"6801720d5a6fc3ab20f09f8e890a227822"#
        ),
        MessageSample(
            "tapedeck.test.Order",
            #"{"receipt": "AP/+gA=="}"#,
            #"7a0400fffe80"#
        ),
        MessageSample(
            "tapedeck.test.Order",
            #"{"state": "SHIPPED"}"#,
            #"800102"#
        ),
        MessageSample(
            "tapedeck.test.Order",
            #"{"state": "LOST"}"#,
            #"8001ffffffffffffffffff01"#
        ),
        MessageSample(
            "tapedeck.test.Order",
            #"{"state": 77}"#,
            #"80014d"#
        ),
        MessageSample(
            "tapedeck.test.Order",
            #"{"item": {}}"#,
            #"8a0100"#
        ),
        MessageSample(
            "tapedeck.test.Order",
            #"{"item": {"name": "tea", "count": 2, "parts": [{}, {"name": "bag"}]}}"#,
            #"8a01100a0374656110021a001a050a03626167"#
        ),
        MessageSample(
            "tapedeck.test.Order",
            #"{"discount": 0, "note": "", "gift": false}"#,
            #"a00100aa0100b00100"#
        ),
        MessageSample(
            "tapedeck.test.Order",
            #"{"card": ""}"#,
            #"f20100"#
        ),
        MessageSample(
            "tapedeck.test.Order",
            #"{"cents": "0"}"#,
            #"f80100"#
        ),
        MessageSample(
            "tapedeck.test.Order",
            #"{"barter": {"name": "hen"}}"#,
            #"8202050a0368656e"#
        ),
        MessageSample(
            "tapedeck.test.Order",
            #"{"nothing": null}"#,
            #"880200"#
        ),
        MessageSample(
            "tapedeck.test.Order",
            #"{"numbers": [1, -1, 300, 0]}"#,
            #"c2020e01ffffffffffffffffff01ac0200"#
        ),
        MessageSample(
            "tapedeck.test.Order",
            #"{"unpacked": ["1", "-1", "0"]}"#,
            #"c80202c80201c80200"#
        ),
        MessageSample(
            "tapedeck.test.Order",
            #"{"prices": [0.0, 1.5, "NaN"]}"#,
            #"d202180000000000000000000000000000f83f000000000000f87f"#
        ),
        MessageSample(
            "tapedeck.test.Order",
            #"{"tags": ["", "a"]}"#,
            #"da0200da020161"#
        ),
        MessageSample(
            "tapedeck.test.Order",
            #"{"blobs": ["", "AQI="]}"#,
            #"e20200e202020102"#
        ),
        MessageSample(
            "tapedeck.test.Order",
            #"{"states": ["OPEN", "STATE_UNSPECIFIED", 9]}"#,
            #"ea0203010009"#
        ),
        MessageSample(
            "tapedeck.test.Order",
            #"{"flags": [true, false]}"#,
            #"fa02020100"#
        ),
        MessageSample(
            "tapedeck.test.Order",
            #"{"hashes": [0, 7]}"#,
            #"8203080000000007000000"#
        ),
        MessageSample(
            "tapedeck.test.Order",
            #"{"labels": {"": ""}}"#,
            #"9203040a001200"#
        ),
        MessageSample(
            "tapedeck.test.Order",
            #"{"byNumber": {"-1": {"name": "x"}}}"#,
            #"9a031008ffffffffffffffffff0112030a0178"#
        ),
        MessageSample(
            "tapedeck.test.Order",
            #"{"byFlag": {"false": "STATE_UNSPECIFIED"}}"#,
            #"a2030408001000"#
        ),
        MessageSample(
            "tapedeck.test.Order",
            #"{"byZigzag": {"-9": 0.5}}"#,
            #"aa030b081111000000000000e03f"#
        ),
        MessageSample(
            "tapedeck.test.Order",
            #"{"byHash": {"18446744073709551615": "AQ=="}}"#,
            #"b2030c09ffffffffffffffff120101"#
        ),
        MessageSample(
            "tapedeck.test.Order",
            #"{"createdAt": "2026-11-24T08:30:00Z"}"#,
            #"e2030608889695d806"#
        ),
        MessageSample(
            "tapedeck.test.Order",
            #"{"createdAt": "0001-01-01T00:00:00Z"}"#,
            #"e2030b088092b8c398feffffff01"#
        ),
        MessageSample(
            "tapedeck.test.Order",
            #"{"createdAt": "9999-12-31T23:59:59.999999999Z"}"#,
            #"e2030d08ff82d1ffaf0710ff93ebdc03"#
        ),
        MessageSample(
            "tapedeck.test.Order",
            #"{"createdAt": "1969-12-31T23:59:59.250Z"}"#,
            #"e2031008ffffffffffffffffff011080e59a77"#
        ),
        MessageSample(
            "tapedeck.test.Order",
            #"{"createdAt": "2024-02-29T12:00:00.000001Z"}"#,
            #"e2030908c0e381af0610e807"#
        ),
        MessageSample(
            "tapedeck.test.Order",
            #"{"took": "0s"}"#,
            #"ea0300"#
        ),
        MessageSample(
            "tapedeck.test.Order",
            #"{"took": "-0.500s"}"#,
            #"ea030b1080b6ca91feffffffff01"#
        ),
        MessageSample(
            "tapedeck.test.Order",
            #"{"took": "315576000000s"}"#,
            #"ea03070880bcaece9709"#
        ),
        MessageSample(
            "tapedeck.test.Order",
            #"{"took": "1.000000001s"}"#,
            #"ea030408011001"#
        ),
        MessageSample(
            "tapedeck.test.Order",
            #"{"mask": ""}"#,
            #"f20300"#
        ),
        MessageSample(
            "tapedeck.test.Order",
            #"{"mask": "user.displayName,id"}"#,
            #"f203170a11757365722e646973706c61795f6e616d650a026964"#
        ),
        MessageSample(
            "tapedeck.test.Order",
            #"{"extra": {}}"#,
            #"fa0300"#
        ),
        MessageSample(
            "tapedeck.test.Order",
            #"{"extra": {"a": null, "b": [1.0, "x", true, {"c": []}]}}"#,
            #"fa03330a070a0161120208000a280a0162122332210a0911000000000000f03f0a031a01780a0220010a0b"#
                + #"2a090a070a016312023200"#
        ),
        MessageSample(
            "tapedeck.test.Order",
            #"{"anything": null}"#,
            #"8204020800"#
        ),
        MessageSample(
            "tapedeck.test.Order",
            #"{"anything": "NaN"}"#,
            #"8204051a034e614e"#
        ),
        MessageSample(
            "tapedeck.test.Order",
            #"{"anything": [[]]}"#,
            #"82040632040a023200"#
        ),
        MessageSample(
            "tapedeck.test.Order",
            #"{"list": [false, {}]}"#,
            #"8a04080a0220000a022a00"#
        ),
        MessageSample(
            "tapedeck.test.Order",
            #"{"any": {}}"#,
            #"920400"#
        ),
        MessageSample(
            "tapedeck.test.Order",
            #"{"any": {"@type": "type.googleapis.com/tapedeck.test.Order.Item", "name": "x", "count""#
                + #": 3}}"#,
            #"9204350a2c747970652e676f6f676c65617069732e636f6d2f746170656465636b2e746573742e4f726465"#
                + #"722e4974656d12050a01781003"#
        ),
        MessageSample(
            "tapedeck.test.Order",
            #"{"any": {"@type": "example.com/a/google.protobuf.Duration", "value": "3s"}}"#,
            #"92042c0a266578616d706c652e636f6d2f612f676f6f676c652e70726f746f6275662e4475726174696f6e"#
                + #"12020803"#
        ),
        MessageSample(
            "tapedeck.test.Order",
            #"{"any": {"@type": "type.googleapis.com/google.protobuf.Any", "value": {"@type": "type."#
                + #"googleapis.com/google.protobuf.Value", "value": null}}}"#,
            #"92045a0a27747970652e676f6f676c65617069732e636f6d2f676f6f676c652e70726f746f6275662e416e"#
                + #"79122f0a29747970652e676f6f676c65617069732e636f6d2f676f6f676c652e70726f746f6275662e5661"#
                + #"6c756512020800"#
        ),
        MessageSample(
            "tapedeck.test.Order",
            #"{"any": {"@type": "type.googleapis.com/google.protobuf.Empty"}}"#,
            #"92042b0a29747970652e676f6f676c65617069732e636f6d2f676f6f676c652e70726f746f6275662e456d"#
                + #"707479"#
        ),
        MessageSample(
            "tapedeck.test.Order",
            #"{"empty": {}}"#,
            #"9a0400"#
        ),
        MessageSample(
            "tapedeck.test.Order",
            #"{"doubleValue": 0.0, "floatValue": 1.5, "int64Value": "0", "uint64Value": "7", "int32V"#
                + #"alue": -1, "uint32Value": 0, "boolValue": false, "stringValue": "", "bytesValue": "AQ="#
                + #"="}"#,
            #"b20400ba04050d0000c03fc20400ca04020807d2040b08ffffffffffffffffff01da0400e20400ea0400f2"#
                + #"04030a0101"#
        ),
        MessageSample(
            "tapedeck.test.Order",
            #"{"values": [null, 1.0]}"#,
            #"fa04020800fa040911000000000000f03f"#
        ),
        MessageSample(
            "tapedeck.test.Order",
            #"{"times": ["1970-01-01T00:00:00Z", "1970-01-01T00:00:00.001Z"]}"#,
            #"8a05008a050410c0843d"#
        ),
        MessageSample(
            "tapedeck.test.Order",
            #"{"@odd name": "x"}"#,
            #"d2050178"#
        ),
        MessageSample(
            "tapedeck.legacy.Record",
            #"{"id": 0, "name": "", "kind": "NONE"}"#,
            #"080012001800"#
        ),
        MessageSample(
            "tapedeck.legacy.Record",
            #"{"id": -1, "part": {"size": 1, "part": {"size": 0}}, "many": [{}, {"text": "a"}]}"#,
            #"08ffffffffffffffffff0123080112020800242b2c2b0a01612c"#
        ),
        MessageSample(
            "tapedeck.legacy.Record",
            #"{"id": 1, "packed": [1, 2], "plain": [1, 2], "kinds": ["FIRST", "SECOND"]}"#,
            #"0801320201023801380240014002"#
        ),
        MessageSample(
            "tapedeck.legacy.Record",
            #"{"id": 1, "byName": {"a": "SECOND"}, "ratio": 0.1}"#,
            #"08014a050a0161100255cdcccc3d"#
        ),
        MessageSample(
            "tapedeck.legacy.Record",
            #"{"id": 1, "[tapedeck.legacy.marks]": ["5", "-5"], "[tapedeck.legacy.Record.nested]": {"#
                + #""id": 2}, "[tapedeck.legacy.remark]": "r"}"#,
            #"0801b2060b05fbffffffffffffffff01aa06020802a2060172"#
        ),
        MessageSample(
            "tapedeck.edition.Settings",
            #"{"explicit": "", "needed": 0}"#,
            #"0a001800"#
        ),
        MessageSample(
            "tapedeck.edition.Settings",
            #"{"implicit": "x", "needed": 1, "packed": [1, 2], "expanded": [1, 2]}"#,
            #"12017818012202010228012802"#
        ),
        MessageSample(
            "tapedeck.edition.Settings",
            #"{"needed": 1, "delimited": {"needed": 2, "closed": "ONE"}}"#,
            #"1801331802380134"#
        ),
        MessageSample(
            "tapedeck.edition.Settings",
            #"{"needed": 1, "byName": {"a": {"needed": 3}}}"#,
            #"18014a070a016112021803"#
        ),
        MessageSample(
            "google.rpc.Status",
            #"{"code": 3, "message": "no such name", "details": [{"@type": "type.googleapis.com/goog"#
                + #"le.rpc.BadRequest", "fieldViolations": [{"field": "name", "description": "is empty", ""#
                + #"reason": "EMPTY", "localizedMessage": {"locale": "de", "message": "ist leer"}}]}, {"@t"#
                + #"ype": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "R", "domain": "d", "metad"#
                + #"ata": {"k": "v"}}, {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay":"#
                + #" "1.500s"}, {"@type": "type.googleapis.com/google.rpc.DebugInfo", "stackEntries": ["a""#
                + #", "b"], "detail": "c"}]}"#,
            #"0803120c6e6f2073756368206e616d651a560a29747970652e676f6f676c65617069732e636f6d2f676f6f"#
                + #"676c652e7270632e4261645265717565737412290a270a046e616d651208697320656d7074791a05454d50"#
                + #"5459220e0a0264651208697374206c6565721a3a0a28747970652e676f6f676c65617069732e636f6d2f67"#
                + #"6f6f676c652e7270632e4572726f72496e666f120e0a01521201641a060a016b1201761a360a2874797065"#
                + #"2e676f6f676c65617069732e636f6d2f676f6f676c652e7270632e5265747279496e666f120a0a08080110"#
                + #"80cab5ee011a350a28747970652e676f6f676c65617069732e636f6d2f676f6f676c652e7270632e446562"#
                + #"7567496e666f12090a01610a0162120163"#
        ),
        MessageSample(
            "google.rpc.Status",
            #"{"code": 8, "details": [{"@type": "type.googleapis.com/google.rpc.QuotaFailure", "viol"#
                + #"ations": [{"subject": "s", "description": "d", "apiService": "a", "quotaMetric": "m", "#
                + #""quotaId": "i", "quotaDimensions": {"x": "y"}, "quotaValue": "5", "futureQuotaValue": "#
                + #""0"}]}, {"@type": "type.googleapis.com/google.rpc.PreconditionFailure", "violations": "#
                + #"[{"type": "t", "subject": "s", "description": "d"}]}, {"@type": "type.googleapis.com/g"#
                + #"oogle.rpc.RequestInfo", "requestId": "r", "servingData": "s"}, {"@type": "type.googlea"#
                + #"pis.com/google.rpc.ResourceInfo", "resourceType": "t", "resourceName": "n", "owner": ""#
                + #"o", "description": "d"}, {"@type": "type.googleapis.com/google.rpc.Help", "links": [{""#
                + #"description": "d", "url": "u"}]}, {"@type": "type.googleapis.com/google.rpc.LocalizedM"#
                + #"essage", "locale": "de", "message": "m"}]}"#,
            #"08081a4c0a2b747970652e676f6f676c65617069732e636f6d2f676f6f676c652e7270632e51756f746146"#
                + #"61696c757265121d0a1b0a01731201641a016122016d2a016932060a0178120179380540001a410a327479"#
                + #"70652e676f6f676c65617069732e636f6d2f676f6f676c652e7270632e507265636f6e646974696f6e4661"#
                + #"696c757265120b0a090a01741201731a01641a340a2a747970652e676f6f676c65617069732e636f6d2f67"#
                + #"6f6f676c652e7270632e52657175657374496e666f12060a01721201731a3b0a2b747970652e676f6f676c"#
                + #"65617069732e636f6d2f676f6f676c652e7270632e5265736f75726365496e666f120c0a017412016e1a01"#
                + #"6f2201641a2f0a23747970652e676f6f676c65617069732e636f6d2f676f6f676c652e7270632e48656c70"#
                + #"12080a060a01641201751a3a0a2f747970652e676f6f676c65617069732e636f6d2f676f6f676c652e7270"#
                + #"632e4c6f63616c697a65644d65737361676512070a02646512016d"#
        ),
    ]
}
