import Glibc
import Pruning
import SQLite
import TerminalText

/// Whether the store's owner can use the files that SQLite creates beside the store (`-wal`, `-shm`) if another user
/// creates them.
///
/// SQLite gives them the mode of the database. Only root also gives them the database's owner; otherwise they belong to
/// the user who opens the store first. So the group must have the access that the owner may lack.
struct Sharing {
    let file: FileFacts
    let directory: FileFacts
    let user: uid_t
    let path: String

    /// Throws if pruning as `user` could lock the store's owner out.
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
