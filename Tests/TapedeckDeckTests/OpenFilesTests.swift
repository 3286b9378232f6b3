import TapedeckDeck
import Testing

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The limit of a deck's open files.
@Suite struct OpenFilesTests {
    @Test func aDeckRaisesItsFileLimitAndItsCommandsStartWithTheOriginalOne() throws {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        #expect(getrlimit(resource, &limit) == 0)
        let most = min(Int(exactly: limit.rlim_max) ?? .max, 1 << 20)
        limit.rlim_cur = rlim_t(most - 1)
        #expect(setrlimit(resource, &limit) == 0)
        OpenFiles.raise()
        #expect(OpenFiles.limit == most)
        let inherited = OpenFiles.withOriginal { OpenFiles.limit }
        #expect(inherited == most - 1)
        #expect(OpenFiles.limit == most)
    }
}
