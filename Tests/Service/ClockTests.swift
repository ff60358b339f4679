import Foundation
import Testing

extension ServiceTests {
    @Suite("The service's clock")
    struct ClockTests {
        let service: FreshService

        init() throws { service = try FreshService() }

        @Test(
            "a service that may not ask the kernel about the clock has systemd-timedated ask, and goes by that"
        )
        func asksTimeDate() throws {
            // A year ago, by a machine that has been started since.
            try service.container.shell(
                """
                systemctl stop systemd-timedated
                pruned --run-now
                sqlite3 /var/lib/pruned/ledger/state.sqlite \
                    "UPDATE clock SET time = (unixepoch() - 31536000) * 1000000, since_boot = 1000000000000000"
                """)
            try service.start()
            let clock = try service.container.run("timedatectl", "show", "--property=NTPSynchronized")
            try service.container.run("systemctl", "stop", "systemd-timedated")
            try service.signal("USR1")
            try eventually("the answer") {
                try service.container.attempt("systemctl", "is-active", "systemd-timedated").status == 0
            }
            if clock == "NTPSynchronized=yes" {
                try eventually("a run") { try service.isIdle() }
            } else {
                try eventually("the hold") {
                    try service.property("StatusText").contains("nothing is pruned: the clock says")
                }
                #expect(
                    try service.journal().contains {
                        $0["PRUNED_OUTCOME"] == "held" && $0["MESSAGE"]?.contains("--trust-clock") == true
                    })
            }
        }
    }
}
