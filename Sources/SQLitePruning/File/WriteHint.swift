import Glibc
import Pruning
import SQLite
import TerminalText

/// The hint for a user who may read a store but not write to it.
struct WriteHint {
    /// The path of the store.
    let path: String
    let directory: StoreDirectory
    /// What cannot be written, by its name in the store's directory: the store, the directory itself or a companion.
    let name: String
    /// The facts of what cannot be written.
    let facts: FileFacts
    /// The groups of this process.
    let groups: Set<gid_t>

    /// The hint after a system call failed with `code`.
    func text(for code: Int32) -> String {
        switch code {
        case EACCES: sharing ?? AccessHint.text(for: name == "." ? parent : parent + "/" + name)
        case EROFS:
            "the file system is read-only; if that is the sandbox of the unit, ReadWritePaths= opens the directory:"
                + " see `pruned check`"
        default: "run as its owner, or let \(Account.user(geteuid())) write to it"
        }
    }

    /// The commands that let a group of this process write; nil if none of its groups has the file or its directory.
    private var sharing: String? {
        guard let around = FileFacts(of: directory.descriptor),
            let group = [facts.group, around.group].first(where: {
                !Account.isPrivileged(group: $0) && groups.contains($0)
            })
        else { return nil }
        let target = name == "." ? path : parent + "/" + name
        let found = name == "." ? FileFacts(at: path) ?? facts : facts
        let groupName = Account.name(ofGroup: group) ?? "\(group)"
        let commands = [
            around.group == group ? nil : "chgrp \(groupName) \(parent.shellWord)",
            around.isSetGroupID && around.isGroupWritable ? nil : "chmod 2770 \(parent.shellWord)",
            found.group == group ? nil : "chgrp \(groupName) \(target.shellWord)",
            found.isGroupWritable ? nil : "chmod 0660 \(target.shellWord)",
        ].compactMap(\.self)
        guard !commands.isEmpty else { return nil }
        return "let its group, \(groupName), write: " + commands.map { "`\($0)`" }.joined(separator: ", ")
    }

    /// The path of the store's directory.
    private var parent: String { String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]) }
}
