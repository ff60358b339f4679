import Foundation
import Testing

extension ServiceTests {
    @Suite("The service's footprint")
    struct FootprintTests {
        let service: FreshService

        init() throws { service = try FreshService() }

        @Test("a service that has pruned and is idle again holds at most 16 MB")
        func memory() throws {
            try service.container.run(
                "runuser", "-u", "app", "--", "reader", "sample", "--state-dir=/var/lib/pruned")
            try service.start()
            try eventually("pruned") {
                try service.journal().contains { $0["PRUNED_RULE"] == "read-records" } && service.isIdle()
            }
            let process = try service.property("MainPID")
            let resident = try service.container.shell("sed -n 's/^VmRSS:\\s*//p' /proc/\(process)/status")
            print("resident: \(resident)")
            let kilobytes = try #require(Int(resident.split(separator: " ")[0]))
            #expect(kilobytes * 1_024 <= 16_000_000)
        }

        @Test("the service is ready within 100 ms of its start")
        func timeToReady() throws {
            // The best of five, since the machine has other things to do.
            let milliseconds = try (1...5).map { _ in
                try service.container.run("systemctl", "restart", "pruned")
                let started = try #require(Double(service.property("ExecMainStartTimestampMonotonic")))
                let ready = try #require(Double(service.property("ActiveEnterTimestampMonotonic")))
                return (ready - started) / 1_000
            }
            print("ready after: \(milliseconds) ms")
            #expect(try #require(milliseconds.min()) < 100)
        }
    }
}
