import Glibc

/// The service's answer to its last reload signal. A signal cannot carry an answer, so the sender of the signal reads
/// this record.
package struct ReloadAnswer: Codable, Equatable, Sendable {
    /// Why the configuration was refused, and what to do about it.
    package struct Reason: Codable, Equatable, Sendable {
        package let what: String
        /// What a person can do about it.
        package let hint: String?

        package init(what: String, hint: String?) {
            self.what = what
            self.hint = hint
        }
    }

    /// The service's process.
    package let process: pid_t
    /// When the service began to read the configuration, in microseconds of a monotonic clock.
    package let began: Int64
    /// 0 when the configuration is in force; otherwise the exit status for what is wrong with it.
    package let status: Int32
    /// Empty when the configuration is in force.
    package let reasons: [Reason]

    package init(process: pid_t, began: Duration, status: Int32, reasons: [Reason]) {
        self.process = process
        self.began = Int64(began / .microseconds(1))
        self.status = status
        self.reasons = reasons
    }

    /// Whether this answers a signal sent to `process` at `instant`. An answer to an earlier signal does not count: the
    /// files may have changed since.
    package func answers(_ process: pid_t, toldAt instant: Duration) -> Bool {
        self.process == process && began >= Int64(instant / .microseconds(1))
    }
}
