import Dispatch
import Foundation

/// The signals of the process.
enum ProcessSignals {
    /// A closed pipe and a file-size limit become errors of the write that met them.
    static func ignoreUnwanted() {
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
    }

    /// Calls `handler` on `queue` for each of `numbers`, until the returned sources are released.
    static func handle(
        _ numbers: [Int32], on queue: DispatchQueue, _ handler: @escaping @Sendable (Int32) -> Void
    ) -> [any DispatchSourceSignal] {
        numbers.map { number in
            signal(number, SIG_IGN)  // else the default action comes first
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler { handler(number) }
            source.resume()
            return source
        }
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
