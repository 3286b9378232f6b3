package import NIOCore

extension TLSHandler {
    /// The most ciphertext in one write to the channel. Larger ones measured no faster.
    private static let pieceLimit = 64 << 10
    /// The maximum number of bytes that a record adds to its plaintext.
    private static let recordOverhead = 96

    package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if self.state == .closed {
            promise?.fail(ChannelError.ioOnClosedChannel)
        } else if self.outputEnded || self.outputClose != nil {
            promise?.fail(ChannelError.outputClosed)
        } else {
            self.writes.append(PendingWrites.Write(bytes: self.unwrapOutboundIn(data), promise: promise))
        }
    }

    package func flush(context: ChannelHandlerContext) {
        self.writes.flush()
        self.encrypt(context: context)
    }

    package func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        switch mode {
        case .all:
            self.closeAll(context: context, promise: promise)
        case .output:
            self.closeOutput(context: context, promise: promise)
        case .input:
            context.close(mode: .input, promise: promise)
        }
    }

    package func triggerUserOutboundEvent(
        context: ChannelHandlerContext,
        event: Any,
        promise: EventLoopPromise<Void>?
    ) {
        guard event is AbandonTLS else {
            context.triggerUserOutboundEvent(event, promise: promise)
            return
        }
        self.state = .closed
        self.failWrites(ChannelError.ioOnClosedChannel)
        promise?.succeed(())
    }

    func closeAll(context: ChannelHandlerContext, promise: EventLoopPromise<Void>?) {
        if self.state == .open, !self.outputEnded {
            self.outputEnded = true
            self.connection.shutdown()
        }
        self.state = .closed
        self.sendCiphertext(context: context)
        self.failWrites(ChannelError.ioOnClosedChannel)
        context.close(mode: .all, promise: promise)
    }

    private func closeOutput(context: ChannelHandlerContext, promise: EventLoopPromise<Void>?) {
        guard self.state == .handshaking || self.state == .open else {
            context.close(mode: .output, promise: promise)
            return
        }
        guard !self.outputEnded, self.outputClose == nil else {
            promise?.fail(ChannelError.outputClosed)
            return
        }
        self.outputClose = promise ?? context.eventLoop.makePromise()
        for unflushed in self.writes.removeUnflushed() {
            unflushed.fail(ChannelError.outputClosed)
        }
        self.finishOutputClose(context: context)
    }

    /// Sends close_notify if that was requested and everything before it has been encrypted.
    private func finishOutputClose(context: ChannelHandlerContext) {
        guard
            self.state == .open, !self.isWriting, !self.writes.hasFlushed,
            let promise = self.outputClose
        else {
            return
        }
        self.outputClose = nil
        self.outputEnded = true
        self.connection.shutdown()
        guard self.inputEnded else {
            self.sendCiphertext(context: context)
            context.close(mode: .output, promise: promise)
            return
        }
        // Both directions have ended, of which TCP knows nothing. Only once all of it has been sent:
        // close(mode: .all) would throw away what the kernel has not taken.
        let sent = context.eventLoop.makePromise(of: Void.self)
        sent.futureResult.assumeIsolated().whenComplete { _ in
            self.state = .closed
            context.close(mode: .all, promise: promise)
        }
        self.ciphertextPromise = PendingWrites.join(self.ciphertextPromise, sent)
        self.sendCiphertext(context: context)
    }

    /// Encrypts and sends what has been flushed, as far as the state of the connection allows.
    func encrypt(context: ChannelHandlerContext) {
        guard self.state == .open, !self.isWriting else {
            return
        }
        if !self.outputEnded {
            self.isWriting = true
            self.encryptWrites(context: context)
            self.isWriting = false
        }
        self.sendCiphertext(context: context)
        self.finishOutputClose(context: context)
    }

    private func encryptWrites(context: ChannelHandlerContext) {
        while self.state == .open, var write = self.writes.next(joiningUpTo: TLSConnection.recordLimit) {
            while write.bytes.readableBytes > 0 {
                self.makeRoom(for: write.bytes.readableBytes, context: context)
                guard self.state == .open else {
                    write.promise?.fail(ChannelError.ioOnClosedChannel)
                    return
                }
                switch self.connection.writeRecord(from: &write.bytes) {
                case .done:
                    break
                case .needsInput:
                    // Half of a message such as a session ticket has come, and the rest of it goes first.
                    self.writes.putBack(write)
                    return
                case .closed:
                    write.promise?.fail(ChannelError.outputClosed)
                    return
                case .failed(let errors):
                    let error = TLSError.broken(errors)
                    write.promise?.fail(error)
                    self.abort(error, context: context)
                    return
                }
            }
            self.ciphertextPromise = PendingWrites.join(self.ciphertextPromise, write.promise)
        }
    }

    /// Sends the ciphertext at hand if the next record, with `count` bytes of plaintext left to
    /// encrypt, would make it too long for one piece.
    private func makeRoom(for count: Int, context: ChannelHandlerContext) {
        let record = min(count, TLSConnection.recordLimit) + Self.recordOverhead
        if self.connection.bio.outbound.readableBytes + record > Self.pieceLimit {
            self.sendCiphertext(context: context)
        }
        let records = count / TLSConnection.recordLimit + 1
        let ciphertext = min(count + records * Self.recordOverhead, Self.pieceLimit)
        self.connection.bio.reserve(ciphertext, from: context.channel.allocator)
    }

    /// Hands the ciphertext that there is to the channel.
    func sendCiphertext(context: ChannelHandlerContext) {
        let promise = self.ciphertextPromise
        self.ciphertextPromise = nil
        guard self.connection.bio.outbound.readableBytes > 0 || promise != nil else {
            return
        }
        let bytes = self.connection.bio.takeOutbound()
        context.writeAndFlush(self.wrapOutboundOut(bytes), promise: promise)
    }

    /// Fails everything that has not been encrypted, and a pending close of the output.
    func failWrites(_ error: any Error) {
        // Out of the state first: a promise's callbacks may come back here.
        let promises = self.writes.removeAll()
        let outputClose = self.outputClose
        let ciphertextPromise = self.ciphertextPromise
        self.outputClose = nil
        self.ciphertextPromise = nil
        for promise in promises {
            promise.fail(error)
        }
        ciphertextPromise?.fail(error)
        outputClose?.fail(error)
    }
}
