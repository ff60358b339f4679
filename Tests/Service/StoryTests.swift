import Foundation
import Testing

extension ServiceTests {
    /// The app's user works, and the service prunes, on the same store at the same time.
    @Suite("The app beside the service")
    struct StoryTests {
        let service: FreshService
        /// With `LONG=1`, ten minutes of load.
        static let seconds = ProcessInfo.processInfo.environment["LONG"] == "1" ? 600 : 10
        static let rate = 200

        init() throws {
            service = try FreshService()
            try service.configure {
                $0.replacing("\"5min\"", with: "\"1s\"").replacing("= \"1d\"", with: "= \"1s\"")
                    .replacing("max_share = 0.5", with: "max_share = 1")
            }
        }

        @Test("the app fills its store, the service prunes it, watch prints what went, and the app works on")
        func story() throws {
            try service.reader("sample", "--records=1000")
            let expired = try service.expiredRows()
            let watch = try watching()
            try service.start()
            try eventually("all that had expired went") {
                try Self.went(watch.output()) == expired
            }

            for round in 1...5 {
                let (old, new) = (round * 2, round * 2 + 1)
                try service.importTimeline([(old, Self.lastYear), (new, Self.today)])
                try service.reader("read", "\(new)")
                try service.reader("unread", "--json")
                try service.reader("items", "add", "10")
                try eventually("the old tweet of round \(round) went") {
                    try service.app("SELECT group_concat(id) FROM tweet WHERE id IN (\(old), \(new))")
                        == "\(new)"
                }
                #expect(try service.app("SELECT count(*) FROM read_record WHERE id = '\(new)'") == "1")
            }
            #expect(try service.app("SELECT count(*) FROM item WHERE timestamp > unixepoch() - 600") == "50")
            // Rows that come and go between two looks are not seen; what is there in the end is.
            let tweets = try service.app("SELECT count(*) FROM tweet")
            try eventually("watch has the last count") {
                let counts = try watch.output().matches(of: #/tweet: .*, (\d+) in all/#)
                return counts.last.map { $0.1 == tweets } ?? false
            }
            try expectNoComplaint(of: watch)
        }

        @Test(
            "200 writes a second and a run every second: no error on either side, and the store stays small")
        func load() throws {
            try service.reader("sample", "--records=1000")
            try service.start()
            try eventually("what the sample brought went") { try Self.total(service.expiredRows()) == 0 }
            let watch = try watching()
            let kept = try service.keptRows()
            let load = try AppProgram(
                "load", "--json", "--rate=\(Self.rate)", "--seconds=\(Self.seconds)", in: service.container)
            var most = 0
            try eventually("the end of the load", within: Self.seconds * 2 + 60, asking: .milliseconds(200)) {
                most = max(most, try Self.total(service.expiredRows()))
                return try !load.isRunning()
            }
            var report = ""
            try eventually("its last words") {
                report = try load.output()
                return !report.isEmpty
            }
            #expect(try load.status() == "0", "\(report)")
            #expect(report.contains("\"writes\":\(Self.rate * Self.seconds)}"), "\(report)")
            // What five seconds bring. All that was written would be more, even in the short version.
            #expect(most < 5 * Self.rate, "so many expired rows stood there at a time")
            #expect(try service.keptRows() == kept)
            #expect(try service.app("PRAGMA integrity_check; PRAGMA foreign_key_check") == "ok")
            try expectNoComplaint(of: watch)
            print("load: \(report); at most \(most) expired rows at a time")
            try load.stop()
        }

        /// Returns once it watches.
        private func watching() throws -> AppProgram {
            let watch = try AppProgram("watch", in: service.container)
            try eventually("watching") { try watch.output().contains("watching") }
            return watch
        }

        private func expectNoComplaint(of watch: AppProgram) throws {
            #expect(try watch.isRunning())
            #expect(try !watch.output().contains("cannot"))
            try watch.stop()
            let complaints = try service.journal().filter { ($0.priority ?? 0) < 5 }.map(\.message)
            #expect(complaints.isEmpty, "\(complaints)")
            #expect(try service.restarts() == 0)
            #expect(try service.property("ActiveState") == "active")
        }

        /// The rows that went by what `reader watch` printed, by table.
        private static func went(_ output: String) -> [String: Int] {
            output.matches(of: #/  ([a-z_]+): (\d+) rows? deleted/#).reduce(into: [:]) { went, match in
                went[String(match.1), default: 0] += Int(match.2) ?? 0
            }
        }

        private static func total(_ rows: [String: Int]) -> Int { rows.values.reduce(0, +) }

        private static let today = Date().formatted(.iso8601)
        private static let lastYear = Date(timeIntervalSinceNow: -365 * 86_400).formatted(.iso8601)
    }
}
