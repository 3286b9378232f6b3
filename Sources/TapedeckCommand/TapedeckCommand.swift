import Foundation
import PackagePlugin

/// `swift package tapedeck …`: the program `tapedeck`, built from source, with the arguments behind it, in the folder of the
/// package. SwiftPM says the program's exit code where it failed, and itself ends with 1.
@main
struct TapedeckCommand: CommandPlugin {
    func performCommand(context: PluginContext, arguments: [String]) async throws {
        let process = Process()
        process.executableURL = try context.tool(named: "tapedeck").url
        process.arguments = arguments
        process.currentDirectoryURL = context.package.directoryURL
        try process.run()
        // Ctrl-C reaches the program as well, which ends by itself.
        signal(SIGINT, SIG_IGN)
        process.waitUntilExit()
        if process.terminationStatus != 0 { exit(process.terminationStatus) }
    }
}
