import FoundationEssentials

/// A unit, by what a service manager says of it.
package struct ManagedUnit: Equatable, Sendable {
    /// `pruned.service`.
    package let name: String
    /// Its properties, as `systemctl show` prints them; one that is not known is empty.
    let properties: [String: String]

    /// The properties that are asked for.
    static let asked = [
        "Id", "LoadState", "ActiveState", "UnitFileState", "ExecStart", "User", "Group",
        "SupplementaryGroups",
    ]

    /// One of these properties.
    package init(_ properties: [String: String]) {
        name = properties["Id"] ?? ""
        self.properties = properties
    }

    /// The units that `systemctl show` printed; those that are not there it prints, too.
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

    /// Whether it is started by itself, or was started.
    package var isInUse: Bool {
        self["UnitFileState"].hasPrefix("enabled") || self["ActiveState"] != "inactive"
    }

    /// As whom it runs, by name or number; empty where the unit does not say.
    package var user: String { self["User"] }

    /// The groups that it is in besides those of its user, by name or number.
    package var groups: [String] {
        (self["Group"] + " " + self["SupplementaryGroups"]).split(separator: " ").map(String.init)
    }

    /// What follows `option` where the unit's program is started with it.
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

    /// Whether it works on the state directory at `path`, whatever either is called. `usual`: what the program takes where
    /// nobody names one.
    package func works(on path: String, usual: String) -> Bool {
        let own = self["StateDirectory"].split(separator: " ").first.map { "/var/lib/" + $0 }
        return RealPath.of(argument(of: "--state-dir") ?? own ?? usual) == RealPath.of(path)
    }
}
