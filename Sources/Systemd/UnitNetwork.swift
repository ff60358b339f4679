/// What a unit's sandbox allows of the network; `systemd.exec(5)` and `systemd.resource-control(5)`.
package struct UnitNetwork: Sendable {
    static let asked = ["PrivateNetwork", "RestrictAddressFamilies", "IPAddressAllow", "IPAddressDeny"]

    private let unit: ManagedUnit

    package init(_ unit: ManagedUnit) { self.unit = unit }

    /// The drop-in lines with which the unit's program can connect to other hosts; empty if it can already.
    ///
    /// Where addresses are allowed one by one, the right ones are taken to be among them.
    package var missing: [UnitSandbox.Setting] {
        var lines: [UnitSandbox.Setting] = []
        if unit["PrivateNetwork"] == "yes" {
            lines.append(UnitSandbox.Setting(name: "PrivateNetwork", value: "no"))
        }
        let families = unit["RestrictAddressFamilies"]
        let listed = families.drop { $0 == "~" }.split(separator: " ").map(String.init)
        let names = Self.families.contains { listed.contains($0) }
        if families.hasPrefix("~") {
            // A list of what is denied: the empty value takes it away.
            if names { lines.append(UnitSandbox.Setting(name: "RestrictAddressFamilies", value: "")) }
        } else if !families.isEmpty, !names {
            // A further line adds to the list.
            let value = Self.families.joined(separator: " ")
            lines.append(UnitSandbox.Setting(name: "RestrictAddressFamilies", value: value))
        }
        if !unit["IPAddressDeny"].isEmpty, unit["IPAddressAllow"].isEmpty {
            lines.append(UnitSandbox.Setting(name: "IPAddressAllow", value: "any"))
        }
        return lines
    }

    private static let families = ["AF_INET", "AF_INET6"]
}
