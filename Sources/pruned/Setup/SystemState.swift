import DefaultStore
import FoundationEssentials
import Glibc
import Logging
import Systemd

/// The state of the system's service, which is not the one that a person sees who calls the program without options.
enum SystemState {
    /// Says so to whoever has no state directory of their own, where the system has one: they may have meant that.
    /// `command`: what they called.
    ///
    /// Also says that a directory which was named is not there: what is shown of it would look as if nothing ever ran.
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
            "you have no state directory \(own); that of the system service is \(StateDirectory.system)",
            metadata: ["hint": "`sudo \(Setup.program(options, own)) \(command)` looks there"])
    }
}
