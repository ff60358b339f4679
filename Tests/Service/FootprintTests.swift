import Foundation
import Testing

extension ServiceTests {
    @Suite("The service's footprint")
    struct FootprintTests {
        let service: FreshService

        init() throws { service = try FreshService() }

        @Test("a service that has pruned and is idle again holds at most 19 MB")
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
            #expect(kilobytes <= 19 * 1_024)
        }
    }
}
