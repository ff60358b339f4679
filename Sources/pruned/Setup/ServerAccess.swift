import Pruning
import Systemd

/// Whether a unit's sandbox lets it connect to the servers of stores.
struct ServerAccess {
    /// The drop-in lines that it lacks.
    let missing: [String]
    /// What it cannot do; nil if it can connect.
    let fault: String?
    private let needsNetwork: Bool
    private let hasServers: Bool

    init(of unit: ManagedUnit, _ sandbox: UnitSandbox, to servers: [ServerPlace]) {
        var (hosts, hidden): ([String], [String]) = ([], [])
        for server in servers {
            switch server {
            case .host(let host): if !hosts.contains(host) { hosts.append(host) }
            case .directory(let path):
                if !sandbox.shows(path), !hidden.contains(path) { hidden.append(path) }
            }
        }
        let network = hosts.isEmpty ? [] : UnitNetwork(unit).missing.map(\.description)
        // To connect to a socket, its directory need not be writable.
        let mounts = sandbox.missing(for: hidden).filter { $0.name != "ReadWritePaths" }.map(\.description)
        missing = network + mounts
        let closed = network.isEmpty ? hidden : hosts + hidden
        fault = closed.isEmpty ? nil : "cannot connect to " + closed.joined(separator: ", ")
        (needsNetwork, hasServers) = (!network.isEmpty, !servers.isEmpty)
    }

    /// What is said of a unit that lacks nothing.
    var praise: String {
        hasServers ? "it can write and connect where it must" : "it can write where it must"
    }

    /// Where such a drop-in is to be had ready-made, as the end of a hint.
    var example: String {
        guard needsNetwork else { return "" }
        return "; "
            + (SharedFiles.serverDropIn.map { "\($0) is such a file" }
                ?? "see pruned-postgresql(7) and pruned-mariadb(7)")
    }
}
