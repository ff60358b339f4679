import DefaultStore
import FoundationEssentials
import Glibc
import Logging
import Systemd
import TerminalText

/// Points to the system service's state, which a person without root does not see by default.
enum SystemState {
    /// Logs a notice if the user has no state directory but the system has one, which the user may have meant.
    /// `command` is the command that the user called.
    ///
    /// Also logs a notice if a named directory does not exist: its empty state would look as if nothing had ever run.
    static func remark(to options: CommonOptions, command: String) throws(Failure) {
        let environment = ProcessInfo.processInfo.environment
        let own = try Setup.stateDirectory(options)
        guard access(own, F_OK) != 0, errno == ENOENT else { return }
        let logger = Logger(LogDestination(environment: environment))
        guard options.stateDir == nil else {
            return logger.notice(
                "there is no state directory \(own)",
                metadata: ["hint": "check the path; the service or the first run creates it"])
        }
        guard (environment["STATE_DIRECTORY"] ?? "").isEmpty, own != StateDirectory.system,
            access(StateDirectory.system, F_OK) == 0
        else { return }
        logger.notice(
            "nothing is pruned for you, \(Account.user(geteuid())): there is no \(own)",
            metadata: ["hint": "for the system's service: `sudo \(Setup.program(options, own)) \(command)`"])
    }
}
