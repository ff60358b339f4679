import Foundation

/// Row 11: the service, with nothing to do.
struct IdleService: Case {
    /// As the installed unit has it.
    private static let watchdogSeconds = 30
    private static let ping = "WATCHDOG=1"

    var rows: [String] { ["11"] }

    func measure(_ wanted: Set<String>, in laboratory: Laboratory) throws -> [Finding] {
        let recipe = StoreRecipe(schema: .reader, ids: .followingTime, records: 100_000)
        let copy = try laboratory.masters.copy(of: recipe)
        defer { try? laboratory.masters.removeCopy() }
        // Its one rule, which runs when the service starts, is due again in a day.
        let job = Job(recipe: recipe, expiring: .readRecords(.half))
        let policy = Policy(job: job, now: Int64(Date().timeIntervalSince1970))
        try policy.description.write(toFile: copy.configuration, atomically: false, encoding: .utf8)
        // Not beside the store: the path of a socket is short.
        let socketPath = "/tmp/prune-benchmark-\(getpid())"
        let socket = try NotifySocket(at: socketPath)
        defer { unlink(socketPath) }
        var program = Program(
            laboratory.pruned, ["--config", copy.configuration, "--state-dir", copy.directory])
        program.environment = [
            "NOTIFY_SOCKET": socketPath, "WATCHDOG_USEC": String(Self.watchdogSeconds * 1_000_000),
        ]
        let service = try RunningProgram(program)
        try socket.wait(for: "STATUS=Idle", seconds: 60)
        let seconds = laboratory.sizes.idleSeconds
        // Threads that have nothing to do anymore end after some seconds.
        MonotonicClock.sleep(milliseconds: Int64(seconds) * 200)
        _ = socket.count(of: Self.ping)
        let watch = try WakeupWatch(of: service.processID, seconds: seconds) { socket.count(of: Self.ping) }
        service.send(SIGTERM)
        try service.wait().checked()

        let inTenSeconds = 10 / Double(seconds)
        let detail = """
            in \(seconds) s: woken \(watch.wakeups) times, \(watch.pings) of them to ping the watchdog; \
            \(watch.contextSwitches) context switches of at most \(watch.threads) threads, \
            \(watch.processorMilliseconds) ms of CPU
            """
        return [
            Finding(
                "11", "wakeups of the idle service beyond its watchdog's",
                Double(watch.wakeups - watch.pings) * inTenSeconds, .below(1, "in 10 s"), detail: detail)
        ]
    }
}
