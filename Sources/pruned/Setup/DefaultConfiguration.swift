import DefaultStore
import Glibc
import Pruning

/// Where the configuration file is when none is named.
enum DefaultConfiguration {
    /// The system's file.
    static let system = "/etc/pruned/pruned.toml"

    /// The places in the order in which they are tried. A person's own file comes before the system's, for their own
    /// stores; root and the service's user have the system's alone, as they have its state directory.
    ///
    /// A relative `$XDG_CONFIG_HOME` counts as unset, as its specification asks.
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
    /// The same of a service that nobody configured: it is a user's own, `missing` is that user's file, and the system's
    /// has stores that are not theirs. That does not pass by itself.
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
