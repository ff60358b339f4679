import TestSupport
import Foundation
import Testing

/// A rule that the archive holds because it may get no larger: no confirmation lets that go on.
@Suite struct FullArchiveTests {
    private let store: OddStore
    private let file: String
    private static let cause = "the archive is full: max_size is 1kB"
    private static let hint = "raise max_size in [archive]"

    init() throws {
        store = try OddStore(rows: 500)
        file = try store.configuration("[archive]\nmax_size = \"1kB\"")
    }

    private func pruned(_ arguments: String...) -> Program {
        var program = store.state.pruned("--config", file)
        program.arguments = arguments + program.arguments
        return program
    }

    private func checkHeld() throws {
        let report = try pruned("status", "--json").run().statusReport()
        for rule in OddStore.tables {
            let told = try #require(report[rule])
            #expect(told.state == "held" && told.waitsFor == "archive" && !told.due, "\(told)")
            #expect(told.reason?.contains(Self.cause) == true && told.hint?.contains(Self.hint) == true)
        }
        #expect(Set(report.holds.map(\.rule)) == Set(OddStore.tables))
        for hold in report.holds {
            #expect(hold.waitsFor == "archive" && hold.commands.isEmpty && hold.expired == nil)
            #expect(hold.reason.contains(Self.cause) && hold.hint?.contains(Self.hint) == true)
        }
    }

    @Test("the status says that it is held, why, and what resolves it, until there is room")
    func status() throws {
        let run = try pruned("--run-now", "--json").run()
        #expect(run.status == 3, "\(run)")
        try checkHeld()
        let ended = try pruned("status").run()
        #expect(ended.status == 3, "a run would end so")
        #expect(ended.output.contains(/\nnamed +.* archive full +held\n/), "\(ended)")
        #expect(
            ended.output.contains(#/\nnamed: held since [^\n]*\n {4}cannot run rule named in\s/#), "\(ended)")
        #expect(
            ended.output.contains("\n    raise max_size in [archive], ")
                && !ended.output.contains("to delete these rows"))
        #expect(ended.output.split(separator: "\n").allSatisfy { $0.count <= 80 }, "\(ended)")
        let roomy = try store.configuration()
        try store.state.pruned("--run-now", "--config", roomy).run().checked()
        let after = try store.state.pruned("status", "--json", "--config", roomy).run().checked()
            .statusReport()
        #expect(after.holds.isEmpty && after.rules.allSatisfy { $0.state == "done" && $0.waitsFor == nil })
    }

    @Test("who confirms it is told that this does not help, and what does")
    func confirmation() throws {
        let expired = try store.expired()
        #expect(try pruned("--run-now").run().status == 3)
        let told = try pruned("confirm", "named").run()
        #expect(told.status == 1 && told.output.isEmpty, "\(told)")
        #expect(
            told.errors.hasPrefix("pruned: rule named cannot be confirmed: "), "\(told)"
        )
        #expect(told.errors.contains(Self.cause) && told.errors.contains("\n        " + Self.hint), "\(told)")
        let run = try pruned("--run-now", "--confirm", "named").run()
        #expect(run.status == 3, "\(run)")
        #expect(
            run.errors.contains(
                "pruned: rule named cannot be confirmed: \(Self.cause)\n        raise"), "\(run)")
        #expect(!run.errors.contains("lets rule keyless go on"), "\(run)")
        #expect(try store.expired() == expired)
    }

    @Test("what a guard held, and a person confirmed, is held by the archive all the same")
    func confirmedBefore() throws {
        let strict = try String(contentsOfFile: file, encoding: .utf8)
            .replacing("max_share = 1", with: "max_share = 0.1, min_rows = 1")
        try strict.write(toFile: file, atomically: false, encoding: .utf8)
        #expect(try pruned("--run-now").run().status == 3)
        let guarded = try pruned("status", "--json").run().statusReport()
        #expect(
            guarded.holds.allSatisfy {
                $0.waitsFor == "confirmation" && $0.commands.count == 1 && $0.hint == nil
            })
        try pruned("confirm", "named").run().checked()
        let run = try pruned("--run-now", "--confirm", "named", "--rule", "named").run()
        #expect(run.status == 3 && run.errors.contains("rule named cannot be confirmed"), "\(run)")
        let report = try pruned("status", "--json").run().statusReport()
        #expect(report["named"]?.state == "held" && report["named"]?.waitsFor == "archive")
        let hold = try #require(report.holds.first { $0.rule == "named" })
        #expect(hold.confirmedAt != nil && hold.reason.contains(Self.cause) && hold.commands.isEmpty)
        #expect(report["keyless"]?.waitsFor == "confirmation")
    }

    @Test("a service that tries again and again says so all the time, and is not taken for killed")
    func service() throws {
        let service = try Service(on: store.state, arguments: ["--config", file])
        try service.waitForFirstRun()
        try checkHeld()
        for _ in 0..<3 {
            service.process.send(SIGUSR1)
            try service.hear { $0.contains("STATUS=Running") }
            try service.hear { $0.hasPrefix("STATUS=Idle") }
        }
        try checkHeld()
        let kinds = {
            try pruned("history", "--json").run().checked().output.matches(of: /"kind":"([a-z]+)"/)
                .map { String($0.output.1) }
        }
        #expect(try kinds() == ["run"])
        #expect(try service.stop().status == 0)
        #expect(try kinds() == ["run", "quiet"])
        try checkHeld()
    }
}
