import TestSupport
import Foundation
import Testing

/// The screens where there are many stores.
@Suite struct ManyStoresTests {
    private let state: StateDirectory
    private let file: String

    /// Of `count` stores, which have a rule each, one lacks the table, and one is missing.
    private init(_ count: Int) throws {
        state = try StateDirectory()
        var configuration = ""
        for store in 1...count {
            let path = state.sandbox.path + "/app\(store).sqlite"
            if store != 7 {
                try Database(path: path).query(
                    """
                    CREATE TABLE item (id INTEGER PRIMARY KEY, at INTEGER);
                    INSERT INTO item VALUES (1, unixepoch('now', '-90 days')), (2, unixepoch());
                    """)
            }
            configuration += """
                [store.app\(store)]
                path = "\(path)"
                [rule.items\(store)]
                store = "app\(store)"
                table = "\(store == 5 ? "items" : "item")"
                age_column = "at"
                keep = "30d"

                """
        }
        file = try state.sandbox.write("pruned.toml", configuration)
    }

    init() throws { try self.init(21) }

    private func shown(_ arguments: String...) throws -> String {
        var program = state.pruned(arguments[0], "--config", file)
        program.arguments += arguments.dropFirst()
        return try program.run().output
    }

    /// The rules that a screen names.
    private func rules(_ screen: String) -> Set<String> {
        Set(screen.matches(of: /items[0-9]+/).map { String($0.output) })
    }

    private static let remark = "only what needs a person is shown; --all shows all stores and rules\n"

    @Test(
        "check, plan, status and a run show of more than 20 stores what needs a person, and how much there is"
    )
    func cut() throws {
        let screens = try [shown("check"), shown("plan"), shown("--run-now"), shown("status")]
        for screen in screens { #expect(rules(screen) == ["items5", "items7"], "\(screen)") }
        #expect(
            screens[0].contains("\n\(Self.remark)21 stores, 21 rules: 1 store MISSING, "), "\(screens[0])")
        #expect(
            screens[1].contains(
                "\n21 stores, 21 rules: 19 would run, 1 would be skipped, 1 would fail\n\(Self.remark)"),
            "\(screens[1])")
        #expect(
            screens[2].contains("\n21 stores, 21 rules: 19 done, 1 skipped, 1 failed; --json has them all\n"),
            "\(screens[2])")
        #expect(
            screens[3].contains(/\n21 stores of .*; 21 rules: 19 done, 1 skipped, 1\sunfit\n/),
            "\(screens[3])")
        #expect(screens[3].contains(Self.remark))
        // The one that is missing has its own line.
        #expect(screens[3].matches(of: /\napp[0-9]+\s/).count == 1, "\(screens[3])")
    }

    @Test("with --all nothing is left out", arguments: ["check", "plan", "status"])
    func all(command: String) throws {
        let screen = try shown(command, "--all")
        #expect(rules(screen).count == 21, "\(screen)")
        #expect(!screen.contains("--all shows"))
    }

    @Test("of 20 stores all are shown", arguments: ["check", "plan", "status"])
    func few(command: String) throws {
        let twenty = try ManyStoresTests(20)
        let screen = try twenty.shown(command)
        #expect(rules(screen).count == 20, "\(screen)")
        #expect(!screen.contains("--all shows"))
    }

    @Test("--problems and --all exclude each other", arguments: ["check", "plan"])
    func exclusive(command: String) throws {
        let ended = try state.pruned(command, "--all", "--problems", "--config", file).run()
        #expect(ended.status == 64)
        #expect(ended.errors.contains("--problems cannot be combined with --all"), "\(ended)")
    }
}
