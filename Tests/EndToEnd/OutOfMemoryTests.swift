import TestSupport
import Foundation
import Testing

/// What is told when the machine has no memory left.
@Suite struct OutOfMemoryTests {
    /// Less than a parser of six lines allocates.
    private static let step = 9

    @Test("a policy for which there is no memory is said to be unreadable, not wrong")
    func policy() throws {
        let sandbox = try Sandbox()
        var program = Program.pruned
        let policy = """
            [store.app]
            path = "app.db"
            [rule.old]
            store = "app"
            table = "item"
            age_column = "at"
            keep = "30d"
            """
        program.arguments = ["check", "--config-only", "--config", try sandbox.write("pruned.toml", policy)]
        let log = sandbox.path + "/allocations"
        /// Ends it with one allocation failed; 0 only counts them.
        func check(failing number: Int) throws -> EndedProgram {
            program.prefix = [
                "env", "LD_PRELOAD=\(Program.builtPrograms)/libFaults.so", "FAULTS_OF=others",
                "FAULTS_AT=\(number)", "FAULTS_WAY=ENOMEM", "FAULTS_LOG=\(log)", "SWIFT_BACKTRACE=enable=no",
            ]
            return try program.run()
        }
        try check(failing: 0).checked()
        let count = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n").count
        var unreadable = 0
        // The policy is read late: before it come the command line and its help.
        for number in stride(from: count * 3 / 4, to: count, by: Self.step) {
            let ended = try check(failing: number)
            // Swift's runtime aborts where it gets no memory.
            guard ended.status != 0, ended.status < 128 else {
                if unreadable > 0 { break }
                continue
            }
            #expect(
                ended.status == 74 && ended.errors.contains("cannot be read: Cannot allocate memory"),
                "allocation \(number) of \(count): \(ended)")
            unreadable += 1
        }
        #expect(unreadable > 0)
    }
}
