import NIOCore
import TapedeckCore
import TapedeckSessions

extension LocalResponse {
    func write(to buffer: inout ByteBuffer, client: ClientAbilities, closes: Bool) {
        WireHead.write(
            status: self.status,
            reason: self.phrase,
            fields: self.fields,
            closes: closes,
            client: client,
            to: &buffer
        )
        if !client.isHead { buffer.writeBytes(self.body) }
    }
}
