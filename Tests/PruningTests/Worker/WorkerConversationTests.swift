import Foundation
import Pruning
import Retention
import Synchronization
import TestSupport
import Testing

/// What a worker process tells is data, whatever it is: the process has opened files of others.
struct WorkerConversationTests {
    private static let rules = ["a", "b"].map { (name: Name) in
        RetentionRule(name: name, store: "s", table: "t", expiry: .age(column: "at", keep: Span(30, .day)))
    }

    private static func task(_ rule: Int) -> PruneTask { PruneTask(rules[rule], start: runStart, in: .gmt) }

    private static func ended(_ rule: Int, deleted: Int64 = 1) -> WorkerMessage {
        var report = RuleReport(task(rule))
        (report.expired, report.deleted) = (1, deleted)
        return WorkerMessage(.ruleFinished(report))
    }

    /// A batch, after which the rule has deleted so many rows.
    private static func batch(_ rule: Int, deleted: Int64 = 1) -> WorkerMessage {
        var report = RuleReport(task(rule))
        (report.expired, report.deleted) = (1, deleted)
        let work = BatchWork(visited: 1, changed: 1, lockTime: .zero, isAlone: true, isLast: false)
        return WorkerMessage(.batchCommitted(report, BatchResult(deleted: 1, work: work)))
    }

    private static func aged(_ rule: Int, days: Int = 1_024) -> WorkerMessage {
        var report = RuleReport(task(rule))
        let counts = (0..<days).map {
            TimeCount(start: Date(timeIntervalSince1970: Double($0) * 86_400), rows: 1_000_000_000)
        }
        report.forecast = Forecast(
            of: task(rule),
            AgeProfile(
                census: Census(expired: 0, implausible: 0), rows: 0, oldestExpired: nil, newestExpired: nil,
                next: nil, counts: counts, grain: 1))
        return WorkerMessage(.ruleFinished(report))
    }

    private static func held(_ rows: Int64) -> HeldRule {
        HeldRule(
            rules[0], place: "", cutoff: runStart, timeZone: .gmt, expired: rows, rows: rows, change: nil)
    }

    private static func line(_ message: WorkerMessage) -> [UInt8] {
        Array((try? JSONEncoder().encode(message)) ?? Data()) + [UInt8(ascii: "\n")]
    }

    /// A run whose worker tells `messages`, and then is `ending`.
    private func run(
        _ messages: [[UInt8]], ending: String = "was killed by SIGSEGV",
        _ emit: @escaping @Sendable (PruneEvent) -> Void = { _ in }
    ) -> (report: PruneReport, fault: String?, answers: Int) {
        let told = Mutex((fault: String?.none, answers: 0))
        var settings = RunSettings(monotonic: systemMonotonic)
        settings.archive = { _ in FakeStore(batches: []) }
        settings.execute = { run in
            var conversation = WorkerConversation(run)
            var lines = WorkerLines()
            do throws(WorkerFault) {
                for bytes in messages {
                    for message in try lines.take(bytes, at: .seconds(1)) {
                        let answer = try conversation.take(message)
                        told.withLock { $0.answers += answer == nil ? 0 : 1 }
                    }
                }
            } catch {
                told.withLock { $0.fault = error.cause }
            }
            return conversation.finish(unlessOver: WorkerEnd(ending))
        }
        var generator = SystemRandomNumberGenerator()
        let report = PruneRun(
            id: RunID(start: runStart, using: &generator), startedAt: runStart, rules: Self.rules,
            timeZone: .gmt, stores: ["s": FakeStore(batches: [])], settings: settings,
            control: RunControl(monotonic: systemMonotonic)
        ).execute(emit)
        return told.withLock { (report, $0.fault, $0.answers) }
    }

    @Test("the reports are those that the worker tells, as long as it goes on to its end")
    func honest() {
        let (report, fault, _) = run(
            [Self.batch(0), Self.ended(0), Self.ended(1), .end(nil), .over].map(Self.line))
        #expect(fault == nil && report.outcome == .done && report.rules.map(\.deleted) == [1, 1])
    }

    @Test("bytes that come in pieces are the same messages")
    func pieces() {
        let bytes = [Self.ended(0), Self.ended(1), .end(nil), .over].flatMap(Self.line)
        let (report, fault, _) = run(bytes.map { [$0] })
        #expect(fault == nil && report.outcome == .done)
    }

    @Test(
        "a worker that ends in the middle fails the rule at work, and those after it, and keeps what was told"
    )
    func crash() {
        let batch = BatchResult(
            deleted: 7, work: BatchWork(visited: 7, changed: 7, lockTime: .zero, isAlone: true, isLast: false)
        )
        var sofar = RuleReport(Self.task(0))
        (sofar.expired, sofar.deleted) = (9, 7)
        let (report, _, _) = run(
            [
                WorkerMessage(.ruleStarted(Self.task(0), expired: 9, accessPath: .walk)),
                WorkerMessage(.batchCommitted(sofar, batch)),
            ].map(Self.line))
        #expect(report.rules.map(\.outcome) == [.failed, .failed])
        #expect(report.rules.map(\.deleted) == [7, 0])
        #expect(report.rules.allSatisfy { $0.failure?.cause.contains("was killed by SIGSEGV") == true })
        #expect(report.rules[1].failure?.operation == "run rule b")
    }

    @Test("a worker that ends while it gives space back fails that, and not its rules")
    func crashAfterwards() {
        let (report, _, _) = run([Self.ended(0), Self.ended(1)].map(Self.line))
        #expect(report.outcome == .done && report.reclaims.map(\.outcome) == [.failed])
        #expect(report.reclaims[0].failure?.cause.contains("was killed by SIGSEGV") == true)
    }

    @Test("a worker that ends in the archive fails what was to go there, and not its rules")
    func crashInArchive() {
        let (report, _, _) = run([Self.ended(0), Self.ended(1), .end(nil)].map(Self.line))
        #expect(report.rules.map(\.rule) == ["a", "b", "archive"] && report.reclaims.isEmpty)
        #expect(report.rules.map(\.outcome) == [.done, .done, .failed])
        #expect(report.rules[2].failure?.cause.contains("was killed by SIGSEGV") == true)
    }

    @Test("what leaves the archives of many stores is one line of the report")
    func archives() {
        let archived = (0..<2).map { _ -> RuleReport in
            var report = RuleReport(Self.archiveTask)
            (report.expired, report.deleted, report.batches) = (3, 3, 1)
            return report
        }
        var settings = RunSettings(monotonic: systemMonotonic)
        settings.execute = { run in
            (run.tasks.map { RuleReport($0) }, archived.prefix(1).map(\.self), nil, [], nil)
        }
        var generator = SystemRandomNumberGenerator()
        let rules = ["s", "other"].map { (store: Name) in
            RetentionRule(
                name: store, store: store, table: "t", expiry: .age(column: "at", keep: Span(30, .day)))
        }
        let report = PruneRun(
            id: RunID(start: runStart, using: &generator), startedAt: runStart, rules: rules, timeZone: .gmt,
            stores: ["s": FakeStore(batches: []), "other": FakeStore("other", batches: [])],
            settings: settings, control: RunControl(monotonic: systemMonotonic)
        ).execute { _ in }
        #expect(report.rules.map(\.rule) == ["s", "other", "archive"])
        #expect(report.rules[2].deleted == 6 && report.rules[2].batches == 2)
    }

    private static let archiveTask = PruneTask(
        RetentionRule(
            name: "archive", store: "archive", table: "batch",
            expiry: .deadline(column: "expires_at", grace: nil)), start: runStart, in: .gmt)

    private static func archived(deleted: Int64 = 1) -> WorkerMessage {
        var report = RuleReport(archiveTask)
        report.deleted = deleted
        return .archived(report.rule, report.progress)
    }

    private static let atArchive = [ended(0), ended(1), .end(nil)].flatMap(line)

    static let hostile: [(String, [[UInt8]])] = [
        ("what nobody understands", [Array("no message\n".utf8)]),
        ("what nobody understands", [Array("{\"unheardOf\":{}}\n".utf8)]),
        ("what nobody understands", [[0, 255, 10]]),
        ("what nobody understands", [Array("{\"waiting\":{\"_0\":\"no name\"}}\n".utf8)]),
        ("what nobody understands", [Array(String(repeating: "[", count: 60_000).utf8) + [10]]),
        ("a line too long", [[UInt8](repeating: 32, count: 2_100_000)]),
        ("a line too long", [[UInt8](repeating: 32, count: 2_100_000) + [10]]),
        (
            "too much",
            Array(repeating: [UInt8](repeating: 32, count: 40_000) + line(.alive), count: 120)
        ),
        (
            "what cannot be",
            [
                line(
                    WorkerMessage(
                        .ruleFinished(
                            RuleReport(
                                PruneTask(
                                    RetentionRule(
                                        name: "foreign", store: "s", table: "t",
                                        expiry: .age(column: "at", keep: Span(1, .day))),
                                    start: runStart, in: .gmt)))))
            ]
        ),
        ("what cannot be", [line(ended(0, deleted: 1 << 60))]),
        ("what cannot be", [line(ended(0, deleted: -1))]),
        ("what cannot be", [line(ended(0)), line(ended(0))]),
        // What a batch has deleted is not taken back.
        ("what cannot be", [line(batch(0)), line(ended(0, deleted: 0))]),
        ("what cannot be", [line(batch(0)), line(batch(0, deleted: 0))]),
        ("what cannot be", [line(.end(nil))]),
        ("what cannot be", [atArchive, line(.over), line(.alive)]),
        ("what cannot be", [atArchive, line(.end(nil))]),
        ("what cannot be", [atArchive, line(.remark("!"))]),
        ("what cannot be", [atArchive, line(ended(0))]),
        ("what cannot be", [atArchive, line(.archived("a", RuleReport(task(0)).progress))]),
        ("what cannot be", [atArchive, line(archived()), line(archived())]),
        ("what cannot be", [atArchive, line(archived(deleted: -1))]),
        ("what cannot be", [line(archived())]),
        ("what cannot be", [line(.over)]),
        ("what cannot be", [line(.answer(Data()))]),
        ("what cannot be", [line(.begins("a", RowsFingerprint(rows: 1)))]),
        ("what cannot be", [line(.gone("a", RowsFingerprint(rows: 1)))]),
        ("what cannot be", [line(.forget("a"))]),
        ("what cannot be", [line(.confirmationTaken("a", held(1)))]),
        ("what cannot be", [line(.started("a", expired: -5, .walk))]),
        ("what cannot be", [Array(repeating: line(.remark("!")), count: 200).flatMap(\.self)]),
        // Ages that nobody asked for.
        ("what cannot be", [line(aged(0))]),
    ]

    @Test("the plan of a table of four decades is no line too long")
    func decades() throws {
        var lines = WorkerLines()
        let told = Self.line(Self.aged(0, days: 2 * 14_610))
        #expect(told.count > 1 << 16)
        var messages: [WorkerMessage] = []
        for start in stride(from: 0, to: told.count, by: 1 << 16) {
            messages += try lines.take(told[start..<min(told.count, start + 1 << 16)], at: .zero)
        }
        #expect(messages.count == 1)
    }

    @Test("a long answer is told in lines that are not too long, and counts only when it is whole")
    func longAnswer() throws {
        var check = StoreCheck(exists: true)
        for index in 0..<300 {
            var rule = StoreCheck.Rule()
            rule.remarks = Array(repeating: String(repeating: "\"", count: 1_000), count: 10)
            check.rules[try #require(Name("r\(index)"))] = rule
        }
        var inquiry = WorkerInquiry<StoreCheck>()
        let messages = try WorkerReply.told(check).messages()
        #expect(messages.count > 50)
        for message in messages.dropLast() {
            #expect(Self.line(message).count < WorkerLines.longestLine)
            _ = try inquiry.take(message)
        }
        #expect(inquiry.reply == nil)
        _ = try inquiry.take(.over)
        guard case .told(let told)? = inquiry.reply else {
            Issue.record("no check was told")
            return
        }
        #expect(told.rules.count == 300)
        for message in [.over, .answer(Data())] as [WorkerMessage] {
            #expect(throws: WorkerFault.self) { try inquiry.take(message) }
        }
    }

    @Test("an answer without end, one that is cut off, and a run's messages are no answers")
    func noAnswer() throws {
        let piece = WorkerMessage.answer(Data(repeating: 32, count: 40_000))
        var inquiry = WorkerInquiry<String>()
        #expect(throws: WorkerFault.self) { for _ in 0..<1_000 { _ = try inquiry.take(piece) } }
        inquiry = WorkerInquiry()
        let messages = try WorkerReply.told(String(repeating: "x", count: 100_000)).messages()
        for message in messages.dropLast(2) { _ = try inquiry.take(message) }
        #expect(throws: WorkerFault.self) { try inquiry.take(.over) }
        #expect(throws: WorkerFault.self) { try inquiry.take(.end(nil)) }
        #expect(inquiry.reply == nil)
    }

    @Test("what is no message of this job ends the worker, and fails its rules", arguments: hostile)
    func refused(cause: String, bytes: [[UInt8]]) {
        let (report, fault, _) = run(bytes, ending: "was killed")
        #expect(fault?.contains(cause) == true, "\(fault ?? "nil")")
        #expect(report.rules.filter { $0.store == "s" }.map(\.rule) == ["a", "b"])
        #expect(report.rules.allSatisfy { $0.deleted <= 1 })
    }

    @Test("texts of a worker are cut, and lose what a terminal would obey")
    func texts() {
        var report = RuleReport(Self.task(0))
        let text = "\u{1B}[2J\n" + String(repeating: "x", count: 10_000)
        report.failure = Halt(
            StoreError(.other, operation: text, place: "/etc/passwd", cause: text, hint: text))
        report.outcome = .failed
        let (told, _, _) = run([
            Self.line(WorkerMessage(.ruleFinished(report))), Self.line(Self.ended(1)), Self.line(.end(nil)),
        ])
        let failure = told.rules[0].failure
        for text in [failure?.operation, failure?.cause, failure?.hint] {
            #expect(text?.utf8.contains { $0 < 32 && $0 != 10 } == false && text?.count ?? 9_999 <= 4_000)
        }
    }

    @Test("what a guard held is of the job's rule and place, whatever the worker names")
    func foreignHold() {
        let foreign = HeldRule(
            RetentionRule(
                name: "a", store: "s", table: "other", expiry: .age(column: "at", keep: Span(1, .day))),
            place: "/elsewhere", cutoff: .distantPast, timeZone: .gmt, expired: 5, rows: 6, change: nil)
        var report = RuleReport(Self.task(0), outcome: .held)
        report.held = foreign
        let (told, _, _) = run([
            Self.line(WorkerMessage(.ruleFinished(report))), Self.line(Self.ended(1)), Self.line(.end(nil)),
        ])
        let held = told.rules[0].held
        #expect(held?.expired == 5 && held?.rows == 6 && held?.place == "/fake/s")
        #expect(held?.rule == RuleText(Self.rules[0]) && held?.change == "new")
    }
}
