import Foundation
import TestSupport
import Testing

/// A worker process that the owner of its store has taken over: what it can reach is the kernel's to say.
struct ConfinementTests {
    @Test(
        "reaches no file outside of the directories of its store and its archive, no socket and no other process",
        arguments: ["", "/state/ledger", "/state/archive", "/state/archive/other"])
    func takenOver(directory: String) throws {
        // Not below the directory for temporary files, which a worker may use.
        let place = "/dev/shm/pruned-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: place) }
        let victim = place + directory + "/victim"
        for directory in ["/app", "/state"] {
            try FileManager.default.createDirectory(
                atPath: place + directory, withIntermediateDirectories: false)
        }
        let state = try StateDirectory(at: place + "/state", prefix: [])
        let store = Database(path: place + "/app/app.sqlite")
        let fill = "INSERT INTO t (at) SELECT unixepoch() - 40 * 86400 FROM json_each('[1, 2, 3]')"
        try store.query("CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER); \(fill)")
        var program = try state.runNow(
            configuration: """
                store.app.path = "\(store.path)"
                rule.r = { table = "t", age_column = "at", keep = "30d", archive = true, guard = { max_share = 1 } }
                """)
        // With an archive from before, of which the worker has its own directory only.
        try program.run().checked()
        try store.query(fill)
        try FileManager.default.createDirectory(
            atPath: place + directory, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o750])
        try Data("precious".utf8).write(to: URL(filePath: victim))
        program.environment = [
            "LD_PRELOAD": Program.builtPrograms + "/libFaults.so", "FAULTS_TAKES": victim,
            "FAULTS_TAKEN": place + "/report",
        ]
        try program.run().checked()
        let lines = try String(contentsOfFile: place + "/report", encoding: .utf8)
            .split(separator: "\n")
        #expect(Set(lines).count == 27 && lines.allSatisfy { $0.hasPrefix("refused ") }, "\(lines)")
        #expect(try String(contentsOfFile: victim, encoding: .utf8) == "precious")
        #expect(!FileManager.default.fileExists(atPath: victim + "-beside"))
        #expect(try store.count("SELECT count(*) FROM t") == 0)
        let archive = Database(path: state.path + "/archive/app/archive.sqlite")
        #expect(try archive.count("SELECT sum(row_count) FROM batch") == 6)
    }
}
