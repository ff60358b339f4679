import CProcess
import DefaultStore
import FoundationEssentials
import Glibc
import Pruning
import SQLite

/// A worker process: opens one store for one job, such as a run of its rules.
///
/// Whoever owns a store may have made it so that reading it crashes SQLite, does not end, or takes all memory. Then only this
/// process ends.
enum Worker {
    /// The command line of a worker, but for the name of its store, which is there for whoever lists processes.
    static let arguments = ["pruned", "worker"]

    /// The address space that a worker may use: an archived row takes eight times its size.
    private static let mostMemory: rlim_t = 1 << 30
    /// The same to put back what was archived: what went must be able to come back.
    private static let mostMemoryToRestore: rlim_t = 4 << 30

    /// Whether the process was started as a worker: no person can do that.
    static func isMeant(by arguments: [String]) -> Bool {
        guard arguments.count == 3, arguments[1] == Self.arguments[1] else { return false }
        var status = stat()
        return [STDIN_FILENO, STDOUT_FILENO].allSatisfy {
            fstat($0, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
        }
    }

    /// Does the job that is read from standard input, and ends the process.
    static func main() -> Never {
        ProcessSignals.ignoreUnwanted()
        process_name("pruned")  // the kernel named it after /proc/self/exe
        let channel = WorkerChannel()
        guard let job = channel.job() else { _exit(ExitStatus.usage.rawValue) }
        limitResources(for: job.work)
        if job.place.isFile { confine(to: job) }
        let control = RunControl(monotonic: SystemTime.monotonic)
        channel.listen(for: control)
        let place = OpenedPlace(job.place)
        switch job.work {
        case .run(let run): perform(run, at: place, channel, control)
        case .fit(let rules, let isMeasured):
            let archive = isMeasured ? place.archive : nil
            reply(on: channel) { StoreFit(of: place.store, measuredWith: archive, rules, control) }
        case .newestTimes(let rules, let date):
            reply(on: channel) {
                ClockWitnesses.newestTimes(of: rules, in: place.store, notAfter: date, control)
            }
        case .measures(let tasks):
            reply(on: channel) { StoreMeasures(of: place.store, archive: place.archive, tasks, control) }
        case .check(let tasks):
            let sketching = OpenedPlace.sketching(place.store.definition.kind, control)
            reply(on: channel) {
                StoreChecking(of: place.store, for: tasks, sketching: sketching, control).take()
            }
        case .judgement(let key, let task):
            look(at: place.store, control, channel) { view in
                try UnitCheck(task: task, place: place.store.definition.place).check(view)
                return try view.judge(key, by: task)
            }
        case .members: reply(on: channel) { try OpenedPlace.members(of: place.store.definition, control) }
        case .schema: look(at: place.store, control, channel) { try $0.schema() }
        case .suggestion(let suggested):
            let sketching = OpenedPlace.sketching(suggested.kind, control)
            reply(on: channel) {
                try Suggestion(suggested, sketching: sketching, control) {
                    place.reopened(as: $0, rules: $1)
                }.proposal()
            }
        case .restore(let restore):
            let settings = RunSettings(
                dryRun: restore.dryRun, lockTime: restore.lockTime, monotonic: SystemTime.monotonic)
            let run = RestoreRun(
                restore.part, into: place.store, leaseEnd: restore.leaseEnd, settings: settings,
                control: control)
            reply(on: channel) { run.execute().progress }
        case .archiveContents: reply(on: channel) { try place.file.parts(control) }
        case .archiveText(let part, let format, let position):
            reply(on: channel) { try place.file.text(of: part, as: format, from: position, control) }
        case .creation(let isMissing):
            reply(on: channel) { try create(place.store.definition.place, isMissing: isMissing) }
        case .move: reply(on: channel) { try move(in: job.place.stateDirectory) }
        }
        _exit(ExitStatus.done.rawValue)
    }

    /// Tells what `body` returns, or why it throws.
    private static func reply<Answer: Codable & Sendable>(
        on channel: WorkerChannel, _ body: () throws -> Answer
    ) {
        let reply: WorkerReply<Answer>
        do {
            reply = .told(try body())
        } catch let error as StoreError {
            reply = .failed(error)
        } catch let failure as Failure {
            reply = .refused(failure.refusal)
        } catch {
            reply = .refused(Failure(.failed, "\(error)").refusal)
        }
        channel.tell(reply)
    }

    private static func look<Answer: Codable & Sendable>(
        at store: any PrunableStore, _ control: RunControl, _ channel: WorkerChannel,
        _ body: (any ViewContext) throws -> Answer
    ) {
        reply(on: channel) {
            let view = try store.openView(control)
            defer { view.close() }
            return try body(view)
        }
    }

    /// Returns whether the store is made or completed.
    private static func create(_ path: String, isMissing: Bool) throws -> Bool {
        do throws(ReaderStoreError) {
            if isMissing {
                try StoreCreation.createIfMissing(at: path)
            } else {
                try StoreCreation.completeOlder(at: path)
            }
            return true
        } catch {
            // No database: the run reports it, and the other stores are pruned.
            guard error.kind == .damaged else { throw Failure(error) }
            return false
        }
    }

    private static func move(in stateDirectory: String) throws -> Bool {
        do throws(ReaderStoreError) { try StoreMove.perform(in: stateDirectory) } catch {
            throw Failure(error)
        }
        return true
    }

    private static func perform(
        _ run: StoreJob.Run, at place: OpenedPlace, _ channel: WorkerChannel, _ control: RunControl
    ) {
        let run = run.made(
            on: place.store, archive: place.archive, holds: channel, machine: .system,
            monotonic: SystemTime.monotonic, control: control
        ) { channel.tell(WorkerMessage($0)) }
        let reports = run.executeRules()
        channel.tell(.end(reports.reclaim?.progress, reports.space))
        if place.file.mayHaveExpired(at: SystemTime.now, control) {
            for report in run.pruneArchive() { channel.tell(.archived(report.rule, report.progress)) }
        }
        channel.tell(.over)
    }

    /// What the kernel tells of processes, such as the name of the one that has an app's lock; what is private to another
    /// one stays so. And the names of users and groups, for hints, and time zones.
    private static let readable = [
        "/proc", "/dev/urandom", "/etc/nsswitch.conf", "/etc/passwd", "/etc/group", "/etc/localtime",
        "/etc/timezone", "/usr/share/zoneinfo",
    ]

    /// Gives up whatever the job does not need. A kernel without landlock leaves the files; `pruned check` says so.
    private static func confine(to job: StoreJob) {
        let place = job.place
        let temporary = ["SQLITE_TMPDIR", "TMPDIR"].compactMap { ProcessInfo.processInfo.environment[$0] }
        // SQL functions may ask for the local time: the C library reads its zone once.
        tzset()
        // The modes of files are set with paths, which is given up here.
        umask(0)
        let archive = (place.usesArchive ? [place.archive] : []) + place.others.names
        var files = [place.store?.file].compactMap { $0?.directory }
        var readable = readable
        if case .paths(let pattern) = place.store?.family {
            (files, readable) = ([], readable + [pattern.path.directory])
        }
        let directories = archive.map { OpenedPlace.archive($0, of: place).directory } + files
        // The store's directory is there the state directory, and has the one that it is moved to.
        let moves: Int32 = if case .move = job.work { 1 } else { 0 }
        withUnsafePointers(to: directories + temporary + ["/tmp", "/var/tmp"]) { directories in
            withUnsafePointers(to: readable) { readable in
                guard process_confine_files(directories, readable, moves) >= 0 else {
                    StandardStream.error.writeIfPossible(
                        "the kernel has landlock and does not let this process use it\n")
                    _exit(ExitStatus.failed.rawValue)
                }
            }
        }
        // A new store gets its mode and its owner by its path.
        if case .creation = job.work { return }
        _ = process_confine_calls()
    }

    private static func withUnsafePointers(
        to texts: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Void
    ) {
        let copies = texts.map { UnsafePointer(strdup($0)) } + [nil]
        defer { for copy in copies { free(UnsafeMutablePointer(mutating: copy)) } }
        copies.withUnsafeBufferPointer { if let first = $0.baseAddress { body(first) } }
    }

    /// Leaves the memory of the machine to others, first of all to the process that started this one.
    private static func limitResources(for work: StoreJob.Work) {
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
        var memory = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &memory)
        let most =
            switch work {
            case .restore, .archiveText: mostMemoryToRestore
            default: mostMemory
            }
        memory.rlim_cur = min(memory.rlim_cur, most)
        memory.rlim_max = memory.rlim_cur
        setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &memory)
        let adjustment = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC)
        guard adjustment >= 0 else { return }
        _ = "900".withCString { write(adjustment, $0, 3) }
        close(adjustment)
    }
}

extension String {
    /// The directory of this path.
    fileprivate var directory: String {
        lastIndex(of: "/").map { $0 == startIndex ? "/" : String(self[..<$0]) } ?? "."
    }
}
