import Foundation

extension RequestBody {
    /// The body, piece by piece.
    struct Pieces {
        private enum Source {
            case none
            case data(Data, sent: Int)
            case file(FileHandle)
            case stream(RequestBody.BodyStream)
        }

        private var source: Source
        private let url: URL?

        /// - Parameter url: of the request, for errors.
        init(_ body: RequestBody, _ url: URL?) throws(URLError) {
            self.url = url
            switch body {
            case .none: self.source = .none
            case .data(let data): self.source = .data(data, sent: 0)
            case .file(let file):
                do {
                    self.source = .file(try FileHandle(forReadingFrom: file))
                } catch {
                    throw TransferError.error(.fileDoesNotExist, "The file to upload cannot be read: \(error).", url)
                }
            case .stream(let stream):
                guard stream.open() else {
                    throw TransferError.error(
                        .requestBodyStreamExhausted,
                        "A redirect needs the body again, a stream can be read only once, and the delegate gave no new one: implement "
                            + "urlSession(_:task:needNewBodyStream:), or send the body as Data.",
                        url
                    )
                }
                self.source = .stream(stream)
            }
        }

        /// `nil` at the end.
        mutating func next() throws(URLError) -> [UInt8]? {
            let bytes: [UInt8]
            switch self.source {
            case .none: return nil
            case .data(let data, let sent):
                let count = min(RequestBody.pieceSize, data.count - sent)
                let start = data.startIndex + sent
                bytes = Array(data[start..<start + count])
                self.source = .data(data, sent: sent + count)
            case .file(let handle):
                do {
                    bytes = Array(try handle.read(upToCount: RequestBody.pieceSize) ?? Data())
                } catch {
                    throw TransferError.error(.cannotOpenFile, "The file to upload cannot be read: \(error).", self.url)
                }
            case .stream(let stream):
                guard let read = stream.next() else {
                    throw TransferError.error(
                        .requestBodyStreamExhausted,
                        "The stream of the request's body failed.",
                        self.url
                    )
                }
                bytes = read
            }
            return bytes.isEmpty ? nil : bytes
        }
    }
}
