import CPostgreSQL
import Glibc

/// The hosts of a connection string, as libpq understood it: they are tried in order.
struct HostList: Equatable {
    struct Entry: Equatable {
        /// As the server's certificate may have it.
        let name: String
        /// Empty if the name is looked up.
        var address = ""
        let port: String
    }

    private(set) var entries: [Entry]
    /// How long each address may take to answer.
    let patience: Duration

    init(of handle: OpaquePointer, _ library: libpq) {
        let values = library.PQconninfo(handle).map(library.settings) ?? [:]
        let (names, addresses, ports) = (
            Self.split(values["host"]), Self.split(values["hostaddr"]), Self.split(values["port"])
        )
        entries = (0..<max(names.count, addresses.count)).map { index in
            // One port is that of all hosts.
            Entry(
                name: index < names.count ? names[index] : "",
                address: index < addresses.count ? addresses[index] : "",
                port: index < ports.count ? ports[index] : ports.last ?? "")
        }
        let seconds = values["connect_timeout"].flatMap(Int.init) ?? 0
        patience = .seconds(seconds > 0 ? max(2, seconds) : 60)
    }

    /// The values for each host in turn; an empty one has none of its own.
    static func split(_ values: String?) -> [String] {
        (values ?? "").split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }

    /// What is left to try after `address` of a host did not answer: its other addresses, of which `others` are told, and
    /// the hosts behind it. Those before it were tried.
    mutating func skip(_ name: String, port: String, address: String, others: (String) -> [String]) {
        let place = entries.firstIndex {
            ($0.name.isEmpty ? $0.address : $0.name) == name && (port.isEmpty || $0.port == port)
                && ($0.address.isEmpty || address.isEmpty || $0.address == address)
        }
        guard let place else {
            entries = []
            return
        }
        let hung = entries[place]
        let all = hung.address.isEmpty ? others(hung.name) : []
        let further = all.drop { $0 != address }.dropFirst().map {
            Entry(name: hung.name, address: $0, port: hung.port)
        }
        entries = further + entries.dropFirst(place + 1)
    }

    /// The list, for libpq.
    var parameters: [(name: String, value: String)] {
        [
            ("host", entries.map(\.name).joined(separator: ",")),
            ("hostaddr", entries.map(\.address).joined(separator: ",")),
            ("port", entries.map(\.port).joined(separator: ",")),
        ].filter { $0.1.contains { $0 != "," } }
    }

    /// The addresses of a name, in the order in which libpq tries them.
    static func addresses(of name: String) -> [String] {
        var (hints, found) = (addrinfo(), UnsafeMutablePointer<addrinfo>?.none)
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        guard !name.hasPrefix("/"), !name.hasPrefix("@"), getaddrinfo(name, nil, &hints, &found) == 0 else {
            return []
        }
        defer { freeaddrinfo(found) }
        var (addresses, next) = ([String](), found)
        while let entry = next?.pointee {
            var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            if getnameinfo(
                entry.ai_addr, entry.ai_addrlen, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0
            {
                addresses.append(
                    text.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" })
            }
            next = entry.ai_next
        }
        return addresses
    }
}
