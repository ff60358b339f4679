import FoundationEssentials
import Glibc

/// What the service answered when it was last told to read its configuration again, for whoever told it: a signal has no
/// answer of its own.
package struct ReloadAnswer: Codable, Equatable, Sendable {
    /// Why the configuration was refused, and what to do about it.
    package struct Reason: Codable, Equatable, Sendable {
        /// What, where and why.
        package let what: String
        /// What a person can do about it.
        package let hint: String?

        /// See the properties.
        package init(what: String, hint: String?) {
            self.what = what
            self.hint = hint
        }
    }

    /// The service's process.
    package let process: pid_t
    /// When it began to read, in microseconds of a clock that is never set.
    package let began: Int64
    /// 0 where the configuration is in force; else the exit status that says what is wrong with it.
    package let status: Int32
    /// Empty where the configuration is in force.
    package let reasons: [Reason]

    /// See the properties.
    package init(process: pid_t, began: Duration, status: Int32, reasons: [Reason]) {
        self.process = process
        self.began = Int64(began / .microseconds(1))
        self.status = status
        self.reasons = reasons
    }

    /// Whether it is the answer of `process` to what it was told at `instant`: it may be to somebody who asked before,
    /// when the files were not yet what they are.
    package func answers(_ process: pid_t, toldAt instant: Duration) -> Bool {
        self.process == process && began >= Int64(instant / .microseconds(1))
    }
}
