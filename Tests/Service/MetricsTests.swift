import Foundation
import Testing

extension ServiceTests {
    @Suite("Metrics")
    struct MetricsTests {
        let service: FreshService
        private let directory = "/var/lib/prometheus/node-exporter"
        private var file: String { directory + "/pruned.prom" }

        init() throws {
            service = try FreshService()
            try service.container.shell("rm -rf \(directory)")
            try service.configure { "metrics_file = \"\(file)\"\n" + $0 }
        }

        private func makeDirectory() throws {
            try service.container.shell("install -d -g pruned -m 775 \(directory)")
        }

        /// What the manual tells administrators to put in a drop-in.
        private func addDocumentedHole() throws {
            let page = try String(
                contentsOf: Checkout.root.appending(path: "systemd/man/pruned.service.8"), encoding: .utf8)
            let setting = try #require(page.split(separator: "\n").first { $0.hasSuffix("=-" + directory) })
            try service.override(String(setting))
        }

        private func complaint() throws -> JournalRecord {
            try eventually("said") { try service.journal().contains { $0.message.contains(file) } }
            return try #require(service.journal().first { $0.message.contains(file) })
        }

        @Test("the documented drop-in lets the service write them")
        func written() throws {
            try makeDirectory()
            try addDocumentedHole()
            try service.start()
            try eventually("written") {
                try service.container.attempt("grep", "-q", "^pruned_build_info", file).status == 0
            }
            #expect(try !service.journal().contains { $0.priority ?? 7 < 5 })
        }

        @Test("without it the service prunes all the same, and says what the sandbox needs")
        func withoutHole() throws {
            try makeDirectory()
            try service.start()
            let complaint = try complaint()
            #expect(complaint.priority == 3)
            #expect(complaint.message.contains("cannot write the metrics in \(file): Read-only file system"))
            #expect(complaint.message.contains("ReadWritePaths=-\(directory)"))
            try eventually("idle") { try service.isIdle() }
        }

        @Test("with it the service starts also where there is no such directory, and says that")
        func withoutDirectory() throws {
            try addDocumentedHole()
            try service.start()
            let complaint = try complaint()
            #expect(complaint.message.contains("cannot write the metrics in \(file): No such file"))
            #expect(complaint.message.contains("the directory must be there"))
            try eventually("idle") { try service.isIdle() }
        }
    }
}
