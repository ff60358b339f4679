import Dispatch
import FoundationEssentials
import Glibc
import Pruning
import Synchronization

/// The signals of the process.
enum ProcessSignals {
    /// A closed pipe and a file-size limit become errors of the write that met them.
    static func ignoreUnwanted() {
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
    }

    /// Calls `handler` on `queue` for each of `numbers`, until the returned sources are released. To be called on the main
    /// thread, while all others are Dispatch's.
    ///
    /// The signals are blocked, and not ignored: a source is set up on another thread, some time after it is resumed, and
    /// what came before that would be lost. A blocked signal waits. Dispatch's own threads block all signals.
    static func handle(
        _ numbers: [Int32], on queue: DispatchQueue, _ handler: @escaping @Sendable (Int32) -> Void
    ) -> [any DispatchSourceSignal] {
        var blocked = sigset_t()
        sigemptyset(&blocked)
        for number in numbers { sigaddset(&blocked, number) }
        pthread_sigmask(SIG_BLOCK, &blocked, nil)
        return numbers.map { number in
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler { handler(number) }
            source.resume()
            return source
        }
    }

    /// The first SIGTERM or SIGINT calls `stop` with its name. The second one ends the process at once, with `status` of it.
    static func stop(
        on queue: DispatchQueue, status: @escaping @Sendable (Int32) -> Int32 = { 128 + $0 },
        _ stop: @escaping @Sendable (String) -> Void
    ) -> [any DispatchSourceSignal] {
        let isStopping = Atomic(false)
        return handle([SIGTERM, SIGINT], on: queue) { number in
            if isStopping.exchange(true, ordering: .relaxed) { _exit(status(number)) }
            stop(name(number))
        }
    }

    /// The same for a run, which ends after the batch in hand.
    static func stop(_ control: RunControl) -> [any DispatchSourceSignal] {
        stop(on: DispatchQueue(label: "pruned.signals")) { control.requestStop("stopped by \($0)") }
    }

    /// `SIGTERM` and the like.
    static func name(_ number: Int32) -> String {
        switch number {
        case SIGTERM: "SIGTERM"
        case SIGINT: "SIGINT"
        case SIGHUP: "SIGHUP"
        case SIGUSR1: "SIGUSR1"
        default: "signal \(number)"
        }
    }
}
