import TestSupport
import Foundation

/// A store that a preset knows, configured as a user would do it.
struct ConfiguredStore {
    let store: Database
    let state: StateDirectory
    private let preset: String

    /// The store at `path`, or one that is not there yet.
    init(_ preset: String, at path: String? = nil) throws {
        self.preset = preset
        state = try StateDirectory()
        store = Database(path: path ?? state.sandbox.path + "/app.db")
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../../systemd/presets/\(preset).toml").standardized
        let presets = try state.sandbox.makeDirectory("presets")
        try FileManager.default.copyItem(atPath: file.path, toPath: presets + "/\(preset).toml")
    }

    /// A new store with an app's tables and rows, and what `more` makes of them.
    init(_ app: AppStore, _ more: String = "") throws {
        try self.init(app.preset)
        try store.query(app.sql + more)
    }

    /// The configuration; `more` are lines for the store, `rule` for the preset's rule.
    func configuration(_ more: String = "", rule: String = "") throws -> String {
        try state.configuration(
            """
            [guard]
            max_share = 1
            [store.app]
            path = "\(store.path)"
            preset = "\(preset)"
            \(more)
            [rule.\(Self.rule)]
            \(rule)
            """)
    }

    /// One run of the preset's rule.
    func run(_ more: String = "", rule: String = "", _ options: String...) throws -> EndedProgram {
        var program = state.pruned("--run-now", "--json", "--config", try configuration(more, rule: rule))
        program.arguments += options
        return try program.run()
    }

    /// What is proposed for the store.
    func suggest() throws -> EndedProgram {
        try state.pruned("suggest", store.path, "--config", try state.configuration("")).run()
    }

    /// The name of the preset's rule here.
    static let rule = "app-articles"

    /// All that is in the store, bit for bit.
    func dump() throws -> String { try store.query(".dump") }
}
