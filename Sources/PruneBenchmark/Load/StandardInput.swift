import Foundation

/// How the benchmark tells its load programs to end: it closes their input, or it has died.
enum StandardInput {
    /// Waits for the end, at most so long; whether it has come.
    static func hasEnded(within milliseconds: Int32 = 0) -> Bool {
        var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        return poll(&input, 1, milliseconds) > 0
    }

    /// Tells the benchmark that the load begins.
    static func sayReady() throws {
        try FileHandle.standardOutput.write(contentsOf: Data("ready\n".utf8))
    }
}
