import Foundation

/// What a neighbour does in one instant.
enum HostileChange: String, CaseIterable {
    // To the file that the program works on.
    case linkToFile, linkToStore, linkToDirectory, pipe, directory, removed
    /// Another file of theirs, by renaming it.
    case otherFile
    /// As only root could do it: to a file whose links the kernel protects, and of a device.
    case hardLink, device, otherOwner
    case closed, readOnly
    // To the directories on its path.
    case directoryLinked, directoryReplaced, directoryClosed, parentLinked
    /// A rollback journal that names one of the victims as its super-journal.
    case journal

    /// Makes it as the app's user. Returns what takes it back; nil if that user cannot do it.
    func make(at target: String, in place: Neighbourhood) -> HostileReturn? {
        if [.hardLink, .device, .otherOwner].contains(self) { return put(at: target, in: place) }
        return Neighbour.app.act { put(at: target, in: place) }
    }

    private func put(at target: String, in place: Neighbourhood) -> HostileReturn? {
        let victim = place.victims + "/app"
        switch self {
        case .linkToFile: return HostileReturn(replacing: target) { symlink(victim + "/note", $0) }
        case .linkToStore: return HostileReturn(replacing: target) { symlink(victim + "/app.sqlite", $0) }
        case .linkToDirectory: return HostileReturn(replacing: target) { symlink(victim, $0) }
        case .pipe: return HostileReturn(replacing: target) { mkfifo($0, 0o666) }
        case .directory: return HostileReturn(replacing: target) { mkdir($0, 0o777) }
        case .removed: return HostileReturn(replacing: target) { _ in 0 }
        case .otherFile: return HostileReturn(replacing: target, by: place.spare) { rename(place.spare, $0) }
        case .hardLink:
            let file = target == place.store ? "/app.sqlite" : "/note"
            return HostileReturn(replacing: target) { link(victim + file, $0) }
        case .device: return HostileReturn(replacing: target) { mknod($0, S_IFCHR | 0o666, Self.zeros) }
        case .otherOwner: return HostileReturn(owner: Neighbour.stranger, of: target)
        case .closed: return HostileReturn(mode: 0, of: target)
        case .readOnly: return HostileReturn(mode: 0o444, of: target)
        case .directoryLinked where !place.scenario.isInState:
            return HostileReturn(replacing: place.shared) { symlink(victim, $0) }
        case .directoryReplaced where !place.scenario.isInState:
            return HostileReturn(replacing: place.shared) { path in
                mkdir(path, 0o2770) | chmod(path, 0o2770)
                    | rename(path + ".was/spare.sqlite", path + "/app.sqlite")
            }
        case .directoryClosed where !place.scenario.isInState:
            return HostileReturn(mode: 0o700, of: place.shared)
        case .parentLinked where !place.scenario.isInState:
            return HostileReturn(replacing: place.outer + "/inner") { symlink(place.victims, $0) }
        case .journal:
            let bytes = SuperJournal.naming(victim + "/note", pages: 3)
            return HostileReturn(replacing: place.store + "-journal") { path in
                let file = open(path, O_WRONLY | O_CREAT | O_EXCL, 0o660)
                defer { close(file) }
                return fchmod(file, 0o660) | (write(file, bytes, bytes.count) == bytes.count ? 0 : -1)
            }
        default: return nil
        }
    }

    /// The device /dev/zero.
    private static let zeros = dev_t(1 << 8 | 5)
}

/// What takes a change back, as far as the program has left it.
struct HostileReturn {
    private let path: String
    private var mode: mode_t?
    private var owner: uid_t?
    private var hasBefore = false
    /// What was put there.
    private var put: ino_t?
    private var origin: String?

    private static func facts(_ path: String) -> stat? {
        var facts = stat()
        return lstat(path, &facts) == 0 ? facts : nil
    }

    /// Moves aside what is at `path`, and puts something there by `make`.
    init?(replacing path: String, by origin: String? = nil, _ make: (String) -> Int32) {
        (self.path, self.origin) = (path, origin)
        if Self.facts(path) != nil {
            guard rename(path, path + ".was") == 0 else { return nil }
            hasBefore = true
        }
        guard make(path) == 0 else {
            if hasBefore { rename(path + ".was", path) }
            return nil
        }
        put = Self.facts(path)?.st_ino
        // What is not there cannot be removed.
        if put == nil, !hasBefore { return nil }
    }

    init?(mode: mode_t, of path: String) {
        self.path = path
        guard let facts = Self.facts(path), facts.st_mode & S_IFMT != S_IFLNK, chmod(path, mode) == 0 else {
            return nil
        }
        self.mode = facts.st_mode & 0o7777
    }

    init?(owner: uid_t, of path: String) {
        self.path = path
        guard let facts = Self.facts(path), lchown(path, owner, facts.st_gid) == 0 else { return nil }
        self.owner = facts.st_uid
    }

    /// As root. What the program has put in the place of the change stays.
    func take() {
        if let mode {
            chmod(path, mode)
            return
        }
        if let owner {
            lchown(path, owner, gid_t.max)
            return
        }
        if let there = Self.facts(path), there.st_ino == put {
            if let origin { rename(path, origin) } else { try? FileManager.default.removeItem(atPath: path) }
        }
        guard hasBefore else { return }
        if Self.facts(path) == nil {
            rename(path + ".was", path)
        } else {
            try? FileManager.default.removeItem(atPath: path + ".was")
        }
    }
}
