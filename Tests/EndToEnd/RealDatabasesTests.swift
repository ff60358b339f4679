import Foundation
import TestSupport
import Testing

/// The presets on databases that the real apps made.
@Suite(
    .enabled(
        if: RealDatabase.directory != nil, "not run: PRUNED_REAL_DATABASES names no directory of databases"),
    .fakingTime)
struct RealDatabasesTests {
    @Test(
        "exactly the rows go that must go, and the plan says why the others stay", arguments: RealDatabase.all
    )
    func exactly(real: RealDatabase) throws {
        let expected = try real.expectation()
        let state = try StateDirectory()
        let database = try real.restored(in: state.sandbox)
        let (file, rule) = try configuration(of: expected, on: database, in: state)
        let clock = try FakeClock(offset: "@" + Self.text(of: expected.now), in: state.sandbox)
        func pruned(_ arguments: String...) throws -> EndedProgram {
            var program = clock.applied(to: state.pruned("--config", file))
            program.arguments = arguments + program.arguments
            program.environment["TZ"] = "UTC"
            return try program.run()
        }

        let before = try database.keys(of: expected.table, where: expected.mark ?? "1 = 1")
        let plan = try pruned("plan", "--json")
        let stays = try Self.stays(in: plan)
        // A plan counts no row that is marked already.
        let done = expected.mark == nil ? 0 : before.count
        #expect(stays.reduce(0, +) + done == expected.old.reduce(0, +), "\(plan)")
        if done == 0 { #expect(stays.sorted() == expected.old.sorted(), "\(plan)") }

        var run = try pruned("--run-now", "--json")
        if run.status == 3 {
            try pruned("confirm", rule).checked()
            run = try pruned("--run-now", "--json")
        }
        #expect(run.status == 0, "\(run)")
        let after = try database.keys(of: expected.table, where: expected.mark ?? "1 = 1")
        let changed = expected.mark == nil ? before.subtracting(after) : after.subtracting(before)
        #expect(changed.sorted() == expected.goes.sorted(), "\(run)")
        #expect(try run.report()[rule]?.deleted == expected.goes.count, "\(run)")

        let again = try pruned("--run-now", "--json").checked()
        #expect(try again.report()[rule]?.deleted == 0, "\(again)")
    }

    /// The store and its preset, with the `keep` that was expected. Returns the file, and the rule's name.
    private func configuration(
        of expected: RealDatabase.Expectation, on database: RestoredDatabase, in state: StateDirectory
    ) throws -> (file: String, rule: String) {
        let preset = "\(expected.preset).toml"
        let source = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../systemd/presets/\(preset)").standardized
        let text = try String(contentsOf: source, encoding: .utf8)
        _ = try state.sandbox.makeDirectory("presets")
        try state.sandbox.write("presets/\(preset)", text)
        let own = try #require(text.firstMatch(of: /\n\[rule\.([^\]]+)\]/)?.output.1)
        let keys = (expected.store ?? [:]).map { "\($0.key) = \"\($0.value)\"" }.sorted()
        let rule = "app-\(own)"
        let settings = (expected.override ?? [:]).map { key, values in
            "\(key) = [\(values.map { "\"\($0)\"" }.joined(separator: ", "))]"
        }.sorted()
        let file = try state.configuration(
            """
            [store.app]
            \(database.place)
            preset = "\(expected.preset)"
            \(keys.joined(separator: "\n"))
            [rule.\(rule)]
            keep = "\(expected.keep)"
            \(settings.joined(separator: "\n"))
            """)
        return (file, rule)
    }

    /// The numbers of rows that are old enough and stay, by reason. A plan counts the newest rows before those that others
    /// refer to, so these two are one number.
    private static func stays(in plan: EndedProgram) throws -> [Int] {
        let stays = try #require(plan.report().rules.first?.stays, "\(plan)")
        let isLast = { (reason: PrintedReport.Staying) in ["kept_by", "keep_last"].contains(reason.key) }
        let last = stays.filter(isLast).map(\.rows).reduce(0, +)
        return stays.filter { !isLast($0) }.map(\.rows) + (last > 0 ? [last] : [])
    }

    private static func text(of seconds: Int) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = .gmt
        formatter.dateFormat = "yyyy-MM-dd HH:mm:ss"
        return formatter.string(from: Date(timeIntervalSince1970: TimeInterval(seconds)))
    }
}
