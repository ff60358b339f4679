import Foundation
import TestSupport
import Testing

/// A worker process that the owner of its store has taken over: what it can reach is the kernel's to say.
struct ConfinementTests {
    @Test(
        "reaches no file outside of the directories of its store and its archive, no socket and no other process"
    )
    func takenOver() throws {
        // Not below the directory for temporary files, which a worker may use.
        let place = "/dev/shm/pruned-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: place) }
        let victim = place + "/victim"
        try Data("precious".utf8).write(to: URL(filePath: victim))
        let state = try StateDirectory.sampled(records: 1_000)
        var program = state.pruned("--run-now", "--json")
        program.environment = [
            "LD_PRELOAD": Program.builtPrograms + "/libFaults.so", "FAULTS_TAKES": victim,
            "FAULTS_TAKEN": place + "/report",
        ]
        try program.run().checked()
        let lines = try String(contentsOfFile: place + "/report", encoding: .utf8)
            .split(separator: "\n")
        #expect(Set(lines).count == 27 && lines.allSatisfy { $0.hasPrefix("refused ") }, "\(lines)")
        #expect(try String(contentsOfFile: victim, encoding: .utf8) == "precious")
        #expect(try FileManager.default.contentsOfDirectory(atPath: place).sorted() == ["report", "victim"])
        #expect(try state.store.count(LargeStore.expired) == 0)
    }
}
