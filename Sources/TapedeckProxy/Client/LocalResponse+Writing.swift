import NIOCore
import TapedeckCore
import TapedeckHTTP1
import TapedeckSessions

extension LocalResponse {
    func write(to buffer: inout ByteBuffer, client: ClientAbilities, closes: Bool) {
        var fields = self.fields
        // Over HTTP/2 the status of a call ends its stream.
        if !fields.contains(named: "content-length") {
            fields.append(HeaderField("Content-Length", String(self.body.count)))
        }
        WireHead.write(
            status: self.status,
            reason: self.phrase,
            fields: fields,
            closes: closes,
            isHTTP10: client.version == .http10,
            to: &buffer
        )
        if !client.isHead { buffer.writeBytes(self.body) }
    }
}
