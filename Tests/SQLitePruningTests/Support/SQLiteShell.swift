import Foundation

/// The `sqlite3` program with a file open: another process that holds locks as long as a test wants.
final class SQLiteShell {
    static let program = "/usr/bin/sqlite3"
    static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: program) }

    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()

    /// Opens the file at `path`; statements wait up to 5 s for a lock.
    init(_ path: String) throws {
        process.executableURL = URL(filePath: Self.program)
        process.arguments = ["-batch", "-cmd", ".timeout 5000", path]
        process.standardInput = input
        process.standardOutput = output
        process.standardError = output
        try process.run()
        _ = try run("PRAGMA foreign_keys = ON;")
    }

    deinit { quit() }

    /// Runs statements, returns when they are done, with what they print.
    @discardableResult
    func run(_ sql: String) throws -> String {
        let mark = "-- done \(UUID().uuidString)"
        try input.fileHandleForWriting.write(contentsOf: Data((sql + "\n.print \(mark)\n").utf8))
        var printed = Data()
        while true {
            let part = output.fileHandleForReading.availableData
            guard !part.isEmpty else { throw CocoaError(.fileReadUnknown) }
            printed += part
            let text = String(decoding: printed, as: UTF8.self)
            if let end = text.range(of: mark) { return String(text[..<end.lowerBound]) }
        }
    }

    /// Ends the program as its user would.
    func quit() {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    /// Ends the program where it stands, as a power cut or the kernel would.
    func kill() {
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }
}
