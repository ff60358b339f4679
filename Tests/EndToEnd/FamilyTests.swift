import Foundation
import TestSupport
import Testing

/// One `paths` is a store for each file that matches: whoever comes is pruned, whoever goes is forgotten.
@Suite struct FamilyTests {
    private let state: StateDirectory
    private let file: String
    private var users: String { state.sandbox.path + "/users" }

    init() throws {
        state = try StateDirectory()
        file = try state.configuration(
            """
            [store.app]
            paths = "\(state.sandbox.path)/users/*/db.sqlite"
            [rule.app-items]
            store = "app"
            table = "item"
            age_column = "at"
            keep = "30d"
            archive = true
            """)
        for user in ["ada", "bob"] { _ = try add(user) }
    }

    /// A user with three old items and one new.
    private func add(_ user: String) throws -> Database {
        let directory = users + "/" + user
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        let database = Database(path: directory + "/db.sqlite")
        try database.query(
            """
            CREATE TABLE item (id INTEGER PRIMARY KEY, at INTEGER);
            INSERT INTO item SELECT value, unixepoch('now', '-90 days') + value FROM generate_series(1, 3);
            INSERT INTO item VALUES (4, unixepoch());
            """)
        return database
    }

    private func items(of user: String) throws -> Int {
        try Database(path: "\(users)/\(user)/db.sqlite").count("SELECT count(*) FROM item")
    }

    private func run(_ arguments: String...) throws -> EndedProgram {
        var program = state.pruned(arguments[0], "--config", file)
        program.arguments += arguments.dropFirst()
        return try program.run()
    }

    @Test("each file is a store with the family's rules, and an archive of its own")
    func pruned() throws {
        let report = try run("--run-now", "--json").checked().report()
        #expect(Set(report.rules.map(\.rule)) == ["app/ada-items", "app/bob-items"])
        #expect(report.rules.allSatisfy { $0.deleted == 3 })
        #expect(try [items(of: "ada"), items(of: "bob")] == [1, 1])
        #expect(try run("restore", report.runId).checked().status == 0)
        #expect(try [items(of: "ada"), items(of: "bob")] == [4, 4])
        #expect(try run("explain", "app/ada-items", "1").checked().output.contains("put back"))
    }

    @Test("what was found is said once for all stores of which it is the same")
    func grouped() throws {
        for user in 1...30 { _ = try add("user\(user)") }
        let check = try run("check").checked().output
        #expect(check.contains("store app/*") && check.contains("(32 stores)"), "\(check)")
        #expect(check.split(separator: "\n").count < 15, "\(check)")
        let plan = try run("plan").checked().output
        #expect(plan.contains("app/*-items (32 stores): would delete 96 rows"), "\(plan)")
        #expect(try run("plan", "--all").output.contains("\napp/user7-items: would delete 3 rows"))
        _ = try run("--run-now")
        let status = try run("status").checked().output
        #expect(status.contains(/app\/\*-items \(32\) .* 96 .* done/), "\(status)")
        #expect(status.contains("app/* (32)"), "\(status)")
    }

    @Test("a link, a second name and a name that cannot be printed are no store, and the others are")
    func refused() throws {
        _ = try add("bad\u{7}name")
        try FileManager.default.createSymbolicLink(atPath: users + "/carl", withDestinationPath: "ada")
        _ = try add("dora")
        try FileManager.default.linkItem(atPath: users + "/dora/db.sqlite", toPath: users + "/dora/other")
        let check = try run("check").output
        #expect(check.contains("users/carl is a symbolic link"), "\(check)")
        #expect(check.contains("\"bad\\u{07}name\" cannot be the name of a store"), "\(check)")
        #expect(check.contains("users/dora/db.sqlite has 2 names"), "\(check)")
        let rules = try run("--run-now", "--json").report().rules
        #expect(Set(rules.map(\.rule)) == ["app/ada-items", "app/bob-items"])
        #expect(try items(of: "dora") == 4)
    }

    @Test("a file of two patterns, or of another store, is one store, which is said")
    func twins() throws {
        let text = try String(contentsOfFile: file, encoding: .utf8)
        try Data(
            (text + """

                [store.more]
                paths = "\(users)/*/db.sqlite"
                [store.one]
                path = "\(users)/bob/db.sqlite"
                [rule.one-items]
                store = "one"
                table = "item"
                age_column = "at"
                keep = "30d"
                [rule.more-items]
                store = "more"
                table = "item"
                age_column = "at"
                keep = "30d"
                """).utf8
        ).write(to: URL(filePath: file))
        let rules = try run("--run-now", "--json").checked().report().rules
        #expect(Set(rules.map(\.rule)) == ["app/ada-items", "one-items"])
        let check = try run("check").output.replacing(/\s+/, with: " ")
        #expect(check.contains("users/bob/db.sqlite is the file of store one, too"), "\(check)")
        #expect(check.contains("users/ada/db.sqlite is the file of store app/ada, too"), "\(check)")
    }

    @Test("a pattern that matches nothing is a remark, and no error")
    func nothing() throws {
        try FileManager.default.removeItem(atPath: users)
        for command in ["check", "status", "plan", "--run-now"] {
            let ended = try run(command).checked()
            if ["check", "status"].contains(command) {
                #expect(ended.output.contains("nothing matches"), "\(ended)")
            }
        }
        #expect(try run("plan", "--rule", "app-items").errors.contains("has no store now"))
    }

    @Test("rules are named with a *, or by the one that speaks for all; confirm takes those that are held")
    func named() throws {
        for user in ["ada", "bob"] {
            try Database(path: "\(users)/\(user)/db.sqlite").query("DELETE FROM item WHERE id = 4")
        }
        for rule in ["app/*", "app-items", "app/*-items"] {
            #expect(try run("plan", "--rule", rule).output.contains("app/*-items (2 stores): would be held"))
        }
        #expect(try run("confirm", "app/*").errors.contains("no rule of app/* is held"))
        #expect(try run("--run-now").status == 3)
        #expect(try run("confirm", "app/*").checked().output.contains("app/bob-items: confirmed for one run"))
        _ = try run("--run-now").checked()
        #expect(try [items(of: "ada"), items(of: "bob")] == [0, 0])
        #expect(try run("history", "--rule", "app/*").checked().output.contains("app/bob-items"))
        #expect(try run("plan", "--store", "app/ada").output.contains("1 store, 1 rule"))
        #expect(try run("plan", "--rule", "app/zoe-items").status == 64)
    }

    @Test("the service prunes a file that is new, and forgets one that is gone")
    func service() throws {
        let service = try Service(on: state, arguments: ["--config", file])
        try service.waitForFirstRun()
        #expect(try [items(of: "ada"), items(of: "bob")] == [1, 1])
        _ = try add("carl")
        try FileManager.default.removeItem(atPath: users + "/bob")
        service.process.send(SIGUSR1)
        try eventually("the new one is pruned") { try items(of: "carl") == 1 }
        try eventually("the other is gone") {
            service.process.errors.contains("store app/bob is gone")
        }
        #expect(service.process.errors.contains("store app/carl is new"))
        // The rows are gone before the run is recorded.
        try eventually("the run is recorded") { try run("status").status == 0 }
        let status = try run("status").checked().output
        #expect(!status.contains("have changed since"), "\(status)")
        try service.stop()
    }
}
