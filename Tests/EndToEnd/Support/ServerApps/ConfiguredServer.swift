import Foundation
import TestSupport

/// A PostgreSQL database that a preset knows, configured as a user would do it: a role of its own prunes it.
struct ConfiguredServer {
    let app: ServerApp
    let state: StateDirectory
    let database: PostgreSQLDatabase
    private let owner: String
    let role: String

    /// An app's tables and rows, and what `more` makes of them.
    init(_ app: ServerApp, _ more: String = "") throws {
        self.app = app
        let server = try PostgreSQLServer.shared
        (owner, role) = (try server.createRole(), try server.createRole())
        database = try server.createDatabase("ALTER SCHEMA public OWNER TO \(owner)", owner: owner)
        try database.psql(
            "SET client_min_messages = warning; \(app.schema); \(app.rows); \(more);"
                + " GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO \(role)",
            user: owner)
        state = try StateDirectory()
        let source = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../../systemd/presets/\(app.preset).toml").standardized
        let presets = try state.sandbox.makeDirectory("presets")
        try FileManager.default.copyItem(atPath: source.path, toPath: presets + "/\(app.preset).toml")
    }

    /// As the owner of the tables.
    @discardableResult
    func psql(_ sql: String) throws -> String { try database.psql(sql, user: owner) }

    var url: String { database.url(user: role) }

    /// The name of the preset's rule here.
    var rule: String { "app-\(app.rule)" }

    /// The configuration; `more` are lines for the store.
    func configuration(_ more: String = "") throws -> String {
        try state.configuration(
            """
            [guard]
            max_share = 1
            [store.app]
            url = "\(url)"
            preset = "\(app.preset)"
            \(more)
            """)
    }

    /// One run of the preset's rule.
    func run(_ more: String = "", _ options: String...) throws -> EndedProgram {
        var program = state.pruned("--run-now", "--json", "--config", try configuration(more))
        program.arguments += options
        return try program.run()
    }

    /// What is proposed for the database.
    func suggest() throws -> EndedProgram {
        try state.pruned("suggest", url, "--config", try state.configuration("")).run()
    }

    /// The rows that the app shows, in order.
    func titles() throws -> [String] {
        try psql(app.shown).split(separator: "\n").map(String.init).sorted()
    }
}
