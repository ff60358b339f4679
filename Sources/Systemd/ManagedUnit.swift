/// A unit, as a service manager describes it.
package struct ManagedUnit: Equatable, Sendable {
    /// `pruned.service`.
    package let name: String
    /// Its properties, as `systemctl show` prints them. An unknown property is empty.
    let properties: [String: String]

    /// The properties to ask for.
    static let asked = [
        "Id", "LoadState", "ActiveState", "UnitFileState", "ExecStart", "User", "Group",
        "SupplementaryGroups", "NeedDaemonReload",
    ]

    /// A unit with these properties.
    package init(_ properties: [String: String]) {
        name = properties["Id"] ?? ""
        self.properties = properties
    }

    /// The loaded units in the output of `systemctl show`, which also prints units that do not exist.
    package static func all(in text: String) -> [ManagedUnit] {
        text.split(separator: "\n\n").map { block in
            let lines = block.split(separator: "\n").map { $0.split(separator: "=", maxSplits: 1) }
            return ManagedUnit(
                Dictionary(
                    lines.map { (String($0[0]), $0.count > 1 ? String($0[1]) : "") }, uniquingKeysWith: { $1 }
                ))
        }.filter { $0["LoadState"] == "loaded" }
    }

    subscript(property: String) -> String { properties[property] ?? "" }

    /// Whether it is started automatically, or has been started.
    package var isInUse: Bool {
        self["UnitFileState"].hasPrefix("enabled") || self["ActiveState"] != "inactive"
    }

    /// Whether its files have changed since the service manager read them.
    package var isOutdated: Bool { self["NeedDaemonReload"] == "yes" }

    /// The user that it runs as, by name or number; empty if the unit does not set one.
    package var user: String { self["User"] }

    /// Its groups besides those of its user, by name or number.
    package var groups: [String] {
        (self["Group"] + " " + self["SupplementaryGroups"]).split(separator: " ").map(String.init)
    }

    /// The value of `option` in the command line of the unit's program.
    package func argument(of option: String) -> String? {
        let line = self["ExecStart"]
        guard let begin = line.firstRange(of: "argv[]="), let end = line.firstRange(of: " ; ignore_errors=")
        else {
            return nil
        }
        let words = line[begin.upperBound..<end.lowerBound].split(separator: " ")
        if let index = words.lastIndex(where: { $0 == option }), index + 1 < words.count {
            return String(words[index + 1])
        }
        return words.last { $0.hasPrefix(option + "=") }.map { String($0.dropFirst(option.count + 1)) }
    }

    /// Whether it works on the state directory at `path`, even if the paths differ. `usual` is the program's default.
    package func works(on path: String, usual: String) -> Bool {
        let own = self["StateDirectory"].split(separator: " ").first.map { "/var/lib/" + $0 }
        return RealPath.of(argument(of: "--state-dir") ?? own ?? usual) == RealPath.of(path)
    }
}
