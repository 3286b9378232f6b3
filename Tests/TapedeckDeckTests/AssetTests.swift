import Foundation
import TapedeckAssets
import Testing

/// The files that are part of the program are those of the repository.
@Suite struct AssetTests {
    private static let sources = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Sources")

    @Test(arguments: ["TapedeckControlServer/Page", "TapedeckDeck/ClientFiles/Hooks"])
    func `the files of a folder are all there, as they are on disk`(path: String) throws {
        let folder = Self.sources.appendingPathComponent(path)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { !$0.hasPrefix(".") }
        let files = Assets.folder(path)
        #expect(files.map(\.name) == names.sorted())
        for (name, bytes) in files {
            let isSame = try bytes == Array(Data(contentsOf: folder.appendingPathComponent(name)))
            #expect(isSame, "\(name)")
            #expect(Assets.file("\(path)/\(name)").count == bytes.count, "\(name)")
        }
    }

    @Test func `the pages of the documentation are all there, as they are on disk`() throws {
        let folder = Self.sources.deletingLastPathComponent().appendingPathComponent("docs")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.contains(".") }
        let pages = Assets.folder("docs")
        #expect(pages.map(\.name) == names.sorted())
        for (name, bytes) in pages {
            let isSame = try bytes == Array(Data(contentsOf: folder.appendingPathComponent(name)))
            #expect(isSame, "\(name)")
        }
    }

    @Test func `the description of the control API is there, as it is on disk`() throws {
        let path = "TapedeckControlServer/openapi.json"
        let isSame = try Assets.file(path) == Array(Data(contentsOf: Self.sources.appendingPathComponent(path)))
        #expect(isSame)
    }
}
