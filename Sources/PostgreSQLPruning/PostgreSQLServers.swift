import Pruning
import Retention

extension PostgreSQLStore {
    /// The servers that the url names. What it leaves to a service file or the environment is not among them: for a service
    /// these may say something else than for a person.
    package var servers: [ServerPlace] {
        guard case .postgresql(let url) = definition.kind,
            let library = try? ClientLibrary.load(place: definition.place),
            let given = try? Address(text: url.text, place: definition.place).parsed(library)
        else { return [] }
        let addresses = HostList.split(given["hostaddr"])
        // An address spares looking the host's name up.
        return HostList.split(given["host"]).enumerated().compactMap { number, host in
            let address = number < addresses.count ? addresses[number] : ""
            if !address.isEmpty || host.isEmpty || host.hasPrefix("@") { return nil }
            return host.hasPrefix("/") ? .directory(host) : .host(host)
        } + addresses.filter { !$0.isEmpty }.map { .host($0) }
    }
}
