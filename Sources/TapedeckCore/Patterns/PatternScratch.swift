internal import CPCRE2

/// The working memory of matching and the budget of one request. Not Sendable: each session has one, used under its
/// lock.
///
/// The budget limits all matching of one request, for any patterns and subjects, to about 16 ms (below 50 ms on a
/// machine a third as fast). It is counted in steps, not in time, so the same request is always cut off at the same
/// place. Once it is exhausted, every further pattern is cut off at once.
package final class PatternScratch {
    /// Patterns cut off since ``beginRequest()``.
    package private(set) var cutOffs = 0

    /// Backtracking of a guarded run beyond this is cut off, in bytes. The kernel gives the memory when it is touched.
    private static let stackLimit = 4 << 20
    /// The heap limit of the interpreter, in KiB.
    private static let heapLimit: UInt32 = 4096

    private let work: UnsafeMutablePointer<PatternWork>
    /// For plain runs: only the match limit bounds them.
    private let shortContext: OpaquePointer?
    private let longContext: OpaquePointer?
    private let guardedContext: OpaquePointer?
    private var stack: OpaquePointer?
    private var matchData: OpaquePointer?
    private var capacity = 16

    package init() {
        self.work = .allocate(capacity: 1)
        self.work.initialize(to: PatternWork())
        self.shortContext = pcre2_match_context_create_8(nil)
        self.longContext = pcre2_match_context_create_8(nil)
        self.guardedContext = pcre2_match_context_create_8(nil)
        self.matchData = pcre2_match_data_create_8(UInt32(self.capacity), nil)
        pcre2_set_match_limit_8(self.shortContext, UInt32(PatternWork.shortRun))
        pcre2_set_match_limit_8(self.longContext, UInt32(PatternWork.longRun))
        pcre2_set_match_limit_8(self.guardedContext, UInt32(Int32.max))
        pcre2_set_depth_limit_8(self.guardedContext, UInt32(Int32.max))
        pcre2_set_heap_limit_8(self.guardedContext, Self.heapLimit)
        pcre2_set_callout_8(self.guardedContext, PatternWork.callout, self.work)
    }

    deinit {
        pcre2_match_data_free_8(self.matchData)
        pcre2_match_context_free_8(self.shortContext)
        pcre2_match_context_free_8(self.longContext)
        pcre2_match_context_free_8(self.guardedContext)
        pcre2_jit_stack_free_8(self.stack)
        self.work.deallocate()
    }

    /// Refills the budget.
    package func beginRequest() {
        self.work.pointee.refill()
        self.cutOffs = 0
    }

    /// - Parameter start: where in the subject a match may begin at the earliest.
    func run(_ program: PatternProgram, _ subject: UnsafeRawBufferPointer, from start: Int = 0) -> Pattern.Outcome {
        guard self.work.pointee.left > 0 else { return self.cutOff() }
        if start == 0, let charge = program.plainCharge, subject.count <= PatternWork.plainLength,
            let code = program.plain(),
            code.isJIT
        {
            let charge = charge.perByte * subject.count + charge.fixed
            self.work.pointee.charge(charge)
            var result = self.match(code, subject, self.shortContext)
            if result == PCRE2_ERROR_MATCHLIMIT {
                self.work.pointee.charge(charge * (PatternWork.longRun / PatternWork.shortRun))
                guard self.work.pointee.left > 0 else { return self.cutOff() }
                result = self.match(code, subject, self.longContext)
            }
            if result >= 0 { return .matched }
            if result == PCRE2_ERROR_NOMATCH { return .unmatched }
        }
        return self.runGuarded(program, subject, from: start)
    }

    /// Returns the range of a capture of the last successful match, if it took part.
    func range(ofCapture number: Int, in subject: UnsafeRawBufferPointer) -> Range<Int>? {
        guard number < self.capacity, let offsets = pcre2_get_ovector_pointer_8(self.matchData) else { return nil }
        let (start, end) = (offsets[2 * number], offsets[2 * number + 1])
        // PCRE2_UNSET is the largest number there is, which Swift reads as -1.
        guard start >= 0, start <= end, end <= subject.count else { return nil }
        return start..<end
    }

    /// Makes sure that this many captures can be read after a match.
    func makeRoom(captures count: Int) {
        guard count >= self.capacity else { return }
        pcre2_match_data_free_8(self.matchData)
        self.capacity = count + 1
        self.matchData = pcre2_match_data_create_8(UInt32(self.capacity), nil)
    }

    private func runGuarded(
        _ program: PatternProgram,
        _ subject: UnsafeRawBufferPointer,
        from start: Int
    ) -> Pattern.Outcome {
        guard let code = program.guarded(), let costs = code.costs else { return self.cutOff() }
        let factor = code.isJIT ? 1 : PatternWork.interpreterFactor
        // A single item may run over the whole subject before the next callout.
        guard (subject.count - start) * costs.mostPerByte * factor < self.work.pointee.left else {
            return self.cutOff()
        }
        self.prepareStack()
        let result = costs.items.withUnsafeBufferPointer { items in
            self.work.pointee.begin(costs, items: items, factor: factor, from: start)
            defer { self.work.pointee.end() }
            return self.match(code, subject, from: start, self.guardedContext)
        }
        if result >= 0 { return .matched }
        guard result == PCRE2_ERROR_NOMATCH else { return self.cutOff() }
        // The bytes skipped since the last callout while looking for a start.
        let skipped = max(0, subject.count - self.work.pointee.position)
        self.work.pointee.charge(skipped * costs.skippedPerByte * factor)
        return .unmatched
    }

    /// PCRE2's answer: 0 or more for a match, else one of its errors.
    @inline(__always)
    private func match(
        _ code: PatternCode,
        _ subject: UnsafeRawBufferPointer,
        from start: Int = 0,
        _ context: OpaquePointer?
    ) -> Int32 {
        guard let base = subject.baseAddress else {
            // PCRE2 does not take a null pointer in machine code, even for no bytes.
            return withUnsafeBytes(of: UInt8(0)) {
                self.match(code, UnsafeRawBufferPointer(rebasing: $0[..<0]), context)
            }
        }
        let bytes = base.assumingMemoryBound(to: UInt8.self)
        return code.isJIT
            ? pcre2_jit_match_8(code.pointer, bytes, subject.count, start, 0, self.matchData, context)
            : pcre2_match_8(code.pointer, bytes, subject.count, start, 0, self.matchData, context)
    }

    /// Made when first needed: most sessions never run a guarded pattern.
    private func prepareStack() {
        guard self.stack == nil else { return }
        self.stack = pcre2_jit_stack_create_8(32 * 1024, Self.stackLimit, nil)
        pcre2_jit_stack_assign_8(self.guardedContext, nil, UnsafeMutableRawPointer(self.stack))
    }

    private func cutOff() -> Pattern.Outcome {
        self.cutOffs += 1
        return .cutOff
    }
}
