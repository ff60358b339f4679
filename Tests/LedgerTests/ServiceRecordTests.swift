import Foundation
import Ledger
import Pruning
import TestSupport
import Testing

/// What the service says of itself.
struct ServiceRecordTests {
    private let directory: TemporaryDirectory
    private let ledger: Ledger

    init() throws {
        directory = try TemporaryDirectory()
        ledger = Ledger(stateDirectory: directory.path)
    }

    private var record: ServiceRecord {
        var record = ServiceRecord(
            policy: "[rule.r]\nkeep = \"30d\"\n", timeZone: "Europe/Berlin", readAt: runStart)
        record.refusal = .init(at: runStart, reason: "no", hint: nil)
        record.troubles["r"] = RuleTrouble(Reports.rule("r", .held, .clock))
        return record
    }

    @Test("it is read as it was written, and what is done is no trouble")
    func roundTrip() throws {
        #expect(try ledger.read(or: nil) { try $0.serviceRecord() } == nil)
        try ledger.write("test") { try $0.setServiceRecord(record) }
        #expect(try ledger.read(or: nil) { try $0.serviceRecord() } == record)
        #expect(record.troubles["r"]?.waitsFor == .clock && record.troubles["r"]?.cause == "why")
        #expect(RuleTrouble(Reports.rule()) == nil)
    }

    @Test("an answer to a reload is one of the process that was told, and not to what it was told before")
    func answers() {
        let answer = ReloadAnswer(process: 7, began: .seconds(5), status: 0, reasons: [])
        #expect(answer.answers(7, toldAt: .seconds(5)) && !answer.answers(7, toldAt: .seconds(6)))
        #expect(!answer.answers(8, toldAt: .seconds(5)))
    }

    @Test("an answer stays until another one, or who asks takes it away")
    func answered() throws {
        let answer = ReloadAnswer(
            process: 7, began: .seconds(5), status: 78, reasons: [.init(what: "no", hint: nil)])
        func last() throws -> ReloadAnswer? { try ledger.read(or: nil) { try $0.reloadAnswer() } }
        try ledger.write("test") { try $0.setReloadAnswer(answer) }
        #expect(try last() == answer)
        try ledger.write("test") { try $0.setReloadAnswer(nil) }
        #expect(try last() == nil)
    }
}
