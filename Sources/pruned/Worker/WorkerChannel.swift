import Dispatch
import FoundationEssentials
import Glibc
import Pruning
import Retention
import Synchronization

/// How a worker process talks with the process that started it: a job and answers on standard input, messages on standard
/// output, one line each.
final class WorkerChannel: Sendable {
    private let output = Mutex(())
    private let answers = Mutex<[WorkerAnswer]>([])
    private let answered = DispatchSemaphore(value: 0)

    /// What was read and is no whole line yet.
    private let input = Mutex<[UInt8]>([])

    /// The next line that comes; nil at the end.
    private func line(beforeReading wait: () -> Void = {}) -> Data? {
        input.withLock { input in
            while true {
                if let end = input.firstIndex(of: UInt8(ascii: "\n")) {
                    defer { input.removeSubrange(...end) }
                    return Data(input[..<end])
                }
                wait()
                guard let more = Self.read() else { return nil }
                input += more
            }
        }
    }

    /// Waits for the job.
    func job() -> StoreJob? { line().flatMap { try? JSONDecoder().decode(StoreJob.self, from: $0) } }

    /// Reads answers from now on, and tells meanwhile what the run is at. Without the process that started it, a worker ends
    /// after its batch, or after `longestEnd`.
    ///
    /// One thread does both: a timer of Dispatch would start another one, in each worker. The thread of the run tells
    /// nothing while it has a lock: nobody may be reading.
    func listen(for control: RunControl) {
        DispatchQueue(label: "pruned.answers").async { [self] in
            var signs = ToldSigns()
            var next = SystemTime.monotonic() + Self.interval
            let tick = { signs.next(control.signs).forEach(self.tell) }
            while let line = line(beforeReading: { Self.wait(ticking: tick, &next) }),
                let answer = try? JSONDecoder().decode(WorkerAnswer.self, from: line)
            {
                if case .stop(let reason) = answer { control.requestStop(reason) } else { take(answer) }
            }
            control.requestStop("pruned has ended")
            take(.no)
            sleep(Self.longestEnd)
            _exit(ExitStatus.failed.rawValue)
        }
    }

    /// Waits for something to read. Calls `tick` whenever it is time to.
    private static func wait(ticking tick: () -> Void, _ next: inout Duration) {
        var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        repeat {
            let now = SystemTime.monotonic()
            if now >= next {
                tick()
                next = now + interval
            }
        } while poll(&input, 1, Int32(max(0, (next - SystemTime.monotonic()) / .milliseconds(1))) + 1) <= 0
    }

    private static let longestEnd: UInt32 = 3
    /// The time between two looks at what the run is at.
    private static let interval = Duration.milliseconds(250)

    private func take(_ answer: WorkerAnswer) {
        answers.withLock { $0.append(answer) }
        answered.signal()
    }

    private static func read() -> [UInt8]? {
        while true {
            var code: Int32 = 0
            let bytes = [UInt8](unsafeUninitializedCapacity: 1 << 14) { bytes, count in
                let taken = Glibc.read(STDIN_FILENO, bytes.baseAddress, bytes.count)
                (count, code) = (max(0, taken), taken < 0 ? errno : 0)
            }
            if code != EINTR { return bytes.isEmpty ? nil : bytes }
        }
    }

    /// Writes a message. It is lost if nobody reads any more.
    func tell(_ message: WorkerMessage) {
        guard let data = try? JSONEncoder().encode(message) else { return }
        let line = String(decoding: data, as: UTF8.self) + "\n"
        output.withLock { _ in _ = StandardStream.output.writeIfPossible(line) }
    }

    /// Tells an answer, and that it is all.
    func tell<Answer>(_ reply: WorkerReply<Answer>) {
        let messages = (try? reply.messages()) ?? []
        for (index, message) in messages.enumerated() {
            // Long lines must not be more in a second than the other side puts up with.
            if index > 0, case .answer = message { usleep(65_000) }
            tell(message)
        }
    }

    /// Writes a message and waits for its answer. Throws if there is none, or if it says that something failed.
    private func ask(_ message: WorkerMessage) throws(StoreError) -> Bool {
        tell(message)
        answered.wait()
        switch answers.withLock({ $0.removeFirst() }) {
        case .ok: return true
        case .no, .stop: return false
        case .failed(let error): throw error
        }
    }
}

extension WorkerChannel: ConfirmationMemory {
    func begin(
        _ rule: Name, by confirmed: Hold, of rows: RowsFingerprint, at date: Date
    ) throws(StoreError) -> (any ConfirmedRest)? {
        try ask(.begins(rule, rows)) ? Rest(rule, self) : nil
    }

    func forget(_ rule: Name) throws(StoreError) { _ = try ask(.forget(rule)) }

    private final class Rest: ConfirmedRest {
        private let rule: Name
        private let channel: WorkerChannel

        init(_ rule: Name, _ channel: WorkerChannel) { (self.rule, self.channel) = (rule, channel) }

        func take(_ gone: RowsFingerprint) throws(StoreError) {
            guard try channel.ask(.gone(rule, gone)) else {
                throw StoreError(
                    .interrupted, operation: "record what is left of a confirmed deletion",
                    place: "the ledger",
                    cause: "pruned has ended")
            }
        }
    }
}
