import CTapedeckArguments

/// The arguments that this program was started with, its name included.
///
/// `CommandLine.arguments` is empty on Linux if a preloaded library, such as libfaketime, has set a variable before main.
enum ProgramArguments {
    static let all: [String] = {
        guard let values = tapedeck_arguments() else { return CommandLine.arguments }
        return (0..<Int(tapedeck_argument_count())).compactMap { values[$0].map { String(cString: $0) } }
    }()
}
