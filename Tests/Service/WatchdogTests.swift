import Foundation
import Testing

extension ServiceTests {
    /// With a watchdog of 3 s instead of 30 s, so that it can be seen at work.
    @Suite("The watchdog")
    struct WatchdogTests {
        let service: FreshService

        init() throws {
            service = try FreshService()
            try service.override("WatchdogSec=3s")
            try service.start()
            try eventually("idle") { try service.isIdle() }
        }

        @Test("a frozen process is gone within the watchdog time and a second, and the service comes back")
        func frozen() throws {
            let process = try service.property("MainPID")
            let restarts = try service.restarts()
            try service.signal("STOP")
            let time = try eventually("the frozen process is gone") {
                try service.property("MainPID") != process
            }
            #expect(time < .seconds(4))
            #expect(try service.property("Result") == "watchdog")
            try eventually("active again") { try service.property("ActiveState") == "active" }
            #expect(try service.restarts() == restarts + 1)
        }

        @Test("a service that is idle for longer than the watchdog time is left alone")
        func idle() throws {
            let process = try service.property("MainPID")
            let restarts = try service.restarts()
            let clock = ContinuousClock()
            let end = clock.now + .seconds(7)
            while clock.now < end {
                usleep(500_000)
                #expect(try service.property("MainPID") == process)
            }
            #expect(try service.restarts() == restarts)
        }
    }
}
