import Foundation
import Testing

extension ServiceTests {
    @Suite("The service's footprint")
    struct FootprintTests {
        let service: FreshService

        init() throws { service = try FreshService() }

        @Test("a service that has pruned and is idle again has at most 4 MB of memory of its own")
        func memory() throws {
            try service.container.run(
                "runuser", "-u", "app", "--", "reader", "sample", "--state-dir=/var/lib/pruned")
            try service.start()
            try eventually("pruned") {
                try service.journal().contains { $0["PRUNED_RULE"] == "read-records" } && service.isIdle()
            }
            let process = try service.property("MainPID")
            // How many pages of the program's file are mapped is the kernel's choice.
            let own = try service.container.shell("sed -n 's/^RssAnon:\\s*//p' /proc/\(process)/status")
            let kilobytes = try #require(Int(own.split(separator: " ")[0]))
            #expect(kilobytes <= 4 * 1_024)
        }
    }
}
