import Foundation
import Testing

/// What Prometheus itself says of metrics: `promtool check metrics` of Debian's package `prometheus`.
enum Promtool {
    static let isInstalled = access("/usr/bin/promtool", X_OK) == 0

    static let comment: Comment = "promtool is not installed; `make test-packages` does it"

    /// What it finds; empty when nothing.
    static func complaints(of text: String) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/promtool")
        process.arguments = ["check", "metrics"]
        let (input, output) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        process.standardError = output
        try process.run()
        try input.fileHandleForWriting.write(contentsOf: Data(text.utf8))
        try input.fileHandleForWriting.close()
        let said = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        return process.terminationStatus == 0 ? said : "\(process.terminationStatus): \(said)"
    }
}
