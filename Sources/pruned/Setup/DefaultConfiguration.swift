import DefaultStore
import Glibc
import TerminalText

/// The configuration file when none is named.
enum DefaultConfiguration {
    /// The system's file.
    static let system = "/etc/pruned/pruned.toml"

    /// The paths to try, in order. A person's own file comes before the system's. Root and the service's user have only
    /// the system's file, since they also have the system's state directory.
    ///
    /// A relative `$XDG_CONFIG_HOME` counts as unset, as its specification demands.
    static func places(environment: [String: String], isRoot: Bool, userName: String?) -> [String] {
        guard !isRoot, userName != StateDirectory.serviceUser else { return [system] }
        if let directory = environment["XDG_CONFIG_HOME"], directory.hasPrefix("/") {
            return [directory + "/pruned/pruned.toml", system]
        }
        guard let home = environment["HOME"], home.hasPrefix("/") else { return [system] }
        return [home + "/.config/pruned/pruned.toml", system]
    }
}

extension Failure {
    /// This failure, for a user's own service without a configuration. `missing` is that user's file. The system's file
    /// was used instead, but its stores do not belong to the user, and that does not change by itself.
    func unconfigured(_ missing: String) -> Failure {
        let directory = missing.parentPath
        return Failure(
            .configuration,
            messages: messages + [
                (
                    "there is no \(missing), and \(Account.user(geteuid())) can prune no store of"
                        + " \(DefaultConfiguration.system)",
                    "create your own configuration: `mkdir -p \(directory) && pruned check --defaults > \(missing)`"
                )
            ])
    }
}
