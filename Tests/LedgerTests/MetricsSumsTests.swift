import Foundation
import Ledger
import Pruning
import Retention
import TestSupport
import Testing

/// The metrics file and the sums behind it, on a real directory.
struct MetricsSumsTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.path + "/pruned.prom" }
    private var file: MetricsFile { MetricsFile(path: path, stateDirectory: directory.path) }

    init() throws {
        directory = try TemporaryDirectory()
    }

    private static let context = MetricsText.Context(
        rules: [Reports.task("r").rule], stores: [], archiveLimit: ByteCount(1_000), lastRuns: [:],
        version: "1", now: runStart)

    private func update(
        _ file: MetricsFile, in directory: String? = nil, _ body: (inout Metrics) -> Void = { _ in }
    ) throws {
        let ledger = Ledger(stateDirectory: directory ?? self.directory.path)
        let trouble = try ledger.write("remember the metrics") { tables in
            try tables.updateMetrics(in: file, body) { MetricsText($0, Self.context) }
        }
        if let trouble { throw trouble }
    }

    private func add(_ report: PruneReport) throws { try update(file) { $0.add(report, Measurements()) } }

    private var text: String {
        String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
    }

    @Test("counters go on after a restart, and what was last seen is replaced")
    func goesOn() throws {
        try add(Reports.run(Reports.rule("r", .done, deleted: 5)))
        try add(Reports.run(Reports.rule("r", .held, deleted: 2, .clock)))
        #expect(text.contains("pruned_rows_deleted_total{rule=\"r\"} 7\n"))
        #expect(text.contains("pruned_rule_duration_seconds_count{rule=\"r\"} 2\n"))
        #expect(text.contains("pruned_clock_trusted 0\n"))
        try add(Reports.run(Reports.rule("r", .done)))
        #expect(text.contains("pruned_clock_trusted 1\n"))
    }

    @Test("the file is for everybody to read, and nothing is left beside it")
    func mode() throws {
        try add(Reports.run(Reports.rule("r")))
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & 0o7777 == 0o644)
        #expect(try directory.entries == ["ledger", "pruned.prom"])
    }

    @Test("of what several write at the same time nothing is lost")
    func sideBySide() throws {
        DispatchQueue.concurrentPerform(iterations: 40) { _ in
            try? add(Reports.run(Reports.rule("r", .done, deleted: 1)))
        }
        #expect(text.contains("pruned_rows_deleted_total{rule=\"r\"} 40\n"))
    }

    @Test(
        "what is not a file of pruned's is not replaced",
        arguments: ["SQLite format 3", "# HELP node_load1 x"])
    func foreign(text: String) throws {
        try Data(text.utf8).write(to: URL(filePath: path))
        let error = try #require(throws: StoreError.self) { try add(Reports.run(Reports.rule("r"))) }
        #expect(error.place == path && error.cause.contains("something else"))
        #expect(self.text == text)
    }

    @Test("a metrics file that has another name is not replaced: it may be somebody else's")
    func secondName() throws {
        try add(Reports.run(Reports.rule("r")))
        try FileManager.default.linkItem(atPath: path, toPath: path + ".other")
        let error = try #require(throws: StoreError.self) { try add(Reports.run(Reports.rule("r"))) }
        #expect(error.place == path && error.cause.contains("something else"))
    }

    @Test("the file of another state directory is left alone, and named")
    func ofAnotherDirectory() throws {
        let other = try TemporaryDirectory()
        try update(MetricsFile(path: path, stateDirectory: other.path), in: other.path)
        let before = text
        #expect(before.hasPrefix("# Metrics of the state directory \(other.path)\n# HELP pruned_"))
        let error = try #require(throws: StoreError.self) { try add(Reports.run(Reports.rule("r"))) }
        #expect(error.cause.contains("another state directory, \(other.path)") && error.hint != nil)
        #expect(throws: StoreError.self) { try file.checkAccess() }
        #expect(text == before)
    }

    @Test("a state directory is known by whatever path it is named, and may have any name")
    func anyPath() throws {
        let odd = directory.path + "/a\nb\\n"
        mkdir(odd, 0o755)
        symlink(odd, directory.path + "/link")
        for name in [odd, directory.path + "/link", odd + "/"] {
            try update(MetricsFile(path: path, stateDirectory: name), in: name)
        }
        #expect(text.split(separator: "\n")[1].hasPrefix("# HELP pruned_"))
    }

    @Test("a file of a version that did not say whose it is, is replaced")
    func ofAnOlderVersion() throws {
        try Data("# HELP pruned_rows_deleted_total x\n".utf8).write(to: URL(filePath: path))
        try add(Reports.run(Reports.rule("r")))
        #expect(text.contains("pruned_build_info"))
    }

    @Test("the file that was written before is known, while it is there and its own")
    func abandoned() throws {
        let ledger = Ledger(stateDirectory: directory.path)
        func abandoned(_ path: String?) -> String? { ledger.abandonedMetrics(for: path) }
        #expect(abandoned(nil) == nil)
        try add(Reports.run(Reports.rule("r")))
        #expect(abandoned(path) == nil)
        #expect(abandoned(nil) == path && abandoned("/elsewhere.prom") == path)
        try Data("another's".utf8).write(to: URL(filePath: path))
        #expect(abandoned(nil) == nil)
        unlink(path)
        #expect(abandoned(nil) == nil)
    }

    private func refused() throws(StoreError) {
        try Ledger(stateDirectory: directory.path).write("test") {
            try $0.tellRefusal(stateDirectory: directory.path)
        }
    }

    @Test(
        "that the configuration was refused is told in the file that was written last, and nothing else there"
    )
    func refusal() throws {
        try refused()
        #expect(try directory.entries == ["ledger"])
        try add(Reports.run(Reports.rule("r", .done, deleted: 5)))
        let before = text
        #expect(before.contains("\npruned_config_ok 1\n"))
        for _ in 1...2 {
            try refused()
            #expect(text == before.replacing("pruned_config_ok 1\n", with: "pruned_config_ok 0\n"))
        }
        try add(Reports.run(Reports.rule("r")))
        #expect(text.contains("pruned_config_ok 0\n"))
        try update(file) { $0.isConfigurationInForce = true }
        #expect(text.contains("pruned_config_ok 1\n"))
    }

    @Test("not in a file that is another's by now, nor over a link")
    func refusalElsewhere() throws {
        try add(Reports.run(Reports.rule("r")))
        let own = text
        let other = own.replacing(directory.path, with: "/elsewhere")
        for foreign in ["another's", other, own.replacing("# Metrics", with: "# M")] {
            try Data(foreign.utf8).write(to: URL(filePath: path))
            try refused()
            #expect(text == foreign)
        }
        unlink(path)
        try refused()
        #expect(try directory.entries == ["ledger"])
        try Data(own.utf8).write(to: URL(filePath: directory.path + "/target"))
        symlink("target", path)
        try refused()
        #expect(text == own)
        unlink(path)
        try FileManager.default.linkItem(atPath: directory.path + "/target", toPath: path)
        try refused()
        #expect(text == own)
    }

    @Test("a link is not followed, and not replaced")
    func link() throws {
        let target = directory.path + "/target"
        try Data("# HELP pruned_x".utf8).write(to: URL(filePath: target))
        symlink(target, path)
        #expect(throws: StoreError.self) { try add(Reports.run(Reports.rule("r"))) }
        #expect(FileManager.default.contents(atPath: target) == Data("# HELP pruned_x".utf8))
    }

    @Test("where there is no such directory the error says so, and the sums go on")
    func noDirectory() throws {
        let elsewhere = MetricsFile(
            path: directory.path + "/none/pruned.prom", stateDirectory: directory.path)
        let report = Reports.run(Reports.rule("r", .done, deleted: 5))
        let error = try #require(throws: StoreError.self) {
            try update(elsewhere) { $0.add(report, Measurements()) }
        }
        #expect(
            error.reason.hasPrefix(
                "cannot write the metrics in \(directory.path)/none/pruned.prom: No such file"))
        #expect(error.hint?.contains("ReadWritePaths=") == true)
        try add(report)
        #expect(text.contains("pruned_rows_deleted_total{rule=\"r\"} 10\n"))
    }
}
