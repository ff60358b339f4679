import FoundationEssentials
import Glibc
import Pruning
import SQLite

/// Whether the files that SQLite makes beside a store (`-wal`, `-shm`) can be used by the store's owner when
/// somebody else made them.
///
/// SQLite gives them the mode of the database, and as root its owner too; but their owner is otherwise whoever
/// opens the store first. So the group must do what the owner cannot.
struct Sharing {
    let file: FileFacts
    let directory: FileFacts
    let user: uid_t
    let path: String

    /// Throws when pruning as `user` could lock the store's owner out of it.
    func check() throws(StoreError) {
        guard user != file.owner, user != 0 else { return }
        guard directory.isSetGroupID, directory.isGroupWritable, file.isGroupWritable,
            directory.group == file.group
        else {
            throw StoreError(
                .inputOutput, operation: "open the store", place: path,
                cause:
                    "it belongs to \(Account.user(file.owner)), and files that \(Account.user(user)) creates beside it"
                    + " would lock its owner out",
                hint: "run as its owner, or share it: a common group, the directory 2770, the file 0660")
        }
    }
}
