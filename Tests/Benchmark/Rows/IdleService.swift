import Foundation
import TestSupport

extension Measurement {
    /// Row 11: the service, with nothing to do.
    static let idleService = Measurement("11") { race, sizes in
        try race.programs.map { program in
            let watch = try watchIdle(program, race, seconds: sizes.idleSeconds)
            let what = "wakeups of the idle service beyond its watchdog's"
            let value = Double(watch.wakeups - watch.pings) * 10 / Double(sizes.idleSeconds)
            let detail = """
                in \(sizes.idleSeconds) s: woken \(watch.wakeups) times, \(watch.pings) of them to ping the \
                watchdog; \(watch.contextSwitches) context switches of at most \(watch.threads) threads, \
                \(watch.processorMilliseconds) ms of CPU
                """
            let isJudged = program == race.programs.last
            return Finding(
                "11", isJudged ? what : "\(what), \(program)", value,
                isJudged ? .below(1, "in 10 s") : .context("in 10 s"), detail: detail)
        }
    }

    private static func watchIdle(_ program: String, _ race: Race, seconds: Int) throws -> WakeupWatch {
        // Its one rule runs when the service starts, and is due again in a day.
        let job = Job(recipe: StoreRecipe(records: 100_000))
        let copy = try race.masters.copy(of: job.recipe)
        defer { try? race.masters.removeCopy() }
        let policy = Policy(job: job, now: Int64(Date().timeIntervalSince1970))
        try policy.description.write(toFile: copy.configuration, atomically: false, encoding: .utf8)
        let socket = try NotifySocket()
        var command = Program(program, ["--config", copy.configuration, "--state-dir", copy.directory])
        // The watchdog is the installed unit's.
        command.environment = ["NOTIFY_SOCKET": socket.path, "WATCHDOG_USEC": "30000000"]
        let service = try command.start()
        try socket.hear("STATUS=Idle", seconds: 60)
        // Idle threads end after some seconds.
        MonotonicClock.sleep(milliseconds: Int64(seconds) * 200)
        let ping = "WATCHDOG=1"
        _ = try socket.count(of: ping)
        let watch = try WakeupWatch(of: service.processID, seconds: seconds) { try socket.count(of: ping) }
        service.send(SIGTERM)
        try service.wait().checked()
        return watch
    }
}
