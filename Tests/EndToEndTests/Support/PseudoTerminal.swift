/// Runs a command at a terminal of its own, whose output is the program's.
enum PseudoTerminal {
    /// - Parameters:
    ///   - columns: of the terminal.
    ///   - command: what runs there.
    static func command(columns: Int = 80, _ command: [String]) -> [String] {
        Program.python + ["-c", self.script, String(columns)] + command
    }

    private static let script = """
        import fcntl, os, pty, struct, sys, termios
        child, terminal = pty.fork()
        if child == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, int(sys.argv[1]), 0, 0))
            os.execvp(sys.argv[2], sys.argv[2:])
        while True:
            try:
                text = os.read(terminal, 65536)
            except OSError:
                break
            if not text:
                break
            os.write(1, text)
        sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        """
}
