import Foundation

/// What a unit's sandbox leaves of the file system; `systemd.exec(5)`.
public struct UnitSandbox: Sendable {
    /// A line of a drop-in.
    public struct Setting: Equatable, Sendable, CustomStringConvertible {
        let name: String
        let value: String
        /// As it stands in the file.
        public var description: String { "\(name)=\(value)" }
    }

    static let asked = [
        "RootDirectory", "RootImage", "ProtectSystem", "ProtectHome", "PrivateTmp", "ReadWritePaths",
        "ReadOnlyPaths", "InaccessiblePaths", "BindPaths", "BindReadOnlyPaths", "TemporaryFileSystem",
        "StateDirectory", "CacheDirectory", "LogsDirectory", "RuntimeDirectory",
    ]

    private static let homes = ["/home", "/root", "/run/user"]
    private static let temporaries = ["/tmp", "/var/tmp"]
    private static let kernels = ["/dev", "/proc", "/sys"]
    /// Where the directories are that a unit of the system is given.
    private static let given = [
        "StateDirectory": "/var/lib/", "CacheDirectory": "/var/cache/", "LogsDirectory": "/var/log/",
        "RuntimeDirectory": "/run/",
    ]

    private var properties: [String: String]

    /// Nil where the unit has another root directory: its paths are not those of this system.
    public init?(_ unit: ManagedUnit) {
        guard unit["RootDirectory"].isEmpty, unit["RootImage"].isEmpty else { return nil }
        properties = unit.properties
    }

    /// The lines that the unit needs for its program to write to the directory; none where it can already. `names`: the
    /// directory's path, and what links in it lead to.
    public func missing(for names: [String]) -> [Setting] {
        guard let first = names.first else { return [] }
        var sandbox = self
        var missing: [Setting] = []
        // Each setting can be in the way once.
        for _ in Self.asked {
            let hiding = names.compactMap(sandbox.hiding).first
            let isReadOnly = !names.contains { !sandbox.isReadOnly($0) }
            guard
                let setting = hiding
                    ?? (isReadOnly ? Setting(name: "ReadWritePaths", value: "-" + first) : nil)
            else { break }
            missing.append(setting)
            sandbox.apply(setting)
        }
        return missing
    }

    /// The setting that shows what is at `path`; nil where that is not hidden.
    private func hiding(_ path: String) -> Setting? {
        let home = self["ProtectHome"]
        if home == "yes" || home == "tmpfs", Self.depth(of: path, in: Self.homes) != nil {
            return Setting(name: "ProtectHome", value: "no")
        }
        if Self.depth(of: path, in: paths("InaccessiblePaths")) != nil {
            return Setting(name: "InaccessiblePaths", value: "")
        }
        let bound = Self.depth(of: path, in: paths("BindPaths") + paths("BindReadOnlyPaths")) ?? 0
        if self["PrivateTmp"] == "yes", let depth = Self.depth(of: path, in: Self.temporaries), depth > bound
        {
            return Setting(name: "PrivateTmp", value: "no")
        }
        if let depth = Self.depth(of: path, in: paths("TemporaryFileSystem")), depth > bound {
            return Setting(name: "BindPaths", value: "-" + path)
        }
        return nil
    }

    private func isReadOnly(_ path: String) -> Bool {
        let given = Self.given.flatMap { property, parent in
            self[property].split(separator: " ").map { parent + $0 }
        }
        let open = Self.depth(
            of: path, in: paths("ReadWritePaths") + paths("BindPaths") + given + Self.kernels)
        let closed = Self.depth(
            of: path, in: paths("ReadOnlyPaths") + paths("BindReadOnlyPaths") + protected)
        return closed.map { $0 > open ?? 0 } ?? false
    }

    /// What ProtectSystem= and ProtectHome= make read-only.
    private var protected: [String] {
        let system =
            switch self["ProtectSystem"] {
            case "strict": ["/"]
            case "full": ["/usr", "/boot", "/efi", "/etc"]
            case "yes": ["/usr", "/boot", "/efi"]
            default: [String]()
            }
        return system + (self["ProtectHome"] == "read-only" ? Self.homes : [])
    }

    private mutating func apply(_ setting: Setting) {
        let isList = setting.name.hasSuffix("Paths") && !setting.value.isEmpty
        properties[setting.name] = isList ? self[setting.name] + " " + setting.value : setting.value
    }

    private subscript(property: String) -> String { properties[property] ?? "" }

    /// The paths of a list as the program sees them: without the signs before them, and of a mount where it is. A path
    /// may have spaces in it, so one begins where an absolute path does.
    private func paths(_ property: String) -> [String] {
        var entries: [String] = []
        for word in self[property].split(separator: " ", omittingEmptySubsequences: false).map(String.init) {
            let isBeginning = word.drop { $0 == "-" || $0 == "+" }.hasPrefix("/")
            if isBeginning || entries.isEmpty {
                entries.append(word)
            } else {
                entries[entries.count - 1] += " " + word
            }
        }
        return entries.filter { !$0.isEmpty }.map { entry in
            let parts = entry.drop { $0 == "-" || $0 == "+" }.split(separator: ":").map(String.init)
            let isBind = property.hasPrefix("Bind") && parts.count > 1
            return property.hasPrefix("Bind") || property == "TemporaryFileSystem"
                ? parts[isBind ? 1 : 0] : parts.joined(separator: ":")
        }
    }

    /// How deep the deepest of `directories` is that is `path`, or that this lies in; the root is deeper than nothing.
    private static func depth(of path: String, in directories: [String]) -> Int? {
        directories.filter { directory in
            directory == "/" || path == directory || path.hasPrefix(directory + "/")
        }.map(\.utf8.count).max()
    }
}
