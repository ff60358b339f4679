import Foundation
import Testing

/// The service with nothing to do.
struct IdleTests {
    @Test("once it has created its store, run and reloaded, nothing wakes the idle service up")
    func sleeps() throws {
        let state = try StateDirectory()
        let file = try state.configuration(ServiceTests.policy(column: "timestamp", keep: "30d"))
        let service = try Service(on: state, arguments: ["--config", file])
        try service.waitForFirstRun()
        try expectSleep(service, "after its first run")

        try state.store.query("INSERT INTO item VALUES (1, unixepoch())")
        for _ in 0..<3 {
            try state.store.query("INSERT INTO item VALUES (-1, 1000000000)")
            service.process.send(SIGUSR1)
            try service.hear { $0.hasPrefix("STATUS=Idle") }
            #expect(try state.store.count("SELECT count(*) FROM item") == 1)
        }
        try expectSleep(service, "after runs that deleted something")

        service.process.send(SIGHUP)
        try service.hear { $0.contains("RELOADING=1") }
        try service.waitUntilReady()
        try expectSleep(service, "after a reload")
        #expect(try service.stop().status == 0)
    }

    /// A thread pool lets threads go that have had nothing to do for some seconds, and that is an end. What comes again
    /// every second leaves no gap of this length.
    private func expectSleep(_ service: Service, _ when: String) throws {
        try eventually("three seconds of sleep \(when)", seconds: 30) {
            let before = try service.process.contextSwitches
            Thread.sleep(forTimeInterval: 3)
            return try service.process.contextSwitches == before
        }
    }
}
