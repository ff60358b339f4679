/// What a unit's sandbox allows in the file system; `systemd.exec(5)`.
///
/// Each setting stands for mounts. This decides between them as systemd does (its `namespace.c`). The deepest mount
/// over a path counts. Of several at one place the most restrictive one counts, and the place is read-only if any of
/// them is. Beneath an inaccessible path no other mount counts.
package struct UnitSandbox: Sendable {
    /// A line of a drop-in.
    package struct Setting: Equatable, Sendable, CustomStringConvertible {
        package let name: String
        let value: String
        /// The line in the file.
        package var description: String { "\(name)=\(value)" }
    }

    static let asked = switches + pathLists + given.keys.sorted() + ["RootDirectory", "RootImage"]

    private static let switches = ["ProtectSystem", "ProtectHome", "PrivateTmp"]
    private static let pathLists = [
        "InaccessiblePaths", "TemporaryFileSystem", "BindPaths", "BindReadOnlyPaths", "ReadOnlyPaths",
        "ReadWritePaths",
    ]
    private static let homes = ["/home", "/root", "/run/user"]
    private static let temporaries = ["/tmp", "/var/tmp"]
    private static let kernels = ["/dev", "/proc", "/sys"]
    /// The parents of the directories that systemd provides for a system unit.
    private static let given = [
        "StateDirectory": "/var/lib/", "CacheDirectory": "/var/cache/", "LogsDirectory": "/var/log/",
        "RuntimeDirectory": "/run/",
    ]

    /// The entries of each setting, as in the unit.
    private var entries: [String: [String]]
    private let resolve: @Sendable (String) -> String

    /// Nil if the unit has another root directory, because its paths are then not those of this system. `resolve`
    /// follows the links in a path, as systemd does for the paths in its settings.
    package init?(
        _ unit: ManagedUnit, resolve: @escaping @Sendable (String) -> String = { RealPath.plain($0) }
    ) {
        guard unit["RootDirectory"].isEmpty, unit["RootImage"].isEmpty else { return nil }
        self.resolve = resolve
        entries = Self.asked.reduce(into: [:]) { entries, property in
            let text = unit[property]
            entries[property] =
                Self.pathLists.contains(property)
                ? Self.paths(in: text) : text.split(separator: " ").map(String.init)
        }
    }

    /// Whether the unit's program can write to the file at `path`, and sees the same file as other programs.
    package func isOpen(_ path: String) -> Bool { restriction(at: path) == nil }

    /// Whether the unit's program finds the same thing at `path` as other programs do, be it read-only.
    package func shows(_ path: String) -> Bool {
        switch restriction(at: path) {
        case nil, .readOnly: true
        case .hidden, .substituted: false
        }
    }

    /// The source of what the unit has at `path`, if that is not the file that other programs see.
    package func substitute(for path: String) -> String? {
        for name in names(of: path) {
            if case .substituted(let source, _) = restriction(atName: name) { return source }
        }
        return nil
    }

    /// The drop-in lines with which the unit's program can write to all of `paths`; empty if it can already. `paths`
    /// are handled in this order, so a directory must come before the files in it.
    package func missing(for paths: [String]) -> [Setting] {
        var sandbox = self
        for path in paths {
            // Each setting can restrict the path once.
            for _ in Self.asked {
                guard let restriction = sandbox.restriction(at: path) else { break }
                sandbox.remove(restriction, at: RealPath.plain(path))
            }
        }
        return Self.asked.flatMap { lines(of: $0, for: sandbox.entries[$0] ?? []) }
    }

    /// The drop-in lines that change a setting to `wanted`. To remove entries of a list, the lines first reset it.
    private func lines(of property: String, for wanted: [String]) -> [Setting] {
        let present = entries[property] ?? []
        guard wanted != present else { return [] }
        let text = { (entries: [String]) in Setting(name: property, value: entries.joined(separator: " ")) }
        guard Self.pathLists.contains(property) else { return [text(wanted)] }
        if wanted.starts(with: present) { return [text(Array(wanted.dropFirst(present.count)))] }
        return [text([])] + (wanted.isEmpty ? [] : [text(wanted)])
    }

    // MARK: - Restrictions

    private enum Restriction {
        case hidden(by: Mount)
        case substituted(by: String, Mount)
        case readOnly(Mount)
    }

    private func restriction(at path: String) -> Restriction? {
        let names = names(of: path)
        for name in names {
            switch restriction(atName: name) {
            case nil: break
            case .readOnly(let mount):
                // For a link, only the place that it leads to must be writable.
                if name == names.last { return .readOnly(mount) }
            case let found: return found
            }
        }
        return nil
    }

    /// The path itself and, if it contains links, where they lead.
    private func names(of path: String) -> [String] {
        let (plain, real) = (RealPath.plain(path), resolve(path))
        return plain == real ? [plain] : [plain, real]
    }

    private func restriction(atName path: String) -> Restriction? {
        let over = mounts.filter { Self.holds($0.place, path) }
        if let mount = over.first(where: { $0.kind == .inaccessible }) { return .hidden(by: mount) }
        let places = Dictionary(grouping: over, by: \.place).sorted { $0.key.utf8.count < $1.key.utf8.count }
        let counting = places.compactMap { $0.value.min { $0.kind.rawValue < $1.kind.rawValue } }
        if let mount = counting.last(where: \.hasContent) {
            guard let source = mount.source else { return .hidden(by: mount) }
            let file =
                (source == "/" ? "" : source)
                + path.dropFirst(mount.place == "/" ? 0 : mount.place.utf8.count)
            if source != mount.place { return .substituted(by: file, mount) }
        }
        return places.last?.value.first(where: \.isReadOnly).map { .readOnly($0) }
    }

    private mutating func remove(_ restriction: Restriction, at path: String) {
        switch restriction {
        case .hidden(let mount) where mount.kind == .temporary: entries["BindPaths"]?.append("-" + path)
        case .readOnly(let mount) where mount.place != resolve(path):
            entries["ReadWritePaths"]?.append("-" + path)
        case .hidden(let mount), .substituted(_, let mount), .readOnly(let mount): remove(mount)
        }
    }

    private mutating func remove(_ mount: Mount) {
        guard Self.pathLists.contains(mount.property) else {
            entries[mount.property] = ["no"]
            return
        }
        let others = (entries[mount.property] ?? []).filter { entry in
            self.mount(of: entry, in: mount.property).place != mount.place
        }
        entries[mount.property] = others
    }

    // MARK: - Mounts

    private struct Mount {
        /// At one place, the first of these kinds counts.
        enum Kind: Int { case inaccessible, bind, privateTemporary, readOnly, readWrite, temporary, implicit }

        let place: String
        let kind: Kind
        /// The setting that causes the mount.
        let property: String
        var isReadOnly = false
        /// The path that is bound there.
        var source: String?

        /// Whether its contents differ from those of the place before the mount.
        var hasContent: Bool { [.bind, .privateTemporary, .temporary].contains(kind) }
    }

    private var mounts: [Mount] {
        let listed = Self.pathLists.flatMap { property in
            (entries[property] ?? []).map { mount(of: $0, in: property) }
        }
        let given = Self.given.flatMap { property, parent in
            (entries[property] ?? []).map { name in
                let place = resolve(parent + name)
                return Mount(place: place, kind: .bind, property: property, source: place)
            }
        }
        return listed + given + protection
    }

    /// The mounts of ProtectSystem=, ProtectHome= and PrivateTmp=.
    private var protection: [Mount] {
        let mounts = { (places: [String], kind: Mount.Kind, property: String) in
            places.map {
                let isReadOnly = ![.implicit, .privateTemporary].contains(kind)
                return Mount(place: $0, kind: kind, property: property, isReadOnly: isReadOnly)
            }
        }
        let system =
            switch entries["ProtectSystem"]?.first {
            // ProtectHome= decides about homes.
            case "strict":
                mounts(["/"], .readOnly, "ProtectSystem")
                    + mounts(Self.kernels + Self.homes, .implicit, "ProtectSystem")
            case "full": mounts(["/usr", "/boot", "/efi", "/etc"], .readOnly, "ProtectSystem")
            case "yes": mounts(["/usr", "/boot", "/efi"], .readOnly, "ProtectSystem")
            default: [Mount]()
            }
        let home =
            switch entries["ProtectHome"]?.first {
            case "yes": mounts(Self.homes, .inaccessible, "ProtectHome")
            case "tmpfs": mounts(Self.homes, .temporary, "ProtectHome")
            case "read-only": mounts(Self.homes, .readOnly, "ProtectHome")
            default: [Mount]()
            }
        let isPrivate = !["no", nil].contains(entries["PrivateTmp"]?.first)
        return system + home
            + (isPrivate ? mounts(Self.temporaries, .privateTemporary, "PrivateTmp") : [])
    }

    private func mount(of entry: String, in property: String) -> Mount {
        let path = String(entry.drop { $0 == "-" || $0 == "+" })
        let parts = path.split(separator: ":").map(String.init)
        switch property {
        case "BindPaths", "BindReadOnlyPaths":
            return Mount(
                place: resolve(parts.count > 1 ? parts[1] : parts[0]), kind: .bind, property: property,
                isReadOnly: property == "BindReadOnlyPaths", source: resolve(parts[0]))
        case "TemporaryFileSystem":
            let isReadOnly = parts.dropFirst().joined().split(separator: ",").contains("ro")
            return Mount(
                place: resolve(parts[0]), kind: .temporary, property: property, isReadOnly: isReadOnly)
        case "InaccessiblePaths":
            return Mount(place: resolve(path), kind: .inaccessible, property: property, isReadOnly: true)
        case "ReadOnlyPaths":
            return Mount(place: resolve(path), kind: .readOnly, property: property, isReadOnly: true)
        default: return Mount(place: resolve(path), kind: .readWrite, property: property)
        }
    }

    /// The entries of a list of paths. A path may contain spaces, so an entry begins where an absolute path does.
    private static func paths(in text: String) -> [String] {
        var entries: [String] = []
        for word in text.split(separator: " ", omittingEmptySubsequences: false).map(String.init) {
            let isBeginning = word.drop { $0 == "-" || $0 == "+" }.hasPrefix("/")
            if isBeginning || entries.isEmpty {
                entries.append(word)
            } else {
                entries[entries.count - 1] += " " + word
            }
        }
        return entries.filter { !$0.isEmpty }
    }

    /// Whether `path` is `directory`, or is in it.
    private static func holds(_ directory: String, _ path: String) -> Bool {
        directory == "/" || path == directory || path.hasPrefix(directory + "/")
    }
}
