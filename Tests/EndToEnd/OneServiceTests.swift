import Foundation
import Testing

/// A state directory has one service at a time.
@Suite(.serialized) struct OneServiceTests {
    @Test("a second one is refused, with what the first one is, which goes on undisturbed")
    func second() throws {
        let state = try StateDirectory.sampled(records: 100)
        let first = try Service(on: state)
        try first.waitForFirstRun()
        let second = try state.pruned().run(seconds: 20)
        #expect(second.status == 75 && second.output.isEmpty, "\(second)")
        let process = first.process.processID
        #expect(
            second.errors == """
                pruned: cannot serve in \(state.path): process \(process) serves it already
                        stop that one first (kill \(process)), or give this one a --state-dir of its own

                """)
        #expect(try state.pruned("status", "--json").run().checked().statusReport().serviceRunning == true)
        try state.runNow.run().checked()
        #expect(try first.stop().status == 0)
    }

    @Test("the next one starts as soon as the first is gone, however it went", arguments: [SIGKILL, SIGTERM])
    func next(signal: Int32) throws {
        let state = try StateDirectory.sampled(records: 100)
        for _ in 0..<3 {
            let service = try Service(on: state)
            try service.waitUntilReady()
            try service.stop(signal)
        }
    }
}
