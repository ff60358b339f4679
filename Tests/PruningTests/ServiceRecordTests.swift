import Foundation
import Pruning
import TestSupport
import Testing

/// What the service says of itself in the state directory.
struct ServiceRecordTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.path + "/service.json" }

    init() throws {
        directory = try TemporaryDirectory()
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
        #expect(ServiceRecord.read(stateDirectory: directory.path) == nil)
        try record.write(stateDirectory: directory.path)
        #expect(ServiceRecord.read(stateDirectory: directory.path) == record)
        #expect(record.troubles["r"]?.waitsFor == .clock && record.troubles["r"]?.cause == "why")
        #expect(RuleTrouble(Reports.rule()) == nil)
    }

    @Test("nothing is believed that another user of the directory may have written")
    func foreign() throws {
        try record.write(stateDirectory: directory.path)
        chmod(path, 0o660)
        #expect(ServiceRecord.read(stateDirectory: directory.path) == nil)
        chmod(path, 0o640)
        if geteuid() == 0 {
            chown(path, 4_711, getegid())
            #expect(
                ServiceRecord.read(stateDirectory: directory.path) == nil, "its owner is not the directory's")
            chown(path, 0, getegid())
        }
        rename(path, path + ".moved")
        symlink(path + ".moved", path)
        #expect(ServiceRecord.read(stateDirectory: directory.path) == nil)
        unlink(path)
        mkfifo(path, 0o600)
        #expect(ServiceRecord.read(stateDirectory: directory.path) == nil, "and nobody waits for it")
    }

    @Test("an answer to a reload is one of the process that was told, and not to what it was told before")
    func answers() {
        let answer = ReloadAnswer(process: 7, began: .seconds(5), status: 0, reasons: [])
        #expect(answer.answers(7, toldAt: .seconds(5)) && !answer.answers(7, toldAt: .seconds(6)))
        #expect(!answer.answers(8, toldAt: .seconds(5)))
    }

    @Test(
        "what is no such record counts as none",
        arguments: ["", "{}", "[]", "nonsense", "{\"policy\": 1e300}"])
    func damaged(text: String) throws {
        try text.write(toFile: path, atomically: false, encoding: .utf8)
        chmod(path, 0o640)
        #expect(ServiceRecord.read(stateDirectory: directory.path) == nil)
    }
}
