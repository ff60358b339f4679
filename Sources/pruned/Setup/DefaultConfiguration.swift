import DefaultStore
import FoundationEssentials
import Glibc
import TerminalText

/// The configuration file when none is named.
enum DefaultConfiguration {
    /// The system's directory: the first of `$CONFIGURATION_DIRECTORY`, as systemd sets it, else `/etc/pruned`.
    static let directory: String = {
        let named = ProcessInfo.processInfo.environment["CONFIGURATION_DIRECTORY"]?.split(separator: ":")
            .first
        return named.flatMap { $0.hasPrefix("/") ? String($0) : nil } ?? "/etc/pruned"
    }()

    /// The system's file.
    static let system = directory + "/pruned.toml"

    /// The path of the file for work on `stateDirectory`. A person has a file of their own: the system's rules are for
    /// the system's state.
    ///
    /// A relative `$XDG_CONFIG_HOME` counts as unset, as its specification demands. A user without a home directory has
    /// the system's file.
    static func path(
        environment: [String: String], isRoot: Bool, userName: String?, stateDirectory: String
    ) -> String {
        guard !isRoot, userName != StateDirectory.serviceUser, stateDirectory != StateDirectory.system else {
            return system
        }
        if let directory = environment["XDG_CONFIG_HOME"], directory.hasPrefix("/") {
            return directory + "/pruned/pruned.toml"
        }
        guard let home = environment["HOME"], home.hasPrefix("/") else { return system }
        return home + "/.config/pruned/pruned.toml"
    }
}

extension Failure {
    /// The failure of a command of a user who configured nothing and has no store of the reading app. `missing` is the
    /// path of that user's file.
    static func unconfigured(_ missing: String) -> Failure {
        Failure(
            .configuration,
            messages: [
                (
                    "nothing is pruned for \(Account.user(geteuid())): there is no \(missing)",
                    "for a database of your own: `mkdir -p \(missing.parentPath) && pruned suggest FILE > \(missing)`"
                ),
                (
                    "a service of the system's would have its own configuration",
                    "`sudo pruned status` shows what it does"
                ),
            ])
    }
}
