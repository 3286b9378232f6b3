import Foundation
import FoundationNetworking

// Prints what a URL answers.
guard CommandLine.arguments.count == 2, let url = URL(string: CommandLine.arguments[1]) else { exit(64) }
do {
    let (data, _) = try await URLSession.shared.data(from: url)
    FileHandle.standardOutput.write(data)
} catch {
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    exit(1)
}
