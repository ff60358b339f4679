import Foundation

/// What the figures were measured on, and with.
struct Machine: Codable {
    let processor: String
    let cores: Int
    let memoryGigabytes: Double
    let kernel: String
    /// Of the work directory.
    let fileSystem: String
    let pruned: String
    /// How the benchmark was built, and so pruned beside it.
    let build: String
    let sqlite: String
    let swift: String

    init(workDirectory: String, pruned path: String) throws {
        processor = Self.value(of: "model name", in: "/proc/cpuinfo") ?? "unknown"
        cores = ProcessInfo.processInfo.activeProcessorCount
        memoryGigabytes = (Double(ProcessInfo.processInfo.physicalMemory) / 1e8).rounded() / 10
        kernel = try Self.output(Program("uname", ["-srm"]))
        fileSystem = try Self.output(Program("stat", ["--file-system", "--format=%T", workDirectory]))
        pruned = try Self.output(Program(path, ["--version"]))
        sqlite = String(try Self.output(Program("sqlite3", ["--version"])).prefix { $0 != " " })
        swift =
            (try? Self.output(Program("swift", ["--version"])))?.split(separator: "\n").first
            .map(String.init) ?? "unknown"
        #if DEBUG
            build = "debug"
        #else
            build = "release"
        #endif
    }

    private static func value(of key: String, in file: String) -> String? {
        let text = try? String(contentsOfFile: file, encoding: .utf8)
        let line = text?.split(separator: "\n").first { $0.hasPrefix(key) }
        return line?.split(separator: ":", maxSplits: 1).last?.trimmingCharacters(in: .whitespaces)
    }

    private static func output(_ program: Program) throws -> String {
        try program.run().checked().output.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}

extension Machine: CustomStringConvertible {
    /// Two lines.
    var description: String {
        """
        \(processor), \(cores) cores, \(memoryGigabytes) GB, \(fileSystem), \(kernel)
        \(pruned) (\(build)), sqlite3 \(sqlite), \(swift)
        """
    }
}
