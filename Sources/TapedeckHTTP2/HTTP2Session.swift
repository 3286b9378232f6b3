import CNghttp2
package import NIOCore
package import TapedeckCore

/// Gets what the peer of an ``HTTP2Session`` says. Its functions may call the session's, but none that takes in or gives out
/// bytes of the connection.
package protocol HTTP2SessionDelegate: AnyObject {
    /// A request, a response, an interim response or trailer fields, by the session's role and their place.
    func received(_ head: HTTP2Head, on stream: Int32, endsStream: Bool)
    /// A piece of a body. It counts against the window until ``HTTP2Session/consume(_:of:)``.
    func received(_ bytes: ByteBuffer, on stream: Int32)
    /// The peer sends no more on the stream.
    func receivedEnd(of stream: Int32)
    /// A stream whose sender had to wait takes more of its body.
    func becameWritable(_ stream: Int32)
    /// The stream is over, with the code of its RST_STREAM, or 0.
    func closed(_ stream: Int32, code: UInt32)
    /// The peer takes no further streams.
    func goesAway(lastStream: Int32, code: UInt32)
}

/// One end of an HTTP/2 connection (RFC 9113) without its socket: frames, header compression and windows, by
/// libnghttp2. Bytes of the connection enter by ``receive(_:)`` and leave by ``write(to:)``.
///
/// Belongs to one event loop.
package final class HTTP2Session {
    package enum Role: Sendable {
        case server
        case client
    }

    /// The limits of a session.
    package struct Limits: Sendable {
        /// Streams of the peer at a time. 128.
        package var concurrentStreams: UInt32 = 128
        /// Streams a second, on average, that the peer may reset before the connection ends with ENHANCE_YOUR_CALM. In a
        /// burst it may reset ten times as many. 100.
        package var resets: UInt64 = 100
        /// The maximum unconsumed part of one body, in bytes. 256 KiB.
        package var streamWindow: Int32 = 256 << 10
        /// The maximum unconsumed part of all bodies of the connection. 4 MiB.
        package var connectionWindow: Int32 = 4 << 20
        /// A field section, as RFC 9113 section 6.5.2 counts, in bytes. 64 KiB.
        package var headerList: Int = 64 << 10

        package init() {}
    }

    /// Empty DATA frames in a row, after which the connection ends. 1,000.
    private static let emptyFrameLimit = 1_000

    private let session: OpaquePointer
    private let limits: Limits
    package weak var delegate: (any HTTP2SessionDelegate)?
    /// The field section that is being read. Those of a connection come one after the other (RFC 9113 section 4.3).
    private var head = HTTP2Head()
    /// Its stream, until it has ended.
    private var headStream: Int32?
    /// The stream that the peer reset last.
    private var resetStream: Int32?
    /// Empty DATA frames that came in a row.
    private var emptyFrames = 0
    private var outputs: [Int32: HTTP2Output] = [:]
    /// Bodies with parts that were sent since the last check.
    private var moved: Set<Int32> = []
    private var written: [EventLoopPromise<Void>] = []
    private var isBusy = false
    private var isWriting = false
    private var hasFailed = false

    /// - Throws: ``HTTP2Failure`` if memory is exhausted.
    package init(_ role: Role, limits: Limits = Limits()) throws(HTTP2Failure) {
        self.limits = limits
        var callbacks: OpaquePointer?
        var option: OpaquePointer?
        guard nghttp2_session_callbacks_new(&callbacks) == 0, nghttp2_option_new(&option) == 0 else {
            throw HTTP2Failure(code: NGHTTP2_ERR_NOMEM.rawValue)
        }
        defer {
            nghttp2_session_callbacks_del(callbacks)
            nghttp2_option_del(option)
        }
        Self.set(callbacks)
        // Windows follow the consumers of the bodies; see ``consume(_:of:)``.
        nghttp2_option_set_no_auto_window_update(option, 1)
        nghttp2_option_set_peer_max_concurrent_streams(option, 100)
        let burst = limits.resets.multipliedReportingOverflow(by: 10)
        nghttp2_option_set_stream_reset_rate_limit(option, burst.overflow ? .max : burst.partialValue, limits.resets)
        // White space around the values of a response is harmless, and some origins send it.
        if role == .client { nghttp2_option_set_no_rfc9113_leading_and_trailing_ws_validation(option, 1) }
        var made: OpaquePointer?
        let result =
            switch role {
            case .server: nghttp2_session_server_new2(&made, callbacks, nil, option)
            case .client: nghttp2_session_client_new2(&made, callbacks, nil, option)
            }
        guard result == 0, let made else { throw HTTP2Failure(code: result) }
        self.session = made
        nghttp2_session_set_user_data(made, Unmanaged.passUnretained(self).toOpaque())
        self.submitSettings(role)
    }

    deinit {
        self.dropOutputs()
        nghttp2_session_del(self.session)
    }

    private func submitSettings(_ role: Role) {
        func entry(_ id: nghttp2_settings_id, _ value: UInt32) -> nghttp2_settings_entry {
            nghttp2_settings_entry(settings_id: Int32(bitPattern: id.rawValue), value: value)
        }
        var entries = [
            entry(NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, UInt32(self.limits.streamWindow)),
            entry(NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, UInt32(self.limits.headerList)),
        ]
        switch role {
        case .server:
            entries.append(entry(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, self.limits.concurrentStreams))
        case .client:
            entries.append(entry(NGHTTP2_SETTINGS_ENABLE_PUSH, 0))
            entries.append(entry(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, 0))
        }
        nghttp2_submit_settings(self.session, UInt8(NGHTTP2_FLAG_NONE.rawValue), entries, entries.count)
        nghttp2_session_set_local_window_size(
            self.session,
            UInt8(NGHTTP2_FLAG_NONE.rawValue),
            0,
            self.limits.connectionWindow
        )
    }

    // MARK: Bytes of the connection

    /// Processes bytes of the connection.
    ///
    /// - Throws: ``HTTP2Failure`` if they are not HTTP/2. A GOAWAY that reports this may be left to write.
    package func receive(_ bytes: ByteBuffer) throws(HTTP2Failure) {
        self.isBusy = true
        let taken = bytes.withUnsafeReadableBytes { bytes in
            nghttp2_session_mem_recv(self.session, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count)
        }
        self.isBusy = false
        guard taken >= 0 else {
            self.hasFailed = true
            throw HTTP2Failure(code: Int32(taken))
        }
    }

    /// Appends bytes for the connection to `buffer`, up to about 64 KiB. Returns false if there are none.
    package func write(to buffer: inout ByteBuffer) -> Bool {
        guard !self.isBusy else { return false }
        self.isBusy = true
        defer { self.isBusy = false }
        var hasWritten = false
        while buffer.readableBytes < 48 << 10 {
            var data: UnsafePointer<UInt8>?
            let count = nghttp2_session_mem_send(self.session, &data)
            guard count > 0, let data else {
                if count < 0 { self.hasFailed = true }
                break
            }
            buffer.writeBytes(UnsafeRawBufferPointer(start: data, count: count))
            hasWritten = true
        }
        return hasWritten
    }

    /// Succeeds the promises of the parts that were sent, and reports that there is room for more. To be called after
    /// ``write(to:)``.
    package func tellWritten() {
        let (written, moved) = (self.written, self.moved)
        (self.written, self.moved) = ([], [])
        for promise in written { promise.succeed() }
        for stream in moved where self.outputs[stream]?.hasDrained() ?? false { self.delegate?.becameWritable(stream) }
    }

    /// True while a field section has begun and not ended.
    package var isReadingHead: Bool { self.headStream != nil }

    /// True while the session takes in bytes, gives them out, or writes them to its socket.
    package var isRunning: Bool { self.isBusy || self.isWriting }

    /// Returns false if a write is in progress.
    package func beginWriting() -> Bool {
        guard !self.isRunning else { return false }
        self.isWriting = true
        return true
    }

    package func endWriting() {
        self.isWriting = false
    }

    /// True once nothing more is to be read or written.
    package var isOver: Bool {
        self.hasFailed || nghttp2_session_want_read(self.session) == 0 && nghttp2_session_want_write(self.session) == 0
    }

    // MARK: Streams

    /// Sends a request. Returns its stream, `nil` where the connection can have no more.
    package func request(
        _ pseudo: [(HTTP2Head.Pseudo, String)],
        _ fields: [HeaderField],
        endsStream: Bool
    ) -> Int32? {
        let fields = HTTP2Fields(pseudo.map { HeaderField($0.0.rawValue, $0.1) } + fields)
        let stream = fields.with { fields, count in
            guard !endsStream else { return nghttp2_submit_request(self.session, nil, fields, count, nil, nil) }
            var provider = Self.provider
            return nghttp2_submit_request(self.session, nil, fields, count, &provider, nil)
        }
        guard stream > 0 else { return nil }
        if !endsStream { self.outputs[stream] = HTTP2Output() }
        return stream
    }

    /// Sends the head of a final response.
    package func respond(on stream: Int32, _ head: HTTP2Fields, endsStream: Bool) {
        guard !endsStream else {
            head.with { fields, count in
                _ = nghttp2_submit_response(self.session, stream, fields, count, nil)
            }
            return
        }
        self.respond(on: stream, head, HTTP2Output())
    }

    /// Sends a final response whose body is all there.
    package func respond(on stream: Int32, _ head: HTTP2Fields, body: ByteBuffer, trailers: [HeaderField]) {
        var output = HTTP2Output()
        if body.readableBytes > 0 { output.append(body, written: nil) }
        output.end = .complete(trailers: trailers)
        self.respond(on: stream, head, output)
    }

    private func respond(on stream: Int32, _ head: HTTP2Fields, _ output: HTTP2Output) {
        head.with { fields, count in
            var provider = Self.provider
            if nghttp2_submit_response(self.session, stream, fields, count, &provider) == 0 {
                self.outputs[stream] = output
            }
        }
    }

    /// Sends an interim response.
    package func inform(on stream: Int32, status: Int, _ fields: [HeaderField]) {
        HTTP2Fields(status: status, fields).with { fields, count in
            _ = nghttp2_submit_headers(self.session, UInt8(NGHTTP2_FLAG_NONE.rawValue), stream, nil, fields, count, nil)
        }
    }

    /// Sends a part of a body, after its head.
    ///
    /// - Parameter written: succeeds when the part was sent.
    package func send(_ bytes: ByteBuffer, on stream: Int32, written: EventLoopPromise<Void>? = nil) {
        guard self.outputs[stream] != nil else {
            written?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        self.outputs[stream]?.append(bytes, written: written)
        nghttp2_session_resume_data(self.session, stream)
    }

    /// Ends a body, and this side of the stream with it.
    package func end(_ stream: Int32, trailers: [HeaderField] = []) {
        guard self.outputs[stream] != nil else { return }
        self.outputs[stream]?.end = .complete(trailers: trailers)
        nghttp2_session_resume_data(self.session, stream)
    }

    /// Resets a stream (RFC 9113 section 6.4), after everything written to it was sent. One that has been ended ends
    /// normally.
    package func reset(_ stream: Int32, code: HTTP2ErrorCode) {
        guard let output = self.outputs[stream] else {
            self.abandon(stream, code: code)
            return
        }
        if case .complete = output.end, !output.isEmpty { return }
        // A reset at once would drop a head that was not sent yet, because libnghttp2 then reads the body.
        guard !output.isEmpty || output.end == nil && self.hasWindow(stream) else {
            self.abandon(stream, code: code)
            return
        }
        self.outputs[stream]?.end = .reset(code.rawValue)
        nghttp2_session_resume_data(self.session, stream)
    }

    private func hasWindow(_ stream: Int32) -> Bool {
        nghttp2_session_get_stream_remote_window_size(self.session, stream) > 0
            && nghttp2_session_get_remote_window_size(self.session) > 0
    }

    /// True if bytes of a stream wait for the peer to open its windows (RFC 9113 section 6.9).
    package func awaitsWindow(_ stream: Int32) -> Bool {
        self.outputs[stream].map { !$0.isEmpty } ?? false && !self.hasWindow(stream)
    }

    /// Resets a stream at once, and drops its unsent data.
    package func abandon(_ stream: Int32, code: HTTP2ErrorCode) {
        if var output = self.outputs.removeValue(forKey: stream) {
            for promise in output.drop() { promise.fail(ChannelError.ioOnClosedChannel) }
        }
        nghttp2_submit_rst_stream(self.session, UInt8(NGHTTP2_FLAG_NONE.rawValue), stream, code.rawValue)
    }

    /// Drops all bodies that wait: the connection is gone.
    package func dropOutputs() {
        let (outputs, written) = (self.outputs, self.written)
        (self.outputs, self.written) = ([:], [])
        for (_, var output) in outputs {
            for promise in output.drop() { promise.fail(ChannelError.ioOnClosedChannel) }
        }
        for promise in written { promise.fail(ChannelError.ioOnClosedChannel) }
    }

    /// True if the peer reset the stream that is closing.
    package func isReset(_ stream: Int32) -> Bool { self.resetStream == stream }

    /// True while more of a stream's body may be sent.
    package func isWritable(_ stream: Int32) -> Bool { self.outputs[stream]?.isWritable ?? true }

    /// Gives room in the windows for as many bytes of a body that has been taken (RFC 9113 section 6.9).
    package func consume(_ count: Int, of stream: Int32) {
        nghttp2_session_consume(self.session, stream, count)
    }

    /// Gives room in the stream's window alone, where the connection's was given when the bytes came.
    package func consume(_ count: Int, ofStreamAlone stream: Int32) {
        nghttp2_session_consume_stream(self.session, stream, count)
    }

    /// Gives room in the connection's window, for bytes of a stream that is over or has a window of its own.
    package func consume(_ count: Int) {
        nghttp2_session_consume_connection(self.session, count)
    }

    // MARK: Ends

    /// Announces that no further stream is accepted; current ones continue (RFC 9113 section 6.8).
    ///
    /// - Parameter lastStream: the last stream of the peer that continues; `nil` is the newest. Later streams end, and the
    ///   peer may send their requests again.
    package func goAway(_ code: HTTP2ErrorCode = .noError, lastStream: Int32? = nil) {
        nghttp2_submit_goaway(
            self.session,
            UInt8(NGHTTP2_FLAG_NONE.rawValue),
            lastStream ?? nghttp2_session_get_last_proc_stream_id(self.session),
            code.rawValue,
            nil,
            0
        )
    }

    /// True if the peer accepts further requests now.
    package var takesRequests: Bool { nghttp2_session_check_request_allowed(self.session) != 0 }

    /// True once the peer has said what it allows.
    package private(set) var hasPeerSettings = false

    /// The maximum number of streams that the peer allows this side at a time.
    package var peerLimit: Int {
        Int(nghttp2_session_get_remote_settings(self.session, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS))
    }
}

// MARK: - Callbacks

extension HTTP2Session {
    private static func of(_ data: UnsafeMutableRawPointer?) -> HTTP2Session? {
        data.map { Unmanaged<HTTP2Session>.fromOpaque($0).takeUnretainedValue() }
    }

    private static func set(_ callbacks: OpaquePointer?) {
        nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks) { _, frame, data in
            guard let session = HTTP2Session.of(data) else { return 0 }
            session.head = HTTP2Head()
            session.headStream = frame?.pointee.hd.stream_id
            return 0
        }
        nghttp2_session_callbacks_set_on_header_callback(callbacks) {
            _,
            frame,
            name,
            nameLength,
            value,
            valueLength,
            _,
            data in
            guard let session = HTTP2Session.of(data) else { return 0 }
            session.head.append(
                name: UnsafeBufferPointer(start: name, count: nameLength),
                value: UnsafeBufferPointer(start: value, count: valueLength),
                limit: session.limits.headerList
            )
            // A request that is too large gets an answer; anything else a reset.
            let isRequest = frame?.pointee.headers.cat == NGHTTP2_HCAT_REQUEST
            return session.head.isTooLarge && !isRequest ? NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue : 0
        }
        nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { _, frame, data in
            if let frame { HTTP2Session.of(data)?.frameCame(frame) }
            return 0
        }
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) { _, _, stream, bytes, count, data in
            guard let session = HTTP2Session.of(data) else { return 0 }
            session.delegate?.received(ByteBuffer(bytes: UnsafeBufferPointer(start: bytes, count: count)), on: stream)
            return 0
        }
        nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) { _, stream, code, data in
            HTTP2Session.of(data)?.streamClosed(stream, code)
            return 0
        }
    }

    private func frameCame(_ frame: UnsafePointer<nghttp2_frame>) {
        let header = frame.pointee.hd
        let endsStream = header.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0
        switch UInt32(header.type) {
        case NGHTTP2_HEADERS.rawValue:
            let head = self.head
            self.head = HTTP2Head()
            self.headStream = nil
            self.delegate?.received(head, on: header.stream_id, endsStream: endsStream)
        case NGHTTP2_SETTINGS.rawValue:
            if header.flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) == 0 { self.hasPeerSettings = true }
        case NGHTTP2_DATA.rawValue:
            if endsStream {
                self.emptyFrames = 0
                self.delegate?.receivedEnd(of: header.stream_id)
            } else if header.length == 0 {
                self.countEmptyFrame()
            } else {
                self.emptyFrames = 0
            }
        case NGHTTP2_RST_STREAM.rawValue:
            self.resetStream = header.stream_id
        case NGHTTP2_GOAWAY.rawValue:
            let goAway = frame.pointee.goaway
            self.delegate?.goesAway(lastStream: goAway.last_stream_id, code: goAway.error_code)
        default:
            break
        }
    }

    /// libnghttp2 takes any number of them.
    private func countEmptyFrame() {
        self.emptyFrames += 1
        guard self.emptyFrames > Self.emptyFrameLimit else { return }
        nghttp2_session_terminate_session(self.session, HTTP2ErrorCode.enhanceYourCalm.rawValue)
    }

    private func streamClosed(_ stream: Int32, _ code: UInt32) {
        // Its section was too long, or broke the rules, and never ends.
        if stream == self.headStream { self.headStream = nil }
        if var output = self.outputs.removeValue(forKey: stream) {
            for promise in output.drop() { promise.fail(ChannelError.ioOnClosedChannel) }
        }
        self.delegate?.closed(stream, code: code)
    }

    /// Gives libnghttp2 the next part of a stream's body.
    private static var provider: nghttp2_data_provider {
        nghttp2_data_provider(
            source: nghttp2_data_source(),
            read_callback: { _, stream, bytes, length, flags, _, data in
                guard let session = HTTP2Session.of(data), let bytes, let flags else {
                    return Int(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue)
                }
                let target = UnsafeMutableRawBufferPointer(start: bytes, count: length)
                return session.fill(target, of: stream, &flags.pointee)
            }
        )
    }

    private func fill(_ target: UnsafeMutableRawBufferPointer, of stream: Int32, _ flags: inout UInt32) -> Int {
        guard let count = self.outputs[stream]?.take(into: target, &self.written) else {
            return Int(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue)
        }
        if count > 0 { self.moved.insert(stream) }
        guard let output = self.outputs[stream], output.isEmpty else { return count }
        switch output.end {
        case nil:
            return count > 0 ? count : Int(NGHTTP2_ERR_DEFERRED.rawValue)
        case .reset(let code):
            guard count == 0 else { return count }
            nghttp2_submit_rst_stream(self.session, UInt8(NGHTTP2_FLAG_NONE.rawValue), stream, code)
            return Int(NGHTTP2_ERR_DEFERRED.rawValue)
        case .complete(let trailers):
            flags |= NGHTTP2_DATA_FLAG_EOF.rawValue
            if !trailers.isEmpty {
                flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM.rawValue
                HTTP2Fields(trailers).with { fields, count in
                    _ = nghttp2_submit_trailer(self.session, stream, fields, count)
                }
            }
            return count
        }
    }
}

@available(*, unavailable)
extension HTTP2Session: Sendable {}
