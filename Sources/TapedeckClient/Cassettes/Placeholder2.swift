import TapedeckControlClient
import TapedeckControlModel
struct HeldModel: Sendable { var number: Int; var set: String; var version: Int; var entry: JournalEntryModel }
struct HeldPage: Sendable { var held: [HeldModel]; var version: Int }
struct TapeAnswerModel: Sendable { }
extension SessionClient {
  func held(after: Int, within: Duration) throws -> HeldPage { throw CancellationError() }
  func tapeAnswer(ofHeld: Int) throws -> TapeAnswerModel { throw CancellationError() }
  func proceed(held: Int) throws {}
  func release(held: Int, withTake: String) throws {}
}
extension StubResponse { init(_ a: TapeAnswerModel, for e: Exchange) throws { self.init() } }
