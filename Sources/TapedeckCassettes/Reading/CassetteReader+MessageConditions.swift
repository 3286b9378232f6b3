import TapedeckCore
import TapedeckProtobuf
import TapedeckYAML

/// Conditions on the messages of a call.
extension CassetteReader {
    mutating func readMessageConditions(_ node: YAMLNode) -> MessagesMatcher? {
        guard self.expectSequence(node, "messages") else { return nil }
        var items = Array(node.items)
        let isOpen = items.last.map { $0["more"] != nil } ?? false
        if isOpen, let last = items.popLast() { self.readMore(last) }
        return MessagesMatcher(items.map { self.readMessageCondition($0) }, type: self.method?.input, isOpen: isOpen)
    }

    /// Reads `more: true`, the last entry of a call that was over before its request was.
    private mutating func readMore(_ node: YAMLNode) {
        for (key, value) in node.pairs {
            if key.string != "more" {
                self.error(key, "`more: true` is an entry of its own: any further messages, or none")
            } else if value.bool != true {
                self.error(value, "`more` is `true`; leave the entry out where no more messages may follow")
            }
        }
    }

    private mutating func readMessageCondition(_ node: YAMLNode) -> [BodyMatcher] {
        guard self.expectMapping(node, "a message") else { return [] }
        var conditions: [BodyMatcher] = []
        for (key, value) in node.pairs {
            switch key.string {
            case "json":
                guard let condition = self.readJSONCondition(value, of: node) else { continue }
                self.checkFields(condition, value)
                conditions.append(condition)
            case "jsonSubset":
                guard let text = self.readExpectedJSON(value, "jsonSubset") else { continue }
                conditions.append(.jsonSubset(InlineBody(form: .json, content: text)))
            case "jsonPath": conditions += self.readTests(value)
            case "proto": if let condition = self.readFields(value, of: node) { conditions.append(.proto(condition)) }
            case "base64":
                guard let bytes = self.readBase64(value) else { continue }
                conditions.append(.bytes(InlineBody(form: .base64, content: bytes)))
            case "more": self.error(key, "`more: true` comes last in `messages`")
            case "ignore":
                if node["json"] == nil, node["proto"] == nil {
                    self.error(key, "`ignore` goes with `json` or `proto`")
                }
            case "ignoreArrayOrder":
                if node["json"] == nil { self.error(key, "`ignoreArrayOrder` goes with `json` only") }
            default: self.unknown(key, CassetteKeys.requestMessage, of: "a message")
            }
        }
        return conditions
    }

    /// Without placeholders the JSON must be a message of its type.
    private mutating func checkFields(_ condition: BodyMatcher, _ node: YAMLNode) {
        guard let type = self.method?.input, condition.identity != nil, case .json(let body, _) = condition else {
            return
        }
        do throws(StoredMessage.Invalid) {
            _ = try StoredMessage.bytes(of: body.content, .json, .protobuf(type))
        } catch {
            self.error(node, "`json`: \(error)")
        }
    }

    private mutating func readFields(_ value: YAMLNode, of node: YAMLNode) -> ProtobufCondition? {
        guard value.kind == .scalar else {
            self.refuseCollection(value, "proto")
            return nil
        }
        let text = value.bytes
        let bytes: [UInt8]
        do throws(StoredMessage.Invalid) {
            bytes = try StoredMessage.bytes(of: text, .proto, .protobuf(nil))
        } catch {
            self.error(value, "`proto`: \(error)")
            return nil
        }
        guard let message = ProtobufMessage(parsing: bytes) else { return nil }
        var paths: [ProtobufPath] = []
        // If there is JSON as well, these are its paths.
        if let ignore = node["ignore"], node["json"] == nil, let items = self.listItems(ignore, "ignore") {
            for item in items {
                if let path = ProtobufPath(item.string) {
                    paths.append(path)
                } else {
                    self.error(
                        item,
                        "`ignore` beside `proto` has numbers of fields, such as 2, or 1.3 for field 3 in field 1"
                    )
                }
            }
        }
        return ProtobufCondition(text: text, message: message, ignoring: paths)
    }
}
