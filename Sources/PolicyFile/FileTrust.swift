import FoundationEssentials
import Glibc
import TerminalText

/// Checks that only root and the user that the program works as can change files that decide which rows are deleted.
struct FileTrust {
    /// Nil if the files are only examined, and will be installed elsewhere: then nobody's rights matter.
    let user: uid_t?

    /// Throws when another user can write to the file or directory with this status.
    func check(_ status: stat, _ path: String) throws(PolicyFileError) {
        guard let user else { return }
        guard status.st_uid == 0 || status.st_uid == user || mayBeRoot(status.st_uid) else {
            let owner = Account.name(of: status.st_uid) ?? "user id \(status.st_uid)"
            throw PolicyFileError(
                file: path, place: .file,
                reason: "belongs to \(owner), who is neither root nor the user that pruned works as",
                hint: "whoever can write it decides what is deleted: chown root \(path.shellWord)")
        }
        if let who = others(status, path, everybody: S_IWOTH, group: S_IWGRP) {
            let mode = String(status.st_mode & 0o7777, radix: 8)
            throw PolicyFileError(
                file: path, place: .file, reason: "\(who) can write to it (mode 0\(mode))",
                hint: "whoever can write it decides what is deleted: chmod go-w \(path.shellWord)")
        }
    }

    /// Who can read the file with this status besides root and the user; nil if nobody can.
    func readers(_ status: stat, _ path: String) -> String? {
        others(status, path, everybody: S_IROTH, group: S_IRGRP)
    }

    /// Who has one of these permissions besides root and the user; nil if nobody has.
    private func others(_ status: stat, _ path: String, everybody: mode_t, group: mode_t) -> String? {
        if status.st_mode & everybody != 0 { return "everybody" }
        guard status.st_mode & group != 0 else { return nil }
        // With an access list, the group bits are the upper bound for everybody on the list.
        if Self.hasAccessList(path) { return "somebody on its access list (getfacl)" }
        guard status.st_gid != 0, !(user.map { isPrivate(status.st_gid, of: $0) } ?? false) else {
            return nil
        }
        return "group \(Account.name(ofGroup: status.st_gid) ?? "id \(status.st_gid)")"
    }

    /// Whether the group has no other member than the user. Most systems create such a group for each user, with the
    /// user's name.
    private func isPrivate(_ group: gid_t, of user: uid_t) -> Bool {
        let entry = getpwuid(user)
        let own = entry?.pointee.pw_gid ?? (user == geteuid() ? getegid() : nil)
        guard group == own else { return false }
        guard let known = getgrgid(group) else { return true }  // without an entry, it has no other members
        guard let entry, strcmp(known.pointee.gr_name, entry.pointee.pw_name) == 0 else { return false }
        var member = known.pointee.gr_mem
        while let name = member?.pointee {
            guard strcmp(name, entry.pointee.pw_name) == 0 else { return false }
            member = member?.successor()
        }
        return true
    }

    /// Whether the file has an access list. False where the file system has none or cannot be asked.
    private static func hasAccessList(_ path: String) -> Bool {
        guard let resolved = realpath(path, nil) else { return false }
        defer { free(resolved) }
        let attributes = try? FileManager.default.attributesOfItem(atPath: String(cString: resolved))
        let extended = attributes?[FileAttributeKey("NSFileExtendedAttributes")] as? [String: Data]
        return extended?["system.posix_acl_access"] != nil
    }

    /// Whether an owner may be root. In a user namespace without root, such as that of a user's service, files of root
    /// and of others seem to belong to the same unknown user. In that case only the write permissions are checked.
    private func mayBeRoot(_ owner: uid_t) -> Bool {
        guard let nobody = try? String(contentsOfFile: "/proc/sys/kernel/overflowuid", encoding: .utf8),
            nobody == "\(owner)\n",
            let map = try? String(contentsOfFile: "/proc/self/uid_map", encoding: .utf8)
        else { return false }
        return !map.split(separator: "\n").contains { $0.split(separator: " ").first == "0" }
    }

    /// Throws when another user can replace the file at `path`. In a directory with the sticky bit, such as /tmp, only
    /// the owner of the file can.
    func check(directoryOf path: String) throws(PolicyFileError) {
        try checkDirectory(of: path)
        // For a link, the target's directory is checked as well, since the target is what is read.
        guard let resolved = realpath(path, nil) else { return }
        defer { free(resolved) }
        try checkDirectory(of: String(cString: resolved))
    }

    private func checkDirectory(of path: String) throws(PolicyFileError) {
        // Not with Foundation, which ends the process for "." (seen with Swift 6.3).
        let parent = path.lastIndex(of: "/").map { path[..<$0] } ?? "."
        let directory = parent.isEmpty ? "/" : String(parent)
        var status = stat()
        // If the directory cannot be examined, the file cannot be read either.
        guard stat(directory, &status) == 0, status.st_mode & S_ISVTX == 0 else { return }
        try check(status, directory)
    }
}
