import CProcess
import FoundationEssentials
import Glibc
import Pruning
import Retention

/// A process that does one store's job, seen from the process that started it.
struct WorkerProcess {
    private let id: pid_t
    /// The ends of its pipes on this side. A message wakes the one who waits for the worker.
    private let input, output, errors, wake: Int32
    private let waker: Int32

    /// How long a worker may take to end after it was told to. A service manager waits ten seconds.
    private static let longestEnd = Duration.seconds(8)
    /// The same for a worker that only looks.
    private static let longestLastLook = Duration.seconds(1)
    /// The time between two looks at what a worker has used.
    private static let watchInterval = Duration.milliseconds(500)
    /// What is kept of the last that a worker wrote to standard error.
    private static let lastWords = 4_096

    /// Does `run` in a process of its own, and returns when that has ended.
    static func execute(_ run: StoreRun, at place: StoreJob.Place) -> StoreRun.Reports {
        var conversation = WorkerConversation(run)
        let end = converse(
            StoreJob(run, at: place), named: run.store.definition.name, run.control, &conversation)
        return conversation.finish(unlessOver: end)
    }

    /// Asks a store or an archive in a process of its own. Throws how that ended, if it did without an answer.
    private static func ask<Answer: Codable & Sendable>(
        _ job: StoreJob, of name: Name, _ control: RunControl, for _: Answer.Type
    ) throws(StoreError) -> Result<Answer, WorkerRefusal> {
        var inquiry = WorkerInquiry<Answer>()
        let end = converse(job, named: name, control, &inquiry)
        switch inquiry.reply {
        case .told(let answer)?: return .success(answer)
        case .refused(let refusal)?: return .failure(refusal)
        case .failed(let error)?: throw error.cleaned
        case nil:
            throw inquiry.stuck ?? .lostWorker(end, during: "look at the store", at: path(of: job.place))
        }
    }

    /// The same where the store is an object of the question.
    static func answer<Answer: Codable & Sendable>(
        to job: StoreJob, of name: Name, _ control: RunControl, as _: Answer.Type = Answer.self
    ) throws(StoreError) -> Answer {
        guard case .success(let answer) = try ask(job, of: name, control, for: Answer.self) else {
            throw .strangeAnswer(at: path(of: job.place))
        }
        return answer
    }

    /// The same for a command, which ends with what the worker refused it for.
    static func demand<Answer: Codable & Sendable>(
        _ job: StoreJob, of name: Name, for _: Answer.Type
    ) throws(Failure) -> Answer {
        let told: Result<Answer, WorkerRefusal>
        do throws(StoreError) {
            told = try ask(job, of: name, RunControl(monotonic: SystemTime.monotonic), for: Answer.self)
        } catch {
            throw Failure(error)
        }
        return try told.mapError { Failure($0) }.get()
    }

    /// Where the store of a job is, or its archive.
    private static func path(of place: StoreJob.Place) -> String {
        place.store?.place ?? OpenedPlace.archive(place.archive, of: place).path
    }

    /// Puts a part of an archive back.
    static func restore(
        _ run: RestoreRun, at place: StoreJob.Place, _ settings: RunSettings, _ control: RunControl
    ) -> RestoreReport {
        let restore = StoreJob.PartRestore(
            run.part, leaseEnd: run.leaseEnd, dryRun: settings.dryRun, lockTime: settings.lockTime)
        do throws(StoreError) {
            let told = try answer(
                to: StoreJob(.restore(restore), at: place), of: run.part.store, control,
                as: RestoreProgress.self)
            guard let report = RestoreReport(run.part, leaseEnd: run.leaseEnd).with(told: told) else {
                throw .strangeAnswer(at: path(of: place))
            }
            return report
        } catch {
            var report = RestoreReport(run.part, leaseEnd: run.leaseEnd)
            let halt = StoreError(
                error.kind, operation: "restore run \(run.part.runID)", place: error.place,
                cause: error.cause, hint: "what is back stays; restore the run again")
            report.end(with: Halt(halt), stopReason: control.stopReason)
            return report
        }
    }

    /// Lets a worker do a job. Returns how it ended.
    private static func converse(
        _ job: StoreJob, named name: Name, _ control: RunControl, _ conversation: inout some WorkerConversing
    ) -> WorkerEnd {
        guard control.stopReason == nil else { return WorkerEnd("was not started", isOfStop: true) }
        do throws(StartFailure) {
            return try WorkerProcess(named: name.description, isServer: !job.place.isFile).do(
                job, control, &conversation)
        } catch {
            return WorkerEnd("could not be started: \(error.cause)")
        }
    }

    private struct StartFailure: Error {
        let cause: String

        init(_ code: Int32) { cause = String(cString: strerror(code)) }
    }

    private init(named name: String, isServer: Bool) throws(StartFailure) {
        var pipes: [[Int32]] = []
        func closeAll() { for end in pipes.joined() { close(end) } }
        for _ in 0..<4 {
            var ends: [Int32] = [-1, -1]
            guard process_pipe(&ends) == 0 else {
                defer { closeAll() }
                throw StartFailure(errno)
            }
            pipes.append(ends)
        }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, pipes[0][0], STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, pipes[1][1], STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, pipes[2][1], STDERR_FILENO)
        process_close_from(&actions, STDERR_FILENO + 1)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        // A group of its own, so that a terminal's ^C is this process's to hear.
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))
        var arguments = (Worker.arguments + [name]).map { strdup($0) } + [nil]
        var variables = Self.environment(isServer: isServer).map { strdup($0) } + [nil]
        defer { for text in arguments + variables { free(text) } }
        var id = pid_t()
        // The program that runs, whatever stands in its place after an upgrade.
        let code = posix_spawn(&id, "/proc/self/exe", &actions, &attributes, &arguments, &variables)
        guard code == 0 else {
            closeAll()
            throw StartFailure(code)
        }
        for end in [pipes[0][0], pipes[1][1], pipes[2][1]] { close(end) }
        (input, output, errors) = (pipes[0][1], pipes[1][0], pipes[2][0])
        (wake, waker) = (pipes[3][0], pipes[3][1])
        self.id = id
        ChildProcesses.add(id)
        for end in [input, output, errors, wake, waker] { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
    }

    /// What is the service manager's is not the worker's. Only one for a server may know what that needs.
    private static func environment(isServer: Bool) -> [String] {
        ["SWIFT_BACKTRACE=enable=no"]
            + ProcessInfo.processInfo.environment.filter { name, _ in
                !["SWIFT_BACKTRACE", "NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "JOURNAL_STREAM"]
                    .contains(name)
                    && (isServer
                        || !["PG", "MARIADB_", "MYSQL_"].contains(where: name.hasPrefix)
                            && name != "CREDENTIALS_DIRECTORY")
            }.map { "\($0)=\($1)" }
    }

    /// Tells the worker its job and listens until it ends. Returns how it ended.
    private func `do`(
        _ job: StoreJob, _ control: RunControl, _ conversation: inout some WorkerConversing
    ) -> WorkerEnd {
        control.whenStopped(self.id) { [waker] in _ = write(waker, "!", 1) }
        defer {
            control.whenStopped(self.id, nil)
            for end in [input, output, errors, wake, waker] { close(end) }
        }
        var outgoing = Array((try? JSONEncoder().encode(job)) ?? Data()) + [UInt8(ascii: "\n")]
        var words: [UInt8] = []
        var looked = SystemTime.monotonic()
        var lines = WorkerLines()
        var watch = WorkerWatch(LockTime(job.place.lockTime), at: looked)
        var nextWatch = looked + Self.watchInterval
        var stopped: Duration?
        var isSilent = false
        let longestEnd = job.changesStore ? Self.longestEnd : Self.longestLastLook
        var verdict: WorkerEnd?
        loop: while true {
            // What has ended would wake at once: the end of standard error may be seen before that of the output, and a stop
            // is asked for once.
            var polled = [
                pollfd(fd: output, events: Int16(POLLIN), revents: 0),
                pollfd(fd: isSilent ? -1 : errors, events: Int16(POLLIN), revents: 0),
                pollfd(fd: stopped == nil ? wake : -1, events: Int16(POLLIN), revents: 0),
                pollfd(fd: outgoing.isEmpty ? -1 : input, events: Int16(POLLOUT), revents: 0),
            ]
            poll(&polled, nfds_t(polled.count), 500)
            let now = SystemTime.monotonic()
            control.beat()
            // This process was stopped meanwhile, and perhaps all others were.
            if now - looked > .seconds(2) { watch.goOn(at: now) }
            looked = now
            if let reason = control.stopReason, stopped == nil {
                stopped = now
                outgoing += Self.line(.stop(reason))
            }
            if !outgoing.isEmpty { send(&outgoing) }
            if let last = Self.read(errors) {
                isSilent = last.isEmpty
                words = Array((words + last).suffix(Self.lastWords))
            }
            switch Self.read(output) {
            case .some([]): break loop
            case .some(let bytes):
                do throws(WorkerFault) {
                    for message in try lines.take(bytes, at: now) {
                        watch.hear(message, at: now)
                        if let answer = try conversation.take(message) { outgoing += Self.line(answer) }
                    }
                    send(&outgoing)
                } catch {
                    verdict = WorkerEnd("was killed: \(error.cause)")
                    break loop
                }
            case nil where now >= nextWatch:
                nextWatch = now + Self.watchInterval
                switch watch.look(at: now, .init(of: id), isStopping: stopped != nil) {
                case .stuck(let stuck)?:
                    conversation.isStuck(stuck)
                    verdict = WorkerEnd("did not go on, and was killed")
                    break loop
                case .silent?:
                    verdict = WorkerEnd(
                        "came to no end in ten minutes, and was killed", isOfStop: stopped != nil)
                    break loop
                case nil: break
                }
            case nil: break
            }
            if let stopped, now - stopped > longestEnd {
                verdict = WorkerEnd("did not end when told to, and was killed", isOfStop: true)
                break loop
            }
        }
        let end = reap(isCondemned: verdict != nil)
        if let last = Self.read(errors) { words = Array((words + last).suffix(Self.lastWords)) }
        let said = String(decoding: words, as: UTF8.self).split(separator: "\n").last.map { " (\($0))" } ?? ""
        return verdict ?? WorkerEnd(end + said)
    }

    private static func line(_ answer: WorkerAnswer) -> [UInt8] {
        Array((try? JSONEncoder().encode(answer)) ?? Data()) + [UInt8(ascii: "\n")]
    }

    /// Writes as much as there is room for. A worker that does not read any more ends soon.
    private func send(_ outgoing: inout [UInt8]) {
        while !outgoing.isEmpty {
            let count = write(input, outgoing, outgoing.count)
            if count < 0 && errno == EPIPE { outgoing = [] }
            guard count > 0 else { return }
            outgoing.removeFirst(count)
        }
    }

    /// What can be read now; empty at the end, and nil if there is nothing yet.
    private static func read(_ end: Int32) -> [UInt8]? {
        var code: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: 1 << 14) { bytes, count in
            let taken = Glibc.read(end, bytes.baseAddress, bytes.count)
            (count, code) = (max(0, taken), taken < 0 ? errno : 0)
        }
        return code == EAGAIN || code == EINTR ? nil : bytes
    }

    /// Waits for the end of the worker, and says how it was. Kills it if it takes long.
    private func reap(isCondemned: Bool) -> String {
        defer { ChildProcesses.remove(id) }
        let begin = SystemTime.monotonic()
        var isKilled = false
        var pause: UInt32 = 100
        while true {
            let waited = SystemTime.monotonic() - begin
            if !isKilled, isCondemned || waited > .seconds(2) {
                kill(-id, SIGKILL)
                isKilled = true
            }
            var status: Int32 = 0
            let ended = waitpid(id, &status, WNOHANG)
            if ended == id { return Self.text(status) }
            guard ended == 0 || errno == EINTR, waited < .seconds(7) else {
                return "was killed, and does not end"
            }
            usleep(pause)
            pause = min(pause * 2, 20_000)
        }
    }

    private static func text(_ status: Int32) -> String {
        let signal = status & 0x7f
        guard signal != 0 else { return "ended with status \(status >> 8 & 0xff)" }
        return "was killed by SIG\(process_signal_name(signal).map { String(cString: $0) } ?? "\(signal)")"
    }
}
