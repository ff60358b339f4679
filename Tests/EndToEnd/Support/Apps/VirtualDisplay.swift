import TestSupport
import Foundation

/// A display of its own for programs with windows.
final class VirtualDisplay {
    private let server: RunningProgram
    /// As in `$DISPLAY`.
    let name: String

    init() throws {
        let server = try Program(
            path: "Xvfb",
            arguments: ["-displayfd", "1", "-screen", "0", "800x600x24", "-nolisten", "tcp"]
        ).start()
        try eventually("a virtual display: \(server.errors)") { server.output.contains("\n") }
        name = ":" + server.output.trimmingCharacters(in: .whitespacesAndNewlines)
        self.server = server
    }
}
