import Testing

@testable import TapedeckProxy

@Suite struct SharedPortTests {
    private static let loopback = IsolatedListener(address: [127, 0, 0, 1], port: 8080)
    private static let loopback6 = IsolatedListener(address: Array(repeating: 0, count: 15) + [1], port: 8080)

    @Test func `127.0.0.1 leads to every listener, and ::1 to those on IPv6`() {
        let four = SharedPort(port: 8080, isIPv6: false, target: Self.loopback)
        let six = SharedPort(port: 8080, isIPv6: true, target: Self.loopback6)
        #expect(SharedPort.all(for: [Self.loopback], except: []) == [four])
        #expect(SharedPort.all(for: [Self.loopback6, Self.loopback], except: []) == [four, six])
        let toSix = SharedPort(port: 8080, isIPv6: false, target: Self.loopback6)
        #expect(SharedPort.all(for: [Self.loopback6], except: []) == [toSix, six])
    }

    @Test func `ports of the deck are not shared`() {
        #expect(SharedPort.all(for: [Self.loopback], except: [8080]) == [])
    }

    @Test func `of several addresses the loopback address is used, in any order`() {
        let others = [[10, 0, 0, 9], [10, 0, 0, 8]].map { IsolatedListener(address: $0, port: 8080) }
        for listed in [others + [Self.loopback], [Self.loopback] + others] {
            #expect(SharedPort.all(for: listed, except: []).map(\.target) == [Self.loopback])
        }
        for listed in [others, others.reversed()] {
            #expect(SharedPort.all(for: listed, except: []).map(\.target.address) == [[10, 0, 0, 8]])
        }
    }
}
