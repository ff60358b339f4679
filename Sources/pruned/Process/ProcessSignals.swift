import Dispatch
import Glibc
import Pruning
import Synchronization

/// The signals of the process.
enum ProcessSignals {
    /// Ignores SIGPIPE and SIGXFSZ, so that a closed pipe or a file-size limit makes the write fail instead.
    static func ignoreUnwanted() {
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
    }

    /// Calls `handler` on `queue` for each of the signals `numbers`, until the returned sources are released. Call this
    /// on the main thread, while all other threads are Dispatch's.
    ///
    /// The signals are blocked, not ignored. A source becomes active on another thread some time after `resume()`. An
    /// ignored signal would be lost until then, while a blocked one stays pending. Dispatch's own threads block all
    /// signals.
    static func handle(
        _ numbers: [Int32], on queue: DispatchQueue, _ handler: @escaping @Sendable (Int32) -> Void
    ) -> [any DispatchSourceSignal] {
        block(numbers)
        return numbers.map { number in
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler { handler(number) }
            source.resume()
            return source
        }
    }

    /// Lets these signals wait for ``handle(_:on:_:)``. Call this before the first thread of Dispatch begins: until such a
    /// thread runs and blocks all signals, it has the mask of the thread that made it, and one that blocks nothing would
    /// let the signal end the process.
    static func block(_ numbers: [Int32]) {
        var blocked = sigset_t()
        sigemptyset(&blocked)
        for number in numbers { sigaddset(&blocked, number) }
        pthread_sigmask(SIG_BLOCK, &blocked, nil)
    }

    /// The first SIGTERM or SIGINT calls `stop` with the signal's name. The second one ends the process at once, with
    /// the exit status `status`.
    static func stop(
        on queue: DispatchQueue, status: @escaping @Sendable (Int32) -> Int32 = { 128 + $0 },
        _ stop: @escaping @Sendable (String) -> Void
    ) -> [any DispatchSourceSignal] {
        let isStopping = Atomic(false)
        return handle([SIGTERM, SIGINT], on: queue) { number in
            if isStopping.exchange(true, ordering: .relaxed) {
                ChildProcesses.killAll()
                _exit(status(number))
            }
            stop(name(number))
        }
    }

    /// Stops a run on SIGTERM or SIGINT, after the current batch.
    static func stop(_ control: RunControl) -> [any DispatchSourceSignal] {
        stop(on: DispatchQueue(label: "pruned.signals")) { control.requestStop("stopped by \($0)") }
    }

    /// The signal's name, such as `SIGTERM`.
    static func name(_ number: Int32) -> String {
        switch number {
        case SIGTERM: "SIGTERM"
        case SIGINT: "SIGINT"
        case SIGHUP: "SIGHUP"
        case SIGUSR1: "SIGUSR1"
        case SIGUSR2: "SIGUSR2"
        default: "signal \(number)"
        }
    }
}
